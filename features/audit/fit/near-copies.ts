import type { ResponseMatrix } from "../../../offline-trainer/src/matrix/response-matrix.ts";
import type { Sameness, TextGroup } from "../../../offline-trainer/src/matrix/same-text.ts";
import { type FittedAnswers, probabilities } from "./fitted-answers.ts";
import { LEAST_MODELS_FOR_AUDIT, LEAST_RARE } from "./item-statistics.ts";
import { type ScreenedPair, type ScreenedRows, screenPairs } from "./pair-screen.ts";

/** Two items of which one may be enough. */
export interface ItemCopy {
  /** Columns, the smaller first. */
  readonly items: readonly [number, number];
  /** How their texts agree; null where they don't, or aren't known. */
  readonly sameness: Sameness | null;
  /** How alike their answers are; null where they were not calibrated together. */
  readonly likeness: Omit<AnswerLikeness, "items"> | null;
  /** Estimated share of chance among the pairs that are answered at least as much alike; null where the text decides. */
  readonly chance: number | null;
}

/** Two items with the same text. */
export type TextPair = Pick<ItemCopy, "items"> & Pick<TextGroup, "sameness">;

/** Largest group of items of one text of which all pairs are examined; of larger ones, those with the first. */
const LARGEST_GROUP = 10;
/** Texts that differ in numbers only may come from an honest template: the z from which their answers count as alike. */
const LEAST_TEMPLATE_Z = 2;

/** Pairs of items with the same text, each once, by the finest kind of sameness. */
export function textPairs(groups: readonly TextGroup[]): TextPair[] {
  const seen = new Set<string>();
  return groups.flatMap(({ sameness, items }) => {
    const firsts = items.length > LARGEST_GROUP ? items.slice(0, 1) : items;
    return firsts.flatMap((one, k) =>
      items.slice(k + 1).flatMap((other): TextPair[] => {
        if (seen.has(`${one},${other}`)) return [];
        seen.add(`${one},${other}`);
        return [{ items: [one, other], sameness }];
      }),
    );
  });
}

/**
 * Pairs with the same content or text, pairs whose text differs in numbers and that are answered alike, and pairs that are
 * answered alike beyond chance.
 * @param scenarios - with the likeness of the text pairs that lie within them
 * @returns the same content first, then the same text, then by z
 */
export function itemCopies(
  texts: readonly TextPair[],
  scenarios: readonly { begin: number; audit: { copies: NearCopies; likeness: readonly AnswerLikeness[] } }[],
): ItemCopy[] {
  const key = (items: readonly [number, number]): string => items.join();
  const copies = new Map<string, ItemCopy>(
    texts.map(({ items, sameness }) => [key(items), { items, sameness, likeness: null, chance: null }]),
  );
  for (const { begin, audit } of scenarios) {
    const alike = [...audit.likeness.map((pair) => ({ ...pair, chance: null })), ...audit.copies.pairs];
    for (const { items, chance, ...likeness } of alike) {
      const columns = [begin + items[0], begin + items[1]] as const;
      const sameness = copies.get(key(columns))?.sameness ?? null;
      copies.set(key(columns), { items: columns, sameness, likeness, chance });
    }
  }
  const order = (copy: ItemCopy): number => ["content", "text"].indexOf(copy.sameness ?? "") + 1 || 3;
  const z = ({ likeness }: ItemCopy): number => likeness?.z ?? -Infinity;
  return [...copies.values()]
    .filter((copy) => order(copy) < 3 || copy.chance !== null || z(copy) >= LEAST_TEMPLATE_Z)
    .sort((x, y) => order(x) - order(y) || z(y) - z(x) || x.items[0] - y.items[0] || x.items[1] - y.items[1]);
}

