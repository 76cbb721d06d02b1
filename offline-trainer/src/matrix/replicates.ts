import { type ResponseMatrix, submatrix } from "./response-matrix.ts";

/** Rows that agree in more than this share of their shared answers are one model for every split. */
const REPLICATE_AGREEMENT = 0.97;
/** Items compared at most, evenly spaced. */
const COMPARED_ITEMS = 4096;
/** Shared answers needed to judge a pair. */
const LEAST_SHARED = 20;

/**
 * Groups models that are replicates of each other: agreement above {@link REPLICATE_AGREEMENT}, closed transitively.
 * Scores agree where both lie on the same side of a half.
 */
export function replicateGroups(matrix: ResponseMatrix): Int32Array {
  const models = matrix.subjects.length;
  const columns = matrix.items.length;
  const step = Math.max(1, columns / COMPARED_ITEMS);
  const compared = Math.floor(columns / step);
  const words = Math.ceil(compared / 32);
  const right = new Uint32Array(models * words);
  const seen = new Uint32Array(models * words);
  for (let m = 0; m < models; m++)
    for (let k = 0; k < compared; k++) {
      const at = m * columns + Math.floor(k * step);
      if (matrix.observed !== null && matrix.observed[at] === 0) continue;
      const word = m * words + (k >> 5);
      seen[word]! |= 1 << (k & 31);
      if (matrix.scores[at]! > 0.5) right[word]! |= 1 << (k & 31);
    }
  const sets = disjointSets(models);
  for (let left = 0; left < models; left++)
    for (let other = left + 1; other < models; other++) {
      let shared = 0;
      let differing = 0;
      for (let w = 0; w < words; w++) {
        const both = seen[left * words + w]! & seen[other * words + w]!;
        shared += bits(both);
        differing += bits(both & (right[left * words + w]! ^ right[other * words + w]!));
      }
      if (shared >= LEAST_SHARED && shared - differing > REPLICATE_AGREEMENT * shared) sets.join(left, other);
    }
  return sets.numbers();
}

/** Right and wrong answers, of either so many, below which two models may well answer alike by chance. */
const TELLING_ANSWERS = 5;

/**
 * The responses with the first only of all models that answer every item alike: a copy says nothing that the first doesn't,
 * and would be counted twice wherever models are. Models that are right, or wrong, on fewer than five items stay.
 * @returns also the name of the first by that of its copy
 */
export function withoutCopies(matrix: ResponseMatrix): {
  readonly matrix: ResponseMatrix;
  readonly copies: ReadonlyMap<string, string>;
} {
  const { subjects, items, scores, observed } = matrix;
  const columns = items.length;
  const firsts = new Map<string, string>();
  const copies = new Map<string, string>();
  const kept: number[] = [];
  subjects.forEach((name, m) => {
    const own = scores.subarray(m * columns, (m + 1) * columns);
    const known = observed?.subarray(m * columns, (m + 1) * columns);
    let [right, wrong] = [0, 0];
    for (let i = 0; i < columns; i++)
      if (known?.[i] === 0) continue;
      else if (own[i]! > 0.5) right++;
      else wrong++;
    const answers = `${own.join()} ${known?.join() ?? ""}`;
    const first = firsts.get(answers);
    if (first === undefined) firsts.set(answers, name);
    if (first === undefined || Math.min(right, wrong) < TELLING_ANSWERS) kept.push(m);
    else copies.set(name, first);
  });
  return { matrix: copies.size === 0 ? matrix : submatrix(matrix, kept, [...items.keys()]), copies };
}

/** Scenarios in which all models that answered an item have the same score on it, whichever item that is: nothing varies. */
export function unvariedScenarios({ subjects, items, scores, observed }: ResponseMatrix): string[] {
  const varied = new Set<string>();
  const columns = items.length;
  items.forEach(({ scenario }, i) => {
    if (varied.has(scenario)) return;
    let first: number | undefined;
    for (let m = 0; m < subjects.length; m++) {
      const at = m * columns + i;
      if (observed?.[at] === 0) continue;
      first ??= scores[at]!;
      if (scores[at] !== first) varied.add(scenario);
    }
  });
  return [...new Set(items.map(({ scenario }) => scenario))].filter((scenario) => !varied.has(scenario));
}

/** Sets of models that grow together, each one alone at first. */
export function disjointSets(count: number) {
  const parent = Int32Array.from({ length: count }, (_, m) => m);
  const root = (model: number): number => {
    let at = model;
    while (parent[at] !== at) at = parent[at] = parent[parent[at]!]!;
    return at;
  };
  return {
    join: (one: number, other: number): void => {
      parent[root(one)] = root(other);
    },
    /** The set of every model, numbered from 0 by first appearance. */
    numbers: (): Int32Array => numbered(parent.map((_, m) => root(m))),
  };
}

/** Keys as numbers from 0 by first appearance. */
export function numbered(keys: Iterable<string | number>): Int32Array {
  const numbers = new Map<string | number, number>();
  return Int32Array.from(keys, (key) => {
    if (!numbers.has(key)) numbers.set(key, numbers.size);
    return numbers.get(key)!;
  });
}

function bits(word: number): number {
  let v = word - ((word >>> 1) & 0x55555555);
  v = (v & 0x33333333) + ((v >>> 2) & 0x33333333);
  return Math.imul((v + (v >>> 4)) & 0x0f0f0f0f, 0x01010101) >>> 24;
}
