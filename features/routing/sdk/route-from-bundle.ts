import { readBundleFile, readManifest } from "../../../sdk/bundles/read-file.ts";
import { namedSource } from "../../../sdk/bundles/sources.ts";
import { decodeRouting, type RoutingContent } from "../core/routing-file.ts";
import { partOf } from "../../../sdk/core/bundle/part.ts";
import { coldStartPart } from "../core/cold-start.ts";
import type { BundleSource } from "../../../sdk/core/bundle/bundle.ts";
import { modelChances, pickModels, placeOnAxes, type ScenarioRouting } from "../core/predict-chances.ts";
import { textCoordinates } from "../../../sdk/core/numeric/text-coordinates.ts";
import { AnchorEvalError, checkCall, checkNames, type Issue, invalidOption } from "../../../sdk/core/errors.ts";
import { lookUp } from "../../../sdk/core/bundle/names.ts";
import type { Manifest } from "../../../sdk/core/bundle/manifest.ts";

/** The part of a bundle that predicts answers to questions that no model has seen. */
export interface BundleRouting extends RoutingContent {
  readonly manifest: Manifest;
  /** `sha256:…` of manifest.json. */
  readonly digest: string;
  /** Bytes that its arrays hold, about. */
  readonly byteLength: number;
}

/** A question to be routed: its text, where the bundle goes by texts, or its vector, where it goes by embeddings. */
export interface RoutedQuestion {
  /** Any name; the route carries it. */
  readonly id?: string;
  readonly text?: string;
  /** As many numbers as the bundle's `coldStart.width`; its length doesn't matter. */
  readonly embedding?: readonly number[];
}

/** How models are weighed against their costs. */
interface RouteOptions {
  /** Needed where the bundle has routes of several. */
  readonly scenario?: string;
  /** The cost of one question, by model; a model without a cost costs nothing. */
  readonly costs?: Readonly<Record<string, number>>;
  /** Probability of a right answer that one unit of cost must bring. @default 1 */
  readonly costWeight?: number;
}

/** A request to a Worker. */
export interface RoutesRequest extends RouteOptions {
  readonly questions: readonly RoutedQuestion[];
}

/** One question's route. */
export interface Route {
  readonly id: string | null;
  /** Chance of a right answer, in the order of `models`. */
  readonly chances: readonly number[];
  /** The model with the largest chance less its cost. */
  readonly pick: string;
  /** Standard error of the pick's logit before scaling; null where chances don't come from item parameters. */
  readonly pickLogitError: number | null;
  /** The text has no term that the bundle knows: the chances are those of a mean question. */
  readonly unknown: boolean;
}

/** A model for every question, and what speaks for it. */
export interface Routes {
  readonly benchmark: string;
  readonly version: string;
  readonly digest: string;
  readonly scenario: string;
  /** Source models, in the order of `chances`. */
  readonly models: readonly string[];
  /** The model that was right most often on the questions with answers. */
  readonly single: string;
  /** The picks' success on the questions with answers, each predicted from the others. */
  readonly leftOut: { readonly questions: number; readonly right: number; readonly singleRight: number };
  /** In the order of the questions. */
  readonly routes: readonly Route[];
}

/**
 * Every source model's chance of a right answer to questions that none has seen, and the model to ask: by ridge
 * regressions from texts or vectors to item parameters, docs/routing.md. Synchronous; touches no network.
 * @param questions - at least one
 * @throws AnchorEvalError `unknown_scenario`, `invalid_option`, `invalid_data` with an issue for each bad question
 * @example routeFromBundle(routing, [{ id: "q1", text: "Which of 4, 9 and 11 is prime?" }]).routes[0].pick
 */
export function routeFromBundle(
  routing: BundleRouting,
  questions: readonly RoutedQuestion[],
  options: RouteOptions = {},
): Routes {
  checkCall(routing, "loadRouting", options, { scenario: true, costs: true, costWeight: "number" });
  const { manifest, digest } = routing;
  const scenario = wantedScenario(routing, options.scenario);
  const router = routing.scenarios.get(scenario)!;
  const { single, leftOut } = lookUp(partOf(manifest, coldStartPart)!.scenarios, scenario)!;
  const names = manifest.sources.names!;
  const models = Array.from(router.models, (m) => names[m]!);
  const penalties = readPenalties(models, options);
  const coordinates = readQuestions(questions, routing);
  return {
    benchmark: manifest.benchmark,
    version: manifest.version,
    digest,
    scenario,
    models,
    single: names[single]!,
    leftOut: { questions: leftOut.questions, right: leftOut.right, singleRight: leftOut.singleRight },
    routes: questions.map(({ id = null }, i) => ({ id, ...routeOf(router, coordinates[i]!, models, penalties) })),
  };
}

