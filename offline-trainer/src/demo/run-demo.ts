import { mkdir, readdir, rm, writeFile } from "node:fs/promises";
import { join, relative } from "node:path";
import {
  type BatchResult,
  createClient,
  type Estimate,
  estimateFromAnchors,
  type EstimateRequest,
  loadBundle,
} from "anchoreval";
import { AnchorEvalError } from "anchoreval/internal/core/errors";
import { type EstimatorId, estimatorFigure } from "anchoreval/internal/core/estimators/types";
import { createRandom, type RandomSource } from "anchoreval/internal/core/numeric/random";
import { folderSource } from "anchoreval/internal/node/folder";
import { publishBundle } from "anchoreval/internal/publish/publish-bundle";
import { r2Store } from "anchoreval/internal/publish/r2-store";
import { points, textTable } from "anchoreval/internal/words/figures";
import { resolveBackend, type Provider } from "../backends/resolve-backend.ts";
import { bundleFiles, fit } from "../fit/fit.ts";
import { randomBaseline } from "../fit/errors.ts";
import { DEFAULT_SETTINGS } from "../methods/settings.ts";
import { closingWords } from "../report/closing-words.ts";
import { scoreAt, submatrix, type ResponseMatrix } from "../matrix/response-matrix.ts";
import { fullScores, type ScenarioSlice, scenarioSlices } from "../matrix/scenarios.ts";
import { replicateGroups } from "../matrix/replicates.ts";
import { writeBundleFolder } from "../publish/bundle-folder.ts";
import { renderReport } from "../report/render-report.ts";
import { type LocalWorker, startLocalWorker } from "../serve/local-worker.ts";
import { eligibleTargets, interpolationSplit, type Split, TARGET_OBSERVED } from "../matrix/splits.ts";

/** Estimators whose errors are shown. */
const SHOWN: readonly { readonly id: EstimatorId; readonly title: string }[] = [
  { id: "anchor-mean", title: "anchor mean" },
  { id: "p-irt", title: "p-IRT" },
  { id: "gp-irt", title: "gp-IRT" },
  { id: "gaussian", title: "Gaussian" },
  { id: "gate", title: "gate (score)" },
];

/** Where the demo writes: lines of the result, remarks, progress. */
interface DemoOutput {
  line(text?: string): void;
  remark(text: string): void;
  during<T>(label: string, work: (update: (done: number, of: number, note: string) => void) => Promise<T>): Promise<T>;
}

export interface DemoOptions {
  readonly matrix: ResponseMatrix;
  readonly benchmark: string;
  /** Anchors per scenario that the held-out models answer. */
  readonly anchors: number;
  readonly seed: number;
  readonly provider: Provider;
  /** Folder for the bundle, the answers and the Worker's R2. */
  readonly out: string;
  readonly created: string;
  readonly port: number;
  /** Keep the Worker running until the signal. */
  readonly serve: boolean;
  readonly output: DemoOutput;
  readonly signal: AbortSignal;
}

/** Sizes that are fitted besides the one that is shown. */
const SIZES = [10, 30, 50, 100];

/**
 * Runs the whole path: fits on three quarters of the models, publishes to the Worker's local R2, starts the Worker, and
 * estimates the other models over HTTP from their answers to the anchors.
 */
