import { answerChances, type AnswerBits, type AnswerChances } from "./chances.ts";

/** Shared answers needed to judge a pair. */
const LEAST_SHARED = 20;
/** Of the sides that differ of independent answers, as many as replicates' do at most. */
const SIDES_SHARE = 0.5;
/**
 * Shares of a replicate's sides that are turned, of which the mean likelihood counts: a copy's, a rerun's, and that of graded
 * scores, where noise turns those beside the cut.
 */
const TURNED = [0.005, 0.02, 0.1];

/** Evidence on pairs of models by the sides of their answers, above or below the items' cuts. */
export interface ComparedSides {
  /** Whether enough answers are shared, and so few of them differ that the evidence is worth its while. */
  maybeAlike(left: number, right: number): boolean;
  /**
   * Log of the likelihood of one model answered twice over that of two independent ones; −∞ where the sides differ in more
   * than half of what independent ones would.
   */
  evidence(left: number, right: number): number;
}

/**
 * @param scenarioOf - scenario of every item, numbered from 0
 * @param most - sides that differ at most, of so many shared answers
 */
export function comparedSides(
  bits: AnswerBits,
  scenarioOf: Int32Array,
  most: (shared: number) => number,
): ComparedSides {
  const { items, words, high, seen } = bits;
  const least = most(items);
  let chances: AnswerChances | undefined;
  const chancesOf = (model: number): Float64Array => (chances ??= answerChances(bits, scenarioOf))(model);
  const means: (Float32Array | undefined)[] = [];
  const meansOf = (model: number): Float32Array => (means[model] ??= wordMeans(chancesOf(model), words));
  return {
    maybeAlike: (left, right) => {
      let [shared, differing] = [0, 0];
      for (let w = 0; w < words && differing <= least; w++) {
        const both = seen[left * words + w]! & seen[right * words + w]!;
        shared += countBits(both);
        differing += countBits(both & (high[left * words + w]! ^ high[right * words + w]!));
      }
      if (shared < LEAST_SHARED || differing > most(shared)) return false;
      // As if a word's items were equally hard: where they aren't, fewer sides differ.
      const [ps, qs] = [meansOf(left), meansOf(right)];
      let expected = 0;
      for (let w = 0; w < words; w++) {
        const both = seen[left * words + w]! & seen[right * words + w]!;
        expected += countBits(both) * (ps[w]! + qs[w]! - 2 * ps[w]! * qs[w]!);
      }
      return differing <= SIDES_SHARE * expected;
    },
    evidence: (left, right) => pairEvidence(bits, [left, right], [chancesOf(left), chancesOf(right)]),
  };
}

/** Mean chances over the items of each word. */
function wordMeans(chances: Float64Array, words: number): Float32Array {
  return Float32Array.from({ length: words }, (_, w) => {
    const own = chances.subarray(32 * w, 32 * (w + 1));
    return own.reduce((sum, chance) => sum + chance, 0) / own.length;
  });
}

/**
 * The likelihood of one model with a share ε of its sides turned is (1−ε)·√(pq) for both above, (1−ε)·√((1−p)(1−q)) for both
 * below and ε/2 for either other, in all at most 1; of independent ones pq, (1−p)(1−q), p(1−q) and q(1−p).
 */
function pairEvidence(
  { items, words, high, seen }: AnswerBits,
  [left, right]: readonly [number, number],
  [ps, qs]: readonly [Float64Array, Float64Array],
): number {
  let [shared, differing, expected, surprise] = [0, 0, 0, 0];
  for (let j = 0; j < items; j++) {
    const [a, b] = [left * words + (j >> 5), right * words + (j >> 5)];
    const bit = j & 31;
    if ((((seen[a]! & seen[b]!) >>> bit) & 1) === 0) continue;
    const [p, q] = [ps[j]!, qs[j]!];
    const [one, two] = [(high[a]! >>> bit) & 1, (high[b]! >>> bit) & 1];
    const independent = Math.log((one ? p : 1 - p) * (two ? q : 1 - q));
    expected += p * (1 - q) + q * (1 - p);
    shared++;
    if (one !== two) differing++;
    surprise -= one === two ? independent / 2 : independent;
  }
  if (differing > SIDES_SHARE * expected) return -Infinity;
  const ratios = TURNED.map(
    (turned) => (shared - differing) * Math.log(1 - turned) + differing * Math.log(turned / 2) + surprise,
  );
  const largest = Math.max(...ratios);
  return largest + Math.log(ratios.reduce((sum, ratio) => sum + Math.exp(ratio - largest), 0) / TURNED.length);
}

function countBits(word: number): number {
  let v = word - ((word >>> 1) & 0x55555555);
  v = (v & 0x33333333) + ((v >>> 2) & 0x33333333);
  return Math.imul((v + (v >>> 4)) & 0x0f0f0f0f, 0x01010101) >>> 24;
}
