import type { BundleContent, ColdItemRecord, ColdStartContent, ColdStartManifest, Manifest } from "anchoreval/bundle";
import {
  AnchorEvalError,
  placeOnAxes,
  predictedParameters,
  type PredictedParameters,
  type RandomSource,
  type ScenarioRouting,
  type TextProjection,
} from "anchoreval/core";
import { firstFew } from "anchoreval/node";
import type { FittedBank } from "../../fit/fitted-bank.ts";
import { embeddedRows, type Embeddings } from "../../ingest/embeddings-file.ts";
import { isBinary, type ItemInfo, type ResponseMatrix, scoreAt, submatrix } from "../../matrix/response-matrix.ts";
import { learnProjection, projectedTexts, PROJECTION } from "../../spectral/text-features.ts";
import { neighbourPredictor, type Neighbours } from "./neighbours.ts";
import { textsOf } from "./questions.ts";
import { scenarioRegressions } from "./scenario-routing.ts";

/** Items without answers, and what they and those with answers are compared by. */
export interface ColdStartInput {
  readonly items: readonly ItemInfo[];
  /** By item id; null goes by texts. */
  readonly embeddings: Embeddings | null;
  /** Their parameters are means of neighbours'; null: by ridge regressions, as routes always go. @default null */
  readonly neighbours?: Neighbours | null;
}

/** What a bundle gets of it: a part of its content, and of its manifest. */
export interface ColdStart {
  readonly content: ColdStartContent;
  readonly manifest: ColdStartManifest;
}

/**
 * Refuses, before the fit, what parameters can't be foretold from or for.
 * @param matrix - responses to the items that have some
 * @throws AnchorEvalError `invalid_data` for items that are there already, of scenarios without answers, without a text or
 * an embedding; `invalid_option` for as many neighbours as a scenario has items with answers; `unsupported` for scores
 * that aren't binarised
 */
export function checkColdStart(
  matrix: ResponseMatrix,
  { items, embeddings, neighbours = null }: ColdStartInput,
  link: string,
): void {
  const [answered, scenarios] = [new Set<string>(), new Map<string, number>()];
  for (const { item_id: id, scenario } of matrix.items) {
    answered.add(id);
    scenarios.set(scenario, (scenarios.get(scenario) ?? 0) + 1);
  }
  const refuse = (wrong: readonly ItemInfo[], what: string): void => {
    if (wrong.length > 0)
      throw new AnchorEvalError(
        "invalid_data",
        `--cold-start: ${wrong.length} ${wrong.length === 1 ? "item" : "items"} ${what}: ${firstFew(wrong.map(({ item_id: id }) => id))}`,
      );
  };
  refuse(
    items.filter(({ item_id: id }) => answered.has(id)),
    "with answers in the responses",
  );
  refuse(
    items.filter(({ scenario }) => !scenarios.has(scenario)),
    `of a scenario that the responses don't have (they have ${firstFew([...scenarios.keys()])})`,
  );
  const few = items.find(({ scenario }) => neighbours !== null && neighbours.k >= scenarios.get(scenario)!);
  if (few)
    throw new AnchorEvalError(
      "invalid_option",
      `${neighbours!.k} neighbours need more than ${neighbours!.k} items with answers, ${few.scenario} has ${scenarios.get(few.scenario)}: a smaller --cold-k, or --cold-method ridge`,
    );
  if (link !== "binarize" && !isBinary(matrix))
    throw new AnchorEvalError(
      "unsupported",
      "--cold-start foretells right and wrong: scores between need --link binarize",
    );
  for (const part of [matrix.items, items]) {
    if (embeddings)
      embeddedRows(
        embeddings,
        part.map(({ item_id: id }) => id),
      );
    else textsOf(part);
  }
}

/**
 * Foretells the item parameters of items without answers, with their standard errors, and keeps what foretells those of
 * other questions. Learned from the bundle's own banks: what models answered, and the questions' texts or vectors.
 * @param banks - fitted, of `2pl`
 * @param names - of the source models; null keeps no routes
 */
