import { itemBank, type ItemBank } from "anchoreval/internal/core/irt/item-bank";
import {
  itemInformation,
  itemLogit,
  itemResponse,
  responseDerivatives,
  testInformation,
} from "anchoreval/internal/core/irt/response";
import fc from "fast-check";
import { expect, test } from "vitest";
import { arbBank, arbScore, arbTheta } from "../support/arbitraries.ts";

const arbPlaced = arbBank({ items: { min: 1, max: 6 } }).chain((bank) =>
  fc.tuple(fc.constant(bank), arbTheta(bank.dims)),
);

test("P lies between the asymptotes", () => {
  fc.assert(
    fc.property(arbPlaced, ([bank, theta]) => {
      for (let i = 0; i < bank.count; i++) {
        const p = itemResponse(theta, bank, i);
        expect(p).toBeGreaterThanOrEqual(bank.lower?.[i] ?? 0);
        // l + (u − l)·σ rounds twice.
        expect(p).toBeLessThanOrEqual((bank.upper?.[i] ?? 1) + 2 ** -52);
      }
    }),
  );
});

test("P is non-decreasing in θ_d where a_d > 0, non-increasing where a_d < 0", () => {
  fc.assert(
    fc.property(arbPlaced, fc.nat(), fc.double({ min: 1e-6, max: 5, noNaN: true }), ([bank, theta], which, step) => {
      const d = which % bank.dims;
      const moved = theta.with(d, theta[d]! + step);
      for (let i = 0; i < bank.count; i++) {
        const rise = itemResponse(moved, bank, i) - itemResponse(theta, bank, i);
        expect(rise * Math.sign(bank.a[i * bank.dims + d]!)).toBeGreaterThanOrEqual(-(2 ** -52));
      }
    }),
  );
});

test("information is P′²/(P·Q), by numeric derivatives of P", () => {
  fc.assert(
    fc.property(arbBank({ dims: 1, items: { min: 1, max: 6 } }), arbTheta(1), (bank, theta) => {
      const h = 1e-4;
      for (let i = 0; i < bank.count; i++) {
        const at = (shift: number): number =>
          itemResponse(
            theta.map((value) => value + shift),
            bank,
            i,
          );
        // Five points: the error is of order h⁴ and ε/h, both near 1e-12.
        const slope = (8 * (at(h) - at(-h)) - (at(2 * h) - at(-2 * h))) / (12 * h);
        const p = at(0);
        const numeric = slope ** 2 / (p * (1 - p));
        const exact = itemInformation(theta, bank, i);
        expect(Math.abs(exact - numeric)).toBeLessThan(1e-6 * exact + 1e-10 / (p * (1 - p)));
      }
    }),
  );
});

test("slope is the derivative of the log-likelihood in the logit", () => {
  fc.assert(
    fc.property(arbBank({ dims: 1, items: { min: 1, max: 3 } }), arbTheta(1), arbScore, (bank, theta, y) => {
      const out = { logLikelihood: 0, slope: 0, information: 0 };
      for (let i = 0; i < bank.count; i++) {
        const z = itemLogit(theta, bank, i);
        const at = (shift: number): number => responseDerivatives(z + shift, y, bank, i, out).logLikelihood;
        const h = 1e-3;
        const numeric = (8 * (at(h) - at(-h)) - (at(2 * h) - at(-2 * h))) / (12 * h);
        // Order h⁴ of a function with derivatives below 1, and ε·|log L|/h.
        expect(Math.abs(responseDerivatives(z, y, bank, i, out).slope - numeric)).toBeLessThan(1e-9);
      }
    }),
  );
});

test("expected slope is 0, its variance the information (the two faces of Fisher's)", () => {
  fc.assert(
    fc.property(arbPlaced, ([bank, theta]) => {
      for (let i = 0; i < bank.count; i++) {
        const z = itemLogit(theta, bank, i);
        const p = itemResponse(theta, bank, i);
        const right = { ...responseDerivatives(z, 1, bank, i, { logLikelihood: 0, slope: 0, information: 0 }) };
        const wrong = { ...responseDerivatives(z, 0, bank, i, { logLikelihood: 0, slope: 0, information: 0 }) };
        expect(Math.abs(p * right.slope + (1 - p) * wrong.slope)).toBeLessThan(1e-13);
        const variance = p * right.slope ** 2 + (1 - p) * wrong.slope ** 2;
        expect(Math.abs(variance - right.information)).toBeLessThan(1e-12);
        expect(right.information).toBe(wrong.information);
      }
    }),
  );
});

test("relabelling right and wrong leaves likelihood and information alone: a→−a, b→−b, (l,u)→(1−u,1−l)", () => {
  fc.assert(
    fc.property(arbPlaced, arbScore, ([bank, theta], y) => {
      const relabelled: ItemBank = itemBank(
        Float64Array.from(bank.a, (value) => -value),
        Float64Array.from(bank.b, (value) => -value),
        {
          lower: bank.upper && Float64Array.from(bank.upper, (value) => 1 - value),
          upper: bank.lower && Float64Array.from(bank.lower, (value) => 1 - value),
        },
      );
      for (let i = 0; i < bank.count; i++) {
        const one = { ...responseDerivatives(itemLogit(theta, bank, i), y, bank, i, zero()) };
        const other = { ...responseDerivatives(itemLogit(theta, relabelled, i), 1 - y, relabelled, i, zero()) };
        // 1 − (1 − u) is u to one rounding; logs and ratios carry it on relative to P and Q, which may be small.
        expect(Math.abs(one.logLikelihood - other.logLikelihood)).toBeLessThan(1e-9);
        expect(Math.abs(one.slope + other.slope)).toBeLessThan(1e-9);
        expect(Math.abs(one.information - other.information)).toBeLessThan(1e-9);
      }
    }),
  );
});

const zero = (): { logLikelihood: number; slope: number; information: number } => ({
  logLikelihood: 0,
  slope: 0,
  information: 0,
});

test("test information is positive semidefinite and additive", () => {
  fc.assert(
    fc.property(arbPlaced, arbTheta(4), ([bank, theta], direction) => {
      const all = Array.from({ length: bank.count }, (_, i) => i);
      const matrix = testInformation(theta, bank, all);
      const quadratic = (values: Float64Array): number => {
        let sum = 0;
        for (let r = 0; r < bank.dims; r++)
          for (let c = 0; c < bank.dims; c++) sum += direction[r]! * values[r * bank.dims + c]! * direction[c]!;
        return sum;
      };
      const total = quadratic(matrix);
      expect(total).toBeGreaterThanOrEqual(-1e-10);
      const parts = all.map((item) => quadratic(testInformation(theta, bank, [item])));
      expect(Math.abs(total - parts.reduce((sum, value) => sum + value, 0))).toBeLessThan(1e-10);
    }),
  );
});
