import { expect, test } from "vitest";
import { corpusMetricReason, refuseCorpusMetric } from "../../../offline-trainer/src/ingest/corpus-metric.ts";

test.each([
  "bleu",
  "BLEU",
  "sacrebleu",
  "bleu_4",
  "corpus_bleu",
  "chrF++",
  "chrf",
  "ter",
  "rouge1_corpus",
  "corpus-rougeL",
  "elo",
  "arena_elo",
  "Elo rating",
  "macro_f1",
  "f1_macro",
  "Macro F1",
  "micro-f1",
  "weighted_f1_score",
  "mcc",
  "matthews_corrcoef",
  "roc_auc",
  "ece",
  "pearson",
  "spearmanr",
  "perplexity",
  "word_perplexity",
  "byte_perplexity",
  "bits_per_byte",
])("%s is refused", (metric) => {
  expect(() => refuseCorpusMetric(metric)).toThrow(
    expect.objectContaining({ code: "unsupported", message: expect.stringContaining(`${metric} is `) as string }),
  );
});

test.each([
  "acc",
  "acc_norm",
  "exact_match",
  "em",
  "f1",
  "pass@1",
  "sentence_bleu",
  "rougeL",
  "rouge_2",
  "quasi_exact_match",
  "prompt_level_strict_acc",
  "win_rate",
  "brier_score",
  "water",
  "developer_score",
])("%s is not", (metric) => {
  expect(corpusMetricReason(metric)).toBeNull();
  expect(() => refuseCorpusMetric(metric)).not.toThrow();
});

test("the reason is in the message", () => {
  expect(() => refuseCorpusMetric("macro_f1")).toThrow(
    "macro_f1 is computed from the counts of a confusion matrix over all items; only scores that are means of scores of items can be estimated from some of the items",
  );
});
