/** HELM's own main metrics, by its groups (schema_lite.yaml, schema_classic.yaml). */
const MAIN_METRICS: Readonly<Record<string, string>> = {
  gsm: "final_number_exact_match",
  math_chain_of_thought: "math_equiv_chain_of_thought",
  mmlu: "exact_match",
  openbookqa: "exact_match",
  commonsense: "exact_match",
  legalbench: "quasi_exact_match",
  med_qa: "quasi_exact_match",
  narrative_qa: "f1_score",
  natural_qa_openbook_longans: "f1_score",
  natural_qa_closedbook: "f1_score",
  boolq: "quasi_exact_match",
  imdb: "quasi_exact_match",
  truthful_qa: "exact_match",
};

/** Statistics of a request, not of an answer. */
const NO_SCORE =
  /^(num_|finish_reason_|inference_|training_|batch_size|prompt_truncated|logprob|max_prob|logprob_per_byte|bits_per_byte|perplexity|predicted_index|estimated_num)/;

/** The metric that HELM reports of a group first; null for one that it doesn't know. */
export function mainMetric(group: string): string | null {
  return MAIN_METRICS[group] ?? null;
}

/** Whether a statistic of this name may be a score of an answer. */
export function mayBeScore(name: string): boolean {
  return !NO_SCORE.test(name);
}
