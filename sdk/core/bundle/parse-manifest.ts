import { AnchorEvalError, type Issue } from "../errors.ts";
import { cholesky } from "../numeric/dense.ts";
import { manifestSchema, type FormManifest, type Manifest } from "./manifest.ts";
import { FORMAT_VERSION } from "./names.ts";
import { readValue } from "./schema.ts";

/**
 * Parses and checks manifest.json.
 * @throws AnchorEvalError `bundle_format_unsupported` for a newer format major, `bundle_invalid` with a list of issues
 * for anything that breaks the format; unknown fields are ignored
 */
export function parseManifest(bytes: Uint8Array): Manifest {
  let value: unknown;
  try {
    value = JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(bytes));
  } catch (cause) {
    throw new AnchorEvalError("bundle_invalid", "manifest.json is not JSON in UTF-8", { cause });
  }
  const version = (value as { formatVersion?: unknown } | null)?.formatVersion;
  const major = typeof version === "string" ? Number.parseInt(version, 10) : NaN;
  if (major > Number.parseInt(FORMAT_VERSION, 10))
    throw new AnchorEvalError(
      "bundle_format_unsupported",
      `this bundle has format ${String(version)}, this reader knows ${FORMAT_VERSION} and older minors: update anchoreval`,
    );
  const issues: Issue[] = [];
  const parsed = readValue(manifestSchema, value, [], issues);
  if (issues.length === 0) crossCheck(parsed, issues);
  if (issues.length > 0)
    throw new AnchorEvalError(
      "bundle_invalid",
      `manifest.json breaks the bundle format: ${issues[0]!.path.join(".") || "(root)"}: ${issues[0]!.message}${issues.length > 1 ? ` (and ${issues.length - 1} more)` : ""}`,
      { issues },
    );
  return parsed;
}

