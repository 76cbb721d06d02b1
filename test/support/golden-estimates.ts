import {
  estimateFromAnchors,
  loadBundle,
  loadRouting,
  routeFromBundle,
  type EstimateRequest,
  type RoutesRequest,
} from "anchoreval";
import type { TestProject } from "vitest/node";
import type { GoldenEstimate } from "./golden-estimate.ts";
import type { GoldenRoutes } from "./golden-routes.ts";
import { memorySource } from "./memory-source.ts";
import { routingBundle } from "./routing-bundle.ts";
import { sampleAnswers } from "./sample-answers.ts";
import { sampleBundle, type SampleBundleOptions } from "./sample-bundle.ts";

/** Vitest's global setup: computes in Node what other runtimes must reproduce. */
export default async function (project: TestProject): Promise<void> {
  project.provide("goldenEstimates", await goldenEstimates());
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
