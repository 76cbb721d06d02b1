const WHOLE_CORPUS = "is computed from the outputs on all documents together";
const CONFUSION = "is computed from the counts of right and wrong labels over all documents";
const EXPONENT = "is the exponent or rate of a sum over all documents, and has no bounds";

/** lm-eval's aggregations that are no mean over documents, by their registered names (lm_eval/api/metrics.py). */
const AGGREGATIONS: Readonly<Record<string, string>> = {
  bleu: WHOLE_CORPUS,
  chrf: WHOLE_CORPUS,
  "chrf++": WHOLE_CORPUS,
  ter: WHOLE_CORPUS,
  f1: CONFUSION,
  matthews_corrcoef: CONFUSION,
  perplexity: EXPONENT,
  weighted_perplexity: EXPONENT,
  bits_per_byte: EXPONENT,
  brier_score: "is computed from the probabilities of all choices, and lower is better",
  median: "is the median over the documents, not their mean",
  bypass: "is no score: the run only kept the model's outputs (--predict_only)",
};

/** Metrics whose registered aggregation is one of those, where a log comes without its results file. */
const METRICS: Readonly<Record<string, string>> = {
  bleu: "bleu",
  chrf: "chrf",
  "chrf++": "chrf++",
  ter: "ter",
  mcc: "matthews_corrcoef",
  perplexity: "perplexity",
  word_perplexity: "weighted_perplexity",
  byte_perplexity: "weighted_perplexity",
  bits_per_byte: "bits_per_byte",
  brier_score: "brier_score",
  bypass: "bypass",
};

/**
 * Why a metric is no mean of scores of documents, or null as far as names tell.
 * @param aggregation - the aggregation that the task's configuration names, where it is known
 */
export function corpusMetricReason(metric: string, aggregation: string | undefined): string | null {
  if (aggregation === "mean" || aggregation === "nanmean") return null;
  const named = aggregation === undefined ? undefined : AGGREGATIONS[aggregation];
  return named ?? AGGREGATIONS[METRICS[metric] ?? ""] ?? null;
}
