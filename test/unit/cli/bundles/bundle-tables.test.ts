import { withPart } from "anchoreval/internal/core/bundle/part";
import { unaskedPart } from "anchoreval/internal/features/unasked/core";
import { basePart } from "anchoreval/internal/features/versions/core";
import type { Manifest } from "anchoreval/bundle";
import { describe, expect, it, test } from "vitest";
import { additionFacts, errorLines, formLines } from "../../../../cli/src/bundles/bundle-tables.ts";
import { errors, manifestOf, measured, type MeasuredCase } from "../../../support/measured-manifest.ts";

/** Cells of a line of a table. */
const cells = (line: string): string[] => line.trim().split(/ {2,}/);
const overall = { inflation: 1, seen: null, measured: { interpolation: measured, extrapolation: null } };
const withOverall = (manifest: Manifest): Manifest => ({
  ...manifest,
  forms: manifest.forms.map((form) => ({ ...form, overall })),
});

describe("errors", () => {
  it("are a row for each form and scenario, the overall score's first", () => {
    const manifest = withOverall(manifestOf([{ gsm: { items: 10 }, math: { items: 20, extrapolation: null } }]));
    const [heading, ...lines] = errorLines(manifest);
    expect(cells(heading!)).toEqual(
      ["form", "scenario", "items"].concat(
        ...["typical error", "95 % within", "random items", "stronger models", "coverage", "half-width"],
      ),
    );
    expect(lines.slice(0, 3).map(cells)).toEqual([
      ["0", "overall", "30", "2.4", "5.6", "3.9", "–", "95.0 %", "5.0"],
      ["gsm", "10", "2.4", "5.6", "3.9", "3.3", "95.0 %", "5.0"],
      ["math", "20", "2.4", "5.6", "3.9", "–", "95.0 %", "5.0"],
    ]);
    expect(lines.slice(3)).toEqual([
      "",
      "Errors in points, measured on 60 held-out models; –: too few models to measure it.",
    ]);
  });

  it("say what held-out models answered, where it was a part", () => {
    const manifest = manifestOf([{ gsm: { interpolation: { answered: 0.496 } } }]);
    expect(errorLines(manifest).at(-1)).toBe(
      "They answered 50 % of the anchors or more: with all, errors are smaller.",
    );
  });

  it("mark the default form, where there are several", () => {
    const manifest = { ...manifestOf([{ gsm: {} }, { gsm: {} }]), defaultForm: "1" };
    expect(
      errorLines(manifest)
        .slice(1, 3)
        .map((line) => cells(line)[0]),
    ).toEqual(["0", "1 (default)"]);
  });

  it("have no spread below 20 models", () => {
    const row = (models: number): string[] =>
      cells(errorLines(manifestOf([{ gsm: { interpolation: { models } } }]))[1]!);
    expect(row(19)[4]).toBe("–");
    expect(row(20)[4]).toBe("5.6");
    const none = manifestOf([{ gsm: { interpolation: { absoluteError: [0.02, 0.03, null, null, null] } } }]);
    expect(cells(errorLines(none)[1]!)[4]).toBe("–");
  });

  it("are exact where every item is asked, and not measured where no model could be held out", () => {
    expect(errorLines(manifestOf([{ gsm: { items: 31, whole: true } }])).slice(1)).toEqual([
      expect.stringMatching(/^0 +gsm +31 +exact$/),
      "",
      "Every item is asked, so the score is exact.",
    ]);
    expect(errorLines(manifestOf([{ gsm: { interpolation: null, extrapolation: null } }], 7)).at(-1)).toBe(
      "Errors are not measured: of 7 models, too few have answered enough, and not alike, to be held out.",
    );
  });

  it("name forms that are no better than random items", () => {
    const worse: MeasuredCase = { interpolation: { estimators: errors({ "p-irt-dr": 0.0391 }) } };
    expect(
      errorLines(
        manifestOf([
          { gsm: worse, math: {} },
          { gsm: {}, math: worse },
        ]),
      ).at(-1),
    ).toBe("No better than as many random items: form 0 of gsm and form 1 of math.");
    const many = manifestOf([Object.fromEntries(["a", "b", "c", "d", "e"].map((id) => [id, worse]))]);
    expect(errorLines(many).at(-1)).toBe(
      "No better than as many random items: form 0 of a, form 0 of b, form 0 of c and 2 more.",
    );
  });

  it("of many scenarios are their range, unless all are wanted", () => {
    const errorOf = (k: number): number => (20 + ((k * 7) % 15)) / 1000;
    const form = Array.from({ length: 15 }, (_, k): [string, MeasuredCase] => [
      `s${k}`,
      { interpolation: { estimators: errors({ "p-irt-dr": errorOf(k) }) }, whole: k === 1 },
    ]);
    const manifest = withOverall(manifestOf([Object.fromEntries(form)]));
    const lines = errorLines(manifest, { most: 12 });
    expect(lines.slice(1, 5).map((line) => cells(line).slice(-8, -5))).toEqual(
      [
        ["overall", "750", "2.4"],
        ["smallest: s0", "50", "2.0"],
        ["median: s7", "50", "2.8"],
        ["largest: s2", "50", "3.4"],
      ].map((row) => expect.arrayContaining(row.slice(1)) as string[]),
    );
    expect(lines.at(-1)).toBe("anchoreval show lists every scenario.");
    expect(errorLines(manifest)).toHaveLength(1 + 16 + 2);
  });
});

