import type { ColdStartScenario } from "anchoreval/bundle";
import { pickModels, type RandomSource, type ScenarioRouting } from "anchoreval/core";
import { chooseScale } from "./choose-scale.ts";
import { forecastQuality } from "./forecast-quality.ts";
import { parameterCurves } from "./parameter-curves.ts";
import { principalAxes } from "./principal-axes.ts";
import { mostRight, shareRight } from "./share-right.ts";
import { denseRows } from "./sparse-rows.ts";
import { ridgeVariances, spectralRidge } from "./spectral-ridge.ts";
import type { QuestionBank } from "./types.ts";

/** Axes of the coordinates that regressions go on. */
const AXES = 100;
/** Questions at most that the scale is fitted to, and figures are of: chances of all models are computed for each. */
const MOST_LEFT_OUT = 2000;

/**
 * Ridge regressions from a scenario's coordinates to its item parameters, on principal axes of the coordinates, and the
 * scale of the models' chances: fitted to questions that are each foretold by the others.
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
  const leftOut = parameterCurves(
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
  const answers = Float64Array.from({ length: leftOut.length }, (_, at) => {
    const m = at % bank.models;
    return bank.answers[kept[(at - m) / bank.models]! * bank.models + m]!;
  });
  const { scale, crossFitted } = chooseScale(leftOut, answers, bank.models);
  const single = mostRight(answers, bank.models);
  const quality = forecastQuality(crossFitted, answers)!;
  const picks = pickModels(crossFitted, new Float64Array(bank.models));
  return {
    routing: {
      dims,
      center: Float32Array.from(axes.mean),
      axes: Float32Array.from(axes.axes),
      parameters,
      models,
      theta,
      slope: scale.slope,
      shifts: scale.shifts,
    },
    figures: {
      questions: count,
      single: models[single]!,
      leftOut: {
        questions: kept.length,
        brier: quality.brier,
        logLoss: quality.logLoss,
        calibrationError: quality.calibrationError,
        right: shareRight(answers, picks, bank.models),
        singleRight: shareRight(answers, new Uint32Array(kept.length).fill(single), bank.models),
      },
    },
  };
}

/** At most {@link MOST_LEFT_OUT} indices below `count`, evenly apart. */
function strided(count: number): Uint32Array {
  const kept = Math.min(count, MOST_LEFT_OUT);
  return Uint32Array.from({ length: kept }, (_, k) => Math.floor((k * count) / kept));
}
