import { loadBundle } from "anchoreval/internal/bundles/load-bundle";
import { readBundleFile, readManifest } from "anchoreval/internal/bundles/read-file";
import { isSignedBy } from "anchoreval/internal/bundles/trusted-source";
import type { BundleSource } from "anchoreval/internal/core/bundle/bundle";
import type { Manifest } from "anchoreval/internal/core/bundle/manifest";
import type { BundleFileName } from "anchoreval/internal/core/bundle/names";
import { parseSignatures } from "anchoreval/internal/core/bundle/signature";
import { AnchorEvalError } from "anchoreval/internal/core/errors";
import { bundleFacts, noiseWords } from "anchoreval/internal/words/bundle-words";
import { textTable } from "anchoreval/internal/words/figures";
import { additionFacts, errorLines, type Fact, factLines, formLines } from "../bundles/bundle-tables.ts";
import { findListed, listBundles } from "../bundles/list-bundles.ts";
import { type Command, option } from "../program/command.ts";
import { openBundle } from "../bundles/open-bundle.ts";

export const showCommand: Command = {
  operands: { usage: "[BUNDLE]", option: "bundle" },
  options: {
    Data: {
      bundle: option(
        "BUNDLE",
        "the bundle: a folder, an address or a name; or a Worker's root, hf://ORG or hf://datasets/ORG/NAME, to list what is there (default: list what comes along)",
      ),
    },
  },
  examples: ["show", "show https://evals.example.com/v1/bundles/quiz/1.0.0 --json"],
  run: async (input) => {
    const { options, output, signal } = input;
    const place = options.text("bundle");
    const listed = await findListed(place, signal);
    if (listed !== null) return listBundles(place, listed, input);
    const source = openBundle(place!);
    const { manifest, bytes, digest } = await readManifest(source, { signal });
    const { files, contents } = await checkFiles(source, manifest, signal);
    const signatures = await checkSignatures(source, bytes, signal);
    const bad = files.filter((file) => file.state !== "ok");
    const cardBytes = (await source.readCard?.({ signal })) ?? null;
    const card = cardBytes && new TextDecoder().decode(cardBytes);
    const noise = bad.length > 0 ? [] : await noiseOf(readSource(source.name, contents.set("manifest.json", bytes)));
    if (bad.length === 0 && output.json) output.document({ digest, signatures, files, manifest, card });
    if (!output.json) for (const line of showLines(manifest, digest, files, signatures, noise)) output.line(line);
    if (!output.json && card !== null) output.line(`\n${card.trimEnd()}`);
    if (bad.length === 0) return;
    throw new AnchorEvalError(
      "bundle_corrupt",
      `${source.name}: ${bad.map(({ name, state }) => `${name} is ${state}`).join(", ")}: not what the manifest states; copy or publish the bundle again`,
      { issues: bad.map(({ name, state }) => ({ path: [name], code: state, message: `${name} is ${state}` })) },
    );
  },
};

/** Scenarios whose source models can't be told apart. */
async function noiseOf(source: BundleSource): Promise<string[]> {
  const { manifest, scenarios } = await loadBundle(source);
  return noiseWords(manifest, scenarios.values());
}

function showLines(
  manifest: Manifest,
  digest: string,
  files: readonly CheckedFile[],
  signatures: readonly CheckedSignature[] | null,
  noise: readonly string[],
): string[] {
  const { benchmark, version, description, scenarios } = manifest;
  const scenarioRows = scenarios.map(({ id, items, subscenarios, weight }) => [
    id,
    String(items),
    subscenarios.length === 1 ? "" : String(subscenarios.length),
    String(weight),
  ]);
  const fileRows = files.map(({ name, bytes, state }) => [
    name,
    String(bytes),
    state === "ok" ? state : state.toUpperCase(),
  ]);
  return [
    `${benchmark} ${version}`,
    ...(description === null ? [] : [description]),
    "",
    ...factLines([
      ...sealFacts(manifest, digest, signatures),
      ...bundleFacts(manifest).map(({ label, value }): Fact => [label, value]),
      ...additionFacts(manifest),
    ]),
    "",
    ...textTable([["scenario", "items", "subscenarios", "weight"], ...scenarioRows], "lrrr"),
    "",
    ...formLines(manifest),
    "",
    ...errorLines(manifest),
    ...noise,
    "",
    ...textTable([["file", "bytes", "digest"], ...fileRows], "lrl"),
  ];
}

/** Facts that the bundle's files tell, not its manifest. */
function sealFacts({ checksum }: Manifest, digest: string, signatures: readonly CheckedSignature[] | null): Fact[] {
  return [
    ["digest", digest],
    ...(checksum === undefined
      ? [["checksum", "none (format before 1.4): damage to the manifest may go unseen"] as const]
      : []),
    ...(signatures === null
      ? [["signature", "can't be read"] as const]
      : signatures.map(({ key, valid }) => [valid ? "signed by" : "NOT signed by", key] as const)),
  ];
}

interface CheckedFile {
  readonly name: string;
  readonly bytes: number;
  readonly state: "ok" | "missing" | "damaged";
}

/** A bundle whose files were read. */
function readSource(name: string, contents: ReadonlyMap<string, Uint8Array>): BundleSource {
  return {
    name,
    read: (file, { range } = {}) => {
      const bytes = contents.get(file) ?? null;
      return Promise.resolve(range && bytes ? bytes.subarray(range.begin, range.end) : bytes);
    },
  };
}

/** Reads every file of a bundle whole and compares it with the byte count and the digest that the manifest states. */
async function checkFiles(source: BundleSource, manifest: Manifest, signal: AbortSignal) {
  const files: CheckedFile[] = [];
  const contents = new Map<string, Uint8Array>();
  for (const { name, bytes } of manifest.files) {
    const state = await readBundleFile(source, manifest, name as BundleFileName, { signal }).then(
      (content) => {
        contents.set(name, content);
        return "ok" as const;
      },
      (error: unknown) => {
        if (!(error instanceof AnchorEvalError && error.code === "bundle_corrupt")) throw error;
        return error.issues[0]?.code === "missing" ? ("missing" as const) : ("damaged" as const);
      },
    );
    files.push({ name, bytes, state });
  }
  return { files, contents };
}

interface CheckedSignature {
  /** The public key, base64url. */
  readonly key: string;
  /** That the key's owner signed this manifest; whose key it is, nobody can tell from it. */
  readonly valid: boolean;
}

/**
 * Checks every signature that lies beside a bundle's manifest.
 * @returns none where the bundle isn't signed; null where manifest.sig can't be read
 */
async function checkSignatures(
  source: BundleSource,
  manifest: Uint8Array,
  signal: AbortSignal,
): Promise<readonly CheckedSignature[] | null> {
  const bytes = (await source.readSignatures?.({ signal })) ?? null;
  if (bytes === null) return [];
  const signatures = parseSignatures(bytes);
  if (signatures === null) return null;
  return Promise.all(
    signatures.map(async (signature) => ({ key: signature.key, valid: await isSignedBy(manifest, signature) })),
  );
}
