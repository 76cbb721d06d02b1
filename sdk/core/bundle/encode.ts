import { MAP_READS, type ScoreMaps } from "../estimators/score-maps.ts";
import type { AnchorFactors, AnchorSet } from "../estimators/types.ts";
import type { FloatArray, ItemBank } from "../irt/item-bank.ts";
import { formDigest, sha256Hex } from "./digest.ts";
import { type BundleFileName, type FactorsOf, tensorNames } from "./names.ts";
import type {
  AnchorRecord,
  ColdItemRecord,
  FileManifest,
  FormManifest,
  ItemRecord,
  Manifest,
  SegmentManifest,
} from "./manifest.ts";
import { encodeRouting, type RoutingContent } from "./routing-file.ts";
import { decodeSafetensorsHeader, encodeSafetensors, type Tensor } from "./safetensors.ts";

/** One scenario to be written. */
export interface ScenarioContent {
  readonly bank: ItemBank;
  /** Exposure factors in (0,1], in parameter order; of all scenarios with `manifest.exposure`, of none without. */
  readonly exposure?: Float32Array;
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
  /** With `manifest.coldStart`. */
  readonly coldStart?: ColdStartContent;
}

/** Items without answers, and what routes are made from where the source models have names. */
export interface ColdStartContent {
  readonly items: readonly ColdItemRecord[];
  readonly routing: RoutingContent | null;
}

/**
 * Encodes a bundle: the same content gives the same bytes.
 * @returns the files by name, manifest.json last (it commits the others)
 */
export function encodeBundle({
  manifest,
  scenarios,
  report,
  coldStart,
}: BundleContent): Map<BundleFileName, Uint8Array> {
  const files = new Map<BundleFileName, Uint8Array>();
  const described: FileManifest[] = [];
  const add = (name: BundleFileName, bytes: Uint8Array, segments?: SegmentManifest[]): void => {
    files.set(name, bytes);
    described.push({ name, bytes: bytes.length, sha256: sha256Hex(bytes), ...(segments && { segments }) });
  };
  const ids = manifest.scenarios.map((scenario) => scenario.id);

  const parameters = encodeParameters(
    scenarios,
    manifest.forms.map((form) => form.id),
  );
  add("parameters.safetensors", parameters, parameterSegments(parameters, ids));
  const anchors = encodeLines(
    scenarios.map((scenario) => scenario.anchors),
    ids,
  );
  add("anchors.jsonl", anchors.bytes, anchors.segments);
  add(
    "items.jsonl",
    encodeLines(
      scenarios.map((scenario) => scenario.items),
      ids,
    ).bytes,
  );
  if (coldStart) {
    add(
      "cold-items.jsonl",
      new TextEncoder().encode(coldStart.items.map((item) => `${JSON.stringify(item)}\n`).join("")),
    );
    if (coldStart.routing) add("routing.safetensors", encodeRouting(coldStart.routing, ids));
  }
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
  files.set("manifest.json", new TextEncoder().encode(`${JSON.stringify(complete)}\n`));
  return files;
}

function encodeParameters(scenarios: readonly ScenarioContent[], forms: readonly string[]): Uint8Array<ArrayBuffer> {
  const tensors: Tensor[] = [];
  scenarios.forEach(({ forms: sets }, s) => {
    for (const form of forms) {
      const { mass, inclusion } = sets.get(form)!;
      tensors.push({ name: tensorNames.mass(s, form), shape: [mass.length], data: mass });
      if (inclusion) tensors.push({ name: tensorNames.inclusion(s, form), shape: [inclusion.length], data: inclusion });
    }
  });
  scenarios.forEach((scenario, s) => {
    for (const [of, { total }] of bothFactors(scenario)) {
      const data = Float64Array.of(total.mean, ...total.loadings);
      tensors.push({ name: tensorNames.factorTotal(s, of), shape: [data.length], data });
    }
  });
  scenarios.forEach(({ sourceScores }, s) => {
    const data = Float32Array.from(sourceScores).sort();
    tensors.push({ name: tensorNames.sourceScores(s), shape: [data.length], data });
  });
  scenarios.forEach(({ forms: sets }, s) => {
    for (const form of forms) {
      const { items } = sets.get(form)!;
      tensors.push({ name: tensorNames.items(s, form), shape: [items.length], data: items });
    }
  });
  scenarios.forEach((scenario, s) => {
    const { bank } = scenario;
    tensors.push({ name: tensorNames.a(s), shape: [bank.count, bank.dims], data: Float32Array.from(bank.a) });
    tensors.push({ name: tensorNames.b(s), shape: [bank.count], data: Float32Array.from(bank.b) });
    if (bank.lower)
      tensors.push({ name: tensorNames.lower(s), shape: [bank.count], data: Float32Array.from(bank.lower) });
    if (bank.upper)
      tensors.push({ name: tensorNames.upper(s), shape: [bank.count], data: Float32Array.from(bank.upper) });
    if (scenario.exposure)
      tensors.push({ name: tensorNames.exposure(s), shape: [bank.count], data: scenario.exposure });
    for (const [of, { rank, mean, loadings, noise }] of bothFactors(scenario)) {
      const rows = mean.length;
      tensors.push({ name: tensorNames.factorMean(s, of), shape: [rows], data: Float32Array.from(mean) });
      tensors.push({ name: tensorNames.factorLoadings(s, of), shape: [rows, rank], data: Float32Array.from(loadings) });
      tensors.push({ name: tensorNames.factorNoise(s, of), shape: [rows], data: Float32Array.from(noise) });
    }
    for (const form of forms)
      for (const of of MAP_READS) {
        const terms = scenario.maps?.get(form)?.[of]?.terms;
        if (terms === undefined) continue;
        const data = Float32Array.from(terms.flatMap(({ begin, end, values }) => [begin, end, ...values]));
        tensors.push({ name: tensorNames.map(s, form, of), shape: [terms.length, data.length / terms.length], data });
      }
  });
  return encodeSafetensors(tensors);
}

function bothFactors({ factors, answerFactors }: ScenarioContent): [FactorsOf, AnchorFactors][] {
  return [
    ["factors", factors],
    ["answer_factors", answerFactors],
  ];
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

function encodeLines(
  parts: readonly (readonly object[])[],
  scenarios: readonly string[],
): { bytes: Uint8Array; segments: SegmentManifest[] } {
  const encoded = parts.map((records) =>
    new TextEncoder().encode(records.map((entry) => `${JSON.stringify(entry)}\n`).join("")),
  );
  const begins: number[] = [];
  let length = 0;
  for (const part of encoded) {
    begins.push(length);
    length += part.length;
  }
  const bytes = new Uint8Array(length);
  encoded.forEach((part, index) => bytes.set(part, begins[index]));
  return { bytes, segments: segments(bytes, begins, scenarios) };
}
