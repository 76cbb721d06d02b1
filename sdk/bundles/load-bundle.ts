import { type Bundle, type BundleSource, unknownForm } from "../core/bundle/bundle.ts";
import { decodeBundle } from "../core/bundle/decode.ts";
import type { Manifest, SegmentManifest } from "../core/bundle/manifest.ts";
import type { BundleFileName } from "../core/bundle/names.ts";
import { AnchorEvalError, checkNames } from "../core/errors.ts";
import { sha256 } from "./bytes.ts";
import { trustedSource } from "./trusted-source.ts";
import { namedSource } from "./sources.ts";
import { checkLength, corrupt, keepLocalItems, loadItems, MOST_FILE_BYTES, readManifest } from "./read-file.ts";

/** Which parts of a bundle are loaded, and how they are checked. */
export interface LoadOptions {
  /** Load what this form needs; checked to exist. All forms are small and come along. */
  readonly form?: string;
  /** Load these scenarios only. @default all */
  readonly scenarios?: readonly string[];
  /**
   * Read the names of all items, too, so that answers to items that are no anchors count. Of a folder they are read where
   * they are needed. @default false
   */
  readonly items?: boolean;
  /** Expected digest of the bundle, `sha256:…`; another is an error. A URL may end in `#sha256:…` instead. */
  readonly digest?: string;
  /**
   * Public keys, one of which must have signed the bundle; several while one replaces another. Or a root of trust, by
   * {@link trustRoot}, under which keys are revoked and hosts can't answer with what is old. @default any bundle
   */
  readonly trustedKeys?: readonly string[] | ((source: BundleSource) => BundleSource);
  readonly signal?: AbortSignal;
}

/**
 * Loads a bundle: the manifest, then only the byte ranges that are needed, each checked against its digest. Of a version that
 * its publisher took back `yanked` says why, and results from it warn.
 * @param source - a URL (of `/v1/bundles/{benchmark}/{version}` on a Worker, or of a folder on any static host), or a
 * {@link BundleSource}: `r2Source(bucket, …)`, `folderSource(path)` from `anchoreval/node`
 * @throws AnchorEvalError `not_found`, `bundle_corrupt`, `bundle_invalid`, `bundle_format_unsupported`,
 * `bundle_mismatch`, `bundle_newer`, `bundle_untrusted`, `digest_mismatch`, `unknown_form`, `unknown_scenario`, `unavailable`, `aborted`
 * @example const bundle = await loadBundle("https://evals.example.com/v1/bundles/helm-lite/1.0.0", { scenarios: ["gsm"] });
 */
export async function loadBundle(source: string | URL | BundleSource, options: LoadOptions = {}): Promise<Bundle> {
  checkNames(options, { form: true, scenarios: "list", items: true, digest: true, trustedKeys: true, signal: true });
  const named = namedSource(source);
  const from = options.trustedKeys ? trustedSource(named, options.trustedKeys) : named;
  const signal = options.signal ? { signal: options.signal } : {};
  const yank = from.readYank?.(signal) ?? null;
  const { manifest, digest, unknownParts } = await readManifest(from, {
    ...signal,
    ...(options.digest !== undefined && { digest: options.digest }),
  });
  if (options.form !== undefined && !manifest.forms.some((form) => form.id === options.form))
    throw unknownForm(options.form, manifest);

  const wanted = wantedScenarios(manifest, options.scenarios);
  checkHeld(from.name, manifest, wanted);
  const [parameters, anchors] = await Promise.all(
    LOADED.map((name) => readSegments(from, manifest, name, wanted, signal)),
  );
  const scenarios = wanted.map((id) => {
    const { bytes: bank, begin } = parameters!.get(id)!;
    return [id, { parameters: bank, parametersBegin: begin, anchors: anchors!.get(id)!.bytes }] as const;
  });
  const bundle = decodeBundle(manifest, digest, { head: parameters!.get(null)!.bytes, scenarios: new Map(scenarios) });
  keepLocalItems(from, bundle);
  if (options.items) await loadItems(from, bundle, signal);
  const yanked = await yank;
  return {
    ...bundle,
    ...(yanked?.yanked && { yanked: yanked.reason }),
    ...(unknownParts.length > 0 && { unknownParts }),
  };
}

