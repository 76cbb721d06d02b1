// What a bundle's routes are worth on RouterDC's MMLU questions, and what they cost: the bundle is fitted on the 2000 train
// questions, the 4213 test questions are routed from it as the Worker would.
// usage: node bench/cold-start.js FOLDER [--embeddings FILE] [--dims 1] [--neighbours 20]
// FOLDER has routerdc7/responses.csv.gz and items.jsonl.gz; a score that isn't 0 is right.
import { parseArgs } from "node:util";
import { loadRouting, routeFromBundle } from "anchoreval";
import { createRandom } from "anchoreval/internal/core/numeric/random";
import {
  bundleFiles,
  fit,
  fitColdStart,
  forecastQuality,
  readEmbeddings,
  recommended,
  resolveBackend,
  responseMatrix,
  scoreAt,
  splitQuestions,
  testAnswers,
  withColdStart,
} from "anchoreval-trainer";
import { readLeaderboard } from "./read-leaderboard.js";

const { values, positionals } = parseArgs({
  options: {
    embeddings: { type: "string" },
    dims: { type: "string", default: "1" },
    neighbours: { type: "string", default: "20" },
  },
  allowPositionals: true,
});
const split = splitQuestions(await readLeaderboard(positionals[0], "routerdc7"), {
  train: "train",
  test: "test",
  scenario: "mmlu",
});
const { subjects, items } = split.train;
const right = Float64Array.from({ length: subjects.length * items.length }, (_, at) => {
  const score = scoreAt(split.train, Math.floor(at / items.length), at % items.length);
  return Number.isNaN(score) ? NaN : Number(score > 0);
});
const embeddings = values.embeddings ? await readEmbeddings(values.embeddings) : null;
const { backend } = await resolveBackend("cpu");
const result = await fit(responseMatrix(subjects, items, right), {
  benchmark: "quiz",
  version: "1.0.0",
  created: "2026-01-01T00:00:00Z",
  method: { ...recommended, settings: { ...recommended.settings, dims: Number(values.dims) } },
  sizes: [50],
  seed: 1,
  backend,
  includeModelNames: true,
});
let begun = performance.now();
const random = createRandom(1).fork("cold start");
const groups = result.parts.flatMap(({ learned }) => learned.groups);
const cold = fitColdStart(groups, { items: split.test, embeddings }, subjects, random);
console.log(`cold start learned in ${((performance.now() - begun) / 1000).toFixed(1)} s`);
const { parameters, dims } = cold.content.routing.scenarios.get("mmlu");
const k = Number(values.neighbours);
const byNeighbours = [false, true].map((weighted) => {
  const own = { items: split.test.slice(0, 1), embeddings, neighbours: { k, weighted } };
  return fitColdStart(groups, own, null, random).content.items[0].bError;
});
const intercepts = groups[0].bank.scenarios[0].bank.b;
const mean = intercepts.reduce((sum, b) => sum + b, 0) / intercepts.length;
const spread = Math.sqrt(intercepts.reduce((sum, b) => sum + (b - mean) ** 2, 0) / intercepts.length);
console.log(
  `error of the intercept, left out: ridge ${Math.sqrt(parameters[dims].noise).toFixed(3)}, knn ${byNeighbours[0].toFixed(3)}, weighted-knn ${byNeighbours[1].toFixed(3)} (k = ${k}); its standard deviation ${spread.toFixed(3)}`,
);
const files = bundleFiles({ ...result, content: withColdStart(result.content, cold) });
console.log(`routing.safetensors ${(files.get("routing.safetensors").length / 1e6).toFixed(2)} MB`);

begun = performance.now();
const routing = await loadRouting({ name: "memory", read: (name) => Promise.resolve(files.get(name) ?? null) });
console.log(`loaded in ${(performance.now() - begun).toFixed(0)} ms`);
const questions = split.test.map(({ item_id: id, text }) =>
  embeddings ? { id, embedding: Array.from(embeddings.vectors.get(id)) } : { id, text },
);
const cpu = process.cpuUsage();
const { routes, models, leftOut } = routeFromBundle(routing, questions);
const { user, system } = process.cpuUsage(cpu);
console.log(`${((user + system) / 1000 / routes.length).toFixed(3)} ms of CPU a question`);

const answers = testAnswers(split, 0, models.length);
const share = (pickOf) =>
  (100 * routes.reduce((sum, _, i) => sum + answers[i * models.length + pickOf(i)], 0)) / routes.length;
const { brier, logLoss, calibrationError } = forecastQuality(
  Float64Array.from(routes.flatMap(({ chances }) => chances)),
  answers,
);
const { single } = routing.manifest.coldStart.scenarios.mmlu;
const train = routing.manifest.coldStart.scenarios.mmlu.leftOut;
console.log(
  `train, left out: right ${(100 * leftOut.right).toFixed(1)}, single ${(100 * leftOut.singleRight).toFixed(1)}, log loss ${train.logLoss.toFixed(4)}`,
);
console.log(
  `test: right ${share((i) => models.indexOf(routes[i].pick)).toFixed(1)}, single ${share(() => single).toFixed(1)}`,
);
console.log(
  `test: Brier ${brier.toFixed(4)}, log loss ${logLoss.toFixed(4)}, calibration error ${calibrationError.toFixed(3)}`,
);
