import { MAP_READS, type ScoreMaps } from "../estimators/score-maps.ts";
import type { AnchorFactors, AnchorSet } from "../estimators/types.ts";
import type { FloatArray, ItemBank } from "../irt/item-bank.ts";
import { encodeManifest, formDigest, sha256Hex } from "./digest.ts";
import { type BundleFileName, type FactorsOf, tensorNames } from "./names.ts";
import type { AnchorRecord, FileManifest, FormManifest, ItemRecord, Manifest, SegmentManifest } from "./manifest.ts";
import { decodeSafetensorsHeader, encodeSafetensors, tensor, type Tensor } from "./safetensors.ts";

/** One scenario to be written. */
export interface ScenarioContent {
  readonly bank: ItemBank;
  /** Full scores of the source models, any order. */
  readonly sourceScores: FloatArray;
  /** Anchor sets by form id. */
  readonly forms: ReadonlyMap<string, AnchorSet>;
  /** Rows are the items that any form asks, by index. */
  readonly factors: AnchorFactors;
  /** The same of the source models' answers. */
  readonly answerFactors: AnchorFactors;
  /** Score maps by form id, of the forms that have them, as the manifest describes them. */
  readonly maps?: ReadonlyMap<string, ScoreMaps>;
  /** In the order in which they are asked. */
  readonly anchors: readonly AnchorRecord[];
  /** In parameter order. */
  readonly items: readonly ItemRecord[];
}

/** All that a bundle's files are made from. */
export interface BundleContent {
  /** The manifest without what follows from the content: digests and sizes. */
  readonly manifest: Omit<Manifest, "files" | "forms"> & { readonly forms: readonly Omit<FormManifest, "digest">[] };
  /** In the manifest's order of scenarios. */
  readonly scenarios: readonly ScenarioContent[];
  readonly report?: Uint8Array;
  /** Files of parts, as they are written. */
  readonly files?: ReadonlyMap<BundleFileName, Uint8Array>;
}

/**
 * Encodes a bundle: the same content gives the same bytes.
 * @returns the files by name, manifest.json last (it commits the others)
 */
export function encodeBundle({
  manifest,
  scenarios,
  report,
  files: others = new Map(),
}: BundleContent): Map<BundleFileName, Uint8Array> {
  const files = new Map<BundleFileName, Uint8Array>();
  const described: FileManifest[] = [];
  const add = (name: BundleFileName, bytes: Uint8Array, segments?: SegmentManifest[]): void => {
    files.set(name, bytes);
    described.push({ name, bytes: bytes.length, sha256: sha256Hex(bytes), ...(segments && { segments }) });
  };
  const ids = manifest.scenarios.map((scenario) => scenario.id);

  const formIds = manifest.forms.map((form) => form.id);
  const parameters = encodeParameters(scenarios, formIds);
  add("parameters.safetensors", parameters, parameterSegments(parameters, ids));
  const anchors = encodeLines(scenarios.flatMap((scenario) => scenario.anchors));
  add("anchors.jsonl", anchors, segments(anchors, lineBegins(scenarios), ids));
  add("items.jsonl", encodeLines(scenarios.flatMap((scenario) => scenario.items)));
  for (const [name, bytes] of others) add(name, bytes);
  if (report) add("report.html", report);

  const forms = manifest.forms.map((form): FormManifest => ({
    ...form,
    digest: formDigest(
      scenarios.map(({ anchors }, s) => [
        ids[s]!,
        anchors.filter((anchor) => anchor.forms.includes(form.id)).map((anchor) => anchor.item_id),
      ]),
    ),
  }));
  const complete: Manifest = { ...manifest, forms, files: described };
  files.set("manifest.json", encodeManifest(complete));
  return files;
}

function encodeParameters(scenarios: readonly ScenarioContent[], forms: readonly string[]): Uint8Array<ArrayBuffer> {
  const tensors: Tensor[] = [];
  const add = (...entry: Parameters<typeof tensor>): void => void tensors.push(tensor(...entry));
  scenarios.forEach(({ forms: sets }, s) => {
    for (const form of forms) {
      const { mass, inclusion } = sets.get(form)!;
      add(tensorNames.mass(s, form), mass);
      if (inclusion) add(tensorNames.inclusion(s, form), inclusion);
    }
  });
  scenarios.forEach((scenario, s) => {
    for (const [of, { total }] of bothFactors(scenario))
      add(tensorNames.factorTotal(s, of), Float64Array.of(total.mean, ...total.loadings));
  });
  scenarios.forEach(({ sourceScores }, s) => add(tensorNames.sourceScores(s), Float32Array.from(sourceScores).sort()));
  scenarios.forEach(({ forms: sets }, s) => {
    for (const form of forms) add(tensorNames.items(s, form), sets.get(form)!.items);
  });
  scenarios.forEach((scenario, s) => {
    const { bank, maps } = scenario;
    add(tensorNames.a(s), Float32Array.from(bank.a), [bank.count, bank.dims]);
    add(tensorNames.b(s), Float32Array.from(bank.b));
    if (bank.lower) add(tensorNames.lower(s), Float32Array.from(bank.lower));
    if (bank.upper) add(tensorNames.upper(s), Float32Array.from(bank.upper));
    for (const [of, { rank, mean, loadings, noise }] of bothFactors(scenario)) {
      add(tensorNames.factorMean(s, of), Float32Array.from(mean));
      add(tensorNames.factorLoadings(s, of), Float32Array.from(loadings), [mean.length, rank]);
      add(tensorNames.factorNoise(s, of), Float32Array.from(noise));
    }
    for (const form of forms)
      for (const of of MAP_READS) {
        const terms = maps?.get(form)?.[of]?.terms;
        if (terms === undefined) continue;
        const data = Float32Array.from(terms.flatMap(({ begin, end, values }) => [begin, end, ...values]));
        add(tensorNames.map(s, form, of), data, [terms.length, data.length / terms.length]);
      }
  });
  return encodeSafetensors(tensors);
}

function bothFactors({ factors, answerFactors }: ScenarioContent): [FactorsOf, AnchorFactors][] {
  return Object.entries({ factors, answer_factors: answerFactors }) as [FactorsOf, AnchorFactors][];
}

/** One segment for the header and all forms, one for each scenario's item parameters. */
function parameterSegments(bytes: Uint8Array, scenarios: readonly string[]): SegmentManifest[] {
  const { tensors } = decodeSafetensorsHeader(bytes, bytes.length);
  const begins = scenarios.map((_, s) => tensors.get(tensorNames.a(s))!.begin);
  return segments(bytes, [0, ...begins], [null, ...scenarios]);
}

function segments(
  bytes: Uint8Array,
  begins: readonly number[],
  scenarios: readonly (string | null)[],
): SegmentManifest[] {
  return begins.map((begin, index) => {
    const end = begins[index + 1] ?? bytes.length;
    return { begin, end, sha256: sha256Hex(bytes.subarray(begin, end)), scenario: scenarios[index]! };
  });
}

/** A line of JSON a record. */
export function encodeLines(records: readonly object[]): Uint8Array {
  return new TextEncoder().encode(records.map((record) => `${JSON.stringify(record)}\n`).join(""));
}

/** Where each scenario's lines of anchors.jsonl begin. */
function lineBegins(scenarios: readonly ScenarioContent[]): number[] {
  let end = 0;
  return scenarios.map(({ anchors }) => {
    const begin = end;
    end += encodeLines(anchors).length;
    return begin;
  });
}
