import { logit, logSumExp, sigmoid } from "../../../sdk/core/numeric/functions.ts";
import { type AnswerCounts, CHANCES, countedKinds, flipChance, smoothSpread } from "./item-chances.ts";

/** Nights that a change may lie back, and between two nights that one is looked for at. */
const WINDOW = 30;
const STRIDE = 3;
/** Changes that are looked for: all logits fell by so much … */
const SHIFTS = [0.2, 0.5, 1.2];
/** … or such a share of the items is broken, … */
const BROKEN = [0.02, 0.05, 0.1, 0.15];
/** … and answered right with one of these chances: hardly ever, or as often as by guessing. */
const GUESSES = [0.02, 0.25];
const KINDS = SHIFTS.length + BROKEN.length;
/** Standard errors of the logits' level that spreads of chances are shifted by: the baseline may have been lucky. */
const LEVELS = [-2, -1, 0, 1, 2];
/** Items of even chances beside the baseline's: few runs tell little of how chances are spread. */
const EVEN_ITEMS = 6;
/** Evidence of so many kinds of counts is remembered at most. */
const MOST_REMEMBERED = 200_000;

const RIGHT = CHANCES.map(Math.log);
const WRONG = CHANCES.map((p) => Math.log1p(-p));
const SHIFTED = [0, ...SHIFTS].map((shift) => {
  const chances = CHANCES.map((p) => sigmoid(logit(p) - shift));
  return { right: chances.map(Math.log), wrong: chances.map((p) => Math.log1p(-p)) };
});

/** How an unchanged model's chances may be spread, as the baseline's runs leave it. */
export interface ChanceModel {
  readonly spreads: readonly Float64Array[];
  /** Log probability of the baseline's answers under each. */
  readonly weights: readonly number[];
}

interface GateNight {
  /** log of the Shiryaev–Roberts statistic: an alarm where it reaches log(nights between alarms). */
  readonly statistic: number;
  /** Place of the night, from 0, that a change began with if there was one: the likeliest, to within {@link STRIDE} nights. */
  readonly since: number;
}

/** A gate that is told one night after the other. */
export interface NightlyGate {
  /** @param scores - of each item 1 for right, 0, or NaN for no answer */
  add(scores: Float64Array): GateNight;
}

/**
 * Spreads of an unchanged model's chances given its baseline: one learned from all items, little fitted and mixed with even
 * chances; and the same with all logits up or down by one and two standard errors, since the runs may have been lucky
 * ones. Without these a gate alarms several times too often after two runs.
 * @param baseline - by item, two runs or more
 */
export function chanceModel(baseline: readonly AnswerCounts[]): ChanceModel {
  const kinds = countedKinds(baseline);
  const answers = baseline.reduce((sum, { right, wrong }) => sum + right + wrong, 0);
  const spread = smoothSpread(baseline, EVEN_ITEMS);
  const error = 1 / Math.sqrt(Math.max(1, (answers * flipChance(spread)) / 2));
  const spreads = LEVELS.map((level) => movedSpread(spread, level * error));
  const logOf = (prior: Float64Array, { right, wrong }: AnswerCounts): number =>
    logSumExp(prior.map((weight, g) => Math.log(weight) + right * RIGHT[g]! + wrong * WRONG[g]!));
  const weights = spreads.map((prior) =>
    kinds.reduce((sum, { counts, times }) => sum + times * logOf(prior, counts), 0),
  );
  return { spreads, weights };
}

/** A spread whose logits all moved by `shift`; between two chances of the grid its weight goes to both. */
function movedSpread(spread: Float64Array, shift: number): Float64Array {
  const moved = new Float64Array(spread.length);
  const steps = shift * 4;
  const whole = Math.floor(steps);
  const last = spread.length - 1;
  spread.forEach((weight, g) => {
    const [low, high] = [g + whole, g + whole + 1].map((at) => Math.max(0, Math.min(last, at)));
    moved[low!]! += weight * (1 - (steps - whole));
    moved[high!]! += weight * (steps - whole);
  });
  return moved;
}

/** Evidence of counts of one item: for each spread the logs of P(since | before), and of the ratio of each kind of change. */
export type ItemEvidence = (right: number, wrong: number, rightSince: number, wrongSince: number) => Float64Array;

/**
 * Evidence by counts of answers; what was computed once is remembered, as most items have the same counts. With a and c right
 * and wrong answers before and r and w since, P(since | before) is ΣG·pᵃ⁺ʳqᶜ⁺ʷ / ΣG·pᵃqᶜ, the ratio of a shift by s
 * ΣG·pᵃqᶜ·p_sʳq_sʷ / ΣG·pᵃ⁺ʳqᶜ⁺ʷ, that of a share π of broken items 1 − π + π·B, B a broken one's.
 */
