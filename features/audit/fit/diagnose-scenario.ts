import { setImmediate as turn } from "node:timers/promises";
import { AnchorEvalError } from "anchoreval/internal/core/errors";
import type { Calibration } from "../../../offline-trainer/src/calibrate/calibrate.ts";
import { codeResponses } from "../../../offline-trainer/src/matrix/code-responses.ts";
import type { ResponseMatrix } from "../../../offline-trainer/src/matrix/response-matrix.ts";
import { runOnThreads } from "../../../offline-trainer/src/threads/run-on-threads.ts";
import { abilityCovariances, fittedAnswers, itemAtFit, type ItemAtFit, ITEMS_AT_A_TIME } from "./fitted-answers.ts";
import { residualGroupsTest } from "./item-fit.ts";
import { nearCopies, type NearCopies } from "./near-copies.ts";

/** A scenario's calibration by the 2PL and the answers that it rests on. Plain data, which can be sent to a thread. */
export interface CalibratedAnswers {
  readonly matrix: ResponseMatrix;
  /** Of the matrix, the models that were calibrated. */
  readonly rows: readonly number[];
  /** Scores above it were taken as right; null where all are 0 or 1. */
  readonly threshold: number | null;
  readonly calibration: Pick<Calibration, "dims" | "theta" | "a" | "b">;
  /** Family of every row of the matrix. */
  readonly families: Int32Array;
  /** Most multiplications and additions of the comparison of all pairs of items. */
  readonly pairWork: number;
}

/** A calibration's verdicts on its items. */
export interface ScenarioDiagnosis {
  /** p of the residual test, by item; NaN where there was none. */
  readonly p: Float64Array;
  readonly copies: NearCopies;
}

interface DiagnosisOptions {
  readonly signal?: AbortSignal | undefined;
  /** @param done - items */
  readonly onItems?: ((done: number) => void) | undefined;
}

/**
 * Diagnoses scenarios: the residual test of every item, and items that are answered alike.
 * @param threads - at most, the caller's own among them; the diagnoses don't depend on it
 * @throws AnchorEvalError `aborted`
 */
export async function diagnoseScenarios(
  scenarios: readonly CalibratedAnswers[],
  threads: number,
  { signal, onItems }: DiagnosisOptions,
): Promise<ScenarioDiagnosis[]> {
  const done = scenarios.map(() => 0);
  const report = (scenario: number, items: number): void => {
    done[scenario] = items;
    onItems?.(done.reduce((sum, count) => sum + count, 0));
  };
  if (threads === 1 || scenarios.length === 1) {
    const diagnoses: ScenarioDiagnosis[] = [];
    for (const [s, scenario] of scenarios.entries())
      diagnoses.push(await diagnoseScenario(scenario, { signal, onItems: (items) => report(s, items) }));
    return diagnoses;
  }
  return runOnThreads<ScenarioDiagnosis, number>(new URL("./diagnose-worker.js", import.meta.url), scenarios, {
    threads: threads - 1,
    caller: {
      free: Promise.resolve(),
      compute: (s, say, stopped) => diagnoseScenario(scenarios[s]!, { signal: stopped, onItems: say }),
    },
    cost: (s) => scenarios[s]!.matrix.items.length * scenarios[s]!.rows.length,
    work: "the audit of the items",
    ...(signal && { signal }),
    onNote: report,
  });
}

/** Diagnoses a scenario: the same on every thread. */
export async function diagnoseScenario(
  { matrix, rows, threshold, calibration, families, pairWork }: CalibratedAnswers,
  { signal, onItems }: DiagnosisOptions,
): Promise<ScenarioDiagnosis> {
  const pause = async (items: number): Promise<void> => {
    onItems?.(items);
    await turn();
    if (signal?.aborted) throw new AnchorEvalError("aborted", "the audit of the items was stopped");
  };
  await pause(0);
  const answers = fittedAnswers(codeResponses(matrix, rows, threshold), calibration);
  const covariances = abilityCovariances(answers);
  const p = new Float64Array(answers.items);
  let at: ItemAtFit | undefined;
  for (let i = 0; i < answers.items; i++) {
    if (i % ITEMS_AT_A_TIME === 0) await pause(i);
    at = itemAtFit(answers, i, covariances, at);
    p[i] = residualGroupsTest(answers, at)?.p ?? NaN;
  }
  await pause(answers.items);
  return {
    p,
    copies: nearCopies(
      answers,
      Int32Array.from(rows, (m) => families[m]!),
      pairWork,
    ),
  };
}
