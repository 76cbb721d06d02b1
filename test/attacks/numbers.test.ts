import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import {
  AnchorEvalError,
  type Bundle,
  compareFromAnchors,
  estimateFromAnchors,
  loadAdaptive,
  loadBundle,
  planFromBundle,
} from "anchoreval";
import type { BundleFileName } from "anchoreval/bundle";
import { beginAdaptive, continueAdaptive } from "anchoreval/internal/features/adaptive/sdk/adaptive-session";
import { encodeManifest, sha256Hex } from "anchoreval/internal/core/bundle/digest";
import { decodeSafetensorsHeader } from "anchoreval/internal/core/bundle/safetensors";
import { createRandom, type RandomSource } from "anchoreval/internal/core/numeric/random";
import { attack } from "../support/attack.ts";
import { memorySource } from "../support/memory-source.ts";
import { sampleBundle } from "../support/sample-bundle.ts";
import { ROOT } from "../support/source-imports.js";

// Bundles whose digests are true, made by somebody who means ill: numbers of the parameters or of the manifest are as large, as
// small or as odd as their types allow. They are refused, or every number that comes out of them is one.
type Files = ReadonlyMap<BundleFileName, Uint8Array>;

const SHIPPED = join(ROOT, "sdk/dist/shipped");
function shipped(name: string): Files {
  const folder = join(SHIPPED, name, "1.0.0");
  const files = readdirSync(folder).filter((file) => file !== "card.md");
  return new Map(files.map((file) => [file as BundleFileName, new Uint8Array(readFileSync(join(folder, file)))]));
}
const BUNDLES: readonly (() => Files)[] = [
  () => sampleBundle(),
  () => sampleBundle({ maps: true }),
  () => sampleBundle({ purposive: true, unasked: true }),
  () => sampleBundle({ repeated: true }),
  ...["gsm8k", "evalplus"].map((name) => () => shipped(name)),
];
const made = new Map<number, Files>();

const LARGE = [1e38, -1e38, 1e6, -1e6, 1e5, -1e5, 1000, -1000, 100, -100];
const ODD = [...LARGE, 0, -0, 1e-38, -1e-38, 1e-7, 1, -1, Infinity, -Infinity, NaN];

/** The files with some of their parameters changed, digests true to them. */
function withParameters(files: Files, random: RandomSource): Files {
  const name = "parameters.safetensors";
  const bytes = files.get(name)!.slice();
  const { tensors } = decodeSafetensorsHeader(bytes, bytes.length);
  const view = new DataView(bytes.buffer);
  const all = [...tensors.values()].filter(({ type, end, begin }) => type !== "U32" && end > begin);
  for (let k = 1 + random.below(3); k > 0; k--) {
    const { type, begin, end } = all[random.below(all.length)]!;
    const size = type === "F64" ? 8 : 4;
    const at = begin + size * random.below((end - begin) / size);
    const value = ODD[random.below(ODD.length)]!;
    // A whole tensor now and then.
    const [from, to] = random.next() < 0.1 ? [begin, end] : [at, at + size];
    for (let place = from; place < to; place += size)
      if (size === 8) view.setFloat64(place, value, true);
      else view.setFloat32(place, value, true);
  }
  const manifest = JSON.parse(new TextDecoder().decode(files.get("manifest.json"))) as {
    files: { name: string; sha256: string; segments: { begin: number; end: number; sha256: string }[] }[];
  };
  const file = manifest.files.find((own) => own.name === name)!;
  file.sha256 = sha256Hex(bytes);
  for (const segment of file.segments) segment.sha256 = sha256Hex(bytes.subarray(segment.begin, segment.end));
  return new Map([...files, [name, bytes], ["manifest.json", sealed(manifest)]]);
}

const sealed = (manifest: object): Uint8Array => {
  return encodeManifest({ ...manifest, checksum: undefined });
};