test("second forms name the form that they share no item with", () => {
  const { forms, ...manifest } = manifestOf([{ gsm: {} }, { gsm: {} }]);
  const lines = formLines({ ...manifest, forms: [forms[0]!, { ...forms[1]!, disjointFrom: "0" }] });
  expect(lines.map(cells)).toEqual([
    ["form", "anchors", "selection", "estimator", "second form of"],
    ["0", "50", "stratified", "p-irt-dr"],
    ["1", "50", "stratified", "p-irt-dr", "0"],
  ]);
});

test("what a version stands on is told by its figures", () => {
  const { forms, ...manifest } = manifestOf([{ gsm: {} }]);
  const base = {
    benchmark: "quiz",
    version: "1.0.0",
    digest: `sha256:${"0".repeat(64)}`,
    items: { standing: 40, placed: 10 },
    rerun: 3,
    drawn: 0.9,
    texts: true,
    anchors: { "0": { kept: 45, of: 50 } },
    bridge: { overall: { slope: 0.98, intercept: 0.012, error: 0.01, models: 30 }, scenarios: {} },
  };
  const scenarios = [{ ...manifest.scenarios[0]!, items: 50 }];
  expect(additionFacts(withPart({ ...manifest, forms, scenarios }, basePart, base))).toEqual([
    ["base", "quiz 1.0.0"],
    ["fixed items", "40 of 50"],
    ["linked items", "10, by the answers of 3 models and texts"],
    ["drawn answers", "90.0 % of those to linked items, 18.0 % of all: run more models on the new items"],
    ["kept anchors", "45 of 50 in form 0"],
    ["linking", "1.2 + 0.980 × score, ± 2.0 (95 %, 30 models)"],
  ]);
  const alone = { ...base, drawn: 0, rerun: 0, texts: false, bridge: { overall: null, scenarios: {} } };
  expect(additionFacts(withPart({ ...manifest, forms, scenarios }, basePart, alone))).toEqual(
    expect.arrayContaining([
      ["linked items", "10, by the other items"],
      ["linking", "none: too few models have scores in 1.0.0"],
    ]),
  );
});

test("a bundle that predicts unasked scenarios says what that errs by, in the default form", () => {
  const manifest = { ...manifestOf([{ gsm: { items: 10 }, math: { items: 20 } }]), defaultForm: "0" };
  const scenario = { factor: 1, mae: 0.0625, coverage95: null };
  const unasked = { models: 50, mean: [0, 0], covariance: [1, 0, 0, 1], forms: { 0: { math: scenario } } };
  expect(additionFacts(withPart(manifest, unaskedPart, unasked))).toEqual([
    ["unasked scenarios", "predicted from the others; typical error, form 0: math 6.3"],
  ]);
  expect(additionFacts(withPart(manifest, unaskedPart, { ...unasked, forms: {} }))).toEqual([]);
});
