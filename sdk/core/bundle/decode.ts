import { AnchorEvalError, type Issue } from "../errors.ts";
import type { AdditiveMap, MapReads, ScoreMaps } from "../estimators/score-maps.ts";
import { anchorFactors } from "../estimators/factor-scores.ts";
import type { AnchorFactors } from "../estimators/types.ts";
import { bankOf, formItemIds, itemWeights, type Bundle, type BundleForm, type BundleScenario } from "./bundle.ts";
import { formDigest } from "./digest.ts";
import { tensorNames, type FactorsOf, lookUp } from "./names.ts";
import { anchorSchema, type AnchorRecord, type Manifest, type MapManifest, type ScoreMapManifest } from "./manifest.ts";
import { readValue } from "./schema.ts";
import { decodeSafetensorsHeader, tensorReader, type SafetensorsHeader, type TensorData } from "./safetensors.ts";

/**
 * Least noise, mass, probability and length of a curve: what is divided by them stays a number. Chosen, not measured.
 */
const LEAST = 1e-9;

/** The bytes that {@link decodeBundle} needs, already checked against their digests. */
export interface BundleParts {
  /** parameters.safetensors up to the first scenario's item parameters (its segment without a scenario). */
  readonly head: Uint8Array;
  /** The scenarios to decode: item parameters, with their offset in the file, and lines of anchors.jsonl. */
  readonly scenarios: ReadonlyMap<string, ScenarioParts>;
}

interface ScenarioParts {
  readonly parameters: Uint8Array;
  readonly parametersBegin: number;
  readonly anchors: Uint8Array;
}

/**
 * Decodes a bundle from its parts; checks that they agree with the manifest.
 * @param digest - `sha256:` digest of manifest.json
 * @throws AnchorEvalError `bundle_invalid` where files and manifest contradict each other
 */
export function decodeBundle(manifest: Manifest, digest: string, parts: BundleParts): Bundle {
  const file = manifest.files.find((candidate) => candidate.name === "parameters.safetensors")!;
  const header = decodeSafetensorsHeader(parts.head, file.bytes);
  const scenarios = new Map<string, BundleScenario>();
  let byteLength = parts.head.length;
  manifest.scenarios.forEach(({ id, items }, index) => {
    const part = parts.scenarios.get(id);
    if (!part) return;
    scenarios.set(id, decodeScenario(manifest, index, header, parts.head, part));
    byteLength += part.parameters.length + 3 * part.anchors.length + 8 * items;
  });
  const seen = new Map<string, string>();
  for (const scenario of scenarios.values())
    for (const item of scenario.anchors.keys()) {
      const other = seen.get(item);
      if (other !== undefined) throw broken(`anchors.jsonl names ${item} in ${other} and in ${scenario.id}`);
      seen.set(item, scenario.id);
    }
  if (scenarios.size === manifest.scenarios.length) checkFormDigests(manifest, scenarios);
  return { manifest, digest, scenarios, byteLength };
}

/** An array of answers goes by the order that the digest stands for. */
function checkFormDigests({ forms }: Manifest, scenarios: ReadonlyMap<string, BundleScenario>): void {
  for (const form of forms) {
    const asked = Array.from(scenarios, ([id, scenario]) => [id, formItemIds(scenario, form.id)] as const);
    if (formDigest(asked) !== form.digest)
      throw broken(`the digest of form ${form.id} in the manifest is not that of its anchors in anchors.jsonl`);
  }
}

