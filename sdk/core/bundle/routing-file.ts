import type { LinearModel, ScenarioRouting } from "../routing/predict-chances.ts";
import type { TextProjection } from "../routing/text-coordinates.ts";
import { AnchorEvalError } from "../errors.ts";
import type { Manifest } from "./manifest.ts";
import { decodeSafetensorsHeader, encodeSafetensors, tensorData, type Tensor, type TensorData } from "./safetensors.ts";

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
export function encodeRouting({ projection, scenarios }: RoutingContent, ids: readonly string[]): Uint8Array {
  const wide: Tensor[] = [];
  const narrow: Tensor[] = [];
  const add = (to: Tensor[], name: string, shape: readonly number[], data: TensorData): void =>
    void to.push({ name, shape, data });
  if (projection) {
    const { hashes, idf, axes } = projection;
    const terms = hashes.length;
    add(narrow, names.hashes, [terms], hashes);
    add(narrow, names.idf, [terms], idf);
    add(narrow, names.axes, [terms, axes.length / terms], axes);
  }
  ids.forEach((id, s) => {
    const own = scenarios.get(id);
    if (!own) return;
    const { dims, center, axes, parameters, models, theta, answers, slope, shifts } = own;
    const rank = axes.length / center.length;
    const all = (of: (parameter: LinearModel) => Iterable<number>): Float64Array =>
      Float64Array.from(parameters.flatMap((parameter) => [...of(parameter)]));
    const count = parameters.length;
    add(
      wide,
      names.of(s, "mean"),
      [count],
      all(({ mean }) => [mean]),
    );
    add(
      wide,
      names.of(s, "coefficients"),
      [count, rank],
      all(({ coefficients }) => coefficients),
    );
    add(
      wide,
      names.of(s, "spreads"),
      [count, rank],
      all(({ spreads }) => spreads),
    );
    add(
      wide,
      names.of(s, "noise"),
      [count],
      all(({ noise }) => [noise]),
    );
    add(wide, names.of(s, "theta"), [shifts.length, dims], theta);
    if (answers) {
      add(
        wide,
        names.of(s, "answers.mean"),
        [answers.length],
        Float64Array.from(answers, (own) => own.mean),
      );
      const coefficients = Float64Array.from(answers.flatMap((own) => [...own.coefficients]));
      add(wide, names.of(s, "answers.coefficients"), [answers.length, rank], coefficients);
    }
    add(wide, names.of(s, "scale"), [1 + shifts.length], Float64Array.of(slope, ...shifts));
    add(narrow, names.of(s, "center"), [center.length], center);
    add(narrow, names.of(s, "axes"), [center.length, rank], axes);
    add(narrow, names.of(s, "models"), [models.length], models);
  });
  return encodeSafetensors([...wide, ...narrow]);
}

/**
 * Reads routing.safetensors, whole; checks that it agrees with the manifest.
 * @throws AnchorEvalError `bundle_invalid`
 */
export function decodeRouting(manifest: Manifest, bytes: Uint8Array): RoutingContent {
  const { tensors } = decodeSafetensorsHeader(bytes, bytes.length);
  const described = manifest.coldStart;
  if (!described) throw broken("its manifest says nothing of it");
  const read = <T extends TensorData>(
    name: string,
    shape: readonly number[],
    ArrayType: new (...args: never[]) => T,
  ): T => {
    const entry = tensors.get(name);
    if (!entry) throw broken(`tensor ${name} is missing`);
    if (entry.shape.join() !== shape.join())
      throw broken(`tensor ${name} has the shape ${entry.shape.join("×")}, expected ${shape.join("×")}`);
    const data = tensorData(entry, bytes, 0);
    if (!(data instanceof ArrayType)) throw broken(`tensor ${name} has the type ${entry.type}`);
    if (!data.every(Number.isFinite)) throw broken(`tensor ${name} holds a value that is not a number`);
    return data;
  };
  const side = (name: string, at: number): number => tensors.get(name)?.shape[at] ?? 0;
  const { width } = described;
  const scenarios = new Map<string, ScenarioRouting>();
  manifest.scenarios.forEach(({ id }, s) => {
    if (!Object.hasOwn(described.scenarios, id)) return;
    const { dims } = manifest.banks.find((bank) => bank.scenarios.includes(id))!;
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
    if (!(slope > 0) || noise!.some((own) => own < 0) || spreads!.some((own) => own < 0))
      throw broken(`${id} has a slope, noise or spread out of range`);
    scenarios.set(id, {
      dims,
      center: read(of("center"), [width], Float32Array),
      axes: read(of("axes"), [width, rank], Float32Array),
      parameters: Array.from(mean!, (own, p) => ({
        mean: own,
        coefficients: coefficients!.subarray(p * rank, (p + 1) * rank),
        spreads: spreads!.subarray(p * rank, (p + 1) * rank),
        noise: noise![p]!,
      })),
      models,
      theta: read(of("theta"), [models.length, dims], Float64Array),
      answers: tensors.has(of("answers.mean"))
        ? Array.from(read(of("answers.mean"), [models.length], Float64Array), (own, m) => ({
            mean: own,
            coefficients: read(of("answers.coefficients"), [models.length, rank], Float64Array).subarray(
              m * rank,
              (m + 1) * rank,
            ),
          }))
        : null,
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
