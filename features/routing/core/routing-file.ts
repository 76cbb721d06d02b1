import type { LinearMean } from "../../../sdk/core/numeric/linear-mean.ts";
import { type BundleContent, encodeLines } from "../../../sdk/core/bundle/encode.ts";
import type { BundleFileName } from "../../../sdk/core/bundle/names.ts";
import { type ColdItemRecord, type ColdStartManifest, coldStartPart } from "./cold-start.ts";
import type { ScenarioRouting } from "./predict-chances.ts";
import type { TextProjection } from "../../../sdk/core/numeric/text-coordinates.ts";
import { AnchorEvalError } from "../../../sdk/core/errors.ts";
import { bankOf } from "../../../sdk/core/bundle/bundle.ts";
import { partOf, withPart } from "../../../sdk/core/bundle/part.ts";
import type { Manifest } from "../../../sdk/core/bundle/manifest.ts";
import {
  decodeSafetensorsHeader,
  encodeSafetensors,
  tensor,
  tensorReader,
  type Tensor,
} from "../../../sdk/core/bundle/safetensors.ts";

/** The content of routing.safetensors. */
export interface RoutingContent {
  /** How texts become coordinates; null where coordinates are an encoder's vectors of length 1. */
  readonly projection: TextProjection | null;
  /** Scenarios by id; some may have none. */
  readonly scenarios: ReadonlyMap<string, ScenarioRouting>;
}

/** Names of the tensors; scenarios are numbered in the manifest's order. Float64 arrays come first in the file. */
const names = {
  hashes: "terms.hash",
  idf: "terms.idf",
  axes: "terms.axes",
  of: (scenario: number, array: string): string => `scenario.${scenario}.${array}`,
};

/** @param ids - of the manifest's scenarios, in its order */
function encodeRouting({ projection, scenarios }: RoutingContent, ids: readonly string[]): Uint8Array {
  const wide: Tensor[] = [];
  const narrow: Tensor[] = [];
  if (projection) {
    const { hashes, idf, axes } = projection;
    const shape = [hashes.length, axes.length / hashes.length];
    narrow.push(tensor(names.hashes, hashes), tensor(names.idf, idf), tensor(names.axes, axes, shape));
  }
  const rows = (arrays: readonly Float64Array[]): Float64Array =>
    Float64Array.from(arrays.flatMap((array) => [...array]));
  ids.forEach((id, s) => {
    const routing = scenarios.get(id);
    if (!routing) return;
    const { dims, center, axes, parameters, models, theta, answers, slope, shifts } = routing;
    const rank = axes.length / center.length;
    const shape = [parameters.length, rank];
    const meansOf = (linear: readonly LinearMean[]) => Float64Array.from(linear, ({ mean }) => mean);
    const coefficientsOf = (linear: readonly LinearMean[]) => rows(linear.map(({ coefficients }) => coefficients));
    wide.push(
      tensor(names.of(s, "mean"), meansOf(parameters)),
      tensor(names.of(s, "coefficients"), coefficientsOf(parameters), shape),
      tensor(names.of(s, "spreads"), rows(parameters.map(({ spreads }) => spreads)), shape),
      tensor(
        names.of(s, "noise"),
        Float64Array.from(parameters, ({ noise }) => noise),
      ),
      tensor(names.of(s, "theta"), theta, [shifts.length, dims]),
    );
    if (answers)
      wide.push(
        tensor(names.of(s, "answers.mean"), meansOf(answers)),
        tensor(names.of(s, "answers.coefficients"), coefficientsOf(answers), [answers.length, rank]),
      );
    wide.push(tensor(names.of(s, "scale"), Float64Array.of(slope, ...shifts)));
    narrow.push(
      tensor(names.of(s, "center"), center),
      tensor(names.of(s, "axes"), axes, [center.length, rank]),
      tensor(names.of(s, "models"), models),
    );
  });
  return encodeSafetensors([...wide, ...narrow]);
}

/** Weights go with the size of a question's coordinates, which may be any vectors. Chosen, not measured. */
const MOST_WEIGHT = 1e9;

/**
 * Reads routing.safetensors, whole; checks that it agrees with the manifest.
 * @throws AnchorEvalError `bundle_invalid`
 */
