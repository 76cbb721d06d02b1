import type { ErrorSummary, Manifest, SplitErrors } from "anchoreval/bundle";
import { type EstimatorId, ESTIMATORS } from "anchoreval/core";
import { describe, expect, test } from "vitest";
import { closingSummary, closingWords } from "../../../offline-trainer/src/report/closing-words.ts";
import { sampleContent } from "../../support/sample-bundle.ts";
import { stackOf } from "../../support/stack-of.ts";

interface Form {
  readonly items?: number;
  readonly whole?: boolean;
  readonly interpolation?: Partial<SplitErrors> | null;
  readonly extrapolation?: Partial<SplitErrors> | null;
  readonly estimator?: EstimatorId;
}

const errors = (maes: Partial<Record<EstimatorId, number>>): Record<EstimatorId, ErrorSummary> =>
  Object.fromEntries(ESTIMATORS.map((id) => [id, { mae: maes[id] ?? 0.9, rmse: 0.9, bias: 0.9 }])) as Record<
    EstimatorId,
    ErrorSummary
  >;

const measured: SplitErrors = {
  models: 60,
  estimators: errors({ "p-irt-dr": 0.024 }),
  randomMae: 0.039,
  coverage95: 0.95,
  halfWidth95: 0.05,
  absoluteError: [0.02, 0.03, 0.04, 0.056, null],
};
const stronger = { models: 18, estimators: errors({ "p-irt-dr": 0.033 }) };

/** A manifest of one form a list entry, each of one scenario a key. */
function manifestOf(forms: readonly Readonly<Record<string, Form>>[], models = 60): Manifest {
  const { manifest } = sampleContent();
  const scenarios = Object.keys(forms[0]!);
  return {
    ...manifest,
    files: [],
    sources: { ...manifest.sources, models },
    scenarios: scenarios.map((id) => ({ ...manifest.scenarios[0]!, id })),
    forms: forms.map((own, index) => ({
      id: String(index),
      selection: "stratified",
      digest: "",
      estimator: Object.values(own)[0]!.estimator ?? "p-irt-dr",
      interval: "design",
      overall: null,
      scenarios: Object.fromEntries(
        Object.entries(own).map(([id, { items = 50, whole = false, interpolation = {}, extrapolation = stronger }]) => [
          id,
          {
            items,
            whole,
            lambda: 0.5,
            stack: stackOf({ gaussian: 1 }),
            rmse: 0.05,
            overallRmse: null,
            tightening: { inside: 1, outside: 1 },
            measured: {
              interpolation: interpolation && { ...measured, ...interpolation },
              extrapolation: extrapolation && { ...measured, ...extrapolation },
            },
            together: null,
          },
        ]),
      ),
    })),
  };
}

const one = (form: Form, models?: number): string[] => closingWords(manifestOf([{ gsm: form }], models));

test("the sentence of the docs", () => {
  expect(one({})).toEqual([
    "gsm, 50 items, 60 models: typical error 2.4 points, 95 % within 5.6; 50 random items: 3.9. Models stronger than any seen: 3.3.",
  ]);
});

test("without strong models there is no word on them", () => {
  expect(one({ extrapolation: null })).toEqual([
    "gsm, 50 items, 60 models: typical error 2.4 points, 95 % within 5.6; 50 random items: 3.9.",
  ]);
});

test("below 20 models nothing is said of coverage", () => {
  expect(one({ interpolation: { models: 19 } })).toEqual([
    "gsm, 50 items, 19 models: typical error 2.4 points, coverage not measured (too few models); 50 random items: 3.9. Models stronger than any seen: 3.3.",
  ]);
  expect(one({ interpolation: { models: 20 } })[0]).toContain("20 models: typical error 2.4 points, 95 % within 5.6;");
  expect(one({ interpolation: { absoluteError: [0.02, 0.03, null, null, null] } })[0]).toContain(
    "60 models: typical error 2.4 points, coverage not measured (too few models);",
  );
});

test("where no model could be held out", () => {
  expect(one({ interpolation: null, extrapolation: null }, 7)).toEqual([
    "gsm, 50 items, 7 models: too few models to hold any out (8 are needed); the error is not measured.",
  ]);
});

test("a scenario that is asked whole", () => {
  expect(one({ items: 31, whole: true })).toEqual(["gsm, all 31 items: the score is exact."]);
});

test("a form that is no better than random items says so", () => {
  const estimators = errors({ "p-irt-dr": 0.0391 });
  expect(one({ interpolation: { estimators } })).toEqual([
    "gsm, 50 items, 60 models: typical error 3.9 points, 95 % within 5.6; 50 random items: 3.9. Models stronger than any seen: 3.3. This form is no better than random items.",
  ]);
  expect(one({ interpolation: { estimators: errors({ "p-irt-dr": 0.0389 }) } })[0]).not.toContain("no better");
});

