import { parseTrialMetric } from "anchoreval/internal/features/trials/sdk/pass-at-k";
import { invalidOption, option, type OptionReader, type OptionSpecs, rare } from "../../../cli/src/program/command.ts";

/** `--metric` where it may name a score of several trials, too. */
export const METRIC_OPTION = rare({
  metric: option(
    "[TASK=]M",
    "score of trials: pass@K, pass^K or best-of-K; of logs, metric to use as the score (default: as the bundle's)",
    { multiple: true },
  ),
}) satisfies OptionSpecs;

/**
 * The names of `--metric`: a score of several trials, or metrics of a harness's logs. Logs of Inspect have epochs, which are
 * trials; other harnesses have metrics of their own that are called pass@K.
 * @throws AnchorEvalError `invalid_option` for two scores of trials, for a K that is none, and for a metric of logs without
 * `--from`
 */
export function readMetrics(options: OptionReader): {
  readonly ofTrials: string | null;
  readonly ofLogs: readonly string[];
} {
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
