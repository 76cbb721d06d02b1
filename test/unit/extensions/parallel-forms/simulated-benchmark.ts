import type { ItemTable } from "../../../../offline-trainer/src/matrix/item-table.ts";
import type { ResponseMatrix } from "../../../../offline-trainer/src/matrix/response-matrix.ts";

/** A simulated benchmark in Chinese, and answers to its items in English: the bench's own. */
export interface SimulatedBenchmark {
  readonly table: ItemTable;
  readonly matrix: ResponseMatrix;
}

const { simulatedPool } = (await import(
  new URL("../../../../bench/forms/simulated-pool.js", import.meta.url).href
)) as {
  simulatedPool: (shape: { items?: number; subjects?: number; models?: number; seed?: number }) => {
    columns: string[];
    rows: string[][];
    matrix: ResponseMatrix;
  };
};

export function simulatedBenchmark(shape: { items: number; subjects: number; models: number }): SimulatedBenchmark {
  const { columns, rows, matrix } = simulatedPool(shape);
  return { table: { name: "items.csv", columns, rows, lines: rows.map((_, k) => k + 2) }, matrix };
}
