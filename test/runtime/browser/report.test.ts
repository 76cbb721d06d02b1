import { pathToFileURL } from "node:url";
import type { Browser } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { renderReport } from "../../../features/fit-report.ts";
import { tempFolder } from "../../support/temp-folder.ts";
import { sampleFit } from "../../unit/features/report/fit/sample-fit.ts";
import { NO_BROWSER, openBrowser } from "./support/open-browser.ts";
import { overflow, seriousFindings, shoot } from "./support/page-visit.ts";

const folder = tempFolder();

describe.skipIf(NO_BROWSER !== null)(`report.html in Chromium${NO_BROWSER === null ? "" : ` (${NO_BROWSER})`}`, () => {
  let browser: Browser;
  let address = "";
  beforeAll(async () => {
    const odd = "<b>Which of these is the capital?</b>";
    const [opened, fit] = await Promise.all([
      openBrowser(),
      sampleFit({
        models: 60,
        scenarios: { "a scenario": 60, "<another>/with-a-name-that-is-long-and-has-no-space": 50, short: 10 },
        sizes: [10, 20],
        odd,
      }),
    ]);
    browser = opened;
    address = pathToFileURL(folder.write("report.html", await renderReport(fit))).href;
  });
  afterAll(() => browser.close());

  test.each([
    [1200, "light"],
    [1200, "dark"],
    [360, "light"],
    [360, "dark"],
  ] as const)("%i pixels, %s: fits the screen, reads without being seen, loads nothing", async (width, colorScheme) => {
    const page = await browser.newPage({ viewport: { width, height: 800 }, colorScheme, offline: true });
    const asked: string[] = [];
    const said: string[] = [];
    page.on("request", (request) => asked.push(request.url()));
    page.on("console", (message) => said.push(message.text()));
    page.on("pageerror", (error) => said.push(String(error)));
    await page.goto(address);
    expect(await overflow(page)).toBe(0);
    // Every label lies within its chart: nothing is cut off or runs into what is beside it.
    expect(await page.evaluate(labelsOutside)).toEqual([]);
    await shoot(page, `report/${width}-${colorScheme}`);
    // Colours change with the theme, the layout with the width: axe sees each once.
    if ((width === 1200) === (colorScheme === "light")) expect(await seriousFindings(page)).toEqual([]);
    expect(asked.filter((url) => url !== address && !url.startsWith("data:"))).toEqual([]);
    expect(said).toEqual([]);
    await page.close();
  });
});

/** Texts of charts that reach out of them by more than two pixels. */
function labelsOutside(): string[] {
  return [...document.querySelectorAll("svg.plot")].flatMap((chart) => {
    const box = chart.getBoundingClientRect();
    return [...chart.querySelectorAll("text")]
      .filter((text) => {
        const own = text.getBoundingClientRect();
        return own.left < box.left - 2 || own.right > box.right + 2 || own.bottom > box.bottom + 2;
      })
      .map((text) => text.textContent);
  });
}
