import { type Bundle, loadBundle, planFromBundle, type PlanOptions } from "anchoreval";
import { type BundleContent, encodeBundle } from "anchoreval/bundle";
import { normalQuantile } from "anchoreval/internal/core/numeric/distributions";
import { describe, expect, test } from "vitest";
import { precisionCurve } from "../../../sdk/plan/plan-from-bundle.ts";
import { memorySource } from "../../support/memory-source.ts";
import { expectRefusal, refusal } from "../../support/refusal.ts";
import { sampleContent } from "../../support/sample-bundle.ts";

// 400 and 600 items, forms of 20 and 50 a scenario; measured: RMSE .065 and half-width .13 a scenario, .039 and .078 overall.
const content = sampleContent({ items: [400, 600], sizes: [20, 50] });
const load = (own: BundleContent): Promise<Bundle> => loadBundle(memorySource(encodeBundle(own)));
const bundle = await load(content);

/** The same bundle with nothing measured. */
const unmeasured = await load({
  ...content,
  manifest: {
    ...content.manifest,
    forms: content.manifest.forms.map((form) => ({
      ...form,
      overall: null,
      scenarios: Object.fromEntries(
        Object.entries(form.scenarios).map(([id, own]) => [
          id,
          { ...own, measured: { interpolation: null, extrapolation: null } },
        ]),
      ),
    })),
  },
});

describe("what the forms can tell", () => {
  const { forms, wanted, needed, enough } = planFromBundle(bundle);

  test("is what was measured; a gap is ranked right at √2 times the error of one score", () => {
    expect(forms.map(({ form, overall }) => [form, overall.items, overall.of])).toEqual([
      ["20", 40, 1000],
      ["50", 100, 1000],
    ]);
    for (const { overall, scenarios } of forms) {
      expect(overall).toMatchObject({ basis: "measured", halfWidth: expect.closeTo(0.078, 12) as number });
      expect(overall.gap).toBeCloseTo(normalQuantile(0.8) * Math.SQRT2 * 0.039, 12);
      expect(scenarios["alpha"]).toMatchObject({ basis: "measured", halfWidth: expect.closeTo(0.13, 12) as number });
    }
    expect({ wanted, needed, enough }).toEqual({ wanted: null, needed: null, enough: null });
  });

  test("at other levels half-widths go with the normal quantile", () => {
    const wide = planFromBundle(bundle, { level: 0.8 }).forms[0]!.overall;
    expect(wide.halfWidth).toBeCloseTo((0.078 * normalQuantile(0.9)) / normalQuantile(0.975), 12);
  });
});

describe("how many items it takes", () => {
  test("the least number that reaches it, one fewer doesn't", () => {
    const { needed } = planFromBundle(bundle, { halfWidth: 0.05 });
    const { items, halfWidth, basis } = needed!.scenarios["alpha"]!;
    // Beyond 50 items σ² is that of 50: h² = σ²(1/n − 1/400).
    const variance = 0.13 ** 2 / (1 / 50 - 1 / 400);
    const at = (n: number): number => Math.sqrt(variance * (1 / n - 1 / 400));
    expect(at(items)).toBeLessThanOrEqual(0.05);
    expect(at(items - 1)).toBeGreaterThan(0.05);
    expect(halfWidth).toBeCloseTo(at(items), 12);
    expect(basis).toBe("beyond");
  });

  test("more for less, all for nothing but certainty; overall in equal numbers, like the default form", () => {
    const sizes = [0.1, 0.05, 0.02, 0.005, 1e-9].map((gap) => planFromBundle(bundle, { gap }).needed!.overall);
    const items = sizes.map((size) => size.items);
    expect(items).toEqual([...items].sort((x, y) => x - y));
    expect(sizes.at(-1)).toMatchObject({ items: 1000, halfWidth: 0, gap: 0, basis: "measured" });
    for (const [k, gap] of [0.1, 0.05, 0.02, 0.005].entries()) expect(sizes[k]!.gap).toBeLessThanOrEqual(gap);
    expect(items[0]! % 2).toBe(0);
  });

  test("names the smallest form that is enough, and says where it interpolates", () => {
    expect(planFromBundle(bundle, { halfWidth: 0.08 }).enough).toBe("20");
    expect(planFromBundle(bundle, { halfWidth: 0.07 }).enough).toBeNull();
    const between = planFromBundle(bundle, { halfWidth: 0.13 }).needed!.scenarios["beta/γ"]!;
    expect(between).toMatchObject({ items: 20, basis: "measured" });
  });

  test("a gap that shall be ranked right more often takes more", () => {
    const items = [0.6, 0.8, 0.95].map(
      (rankedRight) => planFromBundle(bundle, { gap: 0.04, rankedRight }).needed!.overall.items,
    );
    expect(items[0]).toBeLessThan(items[1]!);
    expect(items[1]).toBeLessThan(items[2]!);
  });
});