function decodeScenario(
  manifest: Manifest,
  index: number,
  header: SafetensorsHeader,
  head: Uint8Array,
  part: ScenarioParts,
): BundleScenario {
  const described = manifest.scenarios[index]!;
  const { id, items: count, scoreMap } = described;
  const { dims } = bankOf(manifest, id);
  const read = tensorReader(header, part.parameters, part.parametersBegin, broken);
  const readHead = tensorReader(header, head, 0, broken);
  /** A vector of any length above 0. */
  const readVector = <T extends TensorData>(name: string, ArrayType: new (...args: never[]) => T): T => {
    const shape = header.tensors.get(name)?.shape;
    return readHead(name, shape?.length === 1 && shape[0]! > 0 ? shape : [1], ArrayType);
  };
  const has = (name: string): boolean => header.tensors.has(name);

  const records = parseAnchors(part.anchors, id, count);
  const rows = new Map([...records].sort((x, y) => x.index - y.index).map(({ index: item }, row) => [item, row]));
  const readFactors = (of: FactorsOf): AnchorFactors => {
    const total = readVector(tensorNames.factorTotal(index, of), Float64Array);
    const rank = total.length - 1;
    const noise = read(tensorNames.factorNoise(index, of), [rows.size], Float32Array);
    if (noise.some((value) => value < LEAST)) throw broken(`the ${of} of ${id} have a noise that isn't positive`);
    return {
      rank,
      mean: read(tensorNames.factorMean(index, of), [rows.size], Float32Array),
      loadings: read(tensorNames.factorLoadings(index, of), [rows.size, rank], Float32Array),
      noise,
      total: { mean: total[0]!, loadings: total.subarray(1) },
    };
  };
  const [factors, answerFactors] = [readFactors("factors"), readFactors("answer_factors")];
  const readMap = (form: string, of: MapReads, { intercept, terms }: MapManifest): AdditiveMap => {
    const name = tensorNames.map(index, form, of);
    const width = header.tensors.get(name)?.shape[1] ?? 0;
    const data = read(name, [terms.length, width], Float32Array);
    return {
      intercept,
      terms: terms.map((term, t) => {
        const [begin, end, ...values] = data.subarray(t * width, (t + 1) * width);
        if (values.length < 2 || end! - begin! < LEAST) throw broken(`tensor ${name} has a curve without length`);
        return { ...term, begin: begin!, end: end!, values: Float32Array.from(values) };
      }),
    };
  };
  const readMaps = (form: string, { alone, together }: ScoreMapManifest): ScoreMaps => ({
    alone: readMap(form, "alone", alone),
    together: together && readMap(form, "together", together),
  });
  const idOf = new Map(records.map((record) => [record.index, record.item_id]));
  const forms = new Map<string, BundleForm>();
  for (const form of manifest.forms) {
    const { items: size, map } = lookUp(form.scenarios, id)!;
    const items = readHead(tensorNames.items(index, form.id), [size], Uint32Array);
    const mass = readHead(tensorNames.mass(index, form.id), [size], Float64Array);
    const inclusionName = tensorNames.inclusion(index, form.id);
    const inclusion = has(inclusionName) ? readHead(inclusionName, [size], Float64Array) : null;
    if (new Set(items).size !== size) throw broken(`form ${form.id} names an item of ${id} twice`);
    if (mass.some((value) => value < LEAST) || inclusion?.some((value) => value < LEAST || value > 1))
      throw broken(`form ${form.id} has a mass or an inclusion probability out of range in ${id}`);
    if (size < count && inclusion?.every((value) => value === 1))
      throw broken(`form ${form.id} asks ${size} of ${count} items of ${id} with certainty, and never the others`);
    const itemIds = Array.from(items, (item) => {
      const itemId = idOf.get(item);
      if (itemId === undefined) throw broken(`anchors.jsonl lacks item ${item} of ${id}, which form ${form.id} asks`);
      return itemId;
    });
    const { disjointFrom } = form;
    const common = records.find(
      (record) => record.forms.includes(form.id) && record.forms.includes(disjointFrom ?? ""),
    );
    if (common) throw broken(`forms ${form.id} and ${disjointFrom!} both ask ${common.item_id} of ${id}`);
    const listed = records.filter((record) => record.forms.includes(form.id)).length;
    if (listed !== size)
      throw broken(`anchors.jsonl lists ${listed} anchors of ${id} in form ${form.id}, the manifest ${size}`);
    const asked = Uint32Array.from(items, (item) => rows.get(item)!);
    forms.set(form.id, {
      anchors: { items, mass, inclusion },
      factors: anchorFactors(factors, asked),
      answerFactors: anchorFactors(answerFactors, asked),
      maps: map ? readMaps(form.id, map) : null,
      itemIds,
    });
  }
  const sourceScores = readVector(tensorNames.sourceScores(index), Float32Array);
  if (sourceScores.some((score, m) => score < (sourceScores[m - 1] ?? 0) || score > 1))
    throw broken(`the source models' scores of ${id} don't ascend in [0,1]`);
  const [lower = null, upper = null] = [tensorNames.lower(index), tensorNames.upper(index)].map((name) =>
    has(name) ? read(name, [count], Float32Array) : null,
  );
  for (let i = 0; i < count && (lower ?? upper) !== null; i++)
    if (!(0 <= (lower?.[i] ?? 0) && (lower?.[i] ?? 0) < (upper?.[i] ?? 1) && (upper?.[i] ?? 1) <= 1))
      throw broken(`the asymptotes of item ${i} of ${id} are not 0 ≤ lower < upper ≤ 1`);
  return {
    id,
    bank: {
      count,
      dims,
      a: read(tensorNames.a(index), [count, dims], Float32Array),
      b: read(tensorNames.b(index), [count], Float32Array),
      lower,
      upper,
    },
    weights: itemWeights(described, manifest.weighting),
    scoreMap: scoreMap && { x: Float64Array.from(scoreMap.x), y: Float64Array.from(scoreMap.y) },
    fullScore: described.fullScore ?? null,
    sourceScores,
    anchors: new Map(records.map((record) => [record.item_id, record])),
    forms,
  };
}

function parseAnchors(bytes: Uint8Array, scenario: string, count: number): AnchorRecord[] {
  const issues: Issue[] = [];
  const records = new TextDecoder()
    .decode(bytes)
    .split("\n")
    .filter((line) => line !== "")
    .map((line, row) => {
      try {
        return readValue(anchorSchema, JSON.parse(line), [`line ${row + 1}`], issues);
      } catch {
        throw broken(`anchors.jsonl, ${scenario}, line ${row + 1} is not JSON`);
      }
    });
  if (issues.length > 0)
    throw broken(`anchors.jsonl, ${scenario}: ${issues[0]!.path.join(".")}: ${issues[0]!.message}`, issues);
  if (records.some((record) => record.scenario !== scenario || record.index >= count))
    throw broken(`anchors.jsonl has an anchor that isn't in ${scenario}`);
  if (
    new Set(records.map((record) => record.item_id)).size !== records.length ||
    new Set(records.map((record) => record.index)).size !== records.length
  )
    throw broken(`anchors.jsonl names an anchor of ${scenario} twice`);
  return records;
}

function broken(why: string, issues: readonly Issue[] = []): AnchorEvalError {
  return new AnchorEvalError("bundle_invalid", `the bundle contradicts itself: ${why}`, { issues });
}