/** The files with a number of the manifest changed. */
function withManifestNumber(files: Files, random: RandomSource): Files {
  const manifest = JSON.parse(new TextDecoder().decode(files.get("manifest.json"))) as object;
  const places: [holder: Record<string, unknown>, key: string][] = [];
  const walk = (value: unknown): void => {
    if (typeof value !== "object" || value === null) return;
    for (const [key, entry] of Object.entries(value))
      if (typeof entry === "number") places.push([value as Record<string, unknown>, key]);
      else if (key !== "files") walk(entry);
  };
  walk(manifest);
  for (let k = 1 + random.below(2); k > 0; k--) {
    const [holder, key] = places[random.below(places.length)]!;
    holder[key] = [...LARGE, 0, -0, 1e-300, 1e300, 0.5, 2 ** 53][random.below(LARGE.length + 6)];
  }
  return new Map([...files, ["manifest.json", sealed(manifest)]]);
}

/** Where a value isn't a number, or isn't in [0,1] though it is a score (a difference: [−1,1]); null where all are. */
function oddNumber(value: unknown, least: number, path = ""): string | null {
  if (typeof value === "number") {
    const isScore = /\.(?:score|low|high)$/.test(path);
    return Number.isFinite(value) && (!isScore || (value >= least && value <= 1)) ? null : `${path} is ${value}`;
  }
  if (typeof value !== "object" || value === null) return null;
  for (const [key, entry] of Object.entries(value)) {
    const found = oddNumber(entry, least, `${path}.${key}`);
    if (found !== null) return found;
  }
  return null;
}

function answersTo(bundle: Bundle, form: string, random: RandomSource): Map<string, number> {
  const kind = random.below(4);
  const asked = [...bundle.scenarios.values()].flatMap(({ forms }) => forms.get(form)!.itemIds);
  const given = asked.filter(() => kind !== 2 || random.next() < 0.9);
  return new Map(given.map((id) => [id, kind === 0 ? 1 : kind === 1 ? 0 : random.next() < 0.6 ? 1 : 0]));
}

/** Longest time that one of these takes; more hangs. @unit milliseconds */
const SLOW = 20_000;

const figures: Record<string, number> = { refused: 0, "numbers all the same": 0 };
attack("hostile numbers in bundles whose digests are true", { tries: 40, figures }, async (random) => {
  const which = random.below(BUNDLES.length);
  if (!made.has(which)) made.set(which, BUNDLES[which]!());
  const files = (random.next() < 0.6 ? withParameters : withManifestNumber)(made.get(which)!, random);
  const begun = performance.now();
  const source = memorySource(files);
  const steps: [string, () => unknown][] = [];
  try {
    const bundle = await loadBundle(source);
    const { id: form } = bundle.manifest.forms[random.below(bundle.manifest.forms.length)]!;
    const level = [0.8, 0.95, 0.99][random.below(3)]!;
    const [one, other] = [answersTo(bundle, form, random), answersTo(bundle, form, random)];
    steps.push(
      ["estimate", () => estimateFromAnchors(bundle, one, { form, level })],
      [
        "compare",
        () =>
          compareFromAnchors(bundle, { name: "a", responses: one }, { name: "b", responses: other }, { form, level }),
      ],
      ["plan", () => planFromBundle(bundle)],
    );
  } catch (error) {
    if (!(error instanceof AnchorEvalError)) return `loading: ${(error as Error).stack}`;
    figures["refused"]!++;
    return null;
  }
  if (files.has("items.jsonl"))
    steps.push([
      "next items",
      async () => {
        const pool = await loadAdaptive(source);
        const first = beginAdaptive(pool, { budget: 40 }, createRandom("session"));
        const responses = Object.fromEntries(
          first.step.items.map(({ item_id: id }) => [id, random.next() < 0.5 ? 1 : 0]),
        );
        return [first.step, continueAdaptive(pool, first.session, { responses }, createRandom("session")).step];
      },
    ]);
  for (const [name, step] of steps) {
    try {
      const odd = oddNumber(await step(), name === "compare" ? -1 : 0);
      if (odd !== null) return `bundle ${which}, ${name}: ${odd}`;
    } catch (error) {
      if (!(error instanceof AnchorEvalError)) return `bundle ${which}, ${name}: ${(error as Error).stack}`;
    }
  }
  if (performance.now() - begun > SLOW) return `bundle ${which}: ${Math.round(performance.now() - begun)} ms`;
  figures["numbers all the same"]!++;
  return null;
});
