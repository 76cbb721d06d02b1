import { invalidOption } from "anchoreval/internal/core/errors";
import { bundleTrialMetric, parseTrialMetric } from "anchoreval/internal/features/trials/sdk/pass-at-k";
import { given, option, type OptionReader, rare } from "../../../cli/src/program/command.ts";
import type { CommandPart } from "../../../cli/src/program/parts.ts";
import type { EstimatePart } from "../../../cli/src/options/parts.ts";
import type { Bundle } from "anchoreval/internal/core/bundle/bundle";
import { resolveAnswers } from "anchoreval/internal/estimate/resolve-answers";
import type { ReadModel } from "anchoreval/internal/node/logs/anchor-logs";
import { DataIssues, firstFew, quoted } from "anchoreval/internal/tables/data-issues";
import { withTrainer } from "../../../cli/src/program/trainer.ts";

/** Draws that intervals may count, beside that of the anchors. */
const OVER = ["runs", "tasks"] as const;

/** Estimates of several trials of an item: their mean over runs and tasks, or another score of them. */
export const estimateTrials: EstimatePart = {
  options: {
    Data: rare({
      metric: option(
        "[TASK=]M",
        "score of trials: pass@K, pass^K or best-of-K; of logs, metric to use as the score (default: as the bundle's)",
        { multiple: true },
      ),
    }),
    Estimate: {
      over: option(
        OVER.join("|"),
        "intervals for the expected score over runs (default where this model or the sources had several trials), and on tasks like these, too",
      ),
      ...rare({
        cluster: option("COLUMN", "column of --items whose items go together, such as repo: for --over tasks"),
      }),
    },
  },
  read({ options }) {
    const isGrouped = options.isGiven("cluster");
    const over =
      options.isGiven("over") || isGrouped ? options.oneOf("over", OVER, isGrouped ? "tasks" : "runs") : null;
    if (isGrouped && over !== "tasks")
      throw invalidOption("--cluster widens intervals over tasks: it goes with --over tasks");
    const { ofLogs, ofTrials } = readMetrics(options);
    return {
      reading: { metrics: ofLogs, readsItems: isGrouped },
      async options(bundle, model) {
        const clusters = isGrouped ? await askedClusters(options, bundle, model) : null;
        return given({ over, clusters, metric: ofTrials });
      },
    };
  },
  async words(result, { over = "runs", clusters }) {
    if ("metric" in result) {
      const { passHeading, passParts } = await import("./estimate-words.ts");
      return { instead: { heading: passHeading(result), parts: passParts(result) } };
    }
    if (!("trials" in result)) return null;
    return { after: (await import("./estimate-words.ts")).overParts(result, over, clusters !== undefined) };
  },
  refusesSingle({ manifest }) {
    const metric = bundleTrialMetric(manifest);
    return metric && `this bundle's scores are ${metric}, of several trials an item`;
  },
};

/**
 * The names of `--metric`: a score of several trials, or metrics of a harness's logs. Logs of Inspect have epochs, which are
 * trials; other harnesses have metrics of their own that are called pass@K.
 * @throws AnchorEvalError `invalid_option` for two scores of trials, for a K that is none, and for a metric of logs without
 * `--from`
 */
function readMetrics(options: OptionReader): { readonly ofTrials: string | null; readonly ofLogs: readonly string[] } {
  const names = options.texts("metric");
  const from = options.text("from");
  if (from !== undefined && from !== "inspect") return { ofTrials: null, ofLogs: names };
  const ofTrials = names.filter((name) => parseTrialMetric(name) !== null);
  const ofLogs = names.filter((name) => !ofTrials.includes(name));
  if (ofTrials.length > 1) throw invalidOption(`--metric names one score of trials, got ${ofTrials.join(" and ")}`);
  if (from === undefined && ofLogs.length > 0)
    throw invalidOption(
      `--metric ${ofLogs[0]!} names a metric of a harness's logs, which needs --from; of trials it is pass@K, pass^K or best-of-K`,
    );
  return { ofTrials: ofTrials[0] ?? null, ofLogs };
}

/** `plan --trials`: another item, or another trial. */
export const planTrials: CommandPart = {
  options: {
    Goal: {
      trials: option("N[,N…]", "trials an item: plan for the expected score over runs, by items and trials"),
      ...rare({
        "repeat-price": option("SHARE", "price of a further trial over that of an item's first: with --trials"),
      }),
    },
  },
  instead: {
    of: "trials",
    run: async (input) => (await import("./plan-lines.ts")).planOverTrials(input),
  },
};

/**
 * The groups of `--cluster COLUMN`, a column of `--items FILE`, of the answered items.
 * @throws AnchorEvalError as {@link readClusters}; `invalid_option` without the file
 */
async function askedClusters(
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
