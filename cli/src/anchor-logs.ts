import type { Bundle } from "anchoreval/internal/core/bundle/bundle";
import type { AnchorRecord } from "anchoreval/internal/core/bundle/manifest";
import { AnchorEvalError } from "anchoreval/internal/core/errors";
import { parseChoices, type Choose } from "anchoreval/internal/logs/choices";
import {
  protocolDifferences,
  PROTOCOL_WORDS,
  type TaskProtocol,
  taskProtocol,
} from "anchoreval/internal/logs/protocol";
import { matchAnchors } from "anchoreval/internal/logs/match-anchors";
import type { ScaleOptions } from "anchoreval/internal/tables/score-reader";
import { groupRuns, type LoggedSample } from "anchoreval/internal/logs/run-log";
import type { HarnessName } from "anchoreval/internal/node/harnesses";
import { allAnchors } from "./form-anchors.ts";
import { openHarness } from "./trainer.ts";

/** One model's answers from a file, or from a harness's logs. */
export interface ReadModel {
  readonly name: string;
  readonly responses: ReadonlyMap<string, number | null>;
  readonly hashes: ReadonlyMap<string, string>;
  /** The form that the logs fill, or that was asked for. */
  readonly form?: string;
}

interface AnchorLogOptions extends ScaleOptions {
  readonly from: HarnessName;
  readonly metric: readonly string[];
  readonly filter: readonly string[];
  /** The form to answer; without it, the largest that the logs fill. */
  readonly form: string | undefined;
  /** Anchors with tasks and document ids that aren't the bundle's own. @default the bundle's */
  readonly anchors?: readonly AnchorRecord[];
}

/**
 * Reads the answers to a bundle's anchors from one model's logs of a harness, of a run on the anchors only or on more.
 * @throws AnchorEvalError as the harness's reader; `invalid_answers` where there is no anchor in the
 * logs, `invalid_data` where they are of several models
 */
export async function readAnchorLogs(
  bundle: Bundle,
  paths: readonly string[],
  options: AnchorLogOptions,
): Promise<ReadModel & { readonly remarks: readonly string[] }> {
  const harness = await openHarness(options.from, `--from ${options.from}`);
  const remarks: string[] = [];
  const logs = await harness.find(paths, { onRemark: (words) => remarks.push(words) });
  const models = [...new Set(logs.map((log) => log.model))];
  if (models.length > 1)
    throw new AnchorEvalError(
      "invalid_data",
      `these are the logs of ${models.length} models: ${models.slice(0, 5).join(", ")}${models.length > 5 ? ", …" : ""}; an estimate takes one: name its folder or files`,
    );
  const anchors = options.anchors ?? allAnchors(bundle);
  const tasks = new Set(anchors.map((anchor) => anchor.task ?? taskOfId(anchor.item_id)));
  const choose = { ...options, ...fittedChoices(bundle, options) };
  const samples: LoggedSample[] = [];
  for (const [log, ...older] of groupRuns(logs)) {
    if (!tasks.has(log!.task)) {
      remarks.push(`${log!.file} is ignored: the bundle has no anchor of ${log!.task}`);
      continue;
    }
    if (older.length > 0) remarks.push(`${log!.task}: the newest of ${1 + older.length} runs counts, ${log!.file}`);
    const read = await harness.read(log!, choose);
    samples.push(...read.samples);
    remarks.push(...read.remarks);
    remarks.push(...differenceWords(bundle.manifest.protocol, log!.task, taskProtocol(log!.results, read)));
  }
  const found = matchAnchors(anchors, samples);
  if (found.answers.size === 0)
    throw new AnchorEvalError(
      "invalid_answers",
      `${paths.join(", ")}: no anchor of this bundle is in these logs; its anchors are of the tasks ${[...tasks].slice(0, 5).join(", ")}${tasks.size > 5 ? ", …" : ""}`,
    );
  const form = options.form ?? filledForm(bundle, found.answers);
  const asked =
    form === undefined
      ? null
      : new Set(anchors.filter((anchor) => anchor.forms.includes(form)).map((anchor) => anchor.item_id));
  const kept = new Map([...found.answers].filter(([id]) => asked?.has(id) ?? true));
  const ignored = found.ignored + found.answers.size - kept.size;
  if (ignored > 0)
    remarks.push(
      `${ignored} ${ignored === 1 ? "item is" : "items are"} in the logs and not among the anchors${form === undefined ? "" : ` of form ${form}`}: ignored`,
    );
  if (found.errored > 0)
    remarks.push(`${found.errored} anchors have no answer of the model; they count as the harness scored them`);
  if (found.unscored > 0) remarks.push(`${found.unscored} anchors have no score, and count as missing`);
  const { hashes } = found;
  return { name: models[0]!, responses: kept, hashes, ...(form !== undefined && { form }), remarks };
}

/** In what a run of a task differs from those that the bundle was fitted on, in a sentence each. */
export function differenceWords(
  fitted: Parameters<typeof protocolDifferences>[0],
  task: string,
  protocol: TaskProtocol,
): string[] {
  return protocolDifferences(fitted, task, protocol).map(
    ({ field, bundle, run }) =>
      `${task}: ${PROTOCOL_WORDS[field]}: ${run} in this run, ${bundle} in those of the models that the bundle was fitted on: the scores may not compare`,
  );
}

/** Metric and filter as asked for, else those that the bundle was fitted on. */
export function fittedChoices(
  bundle: Bundle,
  asked: Pick<AnchorLogOptions, "from" | "metric" | "filter">,
): { metric: Choose; filter: Choose } {
  const metric = parseChoices("metric", asked.metric);
  const filter = parseChoices("filter", asked.filter);
  const fitted = (field: "metric" | "filter", task: string): string | undefined => {
    const { protocol } = bundle.manifest;
    const value = protocol.harness === asked.from ? (protocol[`${field}/${task}`] ?? protocol[field]) : undefined;
    return typeof value === "string" && value !== "mixed" ? value : undefined;
  };
  return {
    metric: (names) => metric(names) ?? fitted("metric", names[0]!),
    // `--metric METRIC,FILTER` has named the filter already.
    filter: (names) => filter(names) ?? (metric(names)?.includes(",") ? undefined : fitted("filter", names[0]!)),
  };
}

/** The largest form whose anchors are all there; without one, `estimateFromAnchors` infers it or says what is missing. */
function filledForm(bundle: Bundle, answers: ReadonlyMap<string, unknown>): string | undefined {
  const sizes = bundle.manifest.forms.flatMap(({ id }) => {
    const ids = [...bundle.scenarios.values()].flatMap((scenario) => scenario.forms.get(id)!.itemIds);
    return ids.every((itemId) => answers.has(itemId)) ? [{ id, size: ids.length }] : [];
  });
  const isDefault = (id: string): number => Number(id === bundle.manifest.defaultForm);
  return sizes.sort((left, right) => right.size - left.size || isDefault(right.id) - isDefault(left.id))[0]?.id;
}

function taskOfId(id: string): string {
  return id.slice(0, Math.max(0, id.lastIndexOf("/")));
}
