import type { Bundle } from "anchoreval/internal/core/bundle/bundle";
import { resolveAnswers } from "anchoreval/internal/estimate/resolve-answers";
import type { ReadModel } from "anchoreval/internal/node/anchor-logs";
import { DataIssues, firstFew, quoted } from "anchoreval/internal/tables/data-issues";
import { given, invalidOption, type OptionReader } from "../../../cli/src/program/command.ts";
import { withTrainer } from "../../../cli/src/program/trainer.ts";

/**
 * The groups of `--cluster COLUMN`, a column of `--items FILE`, of the answered items.
 * @throws AnchorEvalError as {@link readClusters}; `invalid_option` without the file
 */
export async function askedClusters(
  options: OptionReader,
  bundle: Bundle,
  { responses, form }: ReadModel,
): Promise<Map<string, string>> {
  const file = options.text("items");
  if (file === undefined) throw invalidOption("--cluster COLUMN is a column of --items FILE, which isn't given");
  const { counts } = resolveAnswers(bundle, responses, given({ form }));
  return readClusters(file, options.required("cluster"), [...responses.keys()].filter(counts));
}

/**
 * The groups of items by a column of a file of items (CSV or JSON lines); an item whose cell is empty stands for itself.
 * @param answered - ids that the file must have
 * @throws AnchorEvalError `invalid_data` naming file, row and column: a column that isn't there, an item in two groups, an
 * answered item that isn't there; TrainerMissing
 */
async function readClusters(file: string, column: string, answered: Iterable<string>): Promise<Map<string, string>> {
  const { readItemTable, columnOf } = await withTrainer(
    "--cluster",
    () => import("anchoreval-trainer/internal/matrix/item-table"),
  );
  const table = await readItemTable(file);
  const [id, group] = [columnOf(table, "item_id", "--items"), columnOf(table, column, "--cluster")];
  const issues = new DataIssues(file);
  const clusters = new Map<string, string>();
  const rows = new Map<string, number>();
  table.rows.forEach((cells, k) => {
    const [item, cluster] = [cells[id]!, cells[group]!];
    const row = table.lines[k]!;
    const first = rows.get(item);
    if (first === undefined) rows.set(item, row);
    else if (clusters.get(item) !== (cluster === "" ? undefined : cluster)) {
      const before = clusters.get(item);
      const message = `item ${quoted(item)} is of two groups: ${quoted(cluster)} here, ${before === undefined ? "none" : quoted(before)} in row ${first}`;
      issues.add({ row, column }, "two_clusters", message);
    }
    if (first === undefined && cluster !== "") clusters.set(item, cluster);
  });
  issues.refuse();
  const absent = [...answered].filter((item) => !rows.has(item));
  if (absent.length > 0) issues.fail({}, "missing_item", `there is no row of the answered ${firstFew(absent)}`);
  return clusters;
}
