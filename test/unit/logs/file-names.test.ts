import { logFileName } from "anchoreval/internal/logs/lm-eval/read-results";
import { expect, it } from "vitest";

it.each([
  ["samples_gsm8k_2024-11-26T10-47-32.305387.jsonl", "samples", "gsm8k", "2024-11-26T10-47-32.305387"],
  ["samples_mmlu_high_school_2024-11-26T10-47-32.jsonl.gz", "samples", "mmlu_high_school", "2024-11-26T10-47-32"],
  ["samples_gsm8k.jsonl", "samples", "gsm8k", ""],
  ["samples_gsm8k_2024-11-26T10-47-32.305387_rank1.jsonl", "samples", "gsm8k", "2024-11-26T10-47-32.305387"],
  ["samples_gsm8k_2024-11-26T10-47-32-part2.jsonl.gz", "samples", "gsm8k", "2024-11-26T10-47-32"],
  ["results_2024-11-26T10-47-32.305387.json", "results", null, "2024-11-26T10-47-32.305387"],
  ["mine_2024-11-26T10-47-32.305387.json", "results", null, "2024-11-26T10-47-32.305387"],
  ["results.json", "results", null, ""],
])("%s", (name, kind, task, date) => {
  expect(logFileName(name)).toEqual({ kind, task, date });
});

it.each(["package.json", "samples_gsm8k.json", "items.jsonl", "xsamples_a.jsonl", "samples_.jsonl"])(
  "%s is no log",
  (name) => expect(logFileName(name)).toBeNull(),
);
