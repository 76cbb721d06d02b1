import { logit, sigmoid, softplus } from "anchoreval/core";
import { describe, expect, test } from "vitest";

describe("sigmoid", () => {
  test("is ½ at 0, saturates without overflow and keeps the lower tail", () => {
    expect(sigmoid(0)).toBe(0.5);
    expect(sigmoid(800)).toBe(1);
    expect(sigmoid(-745)).toBeGreaterThan(0); // the last power of e above zero
    expect(sigmoid(-700)).toBe(Math.exp(-700));
    expect(sigmoid(Infinity)).toBe(1);
    expect(sigmoid(-Infinity)).toBe(0);
    expect(sigmoid(NaN)).toBeNaN();
  });

  test("σ(x) + σ(−x) = 1 to one rounding", () => {
    for (let x = -40; x <= 40; x += 0.37) expect(Math.abs(sigmoid(x) + sigmoid(-x) - 1)).toBeLessThanOrEqual(2 ** -52);
  });
});

describe("softplus", () => {
  test("is log 2 at 0, x far above and eˣ far below", () => {
    expect(softplus(0)).toBe(Math.LN2);
    expect(softplus(1000)).toBe(1000);
    expect(softplus(-700)).toBe(Math.exp(-700));
    expect(softplus(-Infinity)).toBe(0);
    expect(softplus(Infinity)).toBe(Infinity);
    expect(softplus(NaN)).toBeNaN();
  });

  test("softplus(x) − softplus(−x) = x", () => {
    for (let x = -60; x <= 60; x += 0.71) expect(softplus(x) - softplus(-x)).toBeCloseTo(x, 12);
  });
});

describe("logit", () => {
  test("undoes the sigmoid", () => {
    // Above, 1 − p has lost digits already: the error of p is divided by it.
    for (let x = -30; x <= 0; x += 0.43) expect(Math.abs(logit(sigmoid(x)) - x)).toBeLessThan(1e-13);
    for (let x = 0; x <= 10; x += 0.43) expect(Math.abs(logit(sigmoid(x)) - x)).toBeLessThan(1e-11);
  });

  test("is infinite at the ends and NaN outside", () => {
    expect(logit(0.5)).toBe(0);
    expect(logit(0)).toBe(-Infinity);
    expect(logit(1)).toBe(Infinity);
    expect(logit(-0.1)).toBeNaN();
    expect(logit(1.1)).toBeNaN();
  });
});
