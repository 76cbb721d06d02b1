import fc from "fast-check";
import { expect, test } from "vitest";
import { benchmarkHref, bundleHref, parseRoute, TABS } from "../../../workers/page/parts/route.ts";

test("a bundle's address is read as what it was made of, whatever its form is called", () => {
  fc.assert(
    fc.property(
      fc.constantFrom(...TABS),
      fc.option(fc.string({ minLength: 1 })),
      fc.string({ minLength: 1 }),
      fc.option(fc.string({ minLength: 1 })),
      (tab, form, benchmark, result) => {
        const place = { benchmark, version: "1.0.0-rc.1" };
        expect(parseRoute(bundleHref(place, tab, form, result))).toEqual({ view: "bundle", place, tab, form, result });
        expect(parseRoute(benchmarkHref(benchmark))).toEqual({ view: "benchmark", benchmark });
      },
    ),
  );
});

test.each([
  ["", { view: "home" }],
  ["#/", { view: "home" }],
  ["#/fit", { view: "fit" }],
  ["#/given", { view: "bundle", place: "given", tab: "about", form: null, result: null }],
  ["#/given/score?form=20", { view: "bundle", place: "given", tab: "score", form: "20", result: null }],
  [
    "#/b/mine/latest",
    { view: "bundle", place: { benchmark: "mine", version: "latest" }, tab: "about", form: null, result: null },
  ],
  ["#/b/mine/1.0.0/prices", { view: "unknown" }],
  ["#/b/mine/1.0.0/score/more", { view: "unknown" }],
  ["#/fit/more", { view: "unknown" }],
  ["#/elsewhere", { view: "unknown" }],
  ["#/b/%E0%A4%A", { view: "unknown" }],
])("%s", (hash, route) => {
  expect(parseRoute(hash)).toEqual(route);
});
