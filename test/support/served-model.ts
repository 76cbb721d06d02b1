import { mkdirSync, writeFileSync } from "node:fs";
import type { Bundle } from "anchoreval";
import { itemLogit } from "anchoreval/internal/core/irt/response";
import { sigmoid } from "anchoreval/internal/core/numeric/functions";
import type { RandomSource } from "anchoreval/internal/core/numeric/random";
import { shiftedChance, shiftForDrop } from "anchoreval/internal/features/gates/sdk/item-chances";

/** Chances of a right answer to all of a benchmark's questions, by their places. */
export type Chances = Float64Array;

/** Ability in all dimensions, how far a taste of its own moves the logits, and how much surer of itself it is than a bundle says. */
const [ABILITY, TASTE, SURE] = [0.5, 1, 3];

/** A made-up model behind a server: it scores 83 on GSM8K, and answers 7.7 % of the questions otherwise from run to run. */
export function servedModel(bundle: Bundle, scenario: string, random: RandomSource): Chances {
  const { bank } = bundle.scenarios.get(scenario)!;
  const ability = new Float64Array(bank.dims).fill(ABILITY);
  return Float64Array.from({ length: bank.count }, (_, item) =>
    sigmoid(SURE * (itemLogit(ability, bank, item) + TASTE * random.normal())),
  );
}

/** The model after a change for the worse: all logits lower, so that its expected score falls by `drop`, a fraction. */
export function fallen(chances: Chances, drop: number): Chances {
  const shift = shiftForDrop(drop, chances, new Float64Array(chances.length).fill(1 / chances.length));
  return chances.map((chance) => shiftedChance(chance, shift));
}

/** One run: a score of each question. */
export function askAll(chances: Chances, random: RandomSource): number[] {
  return Array.from(chances, (chance) => Number(random.next() < chance));
}

/** The run's log as lm-evaluation-harness writes its samples of a generative task, which has two filters; without texts. */
export function writeSamples(folder: string, task: string, scores: readonly number[]): void {
  mkdirSync(folder, { recursive: true });
  const metrics = ["exact_match"];
  const lines = ["strict-match", "flexible-extract"].flatMap((filter) =>
    scores.map((score, id) => ({ doc_id: id, target: "", resps: [["…"]], filtered_resps: ["…"], filter, metrics, exact_match: score }))); // prettier-ignore
  const date = "2026-01-01T00-00-00.000000";
  writeFileSync(`${folder}/samples_${task}_${date}.jsonl`, lines.map((line) => `${JSON.stringify(line)}\n`).join(""));
  const mean = scores.reduce((sum, score) => sum + score, 0) / scores.length;
  const named = (value: unknown): Record<string, unknown> => ({ [task]: value });
  const results = {
    results: named({ alias: task, "exact_match,strict-match": mean, "exact_match,flexible-extract": mean }),
    configs: named({ task, output_type: "generate_until", num_fewshot: 5, metric_list: [{ metric: "exact_match", aggregation: "mean", higher_is_better: true }], metadata: { version: 3 } }), // prettier-ignore
    versions: named(3),
    "n-shot": named(5),
    higher_is_better: named({ exact_match: true }),
    "n-samples": named({ original: scores.length, effective: scores.length }),
    config: { model: "local-completions", model_args: "model=served" },
    lm_eval_version: "0.4.13",
    model_name: "served",
    model_name_sanitized: "served",
  };
  writeFileSync(`${folder}/results_${date}.json`, JSON.stringify(results));
}