export function decodeRouting(manifest: Manifest, bytes: Uint8Array): RoutingContent {
  const header = decodeSafetensorsHeader(bytes, bytes.length);
  const { tensors } = header;
  const described = partOf(manifest, coldStartPart);
  if (!described) throw broken("its manifest says nothing of it");
  const read = tensorReader(header, bytes, 0, broken, MOST_WEIGHT);
  const side = (name: string, at: number): number => tensors.get(name)?.shape[at] ?? 0;
  const readAnswers = (of: (array: string) => string, models: number, rank: number) => {
    const means = read(of("answers.mean"), [models], Float64Array);
    const coefficients = read(of("answers.coefficients"), [models, rank], Float64Array);
    return Array.from(means, (mean, m) => ({ mean, coefficients: coefficients.subarray(m * rank, (m + 1) * rank) }));
  };
  const { width } = described;
  const scenarios = new Map<string, ScenarioRouting>();
  manifest.scenarios.forEach(({ id }, s) => {
    if (!Object.hasOwn(described.scenarios, id)) return;
    const { dims } = bankOf(manifest, id);
    const of = (array: string): string => names.of(s, array);
    const [rank, count] = [side(of("axes"), 1), dims + 1];
    const models = read(of("models"), [side(of("models"), 0)], Uint32Array);
    const [slope = 0, ...shifts] = read(of("scale"), [1 + models.length], Float64Array);
    const [mean, noise] = ["mean", "noise"].map((array) => read(of(array), [count], Float64Array));
    const [coefficients, spreads] = ["coefficients", "spreads"].map((array) =>
      read(of(array), [count, rank], Float64Array),
    );
    if (models.length === 0 || models.some((m) => m >= manifest.sources.models))
      throw broken(`the models of ${id} aren't among the sources`);
    if (!(slope > 0) || noise!.some((value) => value < 0) || spreads!.some((value) => value < 0))
      throw broken(`${id} has a slope, noise or spread out of range`);
    scenarios.set(id, {
      dims,
      center: read(of("center"), [width], Float32Array),
      axes: read(of("axes"), [width, rank], Float32Array),
      parameters: Array.from(mean!, (value, p) => ({
        mean: value,
        coefficients: coefficients!.subarray(p * rank, (p + 1) * rank),
        spreads: spreads!.subarray(p * rank, (p + 1) * rank),
        noise: noise![p]!,
      })),
      models,
      theta: read(of("theta"), [models.length, dims], Float64Array),
      answers: tensors.has(of("answers.mean")) ? readAnswers(of, models.length, rank) : null,
      slope,
      shifts: Float64Array.from(shifts),
    });
  });
  if (described.features === "embeddings") return { projection: null, scenarios };
  const terms = side(names.hashes, 0);
  const hashes = read(names.hashes, [terms], Uint32Array);
  if (terms === 0 || hashes.some((hash, t) => t > 0 && hash <= hashes[t - 1]!))
    throw broken("there are no terms, or their hashes don't ascend");
  const projection = {
    hashes,
    idf: read(names.idf, [terms], Float32Array),
    axes: read(names.axes, [terms, width], Float32Array),
  };
  return { projection, scenarios };
}

function broken(why: string): AnchorEvalError {
  return new AnchorEvalError("bundle_invalid", `routing.safetensors contradicts the bundle: ${why}`);
}

/** Items without answers, and what routes are made from where the source models have names. */
export interface ColdStart {
  readonly manifest: ColdStartManifest;
  readonly items: readonly ColdItemRecord[];
  readonly routing: RoutingContent | null;
}

/** A bundle's content with a cold start, and the files that it has. */
export function withColdStart(content: BundleContent, { manifest, items, routing }: ColdStart): BundleContent {
  const ids = content.manifest.scenarios.map(({ id }) => id);
  const files = new Map<BundleFileName, Uint8Array>(content.files);
  files.set("cold-items.jsonl", encodeLines(items));
  if (routing) files.set("routing.safetensors", encodeRouting(routing, ids));
  return { ...content, manifest: withPart(content.manifest, coldStartPart, manifest), files };
}
