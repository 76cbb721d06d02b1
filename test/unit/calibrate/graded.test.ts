import { sigmoid } from "anchoreval/internal/core/numeric/functions";
import { createRandom, type RandomSource } from "anchoreval/internal/core/numeric/random";
import { describe, expect, test } from "vitest";
import { typescriptBackend } from "../../../offline-trainer/src/backends/typescript.ts";
import { calibrate, type Calibration, dispersions } from "../../../offline-trainer/src/calibrate/calibrate.ts";
import {
  type GradedResponses,
  type Link,
  LINKS,
  type Responses,
} from "../../../offline-trainer/src/matrix/code-responses.ts";
import { weighResponses } from "../../../offline-trainer/src/calibrate/weigh-responses.ts";
import { expectRefusal, rejection } from "../../support/refusal.ts";
import { correlation, probability, simulatedResponses } from "./simulated-responses.ts";

const fitted = (responses: Responses, dims = 1): Promise<Calibration> =>
  calibrate(responses, {
    dims,
    backend: typescriptBackend,
    random: createRandom(1),
    tolerance: 1e-10,
    maxEvaluations: 400,
  });

/** Scores about the 2PL's curve, each the mean of as many draws as its item has parts: the more, the less dispersed. */
function simulatedScores(link: Link): { responses: GradedResponses; b: Float64Array; parts: number[] } {
  const { responses, truth } = simulatedResponses({ subjects: 200, items: 60, dims: 1, missing: 0.1 });
  const random: RandomSource = createRandom("graded scores");
  const parts = Array.from({ length: 60 }, (_, i) => (i % 2 === 0 ? 2 : 20));
  const scores = Float32Array.from(responses.signs, (sign, k) => {
    if (sign === 0) return NaN;
    const [m, i] = [Math.floor(k / 60), k % 60];
    const p = probability(truth, 1, m, i);
    let right = 0;
    for (let part = 0; part < parts[i]!; part++) if (random.next() < p) right++;
    return right / parts[i]!;
  });
  const weights = Float32Array.from(responses.signs, Math.abs);
  return { responses: { subjects: 200, items: 60, scores, weights, link }, b: truth.b, parts };
}

describe.each(LINKS)("the %s link", (link) => {
  const { responses, b, parts } = simulatedScores(link);

  test("recovers the curve and how widely each item's scores vary about it", async () => {
    const fit = await fitted(responses);
    expect(correlation(fit.b, b)).toBeGreaterThan(0.98);
    const meanOf = (count: number): number => {
      const own = Array.from(fit.dispersion!).filter((_, i) => parts[i] === count);
      return own.reduce((sum, value) => sum + value, 0) / own.length;
    };
    // A mean of n draws varies by P(1−P)/n.
    if (link === "bernoulli") {
      expect(meanOf(2)).toBeCloseTo(1 / 2, 1);
      expect(meanOf(20)).toBeCloseTo(1 / 20, 1);
    }
    expect(meanOf(2) / meanOf(20)).toBeGreaterThan(5);
  });

  test("dispersion is the mean square over the mean variance, shrunk toward all items'", () => {
    const at = { theta: new Float64Array(200), a: new Float64Array(60).fill(1), b };
    const all = dispersions(at, responses);
    const sums = Array.from({ length: 60 }, (_, i) => {
      let [squares, variance, seen] = [0, 0, 0];
      for (let m = 0; m < 200; m++) {
        if (responses.weights[m * 60 + i] === 0) continue;
        const p = sigmoid(-b[i]!);
        squares += (responses.scores[m * 60 + i]! - p) ** 2;
        variance += link === "bernoulli" ? p * (1 - p) : 1;
        seen++;
      }
      return { squares, variance, seen };
    });
    const total = (pick: (sum: (typeof sums)[number]) => number): number =>
      sums.reduce((sum, own) => sum + pick(own), 0);
    const pooled = total(({ squares }) => squares) / total(({ variance }) => variance);
    const prior = (5 * total(({ variance }) => variance)) / total(({ seen }) => seen);
    sums.forEach(({ squares, variance }, i) =>
      expect(all[i]).toBeCloseTo((squares + prior * pooled) / (variance + prior), 10),
    );
  });
});

describe("weights", () => {
  const { responses } = simulatedResponses({ subjects: 30, items: 40, dims: 1, missing: 0.1 });
  const { subjects, items, signs } = responses;

  test("of 1 change nothing", async () => {
    const graded = await objectiveAt(weighResponses(responses, {}));
    const coded = await objectiveAt(responses);
    expect(graded).toBeCloseTo(coded, 9);
  });

  test("of 2 count a model, or an item, as two alike; of 0 as none", async () => {
    const twice = new Float64Array(subjects).fill(1).with(4, 2).with(7, 0);
    const rows = [...Array(subjects).keys()].filter((m) => m !== 7).concat(4);
    const repeated = {
      subjects: rows.length,
      items,
      signs: Int8Array.from(rows.flatMap((m) => Array.from(signs.subarray(m * items, (m + 1) * items)))),
    };
    expect(await objectiveAt(weighResponses(responses, { subjects: twice }))).toBeCloseTo(
      await objectiveAt(repeated, rows),
      9,
    );
  });

  /** −log-likelihood at parameters that belong to models and items by number. */
  async function objectiveAt(data: Responses, rows = [...Array(subjects).keys()]): Promise<number> {
    const parameter = (k: number): number => Math.sin(k + 1);
    const at = {
      theta: Float64Array.from(rows, parameter),
      a: Float64Array.from({ length: items }, (_, i) => parameter(i + 100)),
      b: Float64Array.from({ length: items }, (_, i) => parameter(i + 200)),
    };
    const objective = await typescriptBackend.open(data, 1);
    const gradient = { theta: at.theta.slice(), a: at.a.slice(), b: at.b.slice() };
    return objective.evaluate(at, gradient);
  }

  test.each([
    ["subjects", new Float64Array(29), "30 models need as many weights, got 29"],
    ["items", new Float64Array(40).fill(-1), "weights of items must be numbers ≥ 0, got -1 at 0"],
    ["items", new Float64Array(40).fill(NaN), "weights of items must be numbers ≥ 0, got NaN at 0"],
  ] as const)("of %s are refused: %s", async (which, weights, message) => {
    const refused = Promise.resolve().then(() => weighResponses(responses, { [which]: weights }));
    expectRefusal(await rejection(refused), "invalid_option", message);
  });
});

test("a calibration that goes on from a state between rounds ends as if it had not been stopped", async () => {
  const { responses } = simulatedScores("bernoulli");
  const coded = simulatedResponses({ subjects: 40, items: 50, dims: 2, missing: 0.1 }).responses;
  for (const [data, dims] of [
    [responses, 1],
    [coded, 2],
  ] as const) {
    const states: Parameters<NonNullable<Parameters<typeof calibrate>[1]["onRound"]>>[0][] = [];
    const options = { dims, backend: typescriptBackend, random: createRandom(3) };
    const whole = await calibrate(data, {
      ...options,
      onRound: (state) => {
        states.push(structuredClone(state));
        return Promise.resolve();
      },
    });
    expect(states.map(({ round }) => round)).toEqual([1, 2, 3]);
    for (const resume of states) expect(await calibrate(data, { ...options, resume })).toEqual(whole);
  }
});