/** Work that may be spent on each matrix's pairs of items, by the multiplications that all of them take. */
export function sharedPairWork(scenarios: readonly { readonly matrix: ResponseMatrix }[], work: number): number[] {
  const pairs = scenarios.map(({ matrix: { items, subjects } }) => items.length ** 2 * subjects.length);
  const all = pairs.reduce((sum, count) => sum + count, 0);
  return pairs.map((count) => (work * count) / all);
}

/** Two items of a scenario and how alike their answers are, beyond what abilities and difficulties explain. */
export type AnswerLikeness = ReturnType<typeof likeness>;

/** A pair found by its answers, and the estimated share of chance among the pairs with at least its z. */
export type NearCopy = AnswerLikeness & { readonly chance: number };

/** Pairs found by their answers, the largest z first; and how many were compared, of those that could be. */
export interface NearCopies {
  readonly pairs: readonly NearCopy[];
  readonly compared: number;
  readonly comparable: number;
}

/** Largest estimated share of chance among the pairs reported as answered alike. */
const MOST_CHANCE = 0.2;
/** Most pairs that are computed exactly, at either end. */
const CANDIDATES = 5000;

/**
 * Finds items that are answered alike: every pair is screened by Σ r·r′/√(‖PQ‖·‖P′Q′‖), at most its z where residuals
 * r = y − P are independent; the extremes of either sign are then taken exactly. Copies make z large; chance and lack of fit
 * act both ways, so that the pairs below −z tell how many above z are not copies ({@link chanceShares}). Items with few
 * answers of either kind are left out; of too many pairs those of similar difficulty are compared.
 * @param families - family of every model, numbered from 0
 * @param mostWork - multiplications and additions that all pairs may take
 * @see Yen (1984), Applied Psychological Measurement 8, 125–145
 */
export function nearCopies(answers: FittedAnswers, families: Int32Array, mostWork: number): NearCopies {
  const items = comparableItems(answers);
  const rows = { count: items.length, width: answers.models, fill: scaledRow(answers, items) };
  const screen = screenPairs(rows, CANDIDATES, mostWork);
  const exact = likenesses(answers, items, families, [...screen.highest, ...screen.lowest]);
  const highest = screen.highest.map((pair) => exact.get(pair)!);
  highest.sort((x, y) => y.z - x.z || x.items[0] - y.items[0] || x.items[1] - y.items[1]);
  const values = Float64Array.from(highest, ({ z }) => z);
  const opposite = Float64Array.from(screen.lowest, (pair) => -exact.get(pair)!.z).sort();
  const chances = chanceShares(values, opposite.reverse());
  const pairs = highest.map((pair, k) => ({ ...pair, chance: chances[k]! }));
  const { compared, pairs: comparable } = screen;
  return { pairs: pairs.filter(({ chance }) => chance <= MOST_CHANCE), compared, comparable };
}

/** Likeness of two items' answers, whatever their number. */
export function answerLikeness(answers: FittedAnswers, one: number, other: number, families: Int32Array) {
  return likeness(residualRow(answers, one), residualRow(answers, other), families);
}

/** Residuals r = y − P of an item, NaN where the answer is missing. @param out - filled and returned, length M */
function residualsOf(answers: FittedAnswers, item: number, out: Float64Array): Float64Array {
  const { models, signs } = answers;
  probabilities(answers, item, out);
  for (let m = 0, at = item * models; m < models; m++, at++)
    out[m] = signs[at] === 0 ? NaN : signs[at]! > 0 ? 1 - out[m]! : -out[m]!;
  return out;
}

/** An item's residuals, with all that comparisons of its answers with others take of them. */
interface ResidualRow {
  readonly item: number;
  readonly residuals: Float64Array;
  /** The sign of a residual is the answer: ±1, or 0 of one that vanishes. */
  readonly answers: Float64Array;
  /** P, as the residual tells it. */
  readonly p: Float64Array;
  /** PQ. */
  readonly variances: Float64Array;
}

