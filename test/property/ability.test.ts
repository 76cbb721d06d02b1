import { mapAbility } from "anchoreval/internal/core/ability/map";
import { scaledPrior } from "anchoreval/internal/core/ability/prior";
import type { ItemBank } from "anchoreval/internal/core/irt/item-bank";
import { itemLogit, responseDerivatives } from "anchoreval/internal/core/irt/response";
import fc from "fast-check";
import { expect, test } from "vitest";
import { arbBank, arbScore } from "../support/arbitraries.ts";
import { largestDifference } from "../support/fixture.ts";
import { gridPosterior } from "../support/grid-posterior.ts";

/** A bank, a score of each of its items, and a prior N(μ, k²·LLᵀ). */
const arbTask = (shape: Parameters<typeof arbBank>[0] = {}) =>
  arbBank(shape).chain((bank) =>
    fc
      .record({
        scores: fc.array(arbScore, { minLength: bank.count, maxLength: bank.count }),
        mean: fc.array(fc.double({ min: -1, max: 1, noNaN: true }), { minLength: bank.dims, maxLength: bank.dims }),
        factor: fc.array(fc.double({ min: -0.5, max: 0.5, noNaN: true }), { minLength: 16, maxLength: 16 }),
        scale: fc.double({ min: 0.5, max: 4, noNaN: true }),
      })
      .map(({ scores, mean, factor, scale }) => {
        const n = bank.dims;
        const l = (r: number, c: number): number =>
          c > r ? 0 : c === r ? 0.6 + Math.abs(factor[r]!) : factor[4 * r + c]!;
        const covariance = Float64Array.from({ length: n * n }, (_, k) => {
          let sum = 0;
          for (let d = 0; d < n; d++) sum += l(Math.floor(k / n), d) * l(k % n, d);
          return sum;
        });
        return { bank, scores, prior: scaledPrior(Float64Array.from(mean), covariance, scale) };
      }),
  );

const items = (bank: ItemBank): number[] => Array.from({ length: bank.count }, (_, i) => i);

test("the gradient of the posterior is 0 at the mode", () => {
  fc.assert(
    fc.property(arbTask(), ({ bank, scores, prior }) => {
      const { theta, status, standardError } = mapAbility(bank, { items: items(bank), scores }, prior);
      expect(status).toBe("converged");
      const out = { logLikelihood: 0, slope: 0, information: 0 };
      for (let d = 0; d < bank.dims; d++) {
        let slope = 0;
        for (let c = 0; c < bank.dims; c++) slope -= prior.precision[d * bank.dims + c]! * (theta[c]! - prior.mean[c]!);
        for (let i = 0; i < bank.count; i++)
          slope +=
            bank.a[i * bank.dims + d]! * responseDerivatives(itemLogit(theta, bank, i), scores[i]!, bank, i, out).slope;
        // Convergence is g'H⁻¹g ≤ 1e-16: g within 1e-8 of its own spread, √H.
        expect(Math.abs(slope) * standardError[d]!).toBeLessThan(1e-7);
      }
    }),
  );
});

test("converges in few steps: no crawling, no stalling", () => {
  fc.assert(
    fc.property(arbTask({ items: { min: 1, max: 60 } }), ({ bank, scores, prior }) => {
      expect(mapAbility(bank, { items: items(bank), scores }, prior).iterations).toBeLessThan(40);
    }),
  );
});

test("does not depend on the order of the items", () => {
  fc.assert(
    fc.property(
      arbTask({ asymptotes: false }),
      fc.array(fc.nat(), { minLength: 30, maxLength: 30 }),
      ({ bank, scores, prior }, keys) => {
        const order = items(bank).sort((i, j) => keys[i]! - keys[j]!);
        const one = mapAbility(bank, { items: items(bank), scores }, prior);
        const other = mapAbility(bank, { items: order, scores: order.map((i) => scores[i]!) }, prior);
        expect(largestDifference(one.theta, other.theta)).toBeLessThan(1e-6);
      },
    ),
  );
});

test("a right answer in place of a wrong one never lowers a one-dimensional ability of positive items", () => {
  fc.assert(
    fc.property(arbTask({ dims: 1, asymptotes: false }), fc.nat(), ({ bank, scores, prior }, which) => {
      const positive = { ...bank, a: bank.a.map(Math.abs) };
      const i = which % bank.count;
      const of = (score: number): number =>
        mapAbility(positive, { items: items(bank), scores: scores.with(i, score) }, prior).theta[0]!;
      expect(of(1)).toBeGreaterThanOrEqual(of(0) - 1e-7);
    }),
  );
});

test("the standard error is at most the prior's, and shrinks with more answers", () => {
  fc.assert(
    fc.property(arbTask({ asymptotes: false }), ({ bank, scores, prior }) => {
      const none = mapAbility(bank, { items: [], scores: [] }, prior);
      const all = mapAbility(bank, { items: items(bank), scores }, prior);
      all.standardError.forEach((value, d) => expect(value).toBeLessThanOrEqual(none.standardError[d]! * (1 + 1e-9)));
    }),
  );
});

test("the mode lies within the posterior's spread of its mean in one dimension", () => {
  fc.assert(
    fc.property(arbTask({ dims: 1, asymptotes: false }), ({ bank, scores, prior }) => {
      const answers = { items: items(bank), scores };
      const sd = 1 / Math.sqrt(prior.precision[0]!);
      const exact = gridPosterior(bank, answers, { mean: prior.mean[0]!, sd });
      const mode = mapAbility(bank, answers, prior);
      // A log-concave density's mean and mode differ by at most √3 standard deviations (Johnson & Rogers 1951).
      expect(Math.abs(exact.mean - mode.theta[0]!)).toBeLessThan(Math.sqrt(3) * exact.sd + 1e-6);
    }),
  );
});
