import { mkdirSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import type { BrowserContext, Page } from "playwright-core";
import { ROOT } from "../../../support/source-imports.js";

/** What the page wrote to the console, failed to load, or asked of others, over all visits. */
export const complaints: string[] = [];

const AXE = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");

/** Opens the page at a place, and waits until it is shown. Pages of one context share what was loaded, and no state. */
export async function visit(context: BrowserContext, url: string, hash: string): Promise<Page> {
  const page = await context.newPage();
  page.on("console", (message) => {
    // An answer of 401 or 404 is one that the page shows in words; Chromium notes it all the same.
    if (!/status of 40[134]/.test(message.text())) complaints.push(`${hash}: ${message.type()}: ${message.text()}`);
  });
  page.on("pageerror", (error) => complaints.push(`${hash}: ${String(error.stack)}`));
  page.on("request", (request) => {
    if (!request.url().startsWith(url) && !request.url().startsWith("blob:"))
      complaints.push(`${hash}: asked ${request.url()}`);
  });
  await page.goto(`${url}/${hash}`);
  await page.waitForSelector("main:not([aria-busy]) h1");
  return page;
}

/** Goes to another place of the page, as a link does. */
export async function go(page: Page, hash: string): Promise<void> {
  await page.evaluate(
    (place) =>
      new Promise((resolve) => {
        if (location.hash === place) resolve(null);
        addEventListener("hashchange", () => setTimeout(resolve), { once: true });
        location.hash = place;
      }),
    hash,
  );
  await page.waitForSelector("main:not([aria-busy]) h1");
}

/** Drops a file on the first field for files. */
export async function drop(page: Page, name: string, content: string | Uint8Array): Promise<void> {
  const transfer = await page.evaluateHandle(
    ([file, bytes]) => {
      const made = new DataTransfer();
      made.items.add(new File([Uint8Array.from(bytes)], file));
      return made;
    },
    [name, [...Buffer.from(content)]] as const,
  );
  await page.locator(".drop").first().dispatchEvent("drop", { dataTransfer: transfer });
}

/** Keeps a picture for people to look at, where they ask for it by PICTURES=1. @param name - under out/ */
export async function shoot(page: Page, name: string): Promise<void> {
  if (process.env["PICTURES"] === undefined) return;
  const path = join(ROOT, "out", `${name}.png`);
  mkdirSync(dirname(path), { recursive: true });
  await page.screenshot({ path, fullPage: true });
}

/** Pixels by which the page is wider than the screen. */
export function overflow(page: Page): Promise<number> {
  return page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);
}

/**
 * Findings of axe that are serious: rule, and the elements that break it.
 * @param rules - colours alone where another theme of the same page has been seen whole
 */
export async function seriousFindings(page: Page, rules: "all" | "colours" = "all"): Promise<string[]> {
  if (await page.evaluate(() => !("axe" in window))) await page.evaluate(AXE);
  return page.evaluate(async (options) => {
    const { axe } = window as unknown as {
      axe: {
        run(options: object): Promise<{ violations: { id: string; impact: string; nodes: { html: string }[] }[] }>;
      };
    };
    const { violations } = await axe.run(options);
    return violations
      .filter(({ impact }) => impact === "serious" || impact === "critical")
      .map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html.slice(0, 120)).join(" | ")}`);
  }, RULES[rules]);
}

const RULES = { all: {}, colours: { runOnly: ["color-contrast", "link-in-text-block"] } };
