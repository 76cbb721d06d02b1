import { AnchorEvalError } from "../../core/errors.ts";
import type { SampleLine } from "./sample-line.ts";

/**
 * The filter of every line. Logs before 0.4.7 write each document once for each filter, filter after filter, without
 * naming it: there the k-th line of a document belongs to the k-th filter of the results file.
 * @param filters - the task's filters, in the order in which the harness applies them
 * @throws AnchorEvalError `invalid_data` where nothing tells the filters apart
 */
export function nameFilters(
  lines: readonly SampleLine[],
  { file, filters }: { file: string; filters: readonly string[] | undefined },
): string[] {
  if (lines.every((line) => line.filter !== null)) return lines.map((line) => line.filter!);
  const times = new Map<number, number>();
  const rank = lines.map(({ docId }) => {
    const count = times.get(docId) ?? 0;
    times.set(docId, count + 1);
    return count;
  });
  const most = rank.reduce((highest, count) => Math.max(highest, count + 1), 0);
  const names = most === 1 && (filters?.length ?? 0) !== 1 ? ["none"] : filters;
  if (names?.length !== most)
    throw new AnchorEvalError(
      "invalid_data",
      `${file}: documents are there ${most} times, once for each filter, and the log does not name the filters (lm-eval before 0.4.7): keep the run's results file beside it, which does`,
    );
  return lines.map((line, index) => line.filter ?? names[rank[index]!]!);
}
