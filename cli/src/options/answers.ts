import { invalidOption } from "anchoreval/internal/core/errors";
import { stat } from "node:fs/promises";
import { basename } from "node:path";
import type { Bundle } from "anchoreval/internal/core/bundle/bundle";
import type { AnchorRecord } from "anchoreval/internal/core/bundle/manifest";
import { loadItems } from "anchoreval/internal/bundles/read-file";
import { answersOthers } from "anchoreval/internal/estimate/locate-answers";
import { allAnchors, allItems, fieldAnchors } from "anchoreval/internal/logs/anchor-names";
import { ERROR_POLICIES } from "anchoreval/internal/logs/attempts";
import { HARNESSES } from "anchoreval/internal/node/logs/readers";
import { readAnswers, streamChunks } from "anchoreval/internal/node/read-file";
import { type Answers, parseAnswers } from "anchoreval/internal/tables/parse-answers";
import type { ScaleOptions } from "anchoreval/internal/tables/score-reader";
import type { ReadModel } from "anchoreval/internal/node/logs/anchor-logs";
import { given, option, flag, rare, type OptionReader, type OptionSpecs } from "../program/command.ts";
import { ITEMS_OPTION, placeAnchors } from "../bundles/form-anchors.ts";
import { openBundle } from "../bundles/open-bundle.ts";
import { openHarness } from "../program/trainer.ts";
import type { AnswerWarning } from "anchoreval/internal/logs/answer-warnings";
import { readScale, SCALE_OPTIONS } from "./scale.ts";

export const ANSWER_DATA_OPTIONS = {
  from: option("HARNESS", `read logs of this harness: ${HARNESSES.join(", ")}`, { choices: HARNESSES }),
  ...rare({
    metric: option("[TASK=]M", "metric to use as the score (default: the one that the bundle was fitted on)", {
      multiple: true,
    }),
    filter: option("[TASK=]F", "filter whose answers count (default: the one that the bundle was fitted on)", {
      multiple: true,
    }),
    errors: option(
      "missing|wrong",
      "how to count answers that failed or have no score in the logs (default: as the harness does)",
    ),
    ...ITEMS_OPTION,
    ...SCALE_OPTIONS,
    "drop-changed": flag("count answers to changed items as missing instead of refusing them"),
  }),
} as const satisfies OptionSpecs;

export const FORM_OPTION = {
  form: option("ID", "form that was answered (default: inferred)"),
} as const satisfies OptionSpecs;

export const LEVEL_OPTION = {
  level: option("0.95", "confidence level of the intervals"),
} as const satisfies OptionSpecs;

export function estimateOptions(options: OptionReader): { level: number; onChangedItem?: "drop" } {
  return {
    level: options.number("level", { min: 0, max: 1 }, 0.95),
    ...(options.flag("drop-changed") && { onChangedItem: "drop" as const }),
  };
}

/** A result with what its models' answers brought: how many don't count, and warnings. */
export type Answered<R> = R extends unknown ? Omit<R, "warnings"> & Brought : never;

interface Brought {
  readonly warnings: readonly { readonly code: string; readonly message: string; readonly count?: number }[];
  readonly ignored?: number;
}

/** Warnings of answers that don't count. */
const IGNORED = ["other_items", "unknown_items"];

/** Adds to a result what its models' answers brought; of several models, each warning with the model's name. */
export function withAnswers<R extends { readonly warnings: Brought["warnings"] }>(
  result: R,
  models: readonly ReadModel[],
): Answered<R> {
  const named = (model: ReadModel, message: string): string =>
    models.length > 1 ? `${model.name}: ${message}` : message;
  const news: AnswerWarning[] = models.flatMap((model) =>
    model.warnings.map((warning) => ({ ...warning, message: named(model, warning.message) })),
  );
  const warnings = [...result.warnings, ...news];
  const ignored = warnings.reduce((sum, { code, count = 0 }) => sum + (IGNORED.includes(code) ? count : 0), 0);
  return { ...result, ...(ignored > 0 && { ignored }), warnings } as never; // Answered<R> is resolved where R is
}

