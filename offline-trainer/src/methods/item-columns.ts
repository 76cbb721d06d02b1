/** Scores of models on the items, an item after the other. */
export interface ItemColumns {
  readonly models: number;
  readonly items: number;
  /** items×models, multiples of 2⁻²⁰. */
  readonly scores: Float64Array;
}

/** Scores are rounded to multiples of its inverse: sums of fewer than 2³² of them are exact, whatever their order. */
const GRAIN = 2 ** 20;

/**
 * The columns of all items, their scores rounded to 2⁻²⁰. Sums over items are then the same in every order, so that a
 * search that keeps them up to date goes as one that adds them up anew.
 * @param column - the models' scores on an item, none missing
 */
export function itemColumns(column: (item: number) => Float64Array, items: number): ItemColumns {
  const models = column(0).length;
  const scores = new Float64Array(items * models);
  for (let i = 0; i < items; i++)
    column(i).forEach((score, m) => (scores[i * models + m] = Math.round(score * GRAIN) / GRAIN));
  return { models, items, scores };
}

export function columnsOf({ models, items, scores }: ItemColumns, rows: ArrayLike<number>): ItemColumns {
  const out = new Float64Array(items * rows.length);
  for (let i = 0; i < items; i++)
    for (let k = 0; k < rows.length; k++) out[i * rows.length + k] = scores[i * models + rows[k]!]!;
  return { models: rows.length, items, scores: out };
}

export function meanScores({ models, scores }: ItemColumns, chosen: ArrayLike<number>): Float64Array {
  const out = new Float64Array(models);
  for (let j = 0; j < chosen.length; j++) for (let m = 0; m < models; m++) out[m]! += scores[chosen[j]! * models + m]!;
  return out.map((sum) => sum / chosen.length);
}

export function weightedScores({ models, items, scores }: ItemColumns, weights: Float64Array): Float64Array {
  const out = new Float64Array(models);
  for (let i = 0; i < items; i++) for (let m = 0; m < models; m++) out[m]! += weights[i]! * scores[i * models + m]!;
  return out;
}
