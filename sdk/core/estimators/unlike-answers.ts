import { logit, logSumExp, sigmoid } from "../numeric/functions.ts";
import { priorDensity } from "./logit-shift.ts";
import type { ScenarioState } from "./types.ts";

/** Half of the answers that follow no prediction, or all, are right with one of these chances. Chosen, not measured. */
const CHANCES = [0.01, 0.35, 0.65, 0.99];
/**
 * Before any answer: the chance that a model is unlike the sources, and that its answers to a scenario follow no prediction
 * if it isn't and if it is (docs/decisions/estimators.md).
 */
const [UNLIKE, STRAYS, STRAYS_UNLIKE] = [0.2, 0.02, 0.8];
const PRIOR = (1 - UNLIKE) * STRAYS + UNLIKE * STRAYS_UNLIKE;

/** Steps of a logit; predictions count as within ±7, shifts go from −6 to 6. Chosen, not measured. */
const STEPS = 4;
const [FARTHEST, LONGEST] = [7 * STEPS, 6 * STEPS];

/** Log chances of a right and of a wrong answer at every step of the shifted logits. */
type ChanceTable = Readonly<Record<"right" | "wrong", Float64Array>>;

/** Made once, when first asked for: of answers that follow the predictions, and half of which are right with one chance. */
let tables:
  { readonly follow: ChanceTable; readonly halves: readonly ChanceTable[]; readonly prior: Float64Array } | undefined;

/** @param share - of the answers that are right with the chance */
function chanceTable(share: number, chance: number): ChanceTable {
  const right = Float64Array.from(
    { length: 2 * (FARTHEST + LONGEST) + 1 },
    (_, k) => (1 - share) * sigmoid((k - FARTHEST - LONGEST) / STEPS) + share * chance,
  );
  return { right: right.map(Math.log), wrong: right.map((p) => Math.log1p(-p)) };
}

/** Log weights of the shifts, every one a step from the last. */
function shiftWeights(): Float64Array {
  const density = Float64Array.from({ length: 2 * LONGEST + 1 }, (_, k) => priorDensity((k - LONGEST) / STEPS));
  const total = density.reduce((sum, value) => sum + value, 0);
  return density.map((value) => Math.log(value / total));
}

/**
 * How much likelier the answers are if they follow no prediction than if they do, shifted or not: log B,
 * B = mean over ε, c of E_δ Π_j p^y(1−p)^(1−y) at p = (1−ε)·σ(logit p̂_j + δ) + ε·c, over the same at ε = 0; δ ~ the
 * prior of shifts, in steps of a quarter (of a half where ε > 0), ε ∈ {½, 1}, c from .01 to .99, logits rounded to quarters.
 * Which items are right counts, not how many: a model stronger than any seen shifts, one of another kind answers hard items
 * right and easy ones wrong.
 * @returns below 0 where the predictions hold; 0 without an answer
 * @see Kass & Raftery (1995), Bayes factors, JASA 90, 773–795
 */
export function unlikeEvidence({ predicted, sample }: Pick<ScenarioState, "predicted" | "sample">): number {
  const { follow, halves, prior } = (tables ??= {
    follow: chanceTable(0, 0),
    halves: CHANCES.map((chance) => chanceTable(0.5, chance)),
    prior: shiftWeights(),
  });
  const right = new Float64Array(2 * FARTHEST + 1);
  const wrong = new Float64Array(2 * FARTHEST + 1);
  let [allRight, allWrong] = [0, 0];
  sample.scores.forEach((score, j) => {
    const step = Math.round(STEPS * logit(predicted[j]!)) + FARTHEST;
    const k = Math.max(0, Math.min(2 * FARTHEST, step));
    right[k]! += score;
    wrong[k]! += 1 - score;
    allRight += score;
    allWrong += 1 - score;
  });
  const answered = [...right.keys()].filter((k) => right[k]! + wrong[k]! > 0);
  const shifted = (table: ChanceTable, stride: number): number => {
    const logs: number[] = [];
    for (let shift = 0; shift < prior.length; shift += stride) {
      let log = Math.log(stride) + prior[shift]!;
      for (const k of answered) log += right[k]! * table.right[k + shift]! + wrong[k]! * table.wrong[k + shift]!;
      logs.push(log);
    }
    return logSumExp(logs);
  };
  const unlike = [
    ...halves.map((table) => shifted(table, 2)),
    ...CHANCES.map((chance) => allRight * Math.log(chance) + allWrong * Math.log1p(-chance)),
  ];
  return logSumExp(unlike) - Math.log(unlike.length) - shifted(follow, 1);
}

/** log(1 − f + f·B), of a scenario whose answers follow no prediction with the chance f. */
function mixedEvidence(evidence: number, f: number): number {
  return logSumExp([Math.log1p(-f), Math.log(f) + evidence]);
}

/**
 * The chance that a model is unlike the sources, by all scenarios that it answered together.
 * @param evidence - {@link unlikeEvidence} of every scenario
 * @returns in [0,1]; .2 without any
 */
export function unlikeModel(evidence: readonly number[]): number {
  const ratios = evidence.map((log) => mixedEvidence(log, STRAYS_UNLIKE) - mixedEvidence(log, STRAYS));
  return sigmoid(ratios.reduce((sum, log) => sum + log, logit(UNLIKE)));
}

/**
 * η, the share of a scenario's estimate that rests on no prediction: by how much the answers make it likelier than it was
 * that they follow none, (P − P₀)/(1 − P₀), at least 0.
 * @param evidence - {@link unlikeEvidence} of the scenario
 * @param model - {@link unlikeModel}, the scenario's evidence included
 */
export function unlikeShare(evidence: number, model: number): number {
  const chance = (f: number): number => Math.exp(Math.log(f) + evidence - mixedEvidence(evidence, f));
  const posterior = (1 - model) * chance(STRAYS) + model * chance(STRAYS_UNLIKE);
  return Math.max(0, (posterior - PRIOR) / (1 - PRIOR));
}
