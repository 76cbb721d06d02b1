import { AnchorEvalError } from "anchoreval/core";

const WHOLE_CORPUS = "is computed from the outputs on all items together";
const CONFUSION = "is computed from the counts of a confusion matrix over all items";
const CORRELATION = "is a correlation over all items";

/** Metrics that are no mean of scores of items, by their names with everything but letters and digits as `_`. */
const CORPUS_METRICS: readonly (readonly [name: RegExp, reason: string])[] = [
  [/^(corpus_)?(sacre_?)?bleu(_\d)?(_corpus)?$/, `${WHOLE_CORPUS} (n-gram counts and a brevity penalty)`],
  [/^(corpus_)?(chrf(_?(pp|plus_plus))?|ter)(_corpus)?$/, WHOLE_CORPUS],
  [/^(corpus_rouge\w*|rouge\w*_corpus)$/, WHOLE_CORPUS],
  [/^(\w+_)?elo(_\w+)?$|^bradley_terry\w*$|^trueskill$/, "is a rating from comparisons with other models"],
  [/^(macro|micro|weighted)_?(avg_)?(f1|precision|recall)(_score)?$/, CONFUSION],
  [/^(f1|precision|recall)(_score)?_(macro|micro|weighted)(ed)?$/, CONFUSION],
  [/^corpus_f1$|^f1_corpus$/, CONFUSION],
  [/^(mcc|matthews_?corr(coef)?|matthews_correlation(_coefficient)?|cohens?_kappa|balanced_accuracy)$/, CONFUSION],
  [/^(roc_?auc|auroc|auc|auprc|average_precision)(_score)?$/, "is computed from the ranking of all items"],
  [/^(ece|expected_calibration_error|calibration_error)(_\w+)?$/, "is computed from bins over all items"],
  [/^(pearson|spearman|kendall)(r|_\w+)?$/, CORRELATION],
  [
    /^(\w+_)?perplexity$|^ppl$|^bits_per_(byte|char|character|token)$/,
    "is the exponent or rate of a sum over the whole text, and has no bounds",
  ],
];

/** Why a metric is no mean of scores of items, or null as far as its name tells. */
export function corpusMetricReason(metric: string): string | null {
  const name = metric
    .trim()
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, "_")
    .replace(/^_|_$/g, "");
  return CORPUS_METRICS.find(([pattern]) => pattern.test(name))?.[1] ?? null;
}

/**
 * Refuses a metric of the whole corpus by its name: what a few items say of such a score can't be weighted up.
 * @throws AnchorEvalError `unsupported` with the reason
 * @example refuseCorpusMetric("macro_f1") // throws
 */
export function refuseCorpusMetric(metric: string): void {
  const reason = corpusMetricReason(metric);
  if (reason !== null)
    throw new AnchorEvalError(
      "unsupported",
      `${metric} ${reason}; only scores that are means of scores of items can be estimated from some of the items`,
    );
}
