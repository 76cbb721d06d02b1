import { expect } from "vitest";

/** Expects the same value, numbers equal within an absolute tolerance. */
export function expectSameNumbers(actual: unknown, expected: unknown, tolerance: number, path = "$"): void {
  if (typeof expected === "number" && typeof actual === "number") {
    expect(Math.abs(actual - expected), `${path}: ${actual}, expected ${expected}`).toBeLessThanOrEqual(tolerance);
  } else if (typeof expected === "object" && expected !== null && typeof actual === "object" && actual !== null) {
    expect(Object.keys(actual), path).toEqual(Object.keys(expected));
    for (const [key, value] of Object.entries(expected))
      expectSameNumbers((actual as Record<string, unknown>)[key], value, tolerance, `${path}.${key}`);
  } else {
    expect(actual, path).toEqual(expected);
  }
}
