/**
 * The model of the largest probability less its penalty for every question, the first of equals.
 * @param probabilities - `[i·M + m]` @param penalties - by model, cost times weight
 * @example pickModels(Float64Array.of(0.6, 0.7), Float64Array.of(0, 0.2)) // the first model
 */
export function pickModels(probabilities: Float64Array, penalties: Float64Array): Uint32Array {
  const models = penalties.length;
  return Uint32Array.from({ length: probabilities.length / models }, (_, i) => {
    let best = 0;
    for (let m = 1; m < models; m++)
      if (probabilities[i * models + m]! - penalties[m]! > probabilities[i * models + best]! - penalties[best]!)
        best = m;
    return best;
  });
}
