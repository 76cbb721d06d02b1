import { readScale, type OptionReader, type OptionSpec, type Output } from "anchoreval/cli";
import { AnchorEvalError, createRandom } from "anchoreval/core";
import { PROVIDERS, resolveBackend } from "../backends/resolve-backend.ts";
import type { CalibrationBackend } from "../calibrate/types.ts";
import { readResponses } from "../matrix/read-responses.ts";
import type { ResponseMatrix } from "../matrix/response-matrix.ts";
import { answeredDifficulty, type PoolDifficulty } from "../extensions/parallel-forms/difficulty.ts";
import type { ParallelFormsOptions } from "../extensions/parallel-forms/build-forms.ts";
import { checkForms, type FormsCheck } from "../extensions/parallel-forms/check-forms.ts";
import { type ItemPool, joinKeys, type JoinKeys } from "../extensions/parallel-forms/item-pool.ts";
import { readFamilies } from "./families-file.ts";
import { FIT_OPTIONS } from "./fit-options.ts";
import { RESPONSE_OPTIONS } from "./response-options.ts";

/** What the responses may be answers to. */
const ANSWERED = ["same", "other"] as const;
const CHECKS = ["folds", "none"] as const;

/** Options of `forms` that say where difficulty comes from by answers, and whether the forms are checked on them. */
export const FORMS_ANSWER_OPTIONS = {
  responses: {
    ...RESPONSE_OPTIONS.responses,
    description: `difficulty from ${RESPONSE_OPTIONS.responses.description}`,
  },
  join: {
    type: "string",
    value: "COLUMN",
    description: "column of the items that holds the responses' item ids (default: the ids' column)",
  },
  "answers-to": {
    type: "string",
    value: ANSWERED.join("|"),
    description: "whether the responses are answers to these very texts or to others, such as another language",
  },
  "response-items": {
    type: "string",
    value: "FILE",
    description: "items JSONL(.gz) of the responses: its texts are compared where --answers-to isn't given",
  },
  "score-range": RESPONSE_OPTIONS["score-range"],
  flip: RESPONSE_OPTIONS.flip,
  check: {
    type: "string",
    value: CHECKS.join("|"),
    description:
      "build forms anew without each quarter of the families and compare their scores on them (default folds)",
  },
  families: { type: "string", value: "FILE", description: "lines of model,family: whole families are held out" },
  provider: FIT_OPTIONS.provider,
} as const satisfies Record<string, OptionSpec>;

/**
 * Refuses options that contradict each other.
 * @throws AnchorEvalError `invalid_option`
 */
export function checkAnswerOptions(options: OptionReader): void {
  if (options.text("responses") === undefined) {
    const idle = Object.keys(FORMS_ANSWER_OPTIONS).find((name) => options.text(name) !== undefined);
    if (idle !== undefined)
      throw new AnchorEvalError("invalid_option", `--${idle} is about --responses, which isn't given`);
  } else {
    if (options.text("difficulty") !== undefined)
      throw new AnchorEvalError(
        "invalid_option",
        "difficulty comes from --responses or from --difficulty, not from both",
      );
    if (options.oneOf("check", CHECKS, "folds") === "none" && options.text("families") !== undefined)
      throw new AnchorEvalError("invalid_option", "--families is for the check, which --check none leaves out");
  }
}

/** Answers to a pool's items, or to their brothers, with what they are calibrated by. */
export interface FormsAnswers {
  readonly keys: JoinKeys;
  readonly matrix: ResponseMatrix;
  readonly backend: CalibrationBackend;
  /** Whether they are to these very texts; undefined where it wasn't said. */
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

export async function calibratedDifficulty(
  pool: ItemPool,
  { keys, matrix, backend, sameItems }: FormsAnswers,
  seed: number,
  output: Output,
  signal: AbortSignal,
): Promise<PoolDifficulty> {
  const bar = output.progress("calibrating", 1);
  try {
    return await answeredDifficulty(pool, keys, matrix, {
      ...(sameItems !== undefined && { sameItems }),
      backend,
      random: createRandom(seed).fork("difficulty"),
      signal,
      onProgress: (done) => bar.update(done),
    });
  } finally {
    bar.stop();
  }
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
  const bar = output.progress("checking", 1);
  try {
    return await checkForms(pool, keys, matrix, {
      ...shape,
      backend,
      ...(families && { families }),
      random: createRandom(seed).fork("check"),
      signal,
      onProgress: (done) => bar.update(done),
    });
  } finally {
    bar.stop();
  }
}
