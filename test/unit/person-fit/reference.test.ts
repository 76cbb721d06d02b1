import { answerPattern } from "anchoreval/internal/core/person-fit/answer-pattern";
import { describe, expect, test } from "vitest";
import { bankOf, readFixture, type FixtureItems } from "../../support/fixture.ts";
import { wholeSample } from "../../support/whole-sample.ts";

interface Reference {
  readonly tolerance: number;
  readonly cases: readonly {
    readonly name: string;
    readonly items: FixtureItems;
    readonly scores: readonly number[];
    readonly theta: readonly number[];
    readonly covariance: readonly number[];
    readonly expected: Readonly<Record<"lz" | "lzStar" | "infit" | "outfit" | "preknowledge", number>>;
  }[];
}

const { cases, tolerance } = readFixture<Reference>("person-fit/patterns.json");

describe.each(cases)("$name, by enumeration of both outcomes and numeric derivatives", (reference) => {
  const { expected } = reference;
  const pattern = answerPattern(
    bankOf(reference.items),
    { theta: Float64Array.from(reference.theta), covariance: Float64Array.from(reference.covariance) },
    wholeSample(reference.scores),
    0.2,
  );

  test.each(["lzStar", "infit", "outfit", "preknowledge"] as const)("%s", (name) => {
    expect(Math.abs(pattern[name]! - expected[name])).toBeLessThan(tolerance);
  });

  test("the correction moves lz", () => {
    expect(Math.abs(pattern.lzStar! - expected.lz)).toBeGreaterThan(1e-3);
  });
});
