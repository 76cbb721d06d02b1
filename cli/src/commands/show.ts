import { readBundleFile } from "anchoreval/internal/bundles/read-file";
import { readManifest } from "anchoreval/internal/bundles/read-manifest";
import { servedBlend } from "anchoreval/internal/core/bundle/bundle";
import type { BundleFileName, FormManifest, Manifest } from "anchoreval/internal/core/bundle/manifest";
import { parseManifest } from "anchoreval/internal/core/bundle/parse-manifest";
import { parseSignatures } from "anchoreval/internal/core/bundle/signature";
import type { BundleSource } from "anchoreval/internal/core/bundle/source";
import { AnchorEvalError } from "anchoreval/internal/core/errors";
import { isSignedBy } from "anchoreval/internal/signatures/verify-manifest";
import { baseWords } from "anchoreval/internal/words/base-words";
import { errorWords } from "anchoreval/internal/words/error-words";
import { points } from "anchoreval/internal/words/figures";
import { textTable } from "anchoreval/internal/words/text-table";
import type { Command } from "../command.ts";
import { openBundle } from "../open-bundle.ts";

/** `anchoreval show`: what a bundle holds, its digests checked. */
export const showCommand: Command = {
  operands: { usage: "DIR|URL", option: "bundle" },
  options: { Data: { bundle: { type: "string", value: "DIR|URL", description: "the bundle", required: true } } },
  examples: ["show bundles/quiz", "show https://evals.example.com/v1/bundles/quiz/1.0.0 --json"],
  run: async ({ options, output, signal }) => {
    const source = openBundle(options.required("bundle"));
    const { bytes, digest } = await readManifest(source, { signal });
    const manifest = parseManifest(bytes);
    const files = await checkFiles(source, manifest, { signal });
    const signatures = await checkSignatures(source, bytes, { signal });
    const bad = files.filter((file) => file.state !== "ok");
    if (bad.length === 0 && output.json) output.document({ digest, signatures, files, manifest });
    if (!output.json) for (const line of showLines(manifest, digest, files, signatures)) output.line(line);
    if (bad.length === 0) return 0;
    throw new AnchorEvalError(
      "bundle_corrupt",
      `${source.name}: ${bad.map(({ name, state }) => `${name} is ${state}`).join(", ")}: not what the manifest states; copy or publish the bundle again`,
      { issues: bad.map(({ name, state }) => ({ path: [name], code: state, message: `${name} is ${state}` })) },
    );
  },
};

/** What a bundle holds, for people. */
function showLines(
  manifest: Manifest,
  digest: string,
  files: readonly CheckedFile[],
  signatures: readonly CheckedSignature[] | null,
): string[] {
  const { benchmark, version, benchmarkVersion, description, scenarios, forms, sources, weighting, protocol, data } =
    manifest;
  const items = scenarios.reduce((sum, scenario) => sum + scenario.items, 0);
  return [
    `${benchmark} ${version}${benchmarkVersion === null ? "" : ` (benchmark version ${benchmarkVersion})`}`,
    ...(description === null ? [] : [description]),
    `digest ${digest}`,
    ...signatureLines(signatures),
    `created ${manifest.created}; ${sources.models} models, ${items} items in ${scenarios.length} ${scenarios.length === 1 ? "scenario" : "scenarios"}; each ${weighting === "items" ? "item" : "subscenario"} counts the same`,
    `licence ${data.licence ?? "not stated"}; source ${data.source ?? "not stated"}`,
    ...protocolLines(protocol),
    ...baseWords(manifest),
    "",
    ...textTable(
      [
        ["scenario", "items", "subscenarios", "weight"],
        ...scenarios.map(({ id, items: count, subscenarios, weight }) => [
          id,
          String(count),
          subscenarios.length === 1 ? "" : String(subscenarios.length),
          String(weight),
        ]),
      ],
      "lrrr",
    ),
    ...forms.flatMap((form) => ["", ...formLines(form, form.id === manifest.defaultForm)]),
    ...exposureLines(manifest),
    ...coldStartLines(manifest),
    "",
    ...textTable(
      files.map(({ name, bytes, state }) => [
        name,
        `${bytes} bytes`,
        state === "ok" ? "digest ok" : state.toUpperCase(),
      ]),
      "lrl",
    ),
  ];
}