export async function runDemo(options: DemoOptions): Promise<void> {
  const { matrix, benchmark, anchors, seed, out, output, signal } = options;
  await checkDemoFolder(out);
  const slices = scenarioSlices(matrix.items, DEFAULT_SETTINGS.weighting);
  const { sources, targets } = holdOut(matrix, slices, createRandom(seed).fork("demo"));
  output.line(
    `${matrix.subjects.length} models × ${matrix.items.length} items in ${slices.map(({ id }) => id).join(", ")}: fitted on ${sources.length}, ${targets.length} held out.`,
  );
  const { backend, reason } = await resolveBackend(options.provider);
  output.remark(reason);
  const all = Array.from({ length: matrix.items.length }, (_, i) => i);
  const result = await output.during("fitting", (onProgress) =>
    fit(submatrix(matrix, sources, all), {
      benchmark,
      version: "1.0.0",
      created: options.created,
      sizes: [...new Set([...SIZES, anchors])],
      seed,
      backend,
      signal,
      onProgress,
    }),
  );
  const files = bundleFiles(result, await renderReport(result, { signal }));
  const folder = join(out, "bundle");
  for (const own of OWN) await rm(join(out, own), { recursive: true, force: true });
  await mkdir(out, { recursive: true });
  await writeBundleFolder(folder, files);
  const ownForm = closingWords({
    ...result.content.manifest,
    forms: result.content.manifest.forms
      .filter((form) => form.id === String(anchors))
      .map((form) => ({ ...form, digest: "" })),
    files: [],
  });
  for (const words of ownForm) output.line(words);
  output.line();

  const worker = await startLocalWorker({ port: options.serve ? options.port : 0, persist: join(out, "state") });
  try {
    await publishBundle(r2Store(await worker.bucket()), files);
    const bundle = await loadBundle(folderSource(folder));
    const form = String(anchors);
    const requests = targets.map((model): EstimateRequest & { model: string } => {
      const responses: Record<string, number> = {};
      for (const slice of slices)
        bundle.scenarios
          .get(slice.id)!
          .forms.get(form)!
          .anchors.items.forEach((item, j) => {
            const score = scoreAt(matrix, model, slice.begin + item);
            if (!Number.isNaN(score)) responses[bundle.scenarios.get(slice.id)!.forms.get(form)!.itemIds[j]!] = score;
          });
      return { model: matrix.subjects[model]!, form, responses };
    });
    const client = createClient({ baseUrl: worker.url, signal });
    const estimates = await estimateAll(client, benchmark, requests);
    const gap = Math.max(
      ...estimates.map((estimate, k) =>
        difference(estimate, estimateFromAnchors(bundle, requests[k]!.responses as Record<string, number>, { form })),
      ),
    );

    showModels(output, matrix, slices, targets, estimates);
    showErrors(output, matrix, slices, targets, estimates, anchors, seed);
    output.line(
      `The numbers over HTTP and in this process ${gap === 0 ? "are identical" : `differ by ${gap.toExponential(0)}`}.`,
    );
    await finish(options, worker, requests[0]!);
  } finally {
    await worker.dispose();
  }
}

/** The content of a demo's folder: the bundle, the Worker's R2, one model's answers. */
const OWN = ["bundle", "state", "answers.json"];

/** @throws AnchorEvalError `invalid_option` for a folder that holds anything but an earlier demo */
async function checkDemoFolder(out: string): Promise<void> {
  const names = await readdir(out).catch(() => []);
  const other = names.filter((name) => !OWN.includes(name));
  if (other.length > 0)
    throw new AnchorEvalError(
      "invalid_option",
      `${out} holds other files (${other.slice(0, 3).join(", ")}): choose an empty folder for --out`,
    );
}

/** Estimates the models in batches that the Worker accepts. */
async function estimateAll(
  client: ReturnType<typeof createClient>,
  benchmark: string,
  requests: readonly (EstimateRequest & { model: string })[],
): Promise<Estimate[]> {
  const results: BatchResult[] = [];
  const size = 5; // a Worker's default limit
  for (let begin = 0; begin < requests.length; begin += size)
    results.push(...(await client.estimateBatch({ benchmark, version: "1.0.0" }, requests.slice(begin, begin + size))));
  return results.map((result) => {
    if ("problem" in result)
      throw new AnchorEvalError("request_refused", `${result.model}: ${result.problem.detail}`, {
        issues: result.problem.issues,
      });
    return result.estimate;
  });
}

function difference(left: Estimate, right: Estimate): number {
  return Math.max(
    Math.abs(left.score! - right.score!),
    ...Object.keys(left.scenarios).map((id) => Math.abs(left.scenarios[id]!.score! - right.scenarios[id]!.score!)),
  );
}

/** An estimator's overall score: the mean over scenarios. */
function overall(estimate: Estimate, estimator: EstimatorId): number {
  const scenarios = Object.values(estimate.scenarios);
  return (
    scenarios.reduce((sum, scenario) => sum + estimatorFigure(scenario.details!.estimators, estimator), 0) /
    scenarios.length
  );
}

function showModels(
  output: DemoOutput,
  matrix: ResponseMatrix,
  slices: readonly ScenarioSlice[],
  targets: readonly number[],
  estimates: readonly Estimate[],
): void {
  const full = slices.map((slice) => fullScores(matrix, slice).score);
  const truth = (model: number): number => full.reduce((sum, score) => sum + score[model]!, 0) / full.length;
  const rows = targets
    .map((model, k) => ({ model, estimate: estimates[k]!, truth: truth(model) }))
    .sort((x, y) => y.truth - x.truth)
    .map(({ model, estimate, truth: own }) => [
      matrix.subjects[model]!,
      points(own),
      ...(["anchor-mean", "p-irt", "gp-irt"] as const).map((id) => points(overall(estimate, id))),
      points(estimate.score!),
      estimate.interval ? `${points(estimate.interval.low)} to ${points(estimate.interval.high)}` : "",
    ]);
  output.line("Overall scores of the held-out models, in points:");
  for (const line of textTable(
    [["model", "true", "anchor mean", "p-IRT", "gp-IRT", "score", "95 % interval"], ...rows],
    "l" + "r".repeat(6),
  ))
    output.line(line);
  const held = targets.filter((model, k) => {
    const { interval } = estimates[k]!;
    return interval !== null && interval.low <= truth(model) && truth(model) <= interval.high;
  });
  output.line(`${held.length} of ${targets.length} intervals hold the true score.`);
  output.line();
}

