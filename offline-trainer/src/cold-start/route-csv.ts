import { csvCell } from "../ingest/write-wide-csv.ts";
import type { MethodRouting, Routing } from "./route-questions.ts";

/**
 * Routes as CSV, a row a test question: `item_id`, a column `p:MODEL` with every model's probability of a right answer,
 * `pick`, `pick_logit_error` (empty for methods without a predictive variance), `pick_right` and `best_right` (1 or 0:
 * whether the pick has it right, and whether any model has; empty where that isn't known).
 * @param answers - `[i·M + m]`, 1, 0 or NaN; null where there are none
 */
export function* routeCsv(
  { models, test }: Routing,
  { probabilities, picks, pickErrors }: MethodRouting,
  answers: Float64Array | null,
): Generator<string, void, undefined> {
  const header = ["item_id", ...models.map((model) => `p:${model}`), "pick", "pick_logit_error"];
  yield `${[...header, "pick_right", "best_right"].map(csvCell).join(",")}\n`;
  const width = models.length;
  for (const [i, { item_id: id }] of test.entries()) {
    const truth = answers ? Array.from(answers.subarray(i * width, (i + 1) * width)) : [];
    const pick = picks[i]!;
    const cells = [
      id,
      ...Array.from(probabilities.subarray(i * width, (i + 1) * width), decimals),
      models[pick]!,
      pickErrors ? decimals(pickErrors[i]!) : "",
      known(truth[pick]),
      known(bestOf(truth)),
    ];
    yield `${cells.map(csvCell).join(",")}\n`;
  }
}

/** 1 where any model has it right, 0 where all are known not to; else nothing is known. */
function bestOf(truth: readonly number[]): number | undefined {
  if (truth.includes(1)) return 1;
  return truth.length === 0 || truth.some(Number.isNaN) ? undefined : 0;
}

function known(answer: number | undefined): string {
  return answer === undefined || Number.isNaN(answer) ? "" : String(answer);
}

function decimals(value: number): string {
  return String(Number(value.toFixed(6)));
}