/** Rules between fields. */
function crossCheck(manifest: Manifest, issues: Issue[]): void {
  const add = (path: (string | number)[], code: string, message: string): void =>
    void issues.push({ path, code, message });
  const scenarioIds = manifest.scenarios.map((scenario) => scenario.id);
  const unique = (ids: readonly string[], path: string): void => {
    ids.forEach((value, index) => {
      if (ids.indexOf(value) !== index) add([path, index], "duplicate", `${value} stands twice`);
    });
  };
  unique(scenarioIds, "scenarios");
  unique(
    manifest.forms.map((form) => form.id),
    "forms",
  );
  unique(
    manifest.banks.map((bank) => bank.id),
    "banks",
  );
  unique(
    manifest.files.map((file) => file.name),
    "files",
  );
  const banked = manifest.banks.flatMap((bank) => bank.scenarios);
  if ([...banked].sort().join("\n") !== [...scenarioIds].sort().join("\n"))
    add(["banks"], "mismatch", "every scenario must be in one bank, and no other");
  manifest.banks.forEach(({ dims, prior }, index) => {
    if (prior.mean.length !== dims || prior.covariance.length !== dims * dims)
      add(
        ["banks", index, "prior"],
        "mismatch",
        `a prior in ${dims} dimensions has ${dims} means and ${dims * dims} covariances`,
      );
    else if (cholesky(Float64Array.from(prior.covariance), dims) === null)
      add(["banks", index, "prior", "covariance"], "invalid_value", "a covariance is positive definite");
    else if (prior.loadings) checkLoadings(prior.loadings, dims, ["banks", index, "prior", "loadings"]);
  });
  function checkLoadings(loadings: readonly number[], dims: number, path: (string | number)[]): void {
    const general = (manifest.banks[0]!.prior.loadings?.length ?? 0) / manifest.banks[0]!.dims;
    if (manifest.banks.some(({ prior }) => prior.loadings === undefined) || loadings.length !== dims * general) {
      add(path, "mismatch", "all banks have loadings on the same number of general abilities, or none has any");
      return;
    }
    const specific = Float64Array.from(manifest.banks[path[1] as number]!.prior.covariance, (value, at) => {
      const [r, c] = [Math.floor(at / dims), at % dims];
      for (let k = 0; k < general; k++) value -= loadings[r * general + k]! * loadings[c * general + k]!;
      return value;
    });
    if (cholesky(specific, dims) === null)
      add(path, "invalid_value", "loadings leave a positive definite covariance to the bank's own ability");
  }
  if (!manifest.scenarios.some(({ weight }) => weight > 0))
    add(["scenarios"], "invalid_value", "a scenario must have a weight above 0");
  manifest.scenarios.forEach(({ items, subscenarios, scoreMap }, index) => {
    const sum = subscenarios.reduce((total, subscenario) => total + subscenario.items, 0);
    if (sum !== items)
      add(["scenarios", index, "subscenarios"], "mismatch", `subscenarios have ${sum} items, the scenario ${items}`);
    if (
      scoreMap &&
      (scoreMap.x.length !== scoreMap.y.length || !ascends(scoreMap.x, true) || !ascends(scoreMap.y, false))
    )
      add(["scenarios", index, "scoreMap"], "invalid_value", "a score map ascends, and has as many y as x");
  });
  manifest.forms.forEach((form, index) => {
    if (Object.keys(form.scenarios).sort().join("\n") !== [...scenarioIds].sort().join("\n"))
      add(["forms", index, "scenarios"], "mismatch", "a form covers every scenario of the bundle");
    const { disjointFrom } = form;
    if (disjointFrom !== undefined && !manifest.forms.some(({ id }) => id === disjointFrom && id !== form.id))
      add(["forms", index, "disjointFrom"], "mismatch", `there is no other form ${disjointFrom}`);
    for (const [scenario, { items, whole, stack: alone, together }] of Object.entries(form.scenarios)) {
      const size = manifest.scenarios.find((candidate) => candidate.id === scenario)?.items ?? 0;
      const path = ["forms", index, "scenarios", scenario];
      if (items > size) add([...path, "items"], "out_of_range", `${items} anchors of ${size} items`);
      else if (whole !== (items === size))
        add([...path, "whole"], "mismatch", `whole is ${whole}, with ${items} anchors of ${size} items`);
      for (const weights of together ? [alone, together.stack] : [alone])
        if (Math.abs(Object.values(weights).reduce((sum, weight) => sum + weight, 0) - 1) > 1e-5)
          add([...path, "stack"], "invalid_value", "the weights of a stack sum to 1");
      for (const problem of mapProblems(form, scenario)) add([...path, "map"], "mismatch", problem);
      if (together && manifest.banks.some(({ prior }) => prior.loadings === undefined))
        add([...path, "together"], "mismatch", "answers count together where all banks have loadings");
    }
  });
  if (!manifest.forms.some((form) => form.id === manifest.defaultForm))
    add(["defaultForm"], "mismatch", `there is no form ${manifest.defaultForm}`);
  for (const id of Object.keys(manifest.coldStart?.scenarios ?? {}))
    if (!scenarioIds.includes(id)) add(["coldStart", "scenarios", id], "mismatch", `there is no scenario ${id}`);
  const all = manifest.scenarios.reduce((sum, { items }) => sum + items, 0);
  const simulated = manifest.exposure?.simulated;
  if (simulated && !(simulated.batch <= simulated.budget && simulated.budget <= all))
    add(
      ["exposure", "simulated"],
      "out_of_range",
      `batches of ${simulated.batch}, ${simulated.budget} of ${all} items`,
    );
  for (const name of ["parameters.safetensors", "anchors.jsonl", "items.jsonl"] as const)
    if (!manifest.files.some((file) => file.name === name)) add(["files"], "missing", `${name} is missing`);
  manifest.files.forEach((file, index) => {
    let end = 0;
    for (const segment of file.segments ?? []) {
      if (segment.begin !== end || segment.end < segment.begin)
        add(["files", index, "segments"], "mismatch", "segments follow each other without holes");
      end = segment.end;
      const { scenario } = segment;
      if (scenario !== null && !scenarioIds.includes(scenario))
        add(["files", index, "segments"], "mismatch", `there is no scenario ${scenario}`);
      if (file.segments!.find((other) => other.scenario === scenario) !== segment)
        add(["files", index, "segments"], "duplicate", `${scenario ?? "null"} has two segments`);
    }
    if (file.name === "parameters.safetensors" && file.segments?.[0]?.scenario !== null)
      add(["files", index, "segments"], "missing", "the first segment holds what all scenarios need");
    if (file.segments && end !== file.bytes) add(["files", index, "segments"], "mismatch", "segments cover the file");
  });
}

/** What is wrong with a scenario's score map. */
function mapProblems({ estimator, scenarios }: FormManifest, scenario: string): string[] {
  const mapped = Object.values(scenarios).filter((own) => own.map !== undefined).length;
  const own = scenarios[scenario]!.map;
  if (own === undefined) {
    if (mapped > 0) return ["a form has score maps of all scenarios or of none"];
    return estimator === "score-map" ? ["a form whose score is score-map has maps"] : [];
  }
  const problems: string[] = [];
  if (own.alone.terms.some((term) => term.scenario !== scenario || term.feature === "score"))
    problems.push("a map of the scenario's own answers reads their mean and what they let expect");
  if (own.together?.terms.some((term) => term.scenario !== null && !Object.hasOwn(scenarios, term.scenario)))
    problems.push("a map of all scenarios reads scenarios of the bundle");
  return problems;
}

function ascends(values: readonly number[], strictly: boolean): boolean {
  return values.every(
    (value, index) => index === 0 || (strictly ? value > values[index - 1]! : value >= values[index - 1]!),
  );
}
