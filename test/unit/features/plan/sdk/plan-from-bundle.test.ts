import { type Bundle, loadBundle, planFromBundle, type PlanOptions } from "anchoreval";
import { type BundleContent, encodeBundle } from "anchoreval/bundle";
import { normalQuantile } from "anchoreval/internal/core/numeric/distributions";
import { describe, expect, test } from "vitest";
import { commonPower, precisionCurve } from "anchoreval/internal/features/plan/sdk/plan-from-bundle";
import { memorySource } from "../../../../support/memory-source.ts";
import { expectRefusal, refusal } from "../../../../support/refusal.ts";
import { sampleContent } from "../../../../support/sample-bundle.ts";

// 400 and 600 items, forms of 20 and 50 a scenario; measured: RMSE .065 and half-widths of .16 at most in nine models of ten a scenario, .039 and
// .096 overall.
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
      expect(overall).toMatchObject({ basis: "measured", halfWidth: expect.closeTo(0.096, 12) as number });
      expect(overall.gap).toBeCloseTo(normalQuantile(0.8) * Math.SQRT2 * 0.039, 12);
      expect(scenarios["alpha"]).toMatchObject({ basis: "measured", halfWidth: expect.closeTo(0.16, 12) as number });
    }
    expect({ wanted, needed, enough }).toEqual({ wanted: null, needed: null, enough: null });
  });

  test("at other levels half-widths go with the normal quantile", () => {
    const wide = planFromBundle(bundle, { level: 0.8 }).forms[0]!.overall;
    expect(wide.halfWidth).toBeCloseTo((0.096 * normalQuantile(0.9)) / normalQuantile(0.975), 12);
  });
});

test("with few source models half-widths are those of as many random items of endless ones, as intervals are then", async () => {
  const few = await load({
    manifest: { ...unmeasured.manifest, sources: { models: 11, names: null, note: null } },
    scenarios: content.scenarios.map((own) => ({ ...own, sourceScores: own.sourceScores.slice(0, 11) })),
  });
  const scores = few.scenarios.get("alpha")!.sourceScores;
  const most = Math.max(...Array.from(scores, (score) => score * (1 - score)));
  const { forms, needed } = planFromBundle(few, { halfWidth: 0.1 });
  for (const { scenarios, overall } of forms) {
    const { items, halfWidth, basis } = scenarios["alpha"]!;
    expect(basis).toBe("predicted");
    expect(halfWidth).toBeCloseTo(normalQuantile(0.975) * Math.sqrt(most / items), 12);
    expect(overall.halfWidth).toBeCloseTo(Math.hypot(halfWidth, scenarios["beta/γ"]!.halfWidth) / 2, 12);
  }
  expect(needed!.scenarios["alpha"]!.items).toBe(Math.ceil((normalQuantile(0.975) / 0.1) ** 2 * most));
  const enough = planFromBundle(unmeasured, { halfWidth: 0.1 }).needed!.scenarios["alpha"]!.items;
  expect(enough).toBeLessThan(needed!.scenarios["alpha"]!.items);
});