export function fitColdStart(
  banks: readonly FittedBank[],
  { items, embeddings, neighbours = null }: ColdStartInput,
  names: readonly string[] | null,
  random: RandomSource,
): ColdStart {
  const answered = banks.flatMap(({ task }) => task.matrix.items);
  const projection = embeddings ? null : learnProjection(textsOf(answered), PROJECTION, random.fork("projection"));
  const width = embeddings ? embeddings.width : projection!.axes.length / projection!.hashes.length;
  const scenarios = new Map<string, ScenarioRouting>();
  const predictors = new Map<string, (coordinates: Float64Array) => PredictedParameters>();
  const asked = new Set(items.map(({ scenario }) => scenario));
  const figures: Record<string, ColdStartManifest["scenarios"][string]> = {};
  for (const bank of banks)
    bank.trained.scenarios.forEach(({ slice, bank: { a, b }, threshold }) => {
      const { task, trained } = bank;
      const { rows, dims, calibration } = trained;
      const columns = Array.from({ length: slice.count }, (_, i) => slice.begin + i);
      const own = submatrix(task.matrix, Array.from(rows), columns);
      const models = rows.length;
      const parameters = { dims, a: Float64Array.from(a), b: Float64Array.from(b) };
      const coordinates = coordinatesOf(own.items, embeddings, projection);
      const { routing, figures: measured } = scenarioRegressions(
        {
          ...parameters,
          models,
          theta: calibration.theta,
          answers: Float64Array.from({ length: slice.count * models }, (_, at) => {
            const score = scoreAt(own, at % models, Math.floor(at / models));
            return Number.isNaN(score) ? NaN : Number(score > (threshold ?? 0.5));
          }),
        },
        coordinates,
        width,
        Uint32Array.from(rows),
        random.fork(slice.id),
      );
      scenarios.set(slice.id, routing);
      if (asked.has(slice.id))
        predictors.set(
          slice.id,
          neighbours ? neighbourPredictor(parameters, coordinates, width, neighbours) : byRegressions(routing),
        );
      figures[slice.id] = measured;
    });
  return {
    content: {
      items: coldItems(items, predictors, coordinatesOf(items, embeddings, projection), width),
      routing: names && { projection, scenarios },
    },
    manifest: {
      features: embeddings ? "embeddings" : "tf-idf",
      width,
      items: items.length,
      scenarios: figures,
      ...(neighbours && { neighbours }),
    },
  };
}

/** A bundle's content with it. */
export function withColdStart(content: BundleContent, { content: coldStart, manifest }: ColdStart): BundleContent {
  return { ...content, manifest: { ...content.manifest, coldStart: manifest }, coldStart };
}

function coordinatesOf(
  items: readonly ItemInfo[],
  embeddings: Embeddings | null,
  projection: TextProjection | null,
): Float64Array {
  if (projection) return projectedTexts(textsOf(items), projection);
  return embeddedRows(
    embeddings!,
    items.map(({ item_id: id }) => id),
  ).values;
}

/** Parameters by a scenario's regressions; coordinates that are all 0 say nothing. */
function byRegressions(routing: ScenarioRouting): (coordinates: Float64Array) => PredictedParameters {
  return (own) => predictedParameters(routing, placeOnAxes(routing, own.some((x) => x !== 0) ? own : null));
}

function coldItems(
  items: readonly ItemInfo[],
  predictors: ReadonlyMap<string, (coordinates: Float64Array) => PredictedParameters>,
  coordinates: Float64Array,
  width: number,
): ColdItemRecord[] {
  return items.map(({ item_id, scenario, subscenario, hash }, i) => {
    const predict = predictors.get(scenario)!;
    const { a, b, aVariance, bVariance } = predict(coordinates.subarray(i * width, (i + 1) * width));
    return {
      item_id,
      scenario,
      ...(subscenario !== undefined && { subscenario }),
      ...(hash !== undefined && { hash }),
      a: Array.from(a),
      b,
      aError: Array.from(aVariance, Math.sqrt),
      bError: Math.sqrt(bVariance),
    };
  });
}

/** What a fit says of its cold start: items foretold, and what routes by it were worth. */
export function coldStartWords({ coldStart, sources, files }: Manifest): string[] {
  if (!coldStart) return [];
  const { items, features, neighbours, scenarios } = coldStart;
  const by = features === "tf-idf" ? "their texts" : "their embeddings";
  const routes = files.some(({ name }) => name === "routing.safetensors");
  return [
    "",
    `Parameters of ${items} ${items === 1 ? "item" : "items"} without answers are foretold from ${by}${neighbours ? `, as ${neighbours.weighted ? "weighted " : ""}means of the ${neighbours.k} nearest items with answers` : ""}.`,
    ...Object.entries(scenarios).map(([id, { leftOut, single }]) => {
      const name = sources.names?.[single];
      const percent = (share: number): string => `${(100 * share).toFixed(1)} %`;
      return `${id}, ${leftOut.questions} questions, each foretold by the others: the model picked is right in ${percent(leftOut.right)}, the best single model${name === undefined ? "" : ` (${name})`} in ${percent(leftOut.singleRight)}.`;
    }),
    routes
      ? `Routes are in the bundle${neighbours ? ", by regressions: neighbours would need the place of every item with answers" : ""}.`
      : "The bundle has no routes: they need --include-model-names.",
  ];
}