function showErrors(
  output: DemoOutput,
  matrix: ResponseMatrix,
  slices: readonly ScenarioSlice[],
  targets: readonly number[],
  estimates: readonly Estimate[],
  anchors: number,
  seed: number,
): void {
  const mean = (values: readonly number[]): number => values.reduce((sum, value) => sum + value, 0) / values.length;
  const full = slices.map((slice) => fullScores(matrix, slice).score);
  const random = slices.map((slice, s) =>
    Array.from(
      randomBaseline(
        matrix,
        slice,
        targets,
        targets.map((model) => full[s]![model]!),
        anchors,
        createRandom(seed).fork(`random ${slice.id}`),
      ).errors,
    ),
  );
  const rows = slices.map(({ id, count }, s) => [
    id,
    `${Math.min(anchors, count)} of ${count}`,
    points(mean(random[s]!)),
    ...SHOWN.map(({ id: estimator }) =>
      points(
        mean(
          targets.map((model, k) =>
            Math.abs(estimatorFigure(estimates[k]!.scenarios[id]!.details!.estimators, estimator) - full[s]![model]!),
          ),
        ),
      ),
    ),
  ]);
  const truth = (model: number): number => mean(full.map((score) => score[model]!));
  rows.push([
    "overall",
    String(slices.reduce((sum, { count }) => sum + Math.min(anchors, count), 0)),
    points(
      mean(targets.map((_, t) => Math.sqrt(random.reduce((sum, errors) => sum + errors[t]! ** 2, 0)) / slices.length)),
    ),
    ...SHOWN.map(({ id: estimator }) =>
      points(mean(targets.map((model, k) => Math.abs(overall(estimates[k]!, estimator) - truth(model))))),
    ),
  ]);
  output.line("Mean absolute error of the held-out models, in points:");
  for (const line of textTable(
    [["scenario", "items asked", "random items", ...SHOWN.map(({ title }) => title)], ...rows],
    "l" + "r".repeat(2 + SHOWN.length),
  ))
    output.line(line);
  output.line();
}

async function finish(
  { out, benchmark, serve, output, signal }: DemoOptions,
  worker: LocalWorker,
  request: EstimateRequest & { model: string },
): Promise<void> {
  const answers = join(out, "answers.json");
  await writeFile(answers, `${JSON.stringify({ form: request.form, responses: request.responses }, null, 1)}\n`);
  const here = (path: string): string => relative(process.cwd(), path);
  output.line(`report: ${here(join(out, "bundle", "report.html"))}`);
  output.line(`one model again (${request.model}), ${serve ? "while this runs" : "with npm run demo -- --serve"}:`);
  output.line(
    `  curl -s ${serve ? worker.url : "http://127.0.0.1:8787"}/v1/bundles/${benchmark}/1.0.0/estimates -H 'content-type: application/json' -d @${here(answers)}`,
  );
  if (!serve) return;
  output.line(`${worker.url} is up (a page; its HTTP interface at ${worker.url}/docs); Ctrl-C stops it`);
  if (!signal.aborted) await new Promise((resolve) => signal.addEventListener("abort", resolve, { once: true }));
}

/**
 * Holds out a quarter of the models; replicates of a held-out model are not fitted on either.
 * @throws AnchorEvalError `invalid_data` if no model has answered enough of every scenario
 */
function holdOut(matrix: ResponseMatrix, slices: readonly ScenarioSlice[], random: RandomSource): Split {
  const eligible = eligibleTargets(slices.map((slice) => fullScores(matrix, slice)));
  const split = interpolationSplit({ groups: replicateGroups(matrix), eligible }, random);
  if (split.targets.length === 0 || split.sources.length < 5)
    throw new AnchorEvalError(
      "invalid_data",
      `nothing to show: ${split.sources.length} models to fit on and ${split.targets.length} to estimate; at least 5 and 1 are needed, and a held-out model must have answered ${100 * TARGET_OBSERVED} % of every scenario`,
    );
  return split;
}
