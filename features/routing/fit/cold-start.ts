import type { Manifest } from "anchoreval/bundle";
import { partOf } from "anchoreval/internal/core/bundle/part";
import {
  type ColdItemRecord,
  type ColdStartManifest,
  coldStartPart,
  type ColdStartScenario,
} from "anchoreval/internal/features/routing/core/cold-start";
import type { ColdStart } from "anchoreval/internal/features/routing/core/routing-file";
import { AnchorEvalError, invalidOption } from "anchoreval/internal/core/errors";
import type { RandomSource } from "anchoreval/internal/core/numeric/random";
import {
  placeOnAxes,
  predictedParameters,
  type PredictedParameters,
  type ScenarioRouting,
} from "anchoreval/internal/features/routing/core/predict-chances";
import type { TextProjection } from "anchoreval/internal/core/numeric/text-coordinates";
import { firstFew } from "anchoreval/internal/tables/data-issues";
import { itemRecord } from "../../../offline-trainer/src/fit/bundle.ts";
import type { LearnedScenario } from "../../../offline-trainer/src/fit/forms.ts";
import { embeddedRows, type Embeddings } from "./embeddings-file.ts";
import { submatrix, type ItemInfo, type ResponseMatrix } from "../../../offline-trainer/src/matrix/response-matrix.ts";
import {
  itemTexts,
  learnProjection,
  PROJECTION,
  projectTexts,
} from "../../../offline-trainer/src/numeric/text-features.ts";
import {
  neighbourPredictor,
  type Neighbours,
  evenlySpaced,
  answerRegressions,
  parameterChances,
  parameterRidges,
  REGRESSION_AXES,
} from "./forecasts.ts";
import { rightAnswers, type QuestionBank } from "./questions.ts";
import { ownPlaces, principalAxes, ridgeVariances } from "../../../offline-trainer/src/numeric/principal-axes.ts";
import { denseRows } from "../../../offline-trainer/src/numeric/sparse-rows.ts";
import { bestForecast, mostRight, scaleForecast, shareRight } from "./probability-scale.ts";

/** Items without answers, and the features that relate them to items with answers. */
export interface ColdStartInput {
  readonly items: readonly ItemInfo[];
  /** By item id; null to use the texts. */
  readonly embeddings: Embeddings | null;
  /** Parameters are means of neighbours'; null: by ridge regressions, as routes always are. @default null */
  readonly neighbours?: Neighbours | null;
}

/**
 * Checks, before the fit, that parameters can be predicted.
 * @param matrix - responses to the items that have some
 * @throws AnchorEvalError `invalid_data` for items that already have answers, of scenarios without answers, without a text
 * or an embedding; `invalid_option` for as many neighbours as a scenario has items with answers
 */
export function checkColdStart(matrix: ResponseMatrix, { items, embeddings, neighbours = null }: ColdStartInput): void {
  const [answered, scenarios] = [new Set<string>(), new Map<string, number>()];
  for (const { item_id: id, scenario } of matrix.items) {
    answered.add(id);
    scenarios.set(scenario, (scenarios.get(scenario) ?? 0) + 1);
  }
  const refuse = (fault: string, wrong: (item: ItemInfo) => boolean): void => {
    const faulty = items.filter(wrong);
    if (faulty.length > 0)
      throw new AnchorEvalError(
        "invalid_data",
        `\`coldStart\`: ${faulty.length} ${faulty.length === 1 ? "item" : "items"} ${fault}: ${firstFew(faulty.map(({ item_id: id }) => id))}`,
      );
  };
  refuse("with answers in the responses", ({ item_id: id }) => answered.has(id));
  refuse(
    `of a scenario that the responses don't have (they have ${firstFew([...scenarios.keys()])})`,
    ({ scenario }) => !scenarios.has(scenario),
  );
  const few = items.find(({ scenario }) => neighbours !== null && neighbours.k >= scenarios.get(scenario)!);
  if (few)
    throw invalidOption(
      `${neighbours!.k} neighbours need more than ${neighbours!.k} items with answers, ${few.scenario} has ${scenarios.get(few.scenario)}: a smaller \`coldK\`, or \`coldMethod\` ridge`,
    );
  for (const part of [matrix.items, items]) coordinatesOf(part, embeddings, null);
}

/**
 * Predicts the item parameters of items without answers, with their standard errors, and keeps the regressions that predict
 * those of other questions. Learned from the bundle's own scenarios: the models' answers, and the questions' texts or vectors.
 * @param learned - fitted scenarios, of `2pl`
 * @param names - of the source models; null keeps no routes
 */
