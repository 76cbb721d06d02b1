import { CHECKSUM_MINOR, hasOwnChecksum } from "./digest.ts";
import { AnchorEvalError, type Issue } from "../errors.ts";
import { specificCovariance } from "../ability/prior.ts";
import { cholesky } from "../numeric/dense.ts";
import { manifestSchema, type FormManifest, type Manifest } from "./manifest.ts";
import { BUNDLE_FILES, FORMAT_VERSION, FULL_SCORE_PARAMETERIZATION, lookUp } from "./names.ts";
import { type BundlePart, checkPart, refuseIssues } from "./part.ts";
import { decodeJson, type Fields, object, type ObjectSchema, readValue } from "./schema.ts";

/** Beside manifest.json: parameters.safetensors, anchors.jsonl, items.jsonl. */
const REQUIRED_FILES = /* @__PURE__ */ BUNDLE_FILES.slice(1, 4);

/** A manifest with the fields that parts have in it. */
export function wholeManifest(parts: readonly BundlePart<unknown>[]): ObjectSchema<typeof manifestSchema.of, Fields> {
  const fields = parts.flatMap(({ at, key, schema }) => (at === "manifest" ? [[key, schema] as const] : []));
  return object(manifestSchema.of, { ...manifestSchema.extra, ...Object.fromEntries(fields) });
}

/**
 * Parses and checks manifest.json.
 * @param parts - that are checked in it
 * @throws AnchorEvalError `bundle_corrupt` where its bytes aren't those of its checksum, `bundle_format_unsupported` for a
 * newer format major, `bundle_invalid` with a list of issues for anything that breaks the format; unknown fields are ignored
 */
export function decodeManifest(bytes: Uint8Array, parts: readonly BundlePart<unknown>[]): Manifest {
  const intact = hasOwnChecksum(bytes);
  if (intact === false) throw damaged("its bytes don't have the SHA-256 that it begins with");
  let value: unknown;
  try {
    value = decodeJson(bytes);
  } catch (cause) {
    throw new AnchorEvalError("bundle_invalid", "manifest.json is not JSON in UTF-8, or has more brackets than text", {
      cause,
    });
  }
  const version = (value as { formatVersion?: unknown } | null)?.formatVersion;
  const major = typeof version === "string" ? Number.parseInt(version, 10) : NaN;
  if (major > Number.parseInt(FORMAT_VERSION, 10))
    throw new AnchorEvalError(
      "bundle_format_unsupported",
      `this bundle has format ${String(version)}, this reader knows ${FORMAT_VERSION} and older minors: update anchoreval`,
    );
  if (intact === null && major === 1 && Number(String(version).split(".")[1]) >= CHECKSUM_MINOR)
    throw damaged(`in format ${String(version)} it begins with its checksum`);
  const issues: Issue[] = [];
  const parsed = readValue(wholeManifest(parts), value, [], issues) as Manifest;
  if (issues.length === 0) crossCheck(parsed, issues);
  refuseIssues("manifest.json breaks the bundle format", issues);
  for (const part of parts) checkPart(parsed, part);
  return parsed;
}

function damaged(why: string): AnchorEvalError {
  return new AnchorEvalError("bundle_corrupt", `manifest.json is damaged: ${why}; copy or publish the bundle again`, {
    issues: [{ path: ["manifest.json"], code: "damaged", message: why }],
  });
}