/** @param room - a row that is done with, whose numbers are written over */
function residualRow(answers: FittedAnswers, item: number, room?: ResidualRow): ResidualRow {
  const numbers = (): Float64Array => new Float64Array(answers.models);
  const {
    residuals,
    answers: signs,
    p,
    variances,
  } = room ?? { residuals: numbers(), answers: numbers(), p: numbers(), variances: numbers() };
  residualsOf(answers, item, residuals);
  for (let m = 0; m < residuals.length; m++) {
    const r = residuals[m]!;
    signs[m] = Math.sign(r);
    p[m] = r > 0 ? 1 - r : -r;
    variances[m] = variance(r);
  }
  return { item, residuals, answers: signs, p, variances };
}

/** Items with enough answers of either kind, by their share of right ones. */
function comparableItems({ models, items, signs }: FittedAnswers): number[] {
  const shares = Float64Array.from({ length: items }, (_, i) => {
    let [right, wrong] = [0, 0];
    for (let at = i * models; at < (i + 1) * models; at++) {
      if (signs[at]! > 0) right++;
      else if (signs[at]! < 0) wrong++;
    }
    const enough = right + wrong >= LEAST_MODELS_FOR_AUDIT && Math.min(right, wrong) >= LEAST_RARE;
    return enough ? right / (right + wrong) : NaN;
  });
  const order = Array.from(shares.keys()).filter((i) => !Number.isNaN(shares[i]!));
  return order.sort((x, y) => shares[x]! - shares[y]! || x - y);
}

/** Residuals over the root of their variances' norm: the product of two rows is about their z. Missing ones are 0. */
function scaledRow(answers: FittedAnswers, items: readonly number[]): ScreenedRows["fill"] {
  const residuals = new Float64Array(answers.models);
  return (row, out) => {
    residualsOf(answers, items[row]!, residuals);
    let squares = 0;
    for (const r of residuals) if (!Number.isNaN(r)) squares += variance(r) ** 2;
    const scale = 1 / Math.sqrt(Math.sqrt(squares));
    for (let m = 0; m < residuals.length; m++) out[m] = Number.isNaN(residuals[m]!) ? 0 : residuals[m]! * scale;
  };
}

/** Likeness of pairs: by their rows, so that each item's residuals are computed once and kept while they are needed. */
function likenesses(
  answers: FittedAnswers,
  items: readonly number[],
  families: Int32Array,
  pairs: readonly ScreenedPair[],
): Map<ScreenedPair, AnswerLikeness> {
  const kept = new Map<number, ResidualRow>();
  const spare: ResidualRow[] = [];
  const byFamily = new Float64Array(families.length);
  const rowOf = (row: number): ResidualRow => {
    const residuals = kept.get(row) ?? residualRow(answers, items[row]!, spare.pop());
    kept.set(row, residuals);
    return residuals;
  };
  let first = 0;
  const exact = new Map<ScreenedPair, AnswerLikeness>();
  for (const pair of [...pairs].sort((x, y) => x.left - y.left)) {
    for (; first < pair.left; first++) {
      const done = kept.get(first);
      if (done) spare.push(done);
      kept.delete(first);
    }
    exact.set(pair, likeness(rowOf(pair.left), rowOf(pair.right), families, byFamily));
  }
  return exact;
}

/** PQ of a residual: it is 1 − P or −P. */
function variance(residual: number): number {
  const size = Math.abs(residual);
  return size * (1 - size);
}

/**
 * Likeness of two rows. z = S/√V, S = Σ_m r·r′ over the models that answered both, V the mean of what it is
 * for independent residuals, Σ PQ·P′Q′, and of what families show, Σ_f (Σ_{m∈f} r·r′)²: an item that a family knows as
 * one says little, however many members it has.
 * @see Yen (1984) for Q3; Liang & Zeger (1986), Biometrika 73, 13–22 for the variance by clusters
 */