describe("how many items it takes", () => {
  test("the least number that reaches it, one fewer doesn't", () => {
    const { needed } = planFromBundle(bundle, { halfWidth: 0.05 });
    const { items, halfWidth, basis } = needed!.scenarios["alpha"]!;
    // σ² of 20 and 50 items rises more than √n, and so is taken to; beyond 50 items it is what it is there.
    const [small, large] = [0.16 ** 2 / (1 / 20 - 1 / 400), 0.16 ** 2 / (1 / 50 - 1 / 400)];
    const variance = Math.sqrt(small * large) * (50 / 20) ** 0.25;
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

  test("names the smallest form that is enough, and says where it interpolates", async () => {
    expect(planFromBundle(bundle, { halfWidth: 0.1 }).enough).toBe("20");
    expect(planFromBundle(bundle, { halfWidth: 0.09 }).enough).toBeNull();
    const narrow = await load({
      ...content,
      manifest: {
        ...content.manifest,
        forms: content.manifest.forms.map((form) => ({
          ...form,
          scenarios: Object.fromEntries(
            Object.entries(form.scenarios).map(([id, own]) => {
              const { interpolation, extrapolation } = own.measured;
              const widest = form.id === "50" ? 0.1 : 0.2;
              return [
                id,
                { ...own, measured: { interpolation: { ...interpolation!, halfWidth95P90: widest }, extrapolation } },
              ];
            }),
          ),
        })),
      },
    });
    const between = planFromBundle(narrow, { halfWidth: 0.15 }).needed!.scenarios["beta/γ"]!;
    expect(between.items).toBeGreaterThan(20);
    expect(between.items).toBeLessThan(50);
    expect(between.basis).toBe("between");
  });

  test("a gap that shall be ranked right more often takes more", () => {
    const items = [0.6, 0.8, 0.95].map(
      (rankedRight) => planFromBundle(bundle, { gap: 0.04, rankedRight }).needed!.overall.items,
    );
    expect(items[0]).toBeLessThan(items[1]!);
    expect(items[1]).toBeLessThan(items[2]!);
  });
});

test("half-widths that weren't measured are no promise, of bundles that have the mean alone neither", async () => {
  const manifest = structuredClone(content.manifest);
  for (const { overall, scenarios } of manifest.forms)
    for (const { measured } of [overall!, ...Object.values(scenarios)])
      Reflect.deleteProperty(measured.interpolation!, "halfWidth95P90");
  const plan = planFromBundle(await load({ ...content, manifest }));
  for (const { overall, scenarios } of plan.forms) {
    expect(overall.basis).toBe("predicted");
    expect(scenarios["alpha"]!.basis).toBe("predicted");
    expect(overall.gap).toBeCloseTo(normalQuantile(0.8) * Math.SQRT2 * 0.039, 12);
  }
});

test("where nothing was measured half-widths are those of random items, errors by the response model's curves, and it is said", () => {
  const plan = planFromBundle(unmeasured, { gap: 0.05 });
  for (const { overall, scenarios } of [...plan.forms, plan.needed!]) {
    expect(overall.basis).toBe("predicted");
    expect(scenarios["alpha"]!.basis).toBe("predicted");
    const { items, halfWidth, gap } = scenarios["alpha"]!;
    const scores = Array.from(unmeasured.scenarios.get("alpha")!.sourceScores);
    const most = Math.max(...scores.map((score) => score * (1 - score)));
    expect(halfWidth).toBeCloseTo(normalQuantile(0.975) * Math.sqrt(most * (1 / items - 1 / 400)), 12);
    expect(gap).toBeLessThan((normalQuantile(0.8) * Math.SQRT2 * halfWidth) / normalQuantile(0.975));
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
const part = (...points: [items: number, value: number | null][]) => ({
  of: 400,
  forms: points.map(([items, value]) => ({ items, halfWidth: value, error: null })),
  open,
  residual: 0.2,
  random: () => 0,
});
const powers = { halfWidth: 0.2, error: 0 };

/** √(c·nᵇ·(1/n − 1/400)). */
const law = (items: number, power: number, c = 0.16): number => Math.sqrt(c * items ** power * open(items));

test("a precision that goes with a power of n is found at every measured size, and kept beyond", () => {
  const curve = precisionCurve(
    part([25, law(25, 0.2)], [50, law(50, 0.2)], [100, law(100, 0.2)]),
    "halfWidth",
    powers,
  )!;
  for (const items of [25, 37, 50, 100]) expect(curve(items)).toBeCloseTo(law(items, 0.2), 14);
  expect(curve(5)).toBeCloseTo(Math.sqrt(0.16 * 25 ** 0.2 * open(5)), 14);
  expect(curve(300)).toBeCloseTo(Math.sqrt(0.16 * 100 ** 0.2 * open(300)), 14);
  expect(curve(400)).toBe(0);
});

test("one size that came out wide moves the others by its share, not itself alone", () => {
  const sizes = [20, 30, 50, 100];
  const points = (wide: number) =>
    part(...sizes.map((n): [number, number] => [n, law(n, 0.2) * (n === 50 ? wide : 1)]));
  const [even, odd] = [1, 1.2].map((wide) => precisionCurve(points(wide), "halfWidth", powers)!) as [
    (items: number) => number,
    (items: number) => number,
  ];
  for (const n of [20, 50, 70, 100]) expect(odd(n) / even(n)).toBeCloseTo(1.2 ** (1 / 4), 12);
});

test("the power is one for all scenarios, whatever their levels, between 0 and ½", () => {
  const sized = (power: number, c?: number) =>
    part(...[10, 30, 100].map((n): [number, number] => [n, law(n, power, c)]));
  expect(commonPower([sized(0.3), sized(0.3, 0.01)], "halfWidth")).toBeCloseTo(0.3, 12);
  expect(commonPower([sized(0.1), sized(0.3, 0.01)], "halfWidth")).toBeCloseTo(0.2, 12);
  expect(commonPower([sized(-0.4)], "halfWidth")).toBe(0);
  expect(commonPower([sized(0.9)], "halfWidth")).toBe(0.5);
  expect(commonPower([part([50, 0.1]), part([50, 0.2], [50, 0.1])], "halfWidth")).toBe(0);
  expect(commonPower([sized(0.3)], "error")).toBe(0);
});

test("whole forms and those that measured nothing say nothing; without any there is no curve", () => {
  const some = precisionCurve(part([50, 0.05], [80, null], [400, 0]), "halfWidth", powers)!;
  for (const items of [10, 50, 170]) expect(some(items)).toBeCloseTo(0.05 * Math.sqrt(open(items) / open(50)), 14);
  expect(precisionCurve(part([400, 0], [50, null]), "halfWidth", powers)).toBeNull();
});