/** Rules between fields. */
function crossCheck(manifest: Manifest, issues: Issue[]): void {
  const add = (path: (string | number)[], code: string, message: string): void =>
    void issues.push({ path, code, message });
  const scenarioIds = manifest.scenarios.map((scenario) => scenario.id);
  for (const kind of ["scenarios", "forms", "banks", "files"] as const) {
    const ids = manifest[kind].map((entry) => ("id" in entry ? entry.id : entry.name));
    ids.forEach((id, index) => {
      if (ids.indexOf(id) !== index) add([kind, index], "duplicate", `${id} stands twice`);
    });
  }
  const coversScenarios = (ids: string[]): boolean => ids.sort().join("\n") === [...scenarioIds].sort().join("\n");
  if (!coversScenarios(manifest.banks.flatMap((bank) => bank.scenarios)))
    add(["banks"], "mismatch", "every scenario must be in one bank, and no other");
  const [first] = manifest.banks;
  const general = (first!.prior.loadings?.length ?? 0) / first!.dims;
  const linked = manifest.banks.every(({ prior }) => prior.loadings !== undefined);
  manifest.banks.forEach(({ scenarios, dims, prior: { mean, covariance, loadings } }, index) => {
    if (scenarios.length > 1)
      add(
        ["banks", index, "scenarios"],
        "unsupported",
        `one ability for several scenarios (${scenarios.join(", ")}) is no longer read: fit the bundle again, each scenario gets its own`,
      );
    const path = ["banks", index, "prior"];
    const ofLoadings = [...path, "loadings"];
    if (mean.length !== dims || covariance.length !== dims * dims)
      add(path, "mismatch", `a prior in ${dims} dimensions has ${dims} means and ${dims * dims} covariances`);
    else if (cholesky(Float64Array.from(covariance), dims) === null)
      add([...path, "covariance"], "invalid_value", "a covariance is positive definite");
    else if (loadings && (!linked || loadings.length !== dims * general))
      add(ofLoadings, "mismatch", "all banks have loadings on the same number of general abilities, or none has any");
    else if (loadings && cholesky(specificCovariance(covariance, loadings, general), dims) === null)
      add(ofLoadings, "invalid_value", "loadings leave a positive definite covariance to the bank's own ability");
  });
  if (!manifest.scenarios.some(({ weight }) => weight > 0))
    add(["scenarios"], "invalid_value", "a scenario must have a weight above 0");
  manifest.scenarios.forEach(({ items, subscenarios, scoreMap }, index) => {
    const sum = subscenarios.reduce((total, subscenario) => total + subscenario.items, 0);
    if (sum !== items)
      add(["scenarios", index, "subscenarios"], "mismatch", `subscenarios have ${sum} items, the scenario ${items}`);
    const { x, y } = scoreMap ?? { x: [], y: [] };
    if (x.length !== y.length || x.some((knot, k) => knot <= x[k - 1]! || y[k]! < y[k - 1]!))
      add(["scenarios", index, "scoreMap"], "invalid_value", "a score map ascends, and has as many y as x");
  });
  const beyond = manifest.parameterization === FULL_SCORE_PARAMETERIZATION;
  if (manifest.scenarios.some(({ fullScore }) => (fullScore !== undefined) !== beyond))
    add(["scenarios"], "mismatch", "all scenarios have a fullScore, and the parameterization says so, or none has");
  manifest.forms.forEach((form, index) => {
    if (!coversScenarios(Object.keys(form.scenarios)))
      add(["forms", index, "scenarios"], "mismatch", "a form covers every scenario of the bundle");
    const { disjointFrom } = form;
    if (disjointFrom !== undefined && !manifest.forms.some(({ id }) => id === disjointFrom && id !== form.id))
      add(["forms", index, "disjointFrom"], "mismatch", `there is no other form ${disjointFrom}`);
    for (const [scenario, { items, whole, stack: alone, together }] of Object.entries(form.scenarios)) {
      const size = manifest.scenarios.find((candidate) => candidate.id === scenario)?.items ?? 0;
      const path = ["forms", index, "scenarios", scenario];
      if (items > size) add([...path, "items"], "out_of_range", `${items} anchors of ${size} items`);
      else if (whole !== (items === size && !beyond))
        add([...path, "whole"], "mismatch", `whole is ${whole}, with ${items} anchors of ${size} items`);
      for (const weights of together ? [alone, together.stack] : [alone])
        if (Math.abs(Object.values(weights).reduce((sum, weight) => sum + weight, 0) - 1) > 1e-5)
          add([...path, "stack"], "invalid_value", "the weights of a stack sum to 1");
      for (const problem of mapProblems(form, scenario)) add([...path, "map"], "mismatch", problem);
      if (together && !linked)
        add([...path, "together"], "mismatch", "answers count together where all banks have loadings");
    }
  });
  if (manifest.forms.every(({ id }) => id !== manifest.defaultForm))
    add(["defaultForm"], "mismatch", `there is no form ${manifest.defaultForm}`);
  for (const name of REQUIRED_FILES)
    if (!manifest.files.some((file) => file.name === name)) add(["files"], "missing", `${name} is missing`);
  manifest.files.forEach((file, index) => {
    const path = ["files", index, "segments"];
    let end = 0;
    for (const segment of file.segments ?? []) {
      const { begin, scenario } = segment;
      if (begin !== end || segment.end < begin) add(path, "mismatch", "segments follow each other without holes");
      end = segment.end;
      if (scenario !== null && !scenarioIds.includes(scenario))
        add(path, "mismatch", `there is no scenario ${scenario}`);
      if (file.segments!.find((other) => other.scenario === scenario) !== segment)
        add(path, "duplicate", `${scenario ?? "null"} has two segments`);
    }
    if (file.name === "parameters.safetensors" && file.segments?.[0]?.scenario !== null)
      add(path, "missing", "the first segment holds what all scenarios need");
    if (file.segments && end !== file.bytes) add(path, "mismatch", "segments cover the file");
  });
}

/** Problems of a scenario's score map. */
function mapProblems({ estimator, scenarios }: FormManifest, scenario: string): string[] {
  const mapped = Object.values(scenarios).filter((other) => other.map !== undefined).length;
  const maps = lookUp(scenarios, scenario)!.map;
  if (maps === undefined) {
    if (mapped > 0) return ["a form has score maps of all scenarios or of none"];
    return estimator === "score-map" ? ["a form whose score is score-map has maps"] : [];
  }
  const problems: string[] = [];
  if (maps.alone.terms.some((term) => term.scenario !== scenario || term.feature === "score"))
    problems.push("a map of the scenario's own answers reads their mean and what they let expect");
  if (maps.together?.terms.some((term) => term.scenario !== null && !Object.hasOwn(scenarios, term.scenario)))
    problems.push("a map of all scenarios reads scenarios of the bundle");
  return problems;
}

/** yanked.json of a version: the last word on whether it is yanked. */
export type Yank = { readonly yanked: true; readonly reason: string } | { readonly yanked: false };

/** Parses yanked.json; one that is damaged still yanks: someone wanted nobody to take this version. */
export function parseYank(bytes: Uint8Array): Yank {
  try {
    const { yanked, reason } = decodeJson(bytes) as Partial<Yank> & {
      reason?: unknown;
    };
    if (yanked === false) return { yanked };
    if (typeof reason === "string") return { yanked: true, reason };
  } catch {
    // Not JSON: see below.
  }
  return { yanked: true, reason: "its yanked.json is damaged" };
}
