import {
  estimate,
  estimateFromAnchors,
  estimatePassAtK,
  estimateTrials,
  loadBundle,
  loadRouting,
  planFromBundle,
  planTrials,
  routeFromBundle,
  type Estimate,
  type EstimateRequest,
  type ItemTrials,
  type PassEstimate,
  type RoutesRequest,
  type TrialResponses,
} from "anchoreval";
import { formItemIds } from "anchoreval/bundle";
import { createRandom } from "anchoreval/internal/core/numeric/random";
import { answerCost, type AnswerCost } from "anchoreval/internal/features/prices/sdk/bundle-prices";
import { planRequest } from "anchoreval/internal/features/sdk-plan";
import type { TestProject } from "vitest/node";
import type { GoldenEstimate, GoldenTrials } from "./golden-estimate.ts";
import type { GoldenRoutes } from "./golden-routes.ts";
import { memorySource } from "./memory-source.ts";
import { routingBundle } from "./routing-bundle.ts";
import { sampleAnswers } from "./sample-answers.ts";
import { sampleBundle, type SampleBundleOptions } from "./sample-bundle.ts";

/** Vitest's global setup: computes in Node what other runtimes must reproduce. */
export default async function (project: TestProject): Promise<void> {
  project.provide("goldenEstimates", await goldenEstimates());
  project.provide("goldenTrials", await goldenTrials());
  project.provide("goldenRoutes", await goldenRoutes());
}

/** Estimates of sample bundles in Node. */
export async function goldenEstimates(): Promise<GoldenEstimate[]> {
  const plain: SampleBundleOptions = { benchmark: "plain" };
  const purposive: SampleBundleOptions = { benchmark: "purposive", purposive: true };
  const deep: SampleBundleOptions = { benchmark: "deep", dims: 5, items: [400, 300], sizes: [20, 50] };
  const whole: SampleBundleOptions = { benchmark: "whole", items: [20, 20], sizes: [10, 20] };
  const mapped: SampleBundleOptions = { benchmark: "mapped", purposive: true, maps: true };
  const predicting: SampleBundleOptions = { benchmark: "predicting", unasked: true };
  const alone = Object.entries(sampleAnswers("20", predicting)).filter(([id]) => id.startsWith("alpha"));
  const some = Object.fromEntries(Object.entries(sampleAnswers("20", plain)).slice(0, 33));
  const fractions = Object.fromEntries(Object.keys(sampleAnswers("20", plain)).map((id, i) => [id, (i % 7) / 6]));
  const cases: [string, SampleBundleOptions, EstimateRequest][] = [
    ["two dimensions", plain, { responses: sampleAnswers("20", plain) }],
    ["the small form", plain, { responses: sampleAnswers("8", plain), form: "8" }],
    ["all right", plain, { responses: sampleAnswers("20", plain, { accuracy: 1 }) }],
    ["all wrong", plain, { responses: sampleAnswers("20", plain, { accuracy: 0 }) }],
    ["answers missing", plain, { responses: some, form: "20" }],
    ["fractions, another level", plain, { responses: fractions, level: 0.8 }],
    ["purposive anchors", purposive, { responses: sampleAnswers("20", purposive) }],
    ["score maps", mapped, { responses: sampleAnswers("20", mapped) }],
    ["five dimensions", deep, { responses: sampleAnswers("50", deep) }],
    ["a scenario unasked", predicting, { responses: Object.fromEntries(alone), form: "20" }],
    ["every item", whole, { responses: sampleAnswers("20", whole) }],
  ];
  return Promise.all(
    cases.map(async ([name, bundle, request]) => {
      const { responses, ...options } = request;
      const loaded = await loadBundle(memorySource(sampleBundle(bundle)));
      return { name, bundle, request, estimate: estimateFromAnchors(loaded, responses, options) };
    }),
  );
}

