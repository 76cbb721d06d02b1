import { scoreAt } from "anchoreval-trainer";

/**
 * Root mean square error of n items drawn at random without replacement, in points, over some models: exactly, by the
 * variance of their scores over the scenario's items.
 */
export function randomRmse(matrix, scenario, names, n) {
  const items = matrix.items.flatMap((item, i) => (item.scenario === scenario ? [i] : []));
  let sum = 0;
  for (const name of names) {
    const row = matrix.subjects.indexOf(name);
    const scores = items.map((i) => scoreAt(matrix, row, i)).filter((score) => !Number.isNaN(score));
    const mean = scores.reduce((total, score) => total + score, 0) / scores.length;
    const variance = scores.reduce((total, score) => total + (score - mean) ** 2, 0) / (scores.length - 1);
    sum += (variance / n) * (1 - n / scores.length);
  }
  return 100 * Math.sqrt(sum / names.length);
}