function likeness(
  one: ResidualRow,
  other: ResidualRow,
  families: Int32Array,
  byFamily: Float64Array = new Float64Array(families.length),
) {
  const [left, right] = one.item < other.item ? [one, other] : [other, one];
  const { residuals: xs, answers: xAnswers, p: xChances, variances: xVariances } = left;
  const { residuals: ys, answers: yAnswers, p: yChances, variances: yVariances } = right;
  byFamily.fill(0);
  // Not [a, b] = [0, 0], which engines keep as any values.
  let n = 0;
  let sumX = 0;
  let sumY = 0;
  let xx = 0;
  let yy = 0;
  let xy = 0;
  let twiceAgreeing = 0;
  let expected = 0;
  let independent = 0;
  for (let m = 0; m < families.length; m++) {
    const x = xs[m]!;
    const y = ys[m]!;
    const product = x * y;
    if (Number.isNaN(product)) continue;
    n++;
    sumX += x;
    sumY += y;
    xx += x * x;
    yy += y * y;
    xy += product;
    const alike = xAnswers[m]! * yAnswers[m]!;
    twiceAgreeing += alike + alike * alike;
    const p = xChances[m]!;
    const q = yChances[m]!;
    expected += p * q + (1 - p) * (1 - q);
    independent += xVariances[m]! * yVariances[m]!;
    const family = families[m]!;
    byFamily[family] = byFamily[family]! + product;
  }
  let clustered = 0;
  for (let f = 0; f < byFamily.length; f++) clustered += byFamily[f]! * byFamily[f]!;
  const [spreadX, spreadY] = [xx - (sumX * sumX) / n, yy - (sumY * sumY) / n];
  return {
    /** The smaller first. */
    items: [left.item, right.item] as const,
    /** That answered both. */
    models: n,
    /** Share of them that got both right or both wrong; and the share that the curves expect. */
    agreement: twiceAgreeing / 2 / n,
    expectedAgreement: expected / n,
    /** Correlation of the residuals; NaN where either doesn't vary. */
    q3: spreadX > 1e-12 && spreadY > 1e-12 ? (xy - (sumX * sumY) / n) / Math.sqrt(spreadX * spreadY) : NaN,
    z: n > 0 ? xy / Math.sqrt((independent + clustered) / 2) : NaN,
  };
}

/** Opposite values that the tail is extrapolated from, and the fewest that allow it. */
const TAIL = 100;
const LEAST_TAIL = 10;

/**
 * Estimated share of chance among the values that are at least as high as each, where chance is as likely to make a
 * value −v as v and nothing else makes one negative: the number of opposite values beyond v over that of values.
 *
 * Beyond the opposite values' upper hundred, their number is extrapolated by an exponential tail of the same mean
 * excess, so that one value far above all others isn't attributed to chance because it is alone. Tails of sums of many
 * answers fall faster than that: the estimate errs on the cautious side.
 * @param values - descending
 * @param opposite - what the negative values are without their sign, descending
 * @returns in [0,1], never falling
 * @see Barber & Candès (2015), Annals of Statistics 43, 2055–2085; Pickands (1975), ibid. 3, 119–131 for the tail
 */
export function chanceShares(values: Float64Array, opposite: Float64Array): Float64Array {
  const tail = Math.min(TAIL, Math.floor(opposite.length / 2));
  const start = opposite[tail] ?? Infinity;
  let excess = 0;
  for (let k = 0; k < tail; k++) excess += (opposite[k]! - start) / tail;
  const extrapolated = tail >= LEAST_TAIL && excess > 0;
  let beyond = 0;
  const shares = values.map((value, k) => {
    while (beyond < opposite.length && opposite[beyond]! >= value) beyond++;
    const expected = extrapolated && value > start ? tail * Math.exp((start - value) / excess) : 1 + beyond;
    return Math.min(1, expected / (k + 1));
  });
  for (let k = shares.length - 2; k >= 0; k--) shares[k] = Math.min(shares[k]!, shares[k + 1]!);
  return shares;
}
