import { sigmoid } from "anchoreval/internal/core/numeric/functions";
import { createRandom } from "anchoreval/internal/core/numeric/random";
import { expect } from "vitest";
import { checkBoard } from "../../../../../features/borders/fit/border-check.ts";
import {
  type ItemInfo,
  responseMatrix,
  type ResponseMatrix,
} from "../../../../../offline-trainer/src/matrix/response-matrix.ts";
import { refusal } from "../../../../support/refusal.ts";

export const random = createRandom("border");

export interface Column {
  readonly id: string;
  readonly scenario?: string;
  /** By model. */
  readonly scores: readonly number[];
}

export function board(
  columns: readonly Column[],
  names: readonly string[] = columns[0]!.scores.map((_, m) => `m${m}`),
): ResponseMatrix {
  const items: ItemInfo[] = columns.map(({ id, scenario = "all" }) => ({ item_id: id, scenario }));
  return responseMatrix(
    names,
    items,
    Float64Array.from(names.flatMap((_, m) => columns.map(({ scores }) => scores[m]!))),
  );
}

/** Columns of models that differ in ability: binary, or a judge's scores. @param way - −1 for error rates */
export function drawn(
  count: number,
  { models = 14, scenario = "all", graded = false, way = 1, prefix = "q", levels = normals(models) } = {},
): Column[] {
  return Array.from({ length: count }, (_, k) => {
    const difficulty = random.normal();
    const scores = levels.map((level) => {
      const chance = sigmoid(1.4 * way * (level - way * difficulty));
      return graded
        ? Math.round(1000 * sigmoid(level - difficulty + 0.5 * random.normal())) / 1000
        : Number(random.next() < chance);
    });
    return { id: `${prefix}${k}`, scenario, scores };
  });
}
export const normals = (count: number): number[] => Array.from({ length: count }, () => random.normal());

export const meanOf = (columns: readonly Column[], round = 4): number[] =>
  columns[0]!.scores.map((_, m) => {
    const known = columns.map(({ scores }) => scores[m]!).filter((score) => !Number.isNaN(score));
    return Number((known.reduce((sum, score) => sum + score, 0) / known.length).toFixed(round));
  });
export const rowsOf = (columns: readonly Column[], row: (scores: readonly number[]) => number): Column[] =>
  columns.map((column) => ({ ...column, scores: [...column.scores, row(column.scores)] }));
export const codes = (matrix: ResponseMatrix): string[] => checkBoard("t.csv", matrix).findings.map(({ code }) => code);
export const refused = (matrix: ResponseMatrix): [string, unknown][] => {
  const { code, issues } = refusal(() => checkBoard("t.csv", matrix));
  expect(code).toBe("invalid_data");
  return issues.map(({ code: own, path }) => [own, path.at(-1)]);
};