test("the error is that of the form's own estimator", () => {
  const interpolation = { estimators: errors({ "gp-irt": 0.011, "p-irt-dr": 0.024 }) };
  const extrapolation = { estimators: errors({ "gp-irt": 0.0444, "p-irt-dr": 0.033 }) };
  expect(one({ interpolation, extrapolation, estimator: "gp-irt" })).toEqual([
    "gsm, 50 items, 60 models: typical error 1.1 points, 95 % within 5.6; 50 random items: 3.9. Models stronger than any seen: 4.4.",
  ]);
});

test("a sentence for each form and, in it, each scenario", () => {
  const words = closingWords(
    manifestOf([
      { gsm: { items: 10 }, "a/b": { items: 10, interpolation: { models: 12 } } },
      { gsm: { items: 50 }, "a/b": { items: 40, whole: true } },
    ]),
  );
  expect(words).toEqual([
    "gsm, 10 items, 60 models: typical error 2.4 points, 95 % within 5.6; 10 random items: 3.9. Models stronger than any seen: 3.3.",
    "a/b, 10 items, 12 models: typical error 2.4 points, coverage not measured (too few models); 10 random items: 3.9. Models stronger than any seen: 3.3.",
    "gsm, 50 items, 60 models: typical error 2.4 points, 95 % within 5.6; 50 random items: 3.9. Models stronger than any seen: 3.3.",
    "a/b, all 40 items: the score is exact.",
  ]);
});

test("where all scenarios are estimated together, the errors are those, and the overall score has a sentence", () => {
  const manifest = manifestOf([
    { gsm: {}, math: { items: 40 } },
    { gsm: { whole: true }, math: { whole: true } },
  ]);
  const together = errors({ "p-irt-dr": 0.021 });
  const forms = manifest.forms.map((form) => ({
    ...form,
    overall: {
      inflation: 1,
      seen: null,
      measured: { interpolation: { ...measured, estimators: errors({ "p-irt-dr": 0.012 }) }, extrapolation: null },
    },
    scenarios: {
      ...form.scenarios,
      gsm: {
        ...form.scenarios["gsm"]!,
        together: {
          ...form.scenarios["gsm"]!,
          measured: { interpolation: { ...measured, models: 58, estimators: together }, extrapolation: null },
        },
      },
    },
  }));
  expect(closingWords({ ...manifest, forms })).toEqual([
    "gsm, 50 items, 58 models: typical error 2.1 points, 95 % within 5.6; 50 random items: 3.9.",
    "math, 40 items, 60 models: typical error 2.4 points, 95 % within 5.6; 40 random items: 3.9. Models stronger than any seen: 3.3.",
    "overall, 90 items, 60 models: typical error 1.2 points, 95 % within 5.6; 90 random items: 3.9.",
    "gsm, all 50 items: the score is exact.",
    "math, all 50 items: the score is exact.",
  ]);
});

describe("of many scenarios", () => {
  const many = (change: (k: number) => Form): Manifest =>
    manifestOf([Object.fromEntries(Array.from({ length: 15 }, (_, k) => [`s${k}`, change(k)]))]);

  test("a terminal is told from where to where their errors go", () => {
    const errorOf = (k: number): number => (20 + ((k * 7) % 15)) / 1000;
    const manifest = many((k) => ({
      interpolation: { estimators: errors({ "p-irt-dr": errorOf(k) }), randomMae: k === 4 ? 0.03 : 0.04 },
    }));
    expect(closingWords(manifest)).toHaveLength(15);
    expect(closingSummary(manifest)).toEqual([
      "form 0, 15 scenarios: typical errors from 2.0 points (s0) to 3.4 (s2), half of them below 2.7; 1 no better than random items; anchoreval show lists them",
    ]);
    const measuredOverall = { inflation: 1, seen: null, measured: { interpolation: measured, extrapolation: null } };
    const forms = manifest.forms.map((form) => ({ ...form, overall: measuredOverall }));
    expect(closingSummary({ ...manifest, forms })[0]).toMatch(/^overall, 750 items, 60 models: typical error 2\.4/);
  });

  test("those that are asked whole are exact; where nothing was held out, nothing is measured", () => {
    expect(closingSummary(many((k) => ({ whole: k < 14 })))[0]).toMatch(
      /^form 0, 15 scenarios, 14 of them asked whole: exact: typical errors from 2\.4 points \(s14\)/,
    );
    expect(closingSummary(many(() => ({ interpolation: null, extrapolation: null })))).toEqual([
      "form 0, 15 scenarios; the errors are not measured: too few models",
    ]);
  });

  test("a dozen are told one by one", () => {
    const few = manifestOf([Object.fromEntries(Array.from({ length: 12 }, (_, k) => [`s${k}`, {}]))]);
    expect(closingSummary(few)).toEqual(closingWords(few));
  });
});
