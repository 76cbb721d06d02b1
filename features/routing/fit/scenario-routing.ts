import type { ColdStartScenario } from "anchoreval/internal/features/routing/core/cold-start";
import type { RandomSource } from "anchoreval/internal/core/numeric/random";
import type { ScenarioRouting } from "anchoreval/internal/features/routing/core/predict-chances";
import { ownPlaces, principalAxes } from "../../../offline-trainer/src/numeric/principal-axes.ts";
import { denseRows } from "../../../offline-trainer/src/numeric/sparse-rows.ts";
import { ridgeVariances } from "../../../offline-trainer/src/numeric/ridge.ts";
import { evenlySpaced } from "./neighbours.ts";
import { bestForecast, mostRight, scaleForecast, shareRight } from "./probability-scale.ts";
import type { QuestionBank } from "./questions.ts";
import { answerRegressions, parameterChances, parameterRidges } from "./regressions.ts";

/** Principal axes of the features or coordinates that regressions use. */
export const REGRESSION_AXES = 100;

/** Most models whose chances may come directly from their answers, by a regression a model: more have enough dimensions. */
const MOST_DIRECT = 60;

/**
 * Ridge regressions from a scenario's coordinates to its item parameters, on principal axes of the coordinates, and the
 * scale of the models' chances, fitted to questions that are each predicted by the others. With few models, chances come
 * from item parameters or directly from answers ({@link bestForecast}).
 * @param coordinates - questions×C row-major @param width - C
 * @param models - rows of the bank's abilities among the source models
 */
export function learnScenarioRouting(
  bank: QuestionBank,
  coordinates: Float64Array,
  width: number,
  models: Uint32Array,
  random: RandomSource,
): { readonly routing: ScenarioRouting; readonly figures: ColdStartScenario } {
  const count = bank.b.length;
  const axes = principalAxes(denseRows(coordinates, count, width), REGRESSION_AXES, random);
  const parameters = parameterRidges(bank, axes);
  const kept = evenlySpaced(count);
  const keptRows = (cells: Float64Array): Float64Array => {
    const width = cells.length / count;
    const rows = new Float64Array(kept.length * width);
    kept.forEach((i, k) => rows.set(cells.subarray(i * width, (i + 1) * width), k * width));
    return rows;
  };
  const places = keptRows(ownPlaces(axes));
  const answers = keptRows(bank.answers);
  const noPenalties = new Float64Array(bank.models);
  const leftOut = parameters.map((ridge) => keptRows(ridge.leftOut));
  const variances = parameters.map((ridge) => ridgeVariances(ridge, places, kept.length));
  const byParameters = parameterChances(bank, leftOut, variances);
  const ways: { method: ColdStartScenario["method"]; leftOut: Float64Array; models: ScenarioRouting["answers"] }[] = [
    { method: "ridge", leftOut: byParameters.chances, models: null },
  ];
  if (bank.models <= MOST_DIRECT) {
    const direct = answerRegressions(bank, axes);
    ways.push({ method: "answer-ridge", leftOut: keptRows(direct.leftOut), models: direct.models });
  }
  const best = bestForecast(ways.map((way) => ({ ...way, ...scaleForecast(way.leftOut, answers, noPenalties) })));
  const single = mostRight(answers, bank.models);
  const { brier, logLoss, calibrationError } = best.scaled;
  return {
    routing: {
      dims: bank.dims,
      center: Float32Array.from(axes.mean),
      axes: Float32Array.from(axes.axes),
      parameters,
      models,
      theta: bank.theta,
      answers: best.models,
      slope: best.scale.slope,
      shifts: best.scale.shifts,
    },
    figures: {
      questions: count,
      method: best.method,
      single: models[single]!,
      leftOut: {
        questions: kept.length,
        brier,
        logLoss,
        calibrationError,
        right: best.right,
        singleRight: shareRight(answers, new Uint32Array(kept.length).fill(single), bank.models),
      },
    },
  };
}
