import { expect, test } from "vitest";
import { closingWords } from "../../../offline-trainer/src/fit/closing-words.ts";
import { errors, manifestOf, measured, type MeasuredCase } from "../../support/measured-manifest.ts";

const one = (form: MeasuredCase, models?: number): string[] => closingWords(manifestOf([{ gsm: form }], models));

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

test("where held-out models answered a part, the share is said", () => {
  expect(one({ interpolation: { answered: 0.496 } })[0]).toContain(
    "60 models that answered 50 % of the anchors: typical error 2.4 points",
  );
});

test("where no model could be held out", () => {
  expect(one({ interpolation: null, extrapolation: null }, 7)).toEqual([
    "gsm, 50 items, 7 models: too few models to hold any out (8 are needed, with answers to 30 % of the items); the error is not measured.",
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
