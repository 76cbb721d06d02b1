import { studentTCdf } from "anchoreval/internal/core/numeric/distributions";
import { quoted } from "anchoreval/internal/tables/data-issues";
import { wholePercent } from "anchoreval/internal/words/figures";
import { eachScore, LEAST_MODELS, type ResponseMatrix } from "../../../offline-trainer/src/matrix/response-matrix.ts";
import { pearson } from "../../../offline-trainer/src/numeric/statistics.ts";
import { scenarioParts } from "./board-summary.ts";
import type { BorderFinding } from "./findings.ts";

/** Share of missing answers below which a scenario's gaps can't move much. Chosen, not measured. */
const LEAST_MISSING = 0.02;
/** Correlation of models' gaps and strength from which on it is worth a word. Chosen, not measured. */
const LEAST_CORRELATION = 0.3;
/** Answers that tell a model's strength, at least. Chosen, not measured. */
const LEAST_ANSWERS = 10;
/** Chance of being told so of any scenario of a board in which gaps have nothing to do with strength. */
const ERROR = 1e-3;
/** Rounds after which strengths and the items' levels no longer change each other. Chosen, not measured. */
const ROUNDS = 20;

/** A scenario's answers as they are added up. */
interface Part {
  items: number;
  readonly cells: { readonly score: number; readonly m: number; readonly i: number }[];
}

/**
 * Scenarios whose gaps go with the models' strength, as where newer items were asked of newer models alone: gaps at random
 * they are not, so that nobody knows how the others would have answered. Strength is a model's mean over the items' levels
 * among those that answered them, both fitted together.
 */
export function strengthGaps(matrix: ResponseMatrix): BorderFinding[] {
  const { subjects, items, observed } = matrix;
  if (observed === null) return [];
  const { parts, partOf } = scenarioParts(items, (): Part => ({ items: 0, cells: [] }));
  for (const part of partOf) part.items++;
  eachScore(matrix, [...subjects.keys()], (score, m, i) => partOf[i]!.cells.push({ score, m, i }));
  return [...parts].flatMap(([id, part]) => {
    const answered = new Float64Array(subjects.length);
    for (const { m } of part.cells) answered[m]!++;
    const models = [...subjects.keys()].filter((m) => answered[m]! >= LEAST_ANSWERS);
    const missing = 1 - models.reduce((sum, m) => sum + answered[m]!, 0) / (part.items * models.length);
    if (models.length < LEAST_MODELS || missing < LEAST_MISSING) return [];
    const strengths = fittedStrengths(part, subjects.length, items.length);
    const of = (values: (m: number) => number): Float64Array => Float64Array.from(models, values);
    const r =
      pearson(
        of((m) => answered[m]! / part.items),
        of((m) => strengths[m]!),
      ) ?? 0;
    const t = Math.abs(r) * Math.sqrt((models.length - 2) / Math.max(1e-12, 1 - r * r));
    const chance = 2 * parts.size * (1 - studentTCdf(t, models.length - 2));
    if (!(Math.abs(r) >= LEAST_CORRELATION) || chance > ERROR) return [];
    const [those, others] = r > 0 ? ["stronger", "weaker"] : ["weaker", "stronger"];
    const message = `scenario ${quoted(id)} lacks ${wholePercent(missing)} of its answers, and ${those} models have answered more items (r = ${r.toFixed(2).replace("0.", ".")} over ${models.length} models): how ${others} ones would have answered the rest isn't known, and errors are those of models that did; if dates are the reason, fit the models of one time`;
    return [{ code: "gaps_by_strength", names: [id], message }];
  });
}

/** y ≈ strength of the model + level of the item, by alternating least squares. */
function fittedStrengths({ cells }: Part, models: number, items: number): Float64Array {
  const strengths = new Float64Array(models);
  const levels = new Float64Array(items);
  const fit = (of: Float64Array, at: "m" | "i", others: Float64Array, by: "m" | "i"): void => {
    const counts = new Float64Array(of.length);
    of.fill(0);
    for (const cell of cells) {
      of[cell[at]]! += cell.score - others[cell[by]]!;
      counts[cell[at]]!++;
    }
    counts.forEach((count, k) => (of[k] = count > 0 ? of[k]! / count : 0));
  };
  for (let round = 0; round < ROUNDS; round++) {
    fit(levels, "i", strengths, "m");
    fit(strengths, "m", levels, "i");
  }
  return strengths;
}
