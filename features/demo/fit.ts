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
import { AnchorEvalError, invalidOption } from "anchoreval/internal/core/errors";
import { type EstimatorId, estimatorFigure } from "anchoreval/internal/core/estimators/types";
import { createRandom, type RandomSource } from "anchoreval/internal/core/numeric/random";
import { folderSource } from "anchoreval/internal/node/folder";
import { publishBundle } from "anchoreval/internal/features/publishing/sdk/publish-bundle";
import { r2Store } from "anchoreval/internal/bundles/r2-store";
import { points, textTable } from "anchoreval/internal/words/figures";
import { resolveBackend, type Provider } from "../../offline-trainer/src/backends/resolve-backend.ts";
import { bundleFiles, fit, type Fit } from "../../offline-trainer/src/fit/fit.ts";
import { fitWork } from "../../offline-trainer/src/fit/folds.ts";
import { randomBaseline } from "../../offline-trainer/src/fit/errors.ts";
import { recommended } from "../../offline-trainer/src/methods/method.ts";
import { DEFAULT_SETTINGS } from "../../offline-trainer/src/methods/settings.ts";
import { closingWords } from "../../offline-trainer/src/fit/closing-words.ts";
import { scoreAt, submatrix, type ResponseMatrix } from "../../offline-trainer/src/matrix/response-matrix.ts";
import { fullScores, type ScenarioSlice, scenarioSlices } from "../../offline-trainer/src/matrix/scenarios.ts";
import { replicateGroups } from "../../offline-trainer/src/matrix/alike/replicates.ts";
import { writeBundleFolder } from "anchoreval/internal/node/bundle-folder";
import { type LocalWorker, startLocalWorker } from "../serve/fit/local-worker.ts";
import {
  eligibleTargets,
  interpolationSplit,
  type Split,
  TARGET_OBSERVED,
} from "../../offline-trainer/src/matrix/splits.ts";
import { lookUp } from "anchoreval/internal/core/bundle/names";