test("where nothing was measured the response model's curves stand in, and it is said", () => {
  const plan = planFromBundle(unmeasured, { gap: 0.05 });
  for (const { overall, scenarios } of [...plan.forms, plan.needed!]) {
    expect(overall.basis).toBe("predicted");
    expect(scenarios["alpha"]!.basis).toBe("predicted");
    // An answer's variance is ¼ at most.
    const { items, halfWidth } = scenarios["alpha"]!;
    expect(halfWidth).toBeLessThanOrEqual(1.96 * Math.sqrt(0.25 * (1 / items - 1 / 400)));
    expect(halfWidth).toBeGreaterThan(0);
  }
});

describe("bad options", () => {
  test.each<[string, PlanOptions, string]>([
    ["both goals", { halfWidth: 0.1, gap: 0.1 }, "one of them"],
    ["a half-width of nothing", { halfWidth: 0 }, "halfWidth"],
    ["a gap in points", { gap: 2 }, "gap"],
    ["a gap that is none", { gap: NaN }, "gap"],
    ["a level of 1", { level: 1 }, "level"],
    ["a coin's share", { rankedRight: 0.5 }, "rankedRight"],
  ])("%s", (_, options, fragment) => {
    expectRefusal(
      refusal(() => planFromBundle(bundle, options)),
      "invalid_option",
      fragment,
    );
  });

  test("a part of a bundle", async () => {
    const part = await loadBundle(memorySource(encodeBundle(content)), { scenarios: ["alpha"] });
    expectRefusal(
      refusal(() => planFromBundle(part)),
      "invalid_option",
      "beta/γ wasn't loaded",
    );
  });
});

const open = (items: number): number => 1 / items - 1 / 400;

test("a draw without replacement from one measured size is right at every size", () => {
  const value = (items: number): number => 0.4 * Math.sqrt(open(items));
  const curve = precisionCurve([{ items: 50, value: value(50) }], open)!;
  for (const items of [1, 10, 50, 170, 399]) expect(curve.at(items)).toBeCloseTo(value(items), 14);
  expect(curve.at(400)).toBe(0);
});

test("through every measured size, between them σ² goes with log n, beyond them it stays", () => {
  const points = [
    { items: 100, value: 0.05 },
    { items: 25, value: 0.08 },
  ];
  const curve = precisionCurve(points, open)!;
  for (const { items, value } of points) expect(curve.at(items)).toBeCloseTo(value, 14);
  const variance = (items: number): number => curve.at(items) ** 2 / open(items);
  expect(variance(50)).toBeCloseTo((variance(25) + variance(100)) / 2, 12);
  expect(variance(5)).toBeCloseTo(variance(25), 12);
  expect(variance(300)).toBeCloseTo(variance(100), 12);
  expect([24, 25, 26, 100, 101].map((items) => curve.basis(items))).toEqual([
    "beyond",
    "measured",
    "between",
    "measured",
    "beyond",
  ]);
});

test("forms of one size count together; whole ones say nothing; without any there is no curve", () => {
  const twice = precisionCurve(
    [
      { items: 50, value: 0.03 },
      { items: 50, value: 0.05 },
    ],
    open,
  )!;
  expect(twice.at(50)).toBeCloseTo(Math.sqrt((0.03 ** 2 + 0.05 ** 2) / 2), 14);
  expect(precisionCurve([{ items: 400, value: 0 }], open)).toBeNull();
});
