import { PROVIDERS, resolveBackend } from "anchoreval-trainer/internal/backends/resolve-backend";
import type { CalibrationBackend } from "anchoreval-trainer/internal/calibrate/types";
import type { ParallelFormsOptions } from "anchoreval-trainer/internal/extensions/parallel-forms/build-forms";
import { checkForms, type FormsCheck } from "anchoreval-trainer/internal/extensions/parallel-forms/check-forms";
import {
  answeredDifficulty,
  type PoolDifficulty,
} from "anchoreval-trainer/internal/extensions/parallel-forms/difficulty";
import {
  type ItemPool,
  joinKeys,
  type JoinKeys,
} from "anchoreval-trainer/internal/extensions/parallel-forms/item-pool";
import { readResponses } from "anchoreval-trainer/internal/matrix/read-responses";
import type { ResponseMatrix } from "anchoreval-trainer/internal/matrix/response-matrix";
import { createRandom } from "anchoreval/internal/core/numeric/random";
import { option, rare, type OptionReader, type OptionSpecs, invalidOption } from "../command.ts";
import type { Output } from "../output.ts";
import { RESPONSE_OPTIONS } from "./data.ts";
import { WORK_OPTIONS } from "./fit.ts";
import { FAMILIES_OPTION, readFamilies } from "./model-files.ts";
import { readScale, SCALE_OPTIONS } from "./scale.ts";

/** Items that the responses may be answers to: these texts, or others. */
const ANSWERED = ["same", "other"] as const;
const CHECKS = ["folds", "none"] as const;

/** Options of `forms` that say where difficulty comes from by answers, and whether the forms are checked on them. */
export const ANSWER_OPTIONS = {
  responses: option("FILE", `difficulty from ${RESPONSE_OPTIONS.responses.description}`),
  join: option("COLUMN", "column of the items that holds the responses' item ids (default: the ids' column)"),
  "answers-to": option(
    ANSWERED.join("|"),
    "whether the responses are answers to these very texts or to others, such as another language",
  ),
  "response-items": option(
    "FILE",
    "items JSONL(.gz) of the responses: its texts are compared where --answers-to isn't given",
  ),
  ...rare(SCALE_OPTIONS),
  ...FAMILIES_OPTION,
  check: option(
    CHECKS.join("|"),
    "folds rebuilds the forms without each quarter of the families and compares its scores (default folds)",
  ),
  provider: WORK_OPTIONS.provider,
} as const satisfies OptionSpecs;

/**
 * Refuses options that contradict each other.
 * @throws AnchorEvalError `invalid_option`
 */
export function checkAnswerOptions(options: OptionReader): void {
  if (options.text("responses") === undefined) {
    const idle = Object.keys(ANSWER_OPTIONS).find((name) => options.text(name) !== undefined);
    if (idle !== undefined) throw invalidOption(`--${idle} needs --responses, which isn't given`);
  } else {
    if (options.text("difficulty") !== undefined)
      throw invalidOption("difficulty comes from --responses or from --difficulty, not from both");
    if (options.oneOf("check", CHECKS, "folds") === "none" && options.text("families") !== undefined)
      throw invalidOption("--families is for the check, which --check none leaves out");
  }
}

/** Answers to a pool's items, or to their brothers, with what they are calibrated by. */
interface FormsAnswers {
  readonly keys: JoinKeys;
  readonly matrix: ResponseMatrix;
  readonly backend: CalibrationBackend;
  /** True for answers to these very texts; undefined where it wasn't given. */
  readonly sameItems: boolean | undefined;
  /** False for `--check none`. */
  readonly checked: boolean;
  readonly families?: ReadonlyMap<string, string>;
}

/** Reads the answers of `--responses`. @throws AnchorEvalError of every file and option that is wrong */
export async function readFormsAnswers(
  pool: ItemPool,
  responses: string,
  options: OptionReader,
  output: Output,
): Promise<FormsAnswers> {
  const keys = joinKeys(pool, options.text("join"));
  const provider = options.oneOf("provider", PROVIDERS, "auto");
  const sameItems =
    options.text("answers-to") === undefined ? undefined : options.oneOf("answers-to", ANSWERED, "other") === "same";
  const families = await readFamilies(options);
  const described = options.text("response-items");
  const { matrix, remarks } = await readResponses(responses, {
    ...readScale(options),
    ...(described === undefined ? { oneScenario: true } : { items: described }),
  });
  for (const remark of remarks) output.remark(remark);
  const { backend, reason } = await resolveBackend(provider);
  output.remark(reason);
  const checked = options.oneOf("check", CHECKS, "folds") === "folds";
  return { keys, matrix, backend, sameItems, checked, ...families };
}

/** The difficulty of a pool's items, calibrated on the answers. */
export async function calibratedDifficulty(
  pool: ItemPool,
  { keys, matrix, backend, sameItems }: FormsAnswers,
  seed: number,
  output: Output,
  signal: AbortSignal,
): Promise<PoolDifficulty> {
  return output.during("calibrating", (update) =>
    answeredDifficulty(pool, keys, matrix, {
      ...(sameItems !== undefined && { sameItems }),
      backend,
      random: createRandom(seed).fork("difficulty"),
      signal,
      onProgress: (done) => update(done, 1),
    }),
  );
}

/** The check of forms on held-out models; none where it was left out. */
export async function formsCheck(
  pool: ItemPool,
  { keys, matrix, backend, families, checked }: FormsAnswers,
  shape: Omit<ParallelFormsOptions, "random">,
  seed: number,
  output: Output,
  signal: AbortSignal,
): Promise<FormsCheck> {
  if (!checked) return { kind: "none", reason: "left out by --check none" };
  return output.during("checking", (update) =>
    checkForms(pool, keys, matrix, {
      ...shape,
      backend,
      ...(families && { families }),
      random: createRandom(seed).fork("check"),
      signal,
      onProgress: (done) => update(done, 1),
    }),
  );
}
