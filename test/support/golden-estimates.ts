import { estimateFromAnchors, loadBundle, type EstimateRequest } from "anchoreval";
import type { TestProject } from "vitest/node";
import type { GoldenEstimate } from "./golden-estimate.ts";
import { memorySource } from "./memory-source.ts";
import { sampleAnswers } from "./sample-answers.ts";
import { sampleBundle, type SampleBundleOptions } from "./sample-bundle.ts";

/** Vitest's global setup: computes in Node what other runtimes must reproduce. */
export default async function (project: TestProject): Promise<void> {
  project.provide("goldenEstimates", await goldenEstimates());
}

async function goldenEstimates(): Promise<GoldenEstimate[]> {
  const plain: SampleBundleOptions = { benchmark: "plain" };
  const purposive: SampleBundleOptions = { benchmark: "purposive", purposive: true };
  const deep: SampleBundleOptions = { benchmark: "deep", dims: 5, items: [400, 300], sizes: [20, 50] };
  const whole: SampleBundleOptions = { benchmark: "whole", items: [20, 20], sizes: [10, 20] };
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
    ["five dimensions", deep, { responses: sampleAnswers("50", deep) }],
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
