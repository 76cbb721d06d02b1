import { bundleTrialMetric, parseTrialMetric } from "anchoreval/internal/features/trials/sdk/pass-at-k";
import { given, invalidOption, option, type OptionReader, rare } from "../../../cli/src/program/command.ts";
import type { CommandPart } from "../../../cli/src/program/parts.ts";
import type { EstimatePart } from "../../../cli/src/options/parts.ts";

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
        const clusters = isGrouped ? await (await import("./clusters.ts")).askedClusters(options, bundle, model) : null;
        return given({ over, clusters, metric: ofTrials });
      },
    };
  },
  async words(result, { over = "runs", clusters }) {
    if ("metric" in result) {
      const { passHeading, passParts } = await import("./pass-at-k.ts");
      return { instead: { heading: passHeading(result), parts: passParts(result) } };
    }
    if (!("trials" in result)) return null;
    return { after: (await import("./estimate-over.ts")).overParts(result, over, clusters !== undefined) };
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