/** Estimates from trials, and plans, of a sample bundle in Node, by the functions of the public SDK. */
export async function goldenTrials(): Promise<GoldenTrials> {
  const options: SampleBundleOptions = { benchmark: "repeated", repeated: true, grouped: true };
  const bundle = await loadBundle(memorySource(sampleBundle(options)));
  const answers = sampleAnswers("20", options);
  const random = createRandom(5);
  const trials = Object.fromEntries(
    Object.entries(answers).map(([id, score], k): [string, ItemTrials | number | null] => {
      const list = Array.from({ length: 2 + (k % 3) }, () => Number(random.next() < 0.15 + 0.7 * score));
      if (k % 5 === 0) return [id, { passed: list.filter((own) => own === 1).length, of: list.length }];
      return [id, k % 7 === 6 ? null : k % 9 === 8 ? score : [...list, ...(k % 2 ? [null] : [])]];
    }),
  );
  const clusters = Object.fromEntries(Object.keys(answers).map((id, k) => [id, `group ${k % 8}`]));
  const { digest: formDigest } = bundle.manifest.forms.find(({ id }) => id === "20")!;
  const order = [...bundle.scenarios.values()].flatMap((scenario) => formItemIds(scenario, "20"));
  const priced = <Result extends Estimate | PassEstimate>(
    own: Result,
    responses: TrialResponses,
  ): Result & { readonly cost?: AnswerCost } => ({
    ...own,
    cost: answerCost(bundle, responses)!,
  });
  const over = priced(estimateTrials(bundle, trials, { form: "20" }), trials);
  return {
    bundle: options,
    estimates: [
      {
        name: "single answers, with their cost",
        request: { responses: answers },
        estimate: priced(estimateTrials(bundle, answers), answers),
      },
      { name: "trials", request: { responses: trials, form: "20" }, estimate: over },
      {
        name: "trials, with the scores of groups",
        request: { responses: trials, form: "20", subscores: ["second", "some"] },
        estimate: estimate(bundle, trials, { form: "20", subscores: ["second", "some"] }),
      },
      {
        name: "single answers, with the scores of all groups",
        request: { responses: answers, subscores: true },
        estimate: estimate(bundle, answers, { subscores: true }),
      },
      {
        name: "trials in the form's order",
        request: { responses: order.map((id) => trials[id]!), formDigest },
        estimate: over,
      },
      {
        name: "groups of items",
        request: { responses: trials, form: "20", over: "tasks", clusters, level: 0.9 },
        estimate: priced(
          estimateTrials(bundle, trials, { form: "20", level: 0.9, clusters: new Map(Object.entries(clusters)) }),
          trials,
        ),
      },
      {
        name: "single answers over runs",
        request: { responses: answers, over: "runs" },
        estimate: priced(estimateTrials(bundle, answers), answers),
      },
      {
        name: "pass@16",
        request: { responses: trials, form: "20", metric: "pass@16" },
        estimate: priced(estimatePassAtK(bundle, trials, "pass@16", { form: "20" }), trials),
      },
    ],
    plans: [
      {
        query: "?halfWidth=0.08&budget=0.05",
        plan: planRequest(bundle, { halfWidth: 0.08, budget: 0.05 }),
      },
      { query: "?trials=1,3&halfWidth=0.1", plan: planTrials(bundle, { trials: [1, 3], halfWidth: 0.1 }) },
      { query: "?gap=0.1", plan: planFromBundle(bundle, { gap: 0.1 }) },
    ],
  };
}

/** Routes of sample bundles in Node. */
export async function goldenRoutes(): Promise<GoldenRoutes[]> {
  const texts = ["Is the prime of an EMPIRE a matrix?", "treaty", "xyzzy", "cell cell cell, Zelle – cells!"];
  const costs = { "model 0": 0.2, "model 3": 0.1 };
  const byText = { questions: texts.map((text, i) => ({ id: `q${i}`, text })), scenario: "alpha", costs };
  const vectors = [
    [1, 2, 3],
    [-0.5, 0, 1e-3],
  ];
  const byVector = { questions: vectors.map((embedding) => ({ embedding })), scenario: "beta/γ", costWeight: 0.5 };
  const routed = async (
    features: "tf-idf" | "embeddings",
    benchmark: string,
    request: RoutesRequest,
  ): Promise<GoldenRoutes> => {
    const routing = await loadRouting(memorySource(routingBundle(features, { benchmark })));
    const { questions, ...options } = request;
    return { benchmark, request, routes: routeFromBundle(routing, questions, options) };
  };
  return [await routed("tf-idf", "by-text", byText), await routed("embeddings", "by-vector", byVector)];
}
