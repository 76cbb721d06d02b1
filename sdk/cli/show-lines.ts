import { servedBlend } from "../core/bundle/bundle.ts";
import type { FormManifest, Manifest } from "../core/bundle/manifest.ts";
import type { CheckedFile } from "./check-files.ts";
import type { CheckedSignature } from "./check-signatures.ts";
import { baseWords, errorWords } from "../words/bundle-words.ts";
import { points } from "../words/figures.ts";
import { textTable } from "./text-table.ts";

/** What a bundle holds, for people. */
export function showLines(
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
