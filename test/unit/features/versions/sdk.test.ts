import { withPart } from "anchoreval/internal/core/bundle/part";
import type { Estimate } from "anchoreval";
import { bridgedScore } from "anchoreval/internal/features/versions/sdk";
import { type BaseManifest, basePart } from "anchoreval/internal/features/versions/core";
import { expect, test } from "vitest";

const line = { models: 50, slope: 0.9, intercept: 0.1, error: 0.01 };
const base: BaseManifest = {
  benchmark: "quiz",
  version: "1.0.0",
  digest: `sha256:${"0".repeat(64)}`,
  items: { standing: 90, placed: 10 },
  rerun: 0,
  drawn: 1,
  texts: false,
  anchors: { 10: { kept: 9, of: 10 } },
  bridge: { overall: line, scenarios: { s: line, few: null } },
};
const manifest = withPart({ fit: {} }, basePart, base);
const interval = { low: 0.4, high: 0.7, level: 0.95, method: "design-based" } as const;
const estimate = {
  score: 0.5,
  interval,
  scenarios: { s: { score: 0.5, interval }, few: { score: 0.5, interval } },
} as unknown as Estimate;

test("goes by the line, with its error in the interval", () => {
  const { version, overall, scenarios } = bridgedScore(manifest, estimate)!;
  expect(version).toBe("1.0.0");
  expect(overall!.score).toBeCloseTo(0.55, 12);
  expect(overall!.interval!.low).toBeCloseTo(0.55 - Math.hypot(0.09, 1.959963984540054 * 0.01), 9);
  expect(overall!.interval!.high).toBeCloseTo(0.55 + Math.hypot(0.18, 1.959963984540054 * 0.01), 9);
  expect(scenarios).toEqual({ s: overall, few: null });
});

test("stays in [0,1]; without a score there is none, without an interval neither", () => {
  const best = { ...estimate, score: 1, interval: { ...interval, high: 1 } };
  expect(bridgedScore(manifest, best)!.overall!.score).toBe(1);
  expect(bridgedScore(manifest, { ...estimate, interval: null })!.overall!.interval).toBeNull();
  expect(bridgedScore(manifest, { ...estimate, score: null, interval: null })!.overall).toBeNull();
});

test("a score that was predicted is none of the earlier version's", () => {
  const { overall, scenarios } = bridgedScore(manifest, { ...estimate, predicted: true })!;
  expect(overall).toBeNull();
  expect(scenarios.s).not.toBeNull();
  const unasked = { s: { ...estimate.scenarios.s!, predicted: true as const } };
  expect(bridgedScore(manifest, { ...estimate, scenarios: unasked })!.scenarios.s).toBeNull();
});

test("of a bundle that stands on no other there is nothing", () => {
  expect(bridgedScore({ fit: {} }, estimate)).toBeNull();
});
