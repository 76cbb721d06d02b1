import { createRandom } from "anchoreval/core";
import { expect, test } from "vitest";
import { drawAnswers, redrawAnswers } from "../../../offline-trainer/src/simulate/answers.ts";
import { SIMULATE_DEFAULTS } from "../../../offline-trainer/src/simulate/options.ts";
import { planScenarios } from "../../../offline-trainer/src/simulate/scenarios.ts";
import { expectBinomial } from "../../support/binomial.ts";

const ITEMS = 20_000;

function draw(probability: number, samples: number, sampleAgreement: number): Float32Array {
  const options = { ...SIMULATE_DEFAULTS, items: ITEMS, samples, sampleAgreement };
  const scenarios = planScenarios(options, createRandom("scenarios"));
  const row = new Float32Array(ITEMS);
  drawAnswers(new Float64Array(ITEMS).fill(probability), scenarios, options, createRandom("answers"), row);
  return row;
}

const sum = (row: Float32Array): number => row.reduce((total, score) => total + score, 0);

test.each([0, 0.1, 0.5, 0.9, 1])("answers are right with probability %d", (p) => {
  const row = draw(p, 1, 0);
  expect(row.every((score) => score === 0 || score === 1)).toBe(true);
  expectBinomial(sum(row), ITEMS, p);
});

test.each([0.2, 0.7])("pass rates over 5 samples have the mean %d, and are 0 or 1 where all samples agree", (p) => {
  const agreeing = draw(p, 5, 1);
  expect(agreeing.every((score) => score === 0 || score === 1)).toBe(true);
  expectBinomial(sum(agreeing), ITEMS, p);
  const free = draw(p, 5, 0);
  expect(new Set(Array.from(free, (score) => Math.round(5 * score)))).toEqual(new Set([0, 1, 2, 3, 4, 5]));
  expectBinomial(Math.round(5 * sum(free)), 5 * ITEMS, p);
});

test("a rerun takes about the share of its answers from the fresh ones", () => {
  const into = new Uint8Array(ITEMS);
  redrawAnswers(new Uint8Array(ITEMS), new Uint8Array(ITEMS).fill(1), 0.02, createRandom("redraw"), into);
  expectBinomial(
    into.reduce((total, score) => total + score, 0),
    ITEMS,
    0.02,
  );
});