/** Estimators whose errors are shown. */
const SHOWN: readonly { readonly id: EstimatorId; readonly title: string }[] = [
  { id: "anchor-mean", title: "anchor mean" },
  { id: "p-irt", title: "p-IRT" },
  { id: "gp-irt", title: "gp-IRT" },
  { id: "gaussian", title: "Gaussian" },
  { id: "gate", title: "gate (score)" },
];

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
  /** Renders the fit's report.html. */
  report(result: Fit, options: { readonly signal: AbortSignal }): Promise<Uint8Array>;
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
  const board = submatrix(matrix, sources, [...matrix.items.keys()]);
  const { backend, reason } = await resolveBackend(options.provider, { work: fitWork(board, recommended) });
  output.remark(reason);
  const result = await output.during("fitting", (onProgress) =>
    fit(board, {
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
  const files = bundleFiles(result, await options.report(result, { signal }));
  const folder = join(out, "bundle");
  for (const name of OWN) await rm(join(out, name), { recursive: true, force: true });
  await mkdir(out, { recursive: true });
  await writeBundleFolder(folder, files);
  const { manifest } = result.content;
  const form = String(anchors);
  for (const words of closingWords({ ...manifest, forms: manifest.forms.filter(({ id }) => id === form) }))
    output.line(words);
  output.line();

  const worker = await startLocalWorker({ port: options.serve ? options.port : 0, persist: join(out, "state") });
  try {
    await publishBundle(r2Store(await worker.bucket()), files);
    const bundle = await loadBundle(folderSource(folder));
    const requests = targets.map((model): DemoRequest => {
      const responses = new Map<string, number>();
      for (const slice of slices) {
        const { anchors: asked, itemIds } = bundle.scenarios.get(slice.id)!.forms.get(form)!;
        asked.items.forEach((item, j) => {
          const score = scoreAt(matrix, model, slice.begin + item);
          if (!Number.isNaN(score)) responses.set(itemIds[j]!, score);
        });
      }
      return { model: matrix.subjects[model]!, form, responses: Object.fromEntries(responses) };
    });
    const client = createClient({ baseUrl: worker.url, signal });
    const estimates = await estimateAll(client, benchmark, requests);
    const gaps = requests.map(({ responses }, k) =>
      difference(estimates[k]!, estimateFromAnchors(bundle, responses, { form })),
    );
    const gap = Math.max(...gaps);

    const full = slices.map((slice) => fullScores(matrix, slice).score);
    const held = targets.map((model, k): HeldModel => {
      const truths = full.map((score) => score[model]!);
      return { name: matrix.subjects[model]!, truths, truth: mean(truths), estimate: estimates[k]! };
    });
    showModels(output, held);
    const random = slices.map((slice, s) => {
      const stream = createRandom(seed).fork(`random ${slice.id}`);
      const truths = held.map((other) => other.truths[s]!);
      return Array.from(randomBaseline({ ...slice, matrix }, targets, truths, anchors, stream).errors);
    });
    showErrors(output, slices, held, random, anchors);
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
    throw invalidOption(
      `${out} holds other files (${other.slice(0, 3).join(", ")}): choose an empty folder for \`out\``,
    );
}

/** A held-out model's answers to the anchors. */
type DemoRequest = EstimateRequest & { readonly model: string; readonly responses: Readonly<Record<string, number>> };

/** Estimates the models in batches that the Worker accepts. */
async function estimateAll(
  client: ReturnType<typeof createClient>,
  benchmark: string,
  requests: readonly DemoRequest[],
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
    ...Object.keys(left.scenarios).map((id) =>
      Math.abs(lookUp(left.scenarios, id)!.score! - lookUp(right.scenarios, id)!.score!),
    ),
  );
}

/** An estimator's overall score: the mean over scenarios. */
function overall(estimate: Estimate, estimator: EstimatorId): number {
  return mean(Object.values(estimate.scenarios).map(({ details }) => estimatorFigure(details!.estimators, estimator)));
}

function mean(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}

/** A held-out model: its full scores by scenario and their mean, and its estimate. */
interface HeldModel {
  readonly name: string;
  readonly truths: readonly number[];
  readonly truth: number;
  readonly estimate: Estimate;
}

function showTable(output: DemoOutput, title: string, header: readonly string[], rows: readonly string[][]): void {
  output.line(title);
  for (const line of textTable([header, ...rows], `l${"r".repeat(header.length - 1)}`)) output.line(line);
}

function showModels(output: DemoOutput, held: readonly HeldModel[]): void {
  const shown = SHOWN.slice(0, 3);
  showTable(
    output,
    "Overall scores of the held-out models, in points:",
    ["model", "true", ...shown.map(({ title }) => title), "score", "95 % interval"],
    [...held]
      .sort((x, y) => y.truth - x.truth)
      .map(({ name, truth, estimate }) => [
        name,
        points(truth),
        ...shown.map(({ id }) => points(overall(estimate, id))),
        points(estimate.score!),
        estimate.interval ? `${points(estimate.interval.low)} to ${points(estimate.interval.high)}` : "",
      ]),
  );
  const hits = held.filter(
    ({ truth, estimate: { interval } }) => interval !== null && interval.low <= truth && truth <= interval.high,
  );
  output.line(`${hits.length} of ${held.length} intervals hold the true score.`);
  output.line();
}

/** @param random - errors of random items, by scenario and model */
function showErrors(
  output: DemoOutput,
  slices: readonly ScenarioSlice[],
  held: readonly HeldModel[],
  random: readonly (readonly number[])[],
  anchors: number,
): void {
  const rows = slices.map(({ id, count }, s) => [
    id,
    `${Math.min(anchors, count)} of ${count}`,
    points(mean(random[s]!)),
    ...SHOWN.map(({ id: estimator }) => {
      const figure = ({ estimate }: HeldModel): number =>
        estimatorFigure(lookUp(estimate.scenarios, id)!.details!.estimators, estimator);
      return points(mean(held.map((other) => Math.abs(figure(other) - other.truths[s]!))));
    }),
  ]);
  rows.push([
    "overall",
    String(slices.reduce((sum, { count }) => sum + Math.min(anchors, count), 0)),
    points(
      mean(held.map((_, t) => Math.sqrt(random.reduce((sum, errors) => sum + errors[t]! ** 2, 0)) / slices.length)),
    ),
    ...SHOWN.map(({ id }) => points(mean(held.map(({ estimate, truth }) => Math.abs(overall(estimate, id) - truth))))),
  ]);
  const title = "Mean absolute error of the held-out models, in points:";
  showTable(output, title, ["scenario", "items asked", "random items", ...SHOWN.map((column) => column.title)], rows);
  output.line();
}

async function finish(
  { out, benchmark, serve, output, signal }: DemoOptions,
  worker: LocalWorker,
  request: DemoRequest,
): Promise<void> {
  const answers = join(out, "answers.json");
  await writeFile(answers, `${JSON.stringify({ form: request.form, responses: request.responses }, null, 1)}\n`);
  const here = (path: string): string => relative(process.cwd(), path);
  output.line(`report: ${here(join(out, "bundle", "report.html"))}`);
  output.line(`one model again (${request.model}), ${serve ? "while this runs" : "while the Worker runs"}:`);
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