function signatureLines(signatures: readonly CheckedSignature[] | null): string[] {
  if (signatures === null) return ["its signatures can't be read"];
  return signatures.map(({ key, valid }) => (valid ? `signed by ${key}` : `NOT signed by ${key}, which it names`));
}

function protocolLines(protocol: Manifest["protocol"]): string[] {
  const entries = Object.entries(protocol).filter(([key]) => !key.includes("/"));
  return entries.length === 0
    ? []
    : [`protocol ${entries.map(([key, value]) => `${key} ${String(value)}`).join(", ")}`];
}

/** How often an adaptive evaluation gives any one item. */
function exposureLines({ exposure }: Manifest): string[] {
  if (exposure === undefined) return [];
  const { limit, reached, unlimited, simulated } = exposure;
  return [
    "",
    `adaptive evaluations of ${simulated.budget} items, ${simulated.batch} at once: none in more than ${points(reached)} % of them (limit ${points(limit)}, without limits ${points(unlimited)}), simulated with ${simulated.models} models`,
  ];
}

/** Items without answers, and what asking the model that is picked for each question was worth. */
function coldStartLines({ coldStart, files }: Manifest): string[] {
  if (coldStart === undefined) return [];
  const routes = files.some(({ name }) => name === "routing.safetensors");
  const { items, features, neighbours, scenarios } = coldStart;
  const by = features === "tf-idf" ? "their texts" : "the caller's vectors";
  return [
    "",
    `${items} ${items === 1 ? "item" : "items"} without answers, parameters foretold from ${by}${neighbours ? ` by ${neighbours.weighted ? "weighted " : ""}means of the ${neighbours.k} nearest` : ""}`,
    ...Object.entries(scenarios).map(
      ([id, { questions, leftOut }]) =>
        `  ${routes ? "routes in " : ""}${id}, by ${questions} questions: the model picked is right in ${points(leftOut.right)} % of those left out, the best single model in ${points(leftOut.singleRight)} %`,
    ),
    ...(routes ? [] : ["  no routes: they need the models' names"]),
  ];
}

function formLines(form: FormManifest, isDefault: boolean): string[] {
  const ids = Object.keys(form.scenarios);
  const total = ids.reduce((sum, id) => sum + form.scenarios[id]!.items, 0);
  return [
    `form ${form.id}${isDefault ? " (default)" : ""}: ${total} items chosen by ${form.selection}${form.disjointFrom === undefined ? "" : `, none of them in form ${form.disjointFrom}`}; score by ${form.estimator}`,
    ...ids.map((id) => {
      const { items, whole } = form.scenarios[id]!;
      const { measured } = servedBlend(form.scenarios[id]!);
      return `  ${id}, ${items} items: ${whole ? "all of them, so the score is exact" : errorWords(measured, form.estimator)}`;
    }),
    ...(form.overall && ids.length > 1 ? [`  overall: ${errorWords(form.overall.measured, form.estimator)}`] : []),
  ];
}

interface CheckedFile {
  readonly name: string;
  readonly bytes: number;
  readonly state: "ok" | "missing" | "damaged";
}

/** Reads every file of a bundle whole and compares it with the byte count and the digest that the manifest states. */
async function checkFiles(
  source: BundleSource,
  manifest: Manifest,
  options: { signal?: AbortSignal } = {},
): Promise<CheckedFile[]> {
  const checked: CheckedFile[] = [];
  for (const { name, bytes } of manifest.files) {
    const state = await readBundleFile(source, manifest, name as BundleFileName, options).then(
      () => "ok" as const,
      (error: unknown) => {
        if (!(error instanceof AnchorEvalError && error.code === "bundle_corrupt")) throw error;
        return error.issues[0]?.code === "missing" ? ("missing" as const) : ("damaged" as const);
      },
    );
    checked.push({ name, bytes, state });
  }
  return checked;
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
  options: { signal?: AbortSignal } = {},
): Promise<readonly CheckedSignature[] | null> {
  const bytes = (await source.readSignatures?.(options)) ?? null;
  if (bytes === null) return [];
  const signatures = parseSignatures(bytes);
  if (signatures === null) return null;
  return Promise.all(signatures.map(async (own) => ({ key: own.key, valid: await isSignedBy(manifest, own) })));
}
