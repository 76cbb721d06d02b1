import { servedBlend } from "anchoreval/internal/core/bundle/bundle";
import { parseHTML } from "linkedom";
import { beforeAll, describe, expect, test } from "vitest";
import { closingWords } from "../../../../../offline-trainer/src/fit/closing-words.ts";
import { bundleFiles, type Fit } from "../../../../../offline-trainer/src/fit/fit.ts";
import { renderReport } from "../../../../../features/fit-report.ts";
import { parseManifest } from "anchoreval/internal/bundles/parse-manifest";
import { sampleFit } from "./sample-fit.ts";

const HOSTILE = `<script>alert("1 & 2")</script>`;

const textOf = async (result: Fit): Promise<string> => new TextDecoder().decode(await renderReport(result));
const pageOf = async (result: Fit): Promise<Document> => parseHTML(await textOf(result)).document;
const wordsOf = (element: Element | null): string => (element?.textContent ?? "").replace(/\s+/g, " ").trim();
const sectionOf = (document: Document, id: string): Element => document.getElementById(id)!;
const chartsOf = (document: Document, id: string): NodeListOf<Element> =>
  sectionOf(document, id).querySelectorAll('svg[role="img"]');
const chartCount = (document: Document, id: string): number => chartsOf(document, id).length;

describe("the report of an ordinary fit", () => {
  let result: Fit;
  let text: string;
  let document: Document;
  beforeAll(async () => {
    result = await sampleFit({
      models: 45,
      scenarios: { easy: 60, [HOSTILE]: 50, short: 20 },
      sizes: [10, 20],
      description: { description: HOSTILE, source: "https://example.org/data", licence: "CC0" },
    });
    text = await textOf(result);
    document = parseHTML(text).document;
  });

  test("has a title, every section, and in each what it is for", () => {
    expect(document.title).toBe("sample@1.2.3: how good its estimates are");
    expect(wordsOf(document.querySelector("h1"))).toBe("sample@1.2.3");
    expect([...document.querySelectorAll("section")].map(({ id }) => id)).toEqual([
      "summary",
      "errors",
      "error-by-size",
      "predicted",
      "coverage",
      "items",
      "models",
      "audit",
      "settings",
    ]);
    const links = [...document.querySelectorAll("nav a")].map((link) => link.getAttribute("href")!.slice(1));
    expect(links).toEqual([...document.querySelectorAll("section")].map(({ id }) => id).slice(1));
    expect(chartCount(document, "error-by-size")).toBe(4 + 4);
    expect(chartCount(document, "predicted")).toBe(2);
    expect(chartCount(document, "coverage")).toBe(1 + 3);
    expect(chartCount(document, "items")).toBe(3);
    expect(chartCount(document, "models")).toBe(3);
  });

  test("says what an interval means, and what the fit ended with", () => {
    const summary = wordsOf(sectionOf(document, "summary"));
    expect(summary).toContain(
      "for the score that this run would have got on all items of this benchmark version; it doesn't cover sampling noise, other prompts or other items",
    );
    for (const line of closingWords(parseManifest(bundleFiles(result).get("manifest.json")!)))
      expect(summary).toContain(line);
  });

  test("the table holds the manifest's figures, in points", () => {
    const table = sectionOf(document, "errors").querySelector("table")!;
    const { measured } = servedBlend(result.content.manifest.forms[0]!.scenarios["easy"]!);
    const row = [...table.querySelectorAll("tbody")]
      .find((body) => wordsOf(body).startsWith("easy"))!
      .querySelector("tr")!;
    const { estimators, randomMae } = measured.interpolation!;
    expect([...row.querySelectorAll("td")].map((cell) => wordsOf(cell).replace("†", ""))).toMatchObject({
      0: (100 * estimators["gate"].mae).toFixed(1),
      2: (100 * randomMae).toFixed(1),
      5: (100 * measured.extrapolation!.estimators["gate"].mae).toFixed(1),
    });
    expect(wordsOf(table)).toContain("every item is asked: the score is exact");
  });

  test("every id and text is text", () => {
    expect(text).not.toMatch(/<script/i);
    const titles = [...document.querySelectorAll(".name bdi")].map((name) => name.textContent);
    expect(titles).toContain(HOSTILE);
    expect(document.querySelector("header")!.textContent).toContain(HOSTILE);
    expect(document.querySelectorAll("script, iframe, object, img").length).toBe(0);
    expect(text).not.toMatch(/\son\w+=/i);
  });

  test("nothing is loaded from anywhere", () => {
    expect(text).not.toMatch(/(?:src|href|srcset|action|data)\s*=\s*["']?\s*(?:https?:)?\/\//i);
    expect(text).not.toMatch(/@import|url\(/i);
    expect([...document.querySelectorAll("[href]")].map((link) => link.getAttribute("href"))).toEqual(
      expect.arrayContaining(["data:,", "#errors"]),
    );
    for (const link of document.querySelectorAll("a")) expect(link.getAttribute("href")).toMatch(/^#/);
    expect(text).toContain("default-src 'none'");
  });

  test("the same fit gives the same bytes, whatever was drawn before; no time, no path, no name of a model", async () => {
    expect(await textOf({ ...result, timings: { reading: 123 } })).toBe(text);
    expect(text).not.toContain("secret-model");
    expect(text).not.toContain(process.cwd());
    expect(text).not.toMatch(/\bid="[^"]*\d{2,}/);
  });

  test("no figure is missing its number", () => {
    expect(text).not.toMatch(/NaN|undefined|Infinity|\bnull\b|\[object/);
  });

  test("reads without being seen: labels, captions, headings in order, scopes, focus", () => {
    for (const svg of document.querySelectorAll("svg"))
      expect(svg.getAttribute("aria-hidden") === "true" || svg.getAttribute("aria-label")!.length > 20).toBe(true);
    for (const figure of document.querySelectorAll("figure"))
      expect(wordsOf(figure.querySelector("figcaption"))).not.toBe("");
    for (const cell of document.querySelectorAll("th"))
      expect(cell.getAttribute("scope")).toMatch(/^(col|row)(group)?$/);
    for (const table of document.querySelectorAll("table"))
      expect(wordsOf(table.querySelector("caption"))).not.toBe("");
    for (const region of document.querySelectorAll(".scroll")) expect(region.getAttribute("tabindex")).toBe("0");
    const levels = [...document.querySelectorAll("h1, h2, h3, h4")].map(({ localName }) => Number(localName[1]));
    expect(levels[0]).toBe(1);
    levels.slice(1).forEach((level, k) => expect(level - levels[k]!).toBeLessThanOrEqual(1));
    expect(document.documentElement.getAttribute("lang")).toBe("en");
  });

  test("both themes have every colour that is used", () => {
    const [light, dark] = [...text.matchAll(/:root \{([^}]*)\}/g)].map(([, block]) => block!);
    for (const [, name] of text.matchAll(/var\((--[\w-]+)\)/g)) {
      expect(light).toContain(`${name!}:`);
      expect(dark).toContain(`${name!}:`);
    }
    expect(text).toContain("prefers-color-scheme: dark");
  });

  test("the reversed item heads the list of items worth auditing", () => {
    const lists = sectionOf(document, "audit").querySelectorAll("details");
    expect(lists).toHaveLength(3);
    expect(wordsOf(lists[0]!.querySelector("tbody tr"))).toContain("easy/0");
    expect(wordsOf(lists[0]!.querySelector("tbody tr"))).toContain("strong models miss it more");
    for (const list of lists) expect(list.querySelectorAll("tbody tr").length).toBeLessThanOrEqual(20);
  });
});

describe("fits out of the ordinary", () => {
  test("too few models to hold any out: said, not drawn", async () => {
    const text = await textOf(await sampleFit({ models: 6, scenarios: { only: 30 }, sizes: [10] }));
    const { document } = parseHTML(text);
    expect(wordsOf(sectionOf(document, "summary"))).toContain("The size of its errors isn't known");
    expect(wordsOf(sectionOf(document, "errors"))).toContain("not measured: too few models to hold any out");
    for (const id of ["error-by-size", "predicted", "coverage"]) {
      expect(chartCount(document, id)).toBe(0);
      expect(wordsOf(sectionOf(document, id).querySelector(".missing"))).not.toBe("");
    }
    expect(wordsOf(sectionOf(document, "audit"))).toContain("Not listed");
    expect(text).not.toMatch(/NaN|undefined|Infinity|\bnull\b/);
  });

  test("too few models for coverage: errors without it", async () => {
    const document = await pageOf(await sampleFit({ models: 12, scenarios: { only: 30 }, sizes: [10] }));
    expect(chartCount(document, "error-by-size")).toBeGreaterThan(0);
    expect(chartCount(document, "coverage")).toBe(0);
    expect(wordsOf(sectionOf(document, "errors"))).toContain("– not measured");
  });

  test("one scenario, of which every item is asked: exact, and nothing to draw", async () => {
    const document = await pageOf(await sampleFit({ models: 30, scenarios: { only: 12 }, sizes: [12] }));
    expect(wordsOf(document.querySelector(".tiles"))).toContain("every item is asked");
    expect(wordsOf(sectionOf(document, "errors"))).not.toContain("overall");
    expect(chartCount(document, "error-by-size")).toBe(0);
    expect(chartCount(document, "predicted")).toBe(0);
    expect(chartCount(document, "items")).toBe(1);
  });

  test("chosen anchors: cross-validated intervals are drawn, and said to be", async () => {
    const document = await pageOf(
      await sampleFit({
        models: 60,
        scenarios: { one: 60, two: 40 },
        sizes: [10, 20],
        settings: { selection: "irt-kmeans" },
      }),
    );
    expect(chartsOf(document, "predicted")[0]!.querySelectorAll("line").length).toBeGreaterThan(60);
    expect(wordsOf(sectionOf(document, "settings"))).toContain("from the errors on held-out models");
    expect(wordsOf(sectionOf(document, "settings"))).toContain("one ability for each scenario");
  });

  test("2 000 items stay under 600 kB", async () => {
    const result = await sampleFit({
      models: 40,
      scenarios: { one: 1000, two: 600, three: 400 },
      sizes: [10, 20, 30, 50, 100],
      settings: { folds: 2, draws: 1 },
    });
    expect((await renderReport(result)).length).toBeLessThan(600_000);
  });
});
