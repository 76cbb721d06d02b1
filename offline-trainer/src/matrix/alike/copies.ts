import { type ResponseMatrix, submatrix } from "../response-matrix.ts";

/** Answers beside its commonest score below which a model may well answer as another one does by chance. */
const TELLING_ANSWERS = 5;

/**
 * The responses with the first only of all models that answer every item alike: a copy says nothing that the first doesn't,
 * and would be counted twice wherever models are. Models with fewer than five answers beside their commonest one stay.
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
    const row = scores.subarray(m * columns, (m + 1) * columns);
    const seen = observed?.subarray(m * columns, (m + 1) * columns);
    const counts = new Map<number, number>();
    let [answered, commonest] = [0, 0];
    for (let i = 0; i < columns; i++) {
      if (seen?.[i] === 0) continue;
      const count = (counts.get(row[i]!) ?? 0) + 1;
      counts.set(row[i]!, count);
      answered++;
      commonest = Math.max(commonest, count);
    }
    const answers = `${row.join()} ${seen?.join() ?? ""}`;
    const first = firsts.get(answers);
    if (first === undefined) firsts.set(answers, name);
    if (first === undefined || answered - commonest < TELLING_ANSWERS) kept.push(m);
    else copies.set(name, first);
  });
  return { matrix: copies.size === 0 ? matrix : submatrix(matrix, kept, [...items.keys()]), copies };
}