function routeOf(
  scenario: ScenarioRouting,
  coordinates: Float64Array | null,
  models: readonly string[],
  penalties: Float64Array,
): Omit<Route, "id"> {
  const { chances, logitErrors } = modelChances(scenario, placeOnAxes(scenario, coordinates));
  const pick = pickModels(chances, penalties)[0]!;
  return {
    chances: Array.from(chances),
    pick: models[pick]!,
    pickLogitError: logitErrors && logitErrors[pick]!,
    unknown: coordinates === null,
  };
}

function wantedScenario({ scenarios }: BundleRouting, asked: string | undefined): string {
  const ids = [...scenarios.keys()];
  if (asked === undefined && ids.length === 1) return ids[0]!;
  if (asked !== undefined && scenarios.has(asked)) return asked;
  throw new AnchorEvalError(
    "unknown_scenario",
    `${asked === undefined ? "routes of several scenarios are here: name one" : `there are no routes of ${asked}`}: ${ids.join(", ")}`,
  );
}

function readPenalties(models: readonly string[], { costs = {}, costWeight = 1 }: RouteOptions): Float64Array {
  if (!(costWeight >= 0 && costWeight < Infinity))
    throw invalidOption(`costWeight must be a number of at least 0, got ${costWeight}`);
  for (const [model, cost] of Object.entries(costs)) {
    if (!models.includes(model))
      throw invalidOption(`costs name ${model}, which isn't among the models of these routes`);
    if (!(cost >= 0 && cost < Infinity))
      throw invalidOption(`the cost of ${model} must be a number of at least 0, got ${cost}`);
  }
  return Float64Array.from(models, (model) => costWeight * (lookUp(costs, model) ?? 0));
}

/** Coordinates of questions; null for a text without a known term. */
function readQuestions(
  questions: readonly RoutedQuestion[],
  { projection, manifest }: BundleRouting,
): (Float64Array | null)[] {
  const { width } = partOf(manifest, coldStartPart)!;
  const issues: Issue[] = [];
  if (questions.length === 0) issues.push({ path: ["questions"], code: "empty", message: "there are no questions" });
  const coordinates = questions.map((question, i) => {
    const refuse = (field: string, code: string, message: string): null => {
      issues.push({ path: ["questions", i, field], code, message });
      return null;
    };
    const { text, embedding } = question;
    if (projection) {
      if (embedding !== undefined)
        return refuse("embedding", "unexpected", "this bundle goes by texts, not by vectors");
      if (text === undefined || text.trim() === "") return refuse("text", "missing", "the question has no text");
      return textCoordinates(text, projection);
    }
    if (text !== undefined) return refuse("text", "unexpected", "this bundle goes by vectors, not by texts");
    if (embedding === undefined) return refuse("embedding", "missing", "the question has no embedding");
    if (embedding.length !== width)
      return refuse("embedding", "ragged", `a vector has ${width} numbers here, got ${embedding.length}`);
    const length = Math.sqrt(embedding.reduce((sum, value) => sum + value ** 2, 0));
    if (!(length > 0 && length < Infinity))
      return refuse("embedding", "not_a_number", "a vector is of finite numbers, and not all are 0");
    return Float64Array.from(embedding, (value) => value / length);
  });
  if (issues.length > 0)
    throw new AnchorEvalError(
      "invalid_data",
      `${issues[0]!.path.join(".")}: ${issues[0]!.message}${issues.length > 1 ? ` (and ${issues.length - 1} more)` : ""}`,
      { issues },
    );
  return coordinates;
}

/**
 * Loads what a bundle's routes are made from: two files, nothing of its anchors.
 * @throws AnchorEvalError `unsupported` for a bundle without routes; `not_found`, `bundle_corrupt`, `bundle_invalid`,
 * `bundle_format_unsupported`, `unavailable`, `aborted`
 * @example const routing = await loadRouting("https://evals.example.com/v1/bundles/quiz/1.0.0");
 */
export async function loadRouting(
  source: string | URL | BundleSource,
  options: { readonly signal?: AbortSignal } = {},
): Promise<BundleRouting> {
  checkNames(options, { signal: true });
  const from = namedSource(source);
  const { manifest, digest } = await readManifest(from, options);
  const { benchmark, version, sources, files } = manifest;
  if (sources.names === null || !files.some(({ name }) => name === "routing.safetensors"))
    throw new AnchorEvalError(
      "unsupported",
      `${benchmark}@${version} carries no routes: fit it with \`coldStart\` and \`includeModelNames\``,
    );
  const file = await readBundleFile(from, manifest, "routing.safetensors", options);
  return { ...decodeRouting(manifest, file), manifest, digest, byteLength: file.length };
}
