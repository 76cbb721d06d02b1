import { loadBundle } from "anchoreval/internal/bundles/load-bundle";
import { readBundleFile, readManifest } from "anchoreval/internal/bundles/read-file";
import { httpSource } from "anchoreval/internal/bundles/sources";
import { isSignedBy } from "anchoreval/internal/bundles/trusted-source";
import { itemTotal, LISTED_ITEMS, listedForm, typicalError } from "anchoreval/internal/words/measured-forms";
import type { BundleSource } from "anchoreval/internal/core/bundle/bundle";
import type { Manifest } from "anchoreval/internal/core/bundle/manifest";
import type { BundleFileName } from "anchoreval/internal/core/bundle/names";
import { parseSignatures } from "anchoreval/internal/core/bundle/signature";
import { AnchorEvalError } from "anchoreval/internal/core/errors";
import { folderSource } from "anchoreval/internal/node/folder";
import { shippedBundles } from "anchoreval/internal/node/shipped-bundles";
import { bundleFacts, noiseWords } from "anchoreval/internal/words/bundle-words";
import { points, textTable } from "anchoreval/internal/words/figures";
import { additionFacts, errorLines, type Fact, factLines, formLines } from "../bundles/bundle-tables.ts";
import { type Command, invalidOption, option } from "../program/command.ts";
import { BUNDLE_OPTION, openBundle, readToken, whereTrusted } from "../bundles/open-bundle.ts";
import { openHub } from "../program/trainer.ts";

export const showCommand: Command = {
  operands: { usage: "BUNDLE", option: "bundle" },
  options: {
    Data: BUNDLE_OPTION,
  },
  examples: ["show gsm8k", "show https://evals.example.com/v1/bundles/quiz/1.0.0 --json"],
  run: async ({ options, output, signal }) => {
    const source = openBundle(options.required("bundle"));
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

export const bundlesCommand: Command = {
  operands: { usage: "[PLACE]", option: "at" },
  options: {
    Data: {
      at: option(
        "PLACE",
        "a Worker's address, hf://ORG or hf://datasets/ORG/NAME: the newest version of each benchmark there; without it, what comes along",
      ),
    },
  },
  examples: ["bundles", "bundles https://evals.example.com"],
  run: async ({ options, output, signal }) => {
    const place = options.text("at");
    const places = place === undefined ? shippedPlaces() : await publishedPlaces(place, signal);
    const bundles = await Promise.all(
      places.map(async ({ name, source }) => {
        const { manifest, digest } = await readManifest(source, { signal });
        return { ...listing(manifest, digest), place: name };
      }),
    );
    if (bundles.length === 0) {
      output.result(bundles, [`No bundle is published at ${place!}, or none that can be read without a token.`]);
      return;
    }
    const rows = bundles.map((row) => [
      `${row.benchmark}@${row.version}`,
      String(row.items),
      String(row.models),
      row.note ?? "",
      row.error === null ? "–" : `${points(row.error)}${row.form.items === LISTED_ITEMS ? "" : ` (${row.form.items})`}`,
      place === undefined ? (row.description ?? "") : row.place,
    ]);
    const where = place === undefined ? "these names" : "these addresses";
    output.result(bundles, [
      ...textTable([["bundle", "items", "models", "", `error at ${LISTED_ITEMS} items`, ""], ...rows], "lrrlrl"),
      "",
      `--bundle takes ${where}; anchoreval show ${place === undefined ? "NAME" : "ADDRESS"} has who measured them, and what an item id is.`,
    ]);
  },
};

/** A bundle, and what `--bundle` takes for it. */
interface BundlePlace {
  readonly name: string;
  readonly source: BundleSource;
}

function shippedPlaces(): BundlePlace[] {
  return shippedBundles().map(({ benchmark, version, folder }) => ({
    name: `${benchmark}@${version}`,
    source: folderSource(folder),
  }));
}

async function publishedPlaces(place: string, signal: AbortSignal): Promise<BundlePlace[]> {
  if (/^hf:\/\//i.test(place)) {
    const { listHub } = await openHub();
    const urls = await listHub(place, process.env, signal);
    return urls.map(({ url, headers }) => ({ name: url, source: whereTrusted(httpSource(url, { headers })) }));
  }
  if (!/^https?:\/\//i.test(place) || !URL.canParse(place))
    throw invalidOption(
      `${place} can't be listed: take a Worker's address (https://…), hf://ORG or hf://datasets/ORG/NAME`,
    );
  const token = readToken(new URL(place), process.env["ANCHOREVAL_READ_TOKENS"]);
  const policy = token === null ? {} : { headers: { authorization: `Bearer ${token}` } };
  const baseUrl = place.replace(/\/+$/, "");
  const { createClient } = await import("anchoreval/internal/client/client"); // a bundle alone needs none
  const benchmarks = await createClient({ baseUrl, ...policy })
    .bundles.list({ signal })
    .catch((error: unknown) => {
      if (!(error instanceof AnchorEvalError && error.code === "not_found")) throw error;
      throw new AnchorEvalError(
        "not_found",
        `${place}: there is no anchoreval Worker; of a static host, show a bundle by its address`,
      );
    });
  return benchmarks.flatMap(({ benchmark, latest, versions }) => {
    const version = latest ?? versions.at(-1)?.version;
    if (version === undefined) return [];
    const name = `${baseUrl}/v1/bundles/${benchmark}/${version}`;
    return [{ name, source: whereTrusted(httpSource(name, policy)) }];
  });
}

/** A bundle's line: the error is the overall score's, of models like those seen, as a fraction. */
function listing(manifest: Manifest, digest: string) {
  const { benchmark, version, description, sources } = manifest;
  const listed = listedForm(manifest);
  return {
    ...{ benchmark, version, digest, description },
    scenarios: manifest.scenarios.map(({ id }) => id),
    items: itemTotal(manifest),
    models: sources.models,
    note: sources.note,
    form: { id: listed.form.id, items: listed.items },
    error: listed.whole ? 0 : typicalError(listed),
  };
}
