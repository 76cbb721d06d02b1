import { sigmoid } from "anchoreval/internal/core/numeric/functions";
import type { createRandom } from "anchoreval/internal/core/numeric/random";
import { responseMatrix, type ResponseMatrix } from "../../../../offline-trainer/src/matrix/response-matrix.ts";

type Random = ReturnType<typeof createRandom>;

/** A board of models m0, m1, … on items of one scenario; NaN = missing. */
export function boardOf(rows: readonly ArrayLike<number>[]): ResponseMatrix {
  return responseMatrix(
    rows.map((_, m) => `m${m}`),
    Array.from({ length: rows[0]!.length }, (_, i) => ({ item_id: `i${i}`, scenario: "s" })),
    Float64Array.from(rows.flatMap((row) => Array.from(row))),
  );
}

/** How boards of independent models are drawn, and how a copy of one of their models comes about. */
export interface BoardKind {
  readonly name: string;
  score(level: number, difficulty: number, random: Random): number;
  copy(score: number, random: Random): number;
}

const right = (logit: number, random: Random): number => Number(random.next() < sigmoid(logit));
const turned = (score: number, random: Random): number => (random.next() < 0.01 ? 1 - score : score);

/** Judges' scores, hard and easy boards, and ordinary ones; levels and difficulties are standard normal. */
export const BOARD_KINDS: readonly BoardKind[] = [
  { name: "ordinary", score: (level, difficulty, random) => right(level - difficulty, random), copy: turned },
  {
    name: "hard, 1 to 10 %",
    score: (level, difficulty, random) => right(0.6 * level - difficulty - 3.3, random),
    copy: turned,
  },
  {
    name: "easy, 90 to 99 %",
    score: (level, difficulty, random) => right(0.6 * level - difficulty + 3.3, random),
    copy: turned,
  },
  {
    name: "a judge's scores from .52 to .98",
    score: (level, difficulty, random) => 0.52 + 0.46 * sigmoid(level - 0.6 * difficulty + 0.7 * random.normal()),
    copy: (score, random) => Math.min(1, score + 0.01 * random.next()),
  },
  {
    name: "a judge's grades from 1 to 5",
    score: (level, difficulty, random) =>
      Math.min(4, Math.max(0, Math.round(2.5 + 0.6 * (level - difficulty + random.normal())))) / 4,
    copy: (score, random) => (random.next() < 0.01 ? Math.abs(score - 0.25) : score),
  },
];

/** Rows of independent models. */
export function independentRows(kind: BoardKind, models: number, items: number, random: Random): number[][] {
  const difficulties = Array.from({ length: items }, () => random.normal());
  return Array.from({ length: models }, () => {
    const level = random.normal();
    return difficulties.map((difficulty) => kind.score(level, difficulty, random));
  });
}