/** How a model's answers are read, where not as options say alone. */
export interface ModelReading {
  /** Metrics of the logs. @default those of `--metric` */
  readonly metrics?: readonly string[];
  /** With `--from` too, only a folder has logs. @default false */
  readonly filesAreAnswers?: boolean;
  /** `--items` is read without logs, too. @default false */
  readonly readsItems?: boolean;
}

/**
 * Reads one model's answers: a file of answers, or with `--from` the logs of a harness. It is called what the logs call it,
 * or by the file's name.
 */
export async function readModel(
  paths: readonly string[],
  bundle: Bundle,
  options: OptionReader,
  { filesAreAnswers = false, metrics, readsItems = false }: ModelReading = {},
): Promise<ReadModel> {
  const [path, ...more] = paths;
  if (path === undefined) throw invalidOption("--responses is needed");
  const form = options.text("form");
  if (path === "-" && options.isGiven("from") && !filesAreAnswers)
    throw invalidOption("- is a file of answers, and --from reads logs: name the logs");
  if (options.isGiven("from") && !(filesAreAnswers && (await isFile(path)))) {
    const from = options.oneOf("from", HARNESSES, "lm-eval");
    const { readAnchorLogs } = await import("anchoreval/internal/node/logs/anchor-logs");
    const byField = from === "lm-eval" && !options.isGiven("items");
    const match = async (records: readonly AnchorRecord[]) => {
      const anchors = await placeAnchors(records, options.text("items"));
      return byField ? fieldAnchors(bundle, anchors) : { anchors };
    };
    return readAnchorLogs(bundle, paths, {
      ...readScale(options),
      harness: await openHarness(from, `--from ${from}`),
      ...given({ form }),
      ...(await match(allAnchors(bundle))),
      allItems: async () => {
        await loadItems(openBundle(options.required("bundle")), bundle);
        return (await match(allItems(bundle))).anchors;
      },
      metric: metrics ?? options.texts("metric"),
      filter: options.texts("filter"),
      errors: options.oneOf("errors", ERROR_POLICIES, "harness"),
    });
  }
  options.refuse(readsItems ? ["errors"] : ["items", "errors"], "is about the logs of a harness: it needs --from");
  if (more.length > 0) throw invalidOption(`--responses takes one file; got ${more.join(" ")} too`);
  const { answers, trials, hashes } = await readAnswersAt(path, readScale(options));
  const name = answersName(path);
  if (answersOthers(bundle, answers)) await loadItems(openBundle(options.required("bundle")), bundle);
  return { name, responses: answers, ...given({ form }), hashes, ...(trials.size > 0 && { trials }), warnings: [] };
}

/** Called `-`, in place of a file of answers. */
const STANDARD_INPUT = "standard input";

/**
 * Reads a file of one model's answers, or standard input where it is called `-`.
 * @throws AnchorEvalError as `readAnswers`; `invalid_option` where standard input is a terminal, or was read before
 */
export function readAnswersAt(path: string, scale: ScaleOptions = {}): Promise<Answers> {
  if (path !== "-") return readAnswers(path, scale);
  if (process.stdin.isTTY)
    throw invalidOption(
      "- reads answers from standard input, which is a terminal here: give a file, or … | anchoreval",
    );
  if (process.stdin.readableEnded || process.stdin.destroyed)
    throw invalidOption("- stands for one file of answers: standard input can be read once");
  return parseAnswers(STANDARD_INPUT, streamChunks(STANDARD_INPUT, process.stdin), scale);
}

/** Name of a model whose answers are a file: the file's without its ending. */
export function answersName(path: string): string {
  if (path === "-") return STANDARD_INPUT;
  return basename(path)
    .replace(/\.gz$/i, "")
    .replace(/\.(csv|tsv|jsonl?|ndjson)$/i, "");
}

async function isFile(path: string): Promise<boolean> {
  if (path === "-") return true;
  return stat(path).then(
    (stats) => stats.isFile(),
    () => true, // what isn't there is named by its reader
  );
}
