import { DataIssues } from "anchoreval/internal/tables/data-issues";
import { expect, test } from "vitest";
import { costOf } from "../../../../../features/prices/fit/table-costs.ts";

test("seconds between two times as Parquet has them, in text, and since 1970", () => {
  const span = [{ kind: "seconds", columns: ["ended", "started"], isSpan: true }] as const;
  const issues = new DataIssues("table.parquet");
  const started = "2026-01-01T00:00:00Z";
  for (const [ended, begun] of [
    [new Date("2026-01-01T00:00:07.5Z"), new Date(started)],
    ["2026-01-01 00:00:07.5", started],
    [Date.parse(started) / 1000 + 7.5, started],
  ])
    expect(costOf(span, [ended, begun], 1, issues)).toEqual({ seconds: 7.5 });
  expect(costOf(span, [new Date(started), null], 2, issues)).toEqual({});
  issues.refuse();
});
