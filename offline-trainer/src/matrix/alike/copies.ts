import { isBinary, type ResponseMatrix, scoreAt, submatrix } from "../response-matrix.ts";
import { answerChances, comparedAnswers, neededEvidence } from "./compared-answers.ts";

/** Answers beside its commonest score below which a model may well answer as another one does by chance. */
const TELLING_ANSWERS = 5;

/**
 * The responses with the first only of all models that answer every item alike: a copy says nothing that the first doesn't,
 * and would be counted twice wherever models are. Models stay that chance may have made alike: with fewer than five answers
 * beside their commonest one, and where the models' scores and the items' difficulty make such answers likely
 * ({@link copyEvidence}), as on a board of items that all models solve and items that none does. Of a board whose models are all
 * alike nothing but the first rule is known.
 * @returns also the name of the first by that of its copy
 */
export function withoutCopies(matrix: ResponseMatrix): {
  readonly matrix: ResponseMatrix;
  readonly copies: ReadonlyMap<string, string>;
} {
  const { subjects, items } = matrix;
  const distinct: number[] = [];
  const byHash = new Map<number, number[]>();
  const alike = new Map<number, number>();
  subjects.forEach((_, m) => {
    const hash = answerHash(matrix, m);
    const like = byHash.get(hash) ?? [];
    const first = like.find((other) => answerAlike(matrix, m, other));
    if (first === undefined) {
      distinct.push(m);
      byHash.set(hash, [...like, m]);
    } else if (isTelling(matrix, m)) alike.set(m, first);
  });
  const copies = new Map<string, string>();
  if (alike.size === 0) return { matrix, copies };
  const evidenceOf =
    distinct.length === 1 ? () => Infinity : copyEvidence(submatrix(matrix, distinct, [...items.keys()]));
  const needed = neededEvidence(subjects.length);
  const isCopied = new Set([...new Set(alike.values())].filter((m) => evidenceOf(distinct.indexOf(m)) >= needed));
  for (const [m, first] of alike) if (isCopied.has(first)) copies.set(subjects[m]!, subjects[first]!);
  if (copies.size === 0) return { matrix, copies };
  const kept = [...subjects.keys()].filter((m) => !copies.has(subjects[m]!));
  return { matrix: submatrix(matrix, kept, [...items.keys()]), copies };
}

/** Codes of a hash: a missing answer's, and what a score of 1 is. */
const [MISSING, RIGHT] = [-1, 1 << 24];

/** A hash of a model's answers (FNV-1a, by answers): the same of models that answer alike. */
function answerHash({ items, stride, scores, observed }: ResponseMatrix, m: number): number {
  let hash = 0x811c9dc5;
  for (let at = m * stride, end = at + items.length; at < end; at++)
    hash = Math.imul(hash ^ (observed?.[at] === 0 ? MISSING : scores[at]! * RIGHT), 0x01000193);
  return hash;
}

function answerAlike({ items, stride, scores, observed }: ResponseMatrix, m: number, other: number): boolean {
  const apart = (other - m) * stride;
  for (let at = m * stride, end = at + items.length; at < end; at++) {
    const isMissing = observed?.[at] === 0;
    if (isMissing !== (observed?.[at + apart] === 0)) return false;
    if (!isMissing && scores[at] !== scores[at + apart]) return false;
  }
  return true;
}

function isTelling(matrix: ResponseMatrix, m: number): boolean {
  const counts = new Map<number, number>();
  let [answered, commonest] = [0, 0];
  for (let i = 0; i < matrix.items.length; i++) {
    const score = scoreAt(matrix, m, i);
    if (Number.isNaN(score)) continue;
    const count = (counts.get(score) ?? 0) + 1;
    counts.set(score, count);
    answered++;
    commonest = Math.max(commonest, count);
  }
  return answered - commonest >= TELLING_ANSWERS;
}

/**
 * Log of the likelihood of a copy over that of another model with the very same answers, −Σ log P(y): P by the model's score and
 * the items' difficulty (`answerChances`), and of graded answers the share of the score among those on its side.
 * @param distinct - the board, each pattern of answers once
 */
function copyEvidence(distinct: ResponseMatrix): (m: number) => number {
  const { columns, scenarioOf, bits } = comparedAnswers(distinct);
  const chancesOf = answerChances(bits, scenarioOf);
  const isHigh = (m: number, k: number): boolean => ((bits.high[m * bits.words + (k >> 5)]! >>> (k & 31)) & 1) === 1;
  const graded = !isBinary(distinct);
  const shareOf = (m: number, k: number, score: number): number => {
    let [same, onSide] = [0, 0];
    for (let other = 0; other < bits.models; other++) {
      const one = scoreAt(distinct, other, columns[k]!);
      if (Number.isNaN(one) || isHigh(other, k) !== isHigh(m, k)) continue;
      onSide++;
      if (one === score) same++;
    }
    return (same - 0.5) / onSide;
  };
  return (m) => {
    const chances = chancesOf(m);
    let evidence = 0;
    for (const [k, column] of columns.entries()) {
      const score = scoreAt(distinct, m, column);
      if (Number.isNaN(score)) continue;
      evidence -= Math.log(isHigh(m, k) ? chances[k]! : 1 - chances[k]!);
      if (graded) evidence -= Math.log(shareOf(m, k, score));
    }
    return evidence;
  };
}