export function fitColdStart(
  learned: readonly LearnedScenario[],
  { items, embeddings, neighbours = null }: ColdStartInput,
  names: readonly string[] | null,
  random: RandomSource,
): ColdStart {
  const answered = learned.flatMap(({ scenario }) => scenario.matrix.items);
  const projection = embeddings ? null : learnProjection(itemTexts(answered), PROJECTION, random.fork("projection"));
  const width = embeddings ? embeddings.width : projection!.axes.length / projection!.hashes.length;
  const scenarios = new Map<string, ScenarioRouting>();
  const predictors = new Map<string, (coordinates: Float64Array) => PredictedParameters>();
  const figures = new Map<string, ColdStartManifest["scenarios"][string]>();
  const place = new Map(names?.map((name, m) => [name, m]));
  for (const { scenario, trained } of learned) {
    const { id } = scenario;
    const { rows, bank, threshold, calibration } = trained;
    const matrix = submatrix(scenario.matrix, rows, [...scenario.matrix.items.keys()]);
    const parameters = { dims: bank.dims, a: Float64Array.from(bank.a), b: Float64Array.from(bank.b) };
    const coordinates = coordinatesOf(matrix.items, embeddings, projection)!;
    const { routing, figures: measured } = learnScenarioRouting(
      { ...parameters, models: rows.length, theta: calibration.theta, answers: rightAnswers(matrix, threshold ?? 0.5) },
      coordinates,
      width,
      Uint32Array.from(matrix.subjects, (name, m) => place.get(name) ?? m),
      random.fork(id),
    );
    scenarios.set(id, routing);
    figures.set(id, measured);
    if (items.some((item) => item.scenario === id))
      predictors.set(
        id,
        neighbours
          ? neighbourPredictor(parameters, coordinates, width, neighbours)
          : // Coordinates that are all 0 say nothing.
            (vector) => predictedParameters(routing, placeOnAxes(routing, vector.some(Boolean) ? vector : null)),
      );
  }
  const coordinates = coordinatesOf(items, embeddings, projection)!;
  return {
    items: items.map((item, i) =>
      coldItem(item, predictors.get(item.scenario)!(coordinates.subarray(i * width, (i + 1) * width))),
    ),
    routing: names && { projection, scenarios },
    manifest: {
      features: embeddings ? "embeddings" : "tf-idf",
      width,
      items: items.length,
      scenarios: Object.fromEntries(figures),
      ...(neighbours && { neighbours }),
    },
  };
}

/** Coordinates of items, N×C; null where texts have yet to be projected, after checking that there are some. */
function coordinatesOf(
  items: readonly ItemInfo[],
  embeddings: Embeddings | null,
  projection: TextProjection | null,
): Float64Array | null {
  const ids = items.map(({ item_id: id }) => id);
  if (embeddings) return embeddedRows(embeddings, ids).values;
  const texts = itemTexts(items);
  return projection && projectTexts(texts, projection);
}

function coldItem(item: ItemInfo, { a, b, aVariance, bVariance }: PredictedParameters): ColdItemRecord {
  return {
    ...itemRecord(item),
    a: Array.from(a),
    b,
    aError: Array.from(aVariance, Math.sqrt),
    bError: Math.sqrt(bVariance),
  };
}

/** Closing lines of a fit about its cold start: items predicted, and the worth of routes. */
export function coldStartWords(manifest: Manifest): string[] {
  const coldStart = partOf(manifest, coldStartPart);
  if (!coldStart) return [];
  const { sources, files } = manifest;
  const { items, features, neighbours, scenarios } = coldStart;
  const basis = features === "tf-idf" ? "their texts" : "their embeddings";
  const routes = files.some(({ name }) => name === "routing.safetensors");
  const percent = (share: number): string => `${(100 * share).toFixed(1)} %`;
  return [
    "",
    `Parameters of ${items} ${items === 1 ? "item" : "items"} without answers are predicted from ${basis}${neighbours ? `, as ${neighbours.weighted ? "weighted " : ""}means of the ${neighbours.k} nearest items with answers` : ""}.`,
    ...Object.entries(scenarios).map(([id, { leftOut, single }]) => {
      const name = sources.names?.[single];
      return `${id}, ${leftOut.questions} questions, each predicted by the others: the model picked is right in ${percent(leftOut.right)}, the best single model${name === undefined ? "" : ` (${name})`} in ${percent(leftOut.singleRight)}.`;
    }),
    routes
      ? `The bundle includes routes${neighbours ? ", by regressions: neighbours would need the coordinates of every item with answers" : ""}.`
      : "The bundle has no routes: they need `includeModelNames`.",
  ];
}

/** Most models whose chances may come directly from their answers, by a regression a model: more have enough dimensions. */
const MOST_DIRECT = 60;

/**
 * Ridge regressions from a scenario's coordinates to its item parameters, on principal axes of the coordinates, and the
 * scale of the models' chances, fitted to questions that are each predicted by the others. With few models, chances come
 * from item parameters or directly from answers ({@link bestForecast}).
 * @param coordinates - questions×C row-major @param width - C
 * @param models - rows of the bank's abilities among the source models
 */
function learnScenarioRouting(
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
