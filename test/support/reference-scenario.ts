import type { AnchorSet } from "anchoreval/internal/core/estimators/types";
import { readFixture, type FixtureItems } from "./fixture.ts";

/** A scenario of test/fixtures/numpy/estimators.json: weighted items, unequal inclusion, some answers missing. */
export interface ReferenceScenario {
  readonly name: string;
  readonly items: FixtureItems;
  readonly subscenarios: readonly number[];
  readonly weighting: "items" | "subscenarios";
  readonly scoreMap: { readonly x: readonly number[]; readonly y: readonly number[] } | null;
  readonly theta: readonly number[];
  readonly covariance: readonly number[];
  readonly lambda: number;
  readonly anchors: {
    readonly items: readonly number[];
    readonly inclusion: readonly number[];
    readonly mass: readonly number[];
  };
  readonly scores: readonly (number | null)[];
  readonly expected: {
    readonly weights: readonly number[];
    readonly mass: readonly number[];
    readonly share: number;
    readonly bounds: readonly [number, number];
    readonly "anchor-mean": number;
    readonly "p-irt": number;
    readonly "gp-irt": number;
    readonly "p-irt-dr": number;
    readonly residuals: readonly number[];
  };
}

export const referenceScenarios = readFixture<{
  tolerance: { absolute: number; residual: number };
  cases: ReferenceScenario[];
}>("numpy/estimators.json");

export function anchorsOf({ anchors }: ReferenceScenario): AnchorSet {
  return {
    items: Uint32Array.from(anchors.items),
    inclusion: Float64Array.from(anchors.inclusion),
    mass: Float64Array.from(anchors.mass),
  };
}

/** Scores aligned with the anchors, NaN where there is none. */
export function scoresOf({ scores }: ReferenceScenario): Float64Array {
  return Float64Array.from(scores, (score) => score ?? NaN);
}
