import type { CsvRecord } from "./csv-records.ts";
import type { DataIssues } from "./data-issues.ts";

/** Whether a row has as many cells as the header; else the issue is noted. */
export function checkWidth({ row, cells }: CsvRecord, header: readonly string[], issues: DataIssues): boolean {
  if (cells.length === header.length) return true;
  const count = cells.length === 1 ? "1 cell" : `${cells.length} cells`;
  issues.add({ row }, "ragged", `the row has ${count}, the header has ${header.length}`);
  return false;
}