function wantedScenarios(manifest: Manifest, asked: readonly string[] | undefined): string[] {
  const all = manifest.scenarios.map((scenario) => scenario.id);
  if (asked === undefined) return all;
  const unknown = asked.filter((id) => !all.includes(id));
  if (unknown.length > 0)
    throw new AnchorEvalError(
      "unknown_scenario",
      `this bundle has no scenario ${unknown.join(", ")}: it has ${all.join(", ")}`,
    );
  return all.filter((id) => asked.includes(id));
}

/** The segments of a file that the wanted scenarios need. */
function wantedSegments(manifest: Manifest, name: BundleFileName, scenarios: readonly string[]): SegmentManifest[] {
  const { segments = [] } = manifest.files.find((candidate) => candidate.name === name)!;
  return segments.filter(({ scenario }) => scenario === null || scenarios.includes(scenario));
}

/** The files whose parts are loaded. */
const LOADED = ["parameters.safetensors", "anchors.jsonl"] as const;

/** Refuses, before they are read, parts that are too much to be held together. @throws AnchorEvalError `unsupported` */
function checkHeld(place: string, manifest: Manifest, scenarios: readonly string[]): void {
  const parts = LOADED.flatMap((name) => wantedSegments(manifest, name, scenarios));
  const bytes = parts.reduce((sum, { begin, end }) => sum + end - begin, 0);
  if (bytes <= MOST_FILE_BYTES) return;
  throw new AnchorEvalError(
    "unsupported",
    `${place}: its parts have ${bytes} bytes by its manifest, at most ${MOST_FILE_BYTES} are read at once: load fewer scenarios`,
  );
}

/** Reads the segments of a file that the wanted scenarios need, neighbours in one request, and checks them. */
async function readSegments(
  source: BundleSource,
  manifest: Manifest,
  name: BundleFileName,
  scenarios: readonly string[],
  signal: { signal?: AbortSignal },
): Promise<Map<string | null, { begin: number; bytes: Uint8Array }>> {
  const file = manifest.files.find((candidate) => candidate.name === name)!;
  const needed = wantedSegments(manifest, name, scenarios);
  const missing = scenarios.filter((id) => !needed.some((segment) => segment.scenario === id));
  if (missing.length > 0)
    throw new AnchorEvalError("bundle_invalid", `${name} has no segment for ${missing.join(", ")}`);
  const runs: SegmentManifest[][] = [];
  for (const segment of needed) {
    const last = runs.at(-1);
    if (last?.at(-1)!.end === segment.begin) last.push(segment);
    else runs.push([segment]);
  }
  const segments = new Map<string | null, { begin: number; bytes: Uint8Array }>();
  await Promise.all(
    runs.map(async (run) => {
      const range = { begin: run[0]!.begin, end: run.at(-1)!.end };
      const { begin, end } = range;
      const whole = begin === 0 && end === file.bytes;
      const options = { ...signal, fileBytes: file.bytes, ...(whole ? {} : { range }) };
      const bytes = begin === end ? new Uint8Array(0) : await source.read(name, options);
      if (bytes === null) throw corrupt(source.name, name, "missing", "its manifest names it");
      if (whole) checkLength(source.name, name, bytes.length, file.bytes);
      for (const segment of run) {
        const part = bytes.subarray(segment.begin - begin, segment.end - begin);
        if (part.length !== segment.end - segment.begin || (await sha256(part)) !== segment.sha256)
          throw corrupt(
            source.name,
            name,
            "damaged",
            `bytes ${segment.begin} to ${segment.end} aren't those that the manifest states (length or SHA-256)`,
          );
        segments.set(segment.scenario, { begin: segment.begin, bytes: part });
      }
    }),
  );
  return segments;
}
