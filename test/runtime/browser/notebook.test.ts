import { execFileSync } from "node:child_process";
import { join } from "node:path";
import type { Browser } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { hasModules, PYTHON } from "../../support/harness-tasks.ts";
import { ROOT } from "../../support/source-imports.js";
import { NO_BROWSER, openBrowser } from "./support/open-browser.ts";
import { overflow, seriousFindings, shoot } from "./support/page-visit.ts";

const WHY = NO_BROWSER ?? (hasModules("anchoreval", "pandas") ? null : "no package for Python with pandas");

/** Results of the golden bundle as a notebook asks for them, with what they draw. */
const PROGRAM = `
import json, sys, warnings
import anchoreval, pandas
warnings.simplefilter("ignore")
folder = sys.argv[1]
bundle = anchoreval.load(f"{folder}/bundle")
answers = json.load(open(f"{folder}/answers.json", encoding="utf-8"))
ids = bundle.anchors("12")
board = pandas.DataFrame({f"model {k}": {item: float((7 * i + k) % 11 < k) for i, item in enumerate(ids)} for k in (1, 4, 8, 11)}).T
board.loc["<b>refused</b>"] = 2.0
other = json.load(open(f"{folder}/other-answers.json", encoding="utf-8"))
judge = {str(k): k / 99 for k in range(100)}
results = {
    "estimate": anchoreval.estimate(bundle, answers),
    "estimates": anchoreval.estimate(bundle, board),
    "comparison": anchoreval.compare(bundle, answers, other),
    "judged": anchoreval.estimate_judged(judge, {str(k): int(k % 2 > 0) for k in range(0, 100, 3)}),
}
def rows(name, result):
    frame = result.to_frame().astype(object)
    frame = frame[frame[["low", "high"]].notna().all(axis=1)]
    score = "difference" if name == "comparison" else "score"
    return [{"low": row["low"], "score": row[score], "high": row["high"]} for _, row in frame.iterrows()]
print(json.dumps({name: {"html": result._repr_html_(), "rows": rows(name, result)} for name, result in results.items()}))
`;

interface Shown {
  readonly html: string;
  readonly rows: readonly { readonly low: number; readonly score: number; readonly high: number }[];
}

/** As notebooks set their outputs: text by the theme, tables by the browser. */
const styled = (html: string, scheme: string): string =>
  `<!doctype html><html lang="en"><title>notebook</title><body><main style="font:13px system-ui;padding:8px;${scheme === "dark" ? "background:#111;color:#ddd" : "background:#fff;color:#222"}"><h1>Out</h1>${html}</main>`;

describe.skipIf(WHY !== null)(`results in a notebook, in Chromium${WHY === null ? "" : ` (skipped: ${WHY})`}`, () => {
  let browser: Browser;
  let results: Readonly<Record<string, Shown>>;
  beforeAll(async () => {
    browser = await openBrowser();
    const folder = join(ROOT, "test/fixtures/golden-bundle");
    results = JSON.parse(execFileSync(PYTHON, ["-c", PROGRAM, folder], { encoding: "utf8" })) as typeof results;
  });
  afterAll(() => browser.close());

  test.each(
    ["estimate", "estimates", "comparison", "judged"].flatMap((name) => [
      [name, "light"] as const,
      [name, "dark"] as const,
    ]),
  )("%s, %s: every interval is drawn where its figures are, in the text's colour", async (name, colorScheme) => {
    const { html, rows } = results[name]!;
    const page = await browser.newPage({ viewport: { width: 900, height: 600 }, colorScheme, offline: true });
    const said: string[] = [];
    page.on("console", (message) => said.push(message.text()));
    page.on("request", (request) => said.push(request.url()));
    await page.setContent(styled(html, colorScheme));
    await shoot(page, `notebook/${name}-${colorScheme}`);
    const bars = await page.evaluate(drawn);
    expect(bars.length).toBeGreaterThanOrEqual(name === "judged" ? 2 : 3);
    // The axis is from 0 to 1, of differences as far to either side as it takes.
    const reach = Math.max(...rows.flatMap(({ low, score, high }) => [low, score, high].map(Math.abs)));
    const [first, last] = rows.some(({ low }) => low < 0) ? [-reach, reach] : [0, 1];
    const place = (value: number): number => (value - first) / (last - first);
    // The row of all scenarios stands in the heading where there is but one of them.
    const shown = rows.slice(rows.length - bars.length);
    for (const [k, { low, score, high }] of shown.entries()) {
      const bar = bars[k]!;
      expect(bar.width).toBeGreaterThan(100);
      expect(bar.low).toBeCloseTo(place(low), 2);
      expect(bar.high).toBeCloseTo(place(high), 2);
      expect(bar.score).toBeCloseTo(place(score), 2);
      expect(bar.height).toBeGreaterThan(3);
      expect(bar.fill).toBe(bar.text);
      expect(bar.inCell).toBe(true);
    }
    expect(await overflow(page)).toBe(0);
    expect(await seriousFindings(page)).toEqual([]);
    expect(await page.locator("main b").count()).toBe(0);
    expect(said).toEqual([]);
    await page.close();
  });
});

/** The drawn intervals: their ends and their scores as shares of the axis. */
function drawn() {
  return [...document.querySelectorAll<SVGSVGElement>("td svg")].flatMap((svg) => {
    const [rect, circle] = [svg.querySelector("rect"), svg.querySelector("circle")];
    if (rect === null || circle === null) return [];
    const [axis, bar, dot] = [svg, rect, circle].map((one) => one.getBoundingClientRect()) as [
      DOMRect,
      DOMRect,
      DOMRect,
    ];
    const cell = svg.closest("td")!.getBoundingClientRect();
    const share = (x: number): number => (x - axis.left) / axis.width;
    return [
      {
        width: axis.width,
        height: bar.height,
        low: share(bar.left),
        high: share(bar.right),
        score: share((dot.left + dot.right) / 2),
        fill: getComputedStyle(rect).fill,
        text: getComputedStyle(svg.closest("td")!).color,
        inCell: axis.left >= cell.left && axis.right <= cell.right && axis.bottom <= cell.bottom,
      },
    ];
  });
}
