import { itemColumns, weightedScores } from "../../offline-trainer/dist/methods/item-columns.js";
import { selectFeatures } from "../../offline-trainer/dist/methods/sublime/item-features.js";
import { familyNumbers } from "../../offline-trainer/dist/matrix/families.js";

/** One scenario, every item counting the same; missing answers filled with the item's mean. */
export function boardOfScenario(matrix, scenario, features, candidates) {
  const own = [...matrix.items.keys()].filter((i) => matrix.items[i].scenario === scenario);
  const score = (m, i) => {
    const at = m * matrix.items.length + i;
    return matrix.observed !== null && matrix.observed[at] === 0 ? NaN : matrix.scores[at];
  };
  const all = [...matrix.subjects.keys()];
  const answered = all.filter((m) => own.filter((i) => Number.isNaN(score(m, i))).length < 0.02 * own.length);
  const column = (item) => {
    const scores = Float64Array.from(answered, (m) => score(m, own[item]));
    const known = scores.filter((value) => !Number.isNaN(value));
    const filling = known.length > 0 ? mean(known) : 0.5;
    return scores.map((value) => (Number.isNaN(value) ? filling : value));
  };
  const columns = itemColumns(column, own.length);
  const weights = new Float64Array(own.length).fill(1 / own.length);
  const families = familyNumbers(matrix.subjects);
  return {
    columns,
    weights,
    full: weightedScores(columns, weights),
    families: answered.map((m) => families[m]),
    named: [],
    features: selectFeatures(features, own),
    candidates,
  };
}

export function mean(values) {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}
