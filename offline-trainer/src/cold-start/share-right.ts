/** Mean answer of the picked models, over questions of which it is known. @param answers - `[i·M + m]`, 1, 0 or NaN */
export function shareRight(answers: Float64Array, picks: Uint32Array, models: number): number {
  const known = Array.from(picks, (m, i) => answers[i * models + m]!).filter((answer) => !Number.isNaN(answer));
  return known.reduce((sum, answer) => sum + answer, 0) / known.length;
}

/** The model with the largest share of its answers right, the first of equals. */
export function mostRight(answers: Float64Array, models: number): number {
  const shares = Array.from({ length: models }, (_, m) =>
    shareRight(answers, new Uint32Array(answers.length / models).fill(m), models),
  );
  return shares.indexOf(Math.max(...shares));
}
