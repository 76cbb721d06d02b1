import type { Weighting } from "anchoreval/bundle";
import { readScale, type OptionReader, type Output } from "anchoreval/cli";
import { AnchorEvalError } from "anchoreval/core";
import { groupBy } from "../import/run-scores.ts";
import { type ImportedTable, parseTableColumns, readLongTable } from "../matrix/read-long-table.ts";
import { readRouterDc } from "../matrix/readers/router-dc.ts";
import type { ResponseMatrix } from "../matrix/response-matrix.ts";

/** What else than a harness's logs is imported. */
export const TABLES = ["table", "routerdc"] as const;

/** What import.json holds of a table. */
export interface TableReport {
  readonly source: (typeof TABLES)[number];
  readonly models: number;
  readonly items: number;
  /** What the table's weights come to; absent where it has none. */
  readonly weighting?: Weighting;
  readonly scenarios: readonly {
    readonly id: string;
    readonly subscenarios: readonly string[];
    readonly items: number;
  }[];
  readonly warnings: readonly string[];
}

/** Options that only logs have a use for. */
const OF_LOGS = ["model-name", "metric", "filter", "on-duplicate", "errors", "allow-mixed"];

/** Reads what `--from table` and `--from routerdc` name. */
export async function importTable(
  source: (typeof TABLES)[number],
  paths: readonly string[],
  options: OptionReader,
): Promise<{ matrix: ResponseMatrix; report: TableReport }> {
  const useless = OF_LOGS.find((name) => options.isGiven(name));
  if (useless !== undefined)
    throw new AnchorEvalError("invalid_option", `--${useless} is for logs of harnesses, not for --from ${source}`);
  const { matrix, weighting, remarks } = await read(source, paths, options);
  const scenarios = groupBy(matrix.items, (item) => item.scenario);
  return {
    matrix,
    report: {
      source,
      models: matrix.subjects.length,
      items: matrix.items.length,
      ...(weighting !== null && { weighting }),
      scenarios: [...scenarios].map(([id, items]) => ({
        id,
        subscenarios: [...new Set(items.flatMap(({ subscenario }) => subscenario ?? []))],
        items: items.length,
      })),
      warnings: remarks,
    },
  };
}

async function read(
  source: (typeof TABLES)[number],
  paths: readonly string[],
  options: OptionReader,
): Promise<ImportedTable> {
  const scale = readScale(options);
  if (source === "table") {
    const [path, ...more] = paths as [string, ...string[]];
    if (more.length > 0)
      throw new AnchorEvalError(
        "invalid_option",
        `--from table reads one file; got ${paths.length}: put them together`,
      );
    return readLongTable(path, parseTableColumns(options.texts("columns")), scale);
  }
  if (options.isGiven("columns"))
    throw new AnchorEvalError("invalid_option", "--columns is for --from table: RouterDC's fields are known");
  return readRouterDc(paths, scale);
}

export function summarizeTable({ models, items, scenarios }: TableReport, output: Output): void {
  output.line(
    `${models} models, ${items} items, ${scenarios.length} ${scenarios.length === 1 ? "scenario" : "scenarios"}:`,
  );
  for (const { id, subscenarios, items: count } of scenarios)
    output.line(`  ${id}: ${count} items${subscenarios.length > 1 ? ` in ${subscenarios.length} subscenarios` : ""}`);
}
