import { AnchorEvalError, type Issue } from "../errors.ts";
import { MAP_FEATURES } from "../estimators/additive-map.ts";
import { ALL_ESTIMATORS, BASE_ESTIMATORS, ESTIMATORS, type BaseEstimatorId } from "../estimators/types.ts";
import { PARAMETERIZATION } from "../irt/item-bank.ts";
import type { PatternThresholds } from "../person-fit/answer-pattern.ts";
import { cholesky } from "../numeric/dense.ts";
import { anything, flag, list, nullable, number, object, oneOf, record, text, type Check } from "./check.ts";
import {
  IRT_MODELS,
  BUNDLE_FILES,
  ERROR_LEVELS,
  FORMAT_VERSION,
  WEIGHTINGS,
  type BaseManifest,
  type BridgeManifest,
  type ColdStartManifest,
  type ErrorSummary,
  type ExposureManifest,
  type FormManifest,
  type Manifest,
  type MapManifest,
  type MeasuredErrors,
} from "./manifest.ts";
import { BENCHMARK_NAME, FORM_ID, idProblem, SHA256, VERSION } from "./names.ts";

const id = text({ problem: idProblem });
const count = number({ min: 1, integer: true });
const offset = number({ min: 0, integer: true });
const share = number({ min: 0, max: 1 });

const errorSummary: Check<ErrorSummary> = object({ mae: number({ min: 0 }), rmse: number({ min: 0 }), bias: number() });
const split = nullable(
  object(
    {
      models: count,
      estimators: object(
        Object.fromEntries(ESTIMATORS.map((estimator) => [estimator, errorSummary])) as Record<
          (typeof ESTIMATORS)[number],
          typeof errorSummary
        >,
        { "score-map": errorSummary },
      ),
      randomMae: number({ min: 0 }),
      coverage95: nullable(share),
      halfWidth95: nullable(number({ min: 0 })),
      absoluteError: list(nullable(number({ min: 0 })), { min: ERROR_LEVELS.length }),
    },
    { coverageSe: nullable(number({ min: 0 })) },
  ),
);
const stack = object(
  Object.fromEntries(BASE_ESTIMATORS.map((estimator) => [estimator, share])) as Record<BaseEstimatorId, typeof share>,
);
const measured: Check<MeasuredErrors> = object({ interpolation: split, extrapolation: split });

const pattern: Check<PatternThresholds> = object({
  models: count,
  lzStar: number(),
  preknowledge: number(),
  stronger: nullable(object({ lzStar: number(), preknowledge: number() })),
  brokenRun: number({ min: 0 }),
  infit: number({ min: 0 }),
  outfit: number({ min: 0 }),
});

const map: Check<MapManifest> = object({
  intercept: number(),
  terms: list(object({ feature: oneOf(MAP_FEATURES), scenario: nullable(id) }), { min: 1 }),
});

const measuredBlend = {
  lambda: share,
  stack,
  rmse: number({ min: 0 }),
  overallRmse: nullable(number({ min: 0 })),
  tightening: object({ inside: number({ min: 1e-6 }), outside: number({ min: 1e-6, max: 1 }) }),
  measured,
};

const coldStart: Check<ColdStartManifest> = object(
  {
    features: oneOf(["tf-idf", "embeddings"]),
    width: count,
    items: offset,
    scenarios: record(
      object({
        questions: count,
        method: oneOf(["ridge", "answer-ridge"]),
        single: offset,
        leftOut: object({
          questions: count,
          brier: share,
          logLoss: number({ min: 0 }),
          calibrationError: share,
          right: share,
          singleRight: share,
        }),
      }),
    ),
  },
  { neighbours: object({ k: count, weighted: flag }) },
);

const exposure: Check<ExposureManifest> = object({
  limit: number({ min: 1e-6, max: 1 }),
  reached: share,
  unlimited: share,
  simulated: object({ budget: count, batch: count, models: count, evaluations: count }),
});

const bridge: Check<BridgeManifest | null> = nullable(
  object({ models: count, slope: number(), intercept: number(), error: number({ min: 0 }) }),
);
const base: Check<BaseManifest> = object({
  benchmark: text({ pattern: BENCHMARK_NAME }),
  version: text({ pattern: VERSION }),
  digest: text({ pattern: /^sha256:[0-9a-f]{64}$/ }),
  items: object({ standing: count, placed: offset }),
  rerun: offset,
  drawn: share,
  texts: flag,
  anchors: record(object({ kept: offset, of: count })),
  bridge: object({ overall: bridge, scenarios: record(bridge) }),
});

const manifest: Check<Manifest> = object(
  {
    formatVersion: text({ pattern: /^\d+\.\d+$/ }),
    benchmark: text({ pattern: BENCHMARK_NAME }),
    version: text({ pattern: VERSION }),
    benchmarkVersion: nullable(text()),
    created: text({ pattern: /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(\.\d+)?Z$/ }),
    description: nullable(text()),
    parameterization: oneOf([PARAMETERIZATION]),
    weighting: oneOf(WEIGHTINGS),
    banks: list(
      object({
        id,
        scenarios: list(id, { min: 1 }),
        irtModel: oneOf(IRT_MODELS),
        dims: count,
        prior: object(
          {
            mean: list(number(), { min: 1 }),
            covariance: list(number(), { min: 1 }),
            scale: number({ min: 1e-6 }),
          },
          { loadings: list(number(), { min: 1 }) },
        ),
      }),
      { min: 1 },
    ),
    scenarios: list(
      object({
        id,
        weight: number({ min: 0 }),
        items: count,
        subscenarios: list(object({ id: nullable(id), items: count }), { min: 1 }),
        threshold: nullable(share),
        scoreMap: nullable(object({ x: list(number(), { min: 1 }), y: list(number(), { min: 1 }) })),
      }),
      { min: 1 },
    ),
    forms: list(
      object(
        {
          id: text({ pattern: FORM_ID }),
          selection: text(),
          digest: text({ pattern: SHA256 }),
          estimator: oneOf(ALL_ESTIMATORS),
          interval: oneOf(["design", "cross-validated"]),
          scenarios: record(
            object(
              { items: count, whole: flag, ...measuredBlend, together: nullable(object(measuredBlend)) },
              { pattern: nullable(pattern), map: object({ alone: map, together: nullable(map) }) },
            ),
          ),
          overall: nullable(
            object({ inflation: number({ min: 1 }), seen: nullable(object({ worst: share, best: share })), measured }),
          ),
        },
        { disjointFrom: text({ pattern: FORM_ID }) },
      ),
      { min: 1 },
    ),
    defaultForm: text({ pattern: FORM_ID }),
    sources: object({ models: count, names: nullable(list(text())), note: nullable(text()) }),
    protocol: record((value, path, issues) =>
      typeof value === "number" || typeof value === "boolean" ? value : text()(value, path, issues),
    ),
    fit: record(anything),
    data: object({ licence: nullable(text()), source: nullable(text()) }),
    files: list(
      object(
        { name: oneOf(BUNDLE_FILES), bytes: offset, sha256: text({ pattern: SHA256 }) },
        {
          segments: list(
            object({ begin: offset, end: offset, sha256: text({ pattern: SHA256 }), scenario: nullable(id) }),
          ),
        },
      ),
      { min: 1 },
    ),
  },
  { coldStart, exposure, base },
);

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
  const parsed = manifest(value, [], issues);
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