export function itemEvidence({ spreads }: ChanceModel): ItemEvidence {
  const since = new Map<number, readonly Float64Array[]>();
  const likelihoods = (right: number, wrong: number): readonly Float64Array[] => {
    const key = right * 64 + wrong;
    let terms = since.get(key);
    if (terms === undefined) {
      terms = SHIFTED.map((logs) => CHANCES.map((_, g) => Math.exp(right * logs.right[g]! + wrong * logs.wrong[g]!)));
      since.set(key, terms);
    }
    return terms;
  };
  const compute: ItemEvidence = (right, wrong, rightSince, wrongSince) => {
    const evidence = new Float64Array(spreads.length * (1 + KINDS));
    const past = new Float64Array(CHANCES.length);
    let most = -Infinity;
    for (let g = 0; g < past.length; g++) {
      past[g] = right * RIGHT[g]! + wrong * WRONG[g]!;
      if (past[g]! > most) most = past[g]!;
    }
    for (let g = 0; g < past.length; g++) past[g] = Math.exp(past[g]! - most);
    const later = likelihoods(rightSince, wrongSince);
    let guessed = 0;
    for (const p of GUESSES) guessed += (p ** rightSince * (1 - p) ** wrongSince) / GUESSES.length;
    spreads.forEach((spread, h) => {
      const at = h * (1 + KINDS);
      let before = 0;
      for (let g = 0; g < past.length; g++) before += spread[g]! * past[g]!;
      let same = 0;
      for (let k = 0; k < later.length; k++) {
        const likelihood = later[k]!;
        let sum = 0;
        for (let g = 0; g < past.length; g++) sum += spread[g]! * past[g]! * likelihood[g]!;
        if (k === 0) {
          same = sum;
          evidence[at] = Math.log(same / before);
        } else evidence[at + k] = Math.log(sum / same);
      }
      const broken = (before * guessed) / same - 1;
      BROKEN.forEach((share, q) => (evidence[at + 1 + SHIFTS.length + q] = Math.log1p(share * broken)));
    });
    return evidence;
  };
  const memory = new Map<number, Float64Array>();
  return (right, wrong, rightSince, wrongSince) => {
    const key = ((right * 131072 + wrong) * 64 + rightSince) * 64 + wrongSince;
    let terms = memory.get(key);
    if (terms === undefined) {
      if (memory.size >= MOST_REMEMBERED) memory.clear();
      terms = compute(right, wrong, rightSince, wrongSince);
      memory.set(key, terms);
    }
    return terms;
  };
}

/**
 * A gate that may be looked at every night: a Shiryaev–Roberts e-detector. With H_v the hypothesis that the model changed
 * before night v, R_T = Σ_v P(nights | H_v, baseline) / P(nights | no change, baseline), over nights v of the last
 * {@link WINDOW}, every {@link STRIDE}-th of which counts that often.
 *
 * Without a change each item keeps one unknown chance p of a right answer, the baseline's too: P is the mixture over p
 * given the baseline's answers, under spreads that are themselves mixed. Under H_v nights before v have that same p,
 * and later ones a worse one: σ(logit p − s) with s of three sizes for all items, or on 2 to 15 % of the items a chance near
 * 0 or of guessing; the seven kinds weigh the same. Missing answers say nothing, and improvement is no change.
 *
 * **Why it holds.** Each term is a ratio of two probabilities of the same answers: where nothing changed its mean next
 * night, given all nights so far, is what it is tonight, and it begins with 1. So R_T − T is a supermartingale but for the
 * stride, and the mean number of nights until R reaches A is at least A − {@link STRIDE} + 1, whatever the number of
 * items and however often one looks. That mean is over models whose chances are spread as the baseline says, and over their
 * baselines; `node bench/gate.js` has what real models' chances make of it.
 * @param evidence - of the same model, from {@link itemEvidence}; gates may share it
 * @param baseline - the baseline's answers by item
 * @see Shiryaev (1963), Theory of Probability and its Applications 8, 22–46; Roberts (1966), Technometrics 8, 411–430;
 * Shin, Ramdas & Rinaldo (2023), E-detectors, New England Journal of Statistics in Data Science 2, 229–260
 */
export function nightlyGate(
  model: ChanceModel,
  evidence: ItemEvidence,
  baseline: readonly AnswerCounts[],
  { window = WINDOW, stride = STRIDE } = {},
): NightlyGate {
  const right = Float64Array.from(baseline, (counts) => counts.right);
  const wrong = Float64Array.from(baseline, (counts) => counts.wrong);
  const marks: { night: number; right: Float64Array; wrong: Float64Array; logs: Float64Array }[] = [];
  const width = 1 + KINDS;
  /** Log weights of the spreads given the baseline and all nights, where nothing changed. */
  let logs: Float64Array = Float64Array.from(model.weights);
  let night = 0;
  return {
    add(scores) {
      if (night % stride === 0) {
        marks.push({ night, right: right.slice(), wrong: wrong.slice(), logs });
        if (marks[0]!.night <= night - window) marks.shift();
      }
      night++;
      scores.forEach((score, i) => {
        if (score === 1) right[i]!++;
        else if (score === 0) wrong[i]!++;
      });
      const sums = marks.map((mark) => {
        const sum = new Float64Array(model.weights.length * width);
        for (let i = 0; i < right.length; i++) {
          const [a, c] = [mark.right[i]!, mark.wrong[i]!];
          const terms = evidence(a, c, right[i]! - a, wrong[i]! - c);
          for (let j = 0; j < sum.length; j++) sum[j]! += terms[j]!;
        }
        return sum;
      });
      const newest = marks.length - 1;
      logs = marks[newest]!.logs.map((log, h) => log + sums[newest]![h * width]!);
      const total = logSumExp(logs);
      const ratios = sums.map(
        (sum) =>
          logSumExp(logs.map((log, h) => log - total + logSumExp(sum.subarray(h * width + 1, (h + 1) * width)))) -
          Math.log(KINDS),
      );
      const most = ratios.indexOf(Math.max(...ratios));
      return { statistic: logSumExp(ratios) + Math.log(stride), since: marks[most]!.night };
    },
  };
}
