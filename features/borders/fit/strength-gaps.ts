import { quoted } from "anchoreval/internal/tables/data-issues";
import { wholePercent } from "anchoreval/internal/words/figures";
import { someModels } from "../../../offline-trainer/src/anchors/curve-features.ts";
import { eachScore, LEAST_MODELS, type ResponseMatrix } from "../../../offline-trainer/src/matrix/response-matrix.ts";
import { pearson } from "../../../offline-trainer/src/numeric/statistics.ts";
import { type BoardSummary, scenarioParts } from "./board-summary.ts";
import type { BorderFinding } from "./findings.ts";
import { correlationChance, correlationWords } from "./reversed-scenarios.ts";

/** Share of missing answers below which a scenario's gaps can't move much. Chosen, not measured. */
const LEAST_MISSING = 0.02;
/** Correlation of models' gaps and strength from which on it is worth a word. Chosen, not measured. */
const LEAST_CORRELATION = 0.3;
/** Answers that tell a model's strength, at least. Chosen, not measured. */
const LEAST_ANSWERS = 10;
/** Chance of being told so of any scenario of a board in which gaps have nothing to do with strength. */
const ERROR = 1e-3;
/** Rounds of fitting strengths and levels, and models that are looked at. Chosen, not measured. */
const [ROUNDS, MOST_MODELS] = [5, 512];

/** A scenario's models as they are added up. */
interface Part {
  items: number;
  readonly answered: Float64Array;
  readonly strengths: Float64Array;
}

/**
 * Scenarios whose gaps go with the models' strength, as where newer items were asked of newer models alone: gaps at random
 * they are not, so that nobody knows how the others would have answered. Strength is a model's mean over the items' levels
 * among those that answered them, both fitted together.
 */
export function strengthGaps(matrix: ResponseMatrix, { scenarios }: BoardSummary): BorderFinding[] {
  if (scenarios.every(({ missing }) => missing < LEAST_MISSING)) return [];
  const { subjects, items } = matrix;
  const rows = someModels(subjects.length, MOST_MODELS);
  const zeros = (): Float64Array => new Float64Array(rows.length);
  const { parts, partOf } = scenarioParts(items, (): Part => ({ items: 0, answered: zeros(), strengths: zeros() }));
  for (const part of partOf) part.items++;
  eachScore(matrix, rows, (_, m, i) => partOf[i]!.answered[m]!++);
  const gappy = [...parts].flatMap(([id, part]) => {
    const models = [...rows.keys()].filter((m) => part.answered[m]! >= LEAST_ANSWERS);
    const missing = 1 - models.reduce((sum, m) => sum + part.answered[m]!, 0) / (part.items * models.length);
    return models.length < LEAST_MODELS || missing < LEAST_MISSING ? [] : [{ id, part, models, missing }];
  });
  if (gappy.length > 0) fitStrengths(matrix, rows, partOf);
  return gappy.flatMap(({ id, part: { answered, strengths }, models, missing }) => {
    const of = (values: Float64Array): Float64Array => Float64Array.from(models, (m) => values[m]!);
    const r = pearson(of(answered), of(strengths)) ?? 0;
    const chance = 2 * parts.size * correlationChance(-Math.abs(r), models.length);
    if (Math.abs(r) < LEAST_CORRELATION || chance > ERROR) return [];
    const [those, others] = r > 0 ? ["stronger", "weaker"] : ["weaker", "stronger"];
    const message = `scenario ${quoted(id)} lacks ${wholePercent(missing)} of its answers, and ${those} models have answered more items (${correlationWords(r, models.length)}): how ${others} ones would have answered the rest isn't known, and errors are those of models that did; if dates are the reason, fit the models of one time`;
    return [{ code: "gaps_by_strength", names: [id], message }];
  });
}

/** y ≈ strength of the model in the scenario + level of the item, by alternating least squares. */
function fitStrengths(matrix: ResponseMatrix, rows: readonly number[], partOf: readonly Part[]): void {
  const levels = new Float64Array(partOf.length);
  const times = new Float64Array(partOf.length);
  eachScore(matrix, rows, (_score, _model, i) => times[i]!++);
  const parts = new Set(partOf);
  for (let round = 0; round < ROUNDS; round++) {
    levels.fill(0);
    eachScore(matrix, rows, (score, m, i) => (levels[i]! += (score - partOf[i]!.strengths[m]!) / times[i]!));
    for (const { strengths } of parts) strengths.fill(0);
    eachScore(matrix, rows, (score, m, i) => {
      const { strengths, answered } = partOf[i]!;
      strengths[m]! += (score - levels[i]!) / answered[m]!;
    });
  }
}
