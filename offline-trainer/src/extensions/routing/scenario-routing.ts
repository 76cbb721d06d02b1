import type { ColdStartScenario } from "anchoreval/bundle";
import { pickModels, possibleChance, type RandomSource, type ScenarioRouting } from "anchoreval/core";
import { principalAxes } from "../../spectral/principal-axes.ts";
import { denseRows } from "../../spectral/sparse-rows.ts";
import { ridgeVariances, spectralRidge } from "../../spectral/spectral-ridge.ts";
import { strided } from "./neighbours.ts";
import { chooseScale, forecastQuality } from "./probability-scale.ts";
import type { QuestionBank } from "./questions.ts";
import { answerRegressions, parameterCurves } from "./regressions.ts";
import { mostRight, shareRight } from "./route-questions.ts";

/** Axes of the coordinates that regressions go on. */
const AXES = 100;

/** Models up to which chances may come straight from their answers: a regression a model. More have enough dimensions. */
const MOST_STRAIGHT = 60;

/**
 * Ridge regressions from a scenario's coordinates to its item parameters, on principal axes of the coordinates, and the
 * scale of the models' chances: fitted to questions that are each foretold by the others. Of few models, chances come
 * from item parameters or straight from answers: whichever's picks got most right, of equals by the log loss.
 * @param coordinates - questions×C row-major @param width - C
 * @param models - rows of the bank's abilities among the source models
 */
export function scenarioRegressions(
  bank: QuestionBank,
  coordinates: Float64Array,
  width: number,
  models: Uint32Array,
  random: RandomSource,
): { readonly routing: ScenarioRouting; readonly figures: ColdStartScenario } {
  const { dims, theta } = bank;
  const count = bank.b.length;
  const axes = principalAxes(denseRows(coordinates, count, width), AXES, random);
  const parameters = Array.from({ length: dims + 1 }, (_, p) =>
    spectralRidge(axes, p < dims ? bank.b.map((_, i) => bank.a[i * dims + p]!) : Float64Array.from(bank.b)),
  );
  const kept = strided(count);
  const places = Float64Array.from({ length: kept.length * axes.rank }, (_, at) => {
    const k = at % axes.rank;
    return axes.left[kept[(at - k) / axes.rank]! * axes.rank + k]! * axes.singular[k]!;
  });
  const variances = parameters.map((own) => ridgeVariances(own, places, kept.length));
  const byParameters = parameterCurves(
    bank,
    Float64Array.from(
      { length: kept.length * dims },
      (_, at) => parameters[at % dims]!.leftOut[kept[Math.floor(at / dims)]!]!,
    ),
    Float64Array.from(kept, (i) => parameters[dims]!.leftOut[i]!),
    Float64Array.from({ length: kept.length * bank.models }, (_, at) => {
      const m = at % bank.models;
      const i = (at - m) / bank.models;
      let variance = variances[dims]![i]!;
      for (let d = 0; d < dims; d++) variance += theta[m * dims + d]! ** 2 * variances[d]![i]!;
      return variance;
    }),
  );
  const ofKept = (cells: Float64Array): Float64Array =>
    Float64Array.from({ length: kept.length * bank.models }, (_, at) => {
      const m = at % bank.models;
      return cells[kept[(at - m) / bank.models]! * bank.models + m]!;
    });
  const answers = ofKept(bank.answers);
  const straight = bank.models <= MOST_STRAIGHT ? answerRegressions(bank, axes) : null;
  const ways = [
    { method: "ridge" as const, leftOut: byParameters, models: null },
    ...(straight
      ? [
          {
            method: "answer-ridge" as const,
            leftOut: ofKept(straight.leftOut).map(possibleChance),
            models: straight.models,
          },
        ]
      : []),
  ].map((way) => {
    const { scale, crossFitted } = chooseScale(way.leftOut, answers, bank.models);
    const picks = pickModels(crossFitted, new Float64Array(bank.models));
    const quality = forecastQuality(crossFitted, answers)!;
    return { ...way, scale, quality, right: shareRight(answers, picks, bank.models) };
  });
  const best = ways.reduce((one, other) => {
    const gain = other.right - one.right;
    return gain > 0 || (gain === 0 && other.quality.logLoss < one.quality.logLoss) ? other : one;
  });
  const single = mostRight(answers, bank.models);
  const { brier, logLoss, calibrationError } = best.quality;
  return {
    routing: {
      dims,
      center: Float32Array.from(axes.mean),
      axes: Float32Array.from(axes.axes),
      parameters,
      models,
      theta,
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
