import { mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { compareFromAnchors, estimateFromAnchors, loadBundle, type Bundle } from "anchoreval";
import type { BundleFileName } from "anchoreval/bundle";
import { sha256Text } from "anchoreval/internal/core/bundle/digest";
import { publishBundle } from "anchoreval/internal/features/publishing/sdk/publish-bundle";
import { r2Store } from "anchoreval/internal/bundles/r2-store";
import { yankVersion } from "anchoreval/internal/features/publishing/sdk/versions";
import { bundleCard } from "anchoreval/internal/features/publishing/sdk/bundle-card";
import { intervalWords, scoreWords } from "anchoreval/internal/words/result-words";
import { verdictWords } from "anchoreval/internal/features/compare/sdk/verdict-words";
import { bundleFiles, fit, readResponses, startLocalWorker, writeWideCsv, type LocalWorker } from "anchoreval-trainer";
import { unzipSync } from "fflate";
import { parquetWriteBuffer } from "hyparquet-writer";
import type { Browser, BrowserContext, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { onnxNodeBackend } from "../../../offline-trainer/src/backends/node/onnx-node-backend.ts";
import { exampleAnswers } from "../../../workers/page/parts/examples.ts";
import { buildWorker } from "../../support/built-worker.ts";
import { expectSameNumbers } from "../../support/same-numbers.ts";
import { memorySource } from "../../support/memory-source.ts";
import { sampleBundle } from "../../support/sample-bundle.ts";
import { ROOT } from "../../support/source-imports.js";
import { tempFolder } from "../../support/temp-folder.ts";
import { smallLeaderboard } from "../../unit/fit/small-leaderboard.ts";
import { NO_BROWSER, openBrowser } from "./support/open-browser.ts";
import { complaints, drop, go, overflow, seriousFindings, shoot, visit } from "./support/page-visit.ts";
import { WHOLE } from "../../support/whole.ts";

const folder = tempFolder();
const REASON = "wrong keys in 12 items: use 1.1.0";
const TOKEN = "test-reader";
const TOKENS = JSON.stringify([{ id: "reader", sha256: sha256Text(TOKEN), scopes: ["read:secret"], expires: null }]);
const MINE = "#/b/mine/1.0.0";
const SIZES = [10, 20];

let browser: Browser;
let context: BrowserContext;
let worker: LocalWorker;
let persist = "";
let responses = "";
let files: ReadonlyMap<BundleFileName, Uint8Array>;
let bundle: Bundle;

describe.skipIf(NO_BROWSER !== null)(`the page in Chromium${NO_BROWSER === null ? "" : ` (${NO_BROWSER})`}`, () => {
  beforeAll(async () => {
    await buildWorker();
    persist = await mkdtemp(join(tmpdir(), "anchoreval-"));
    [browser, worker] = await Promise.all([
      openBrowser(),
      startLocalWorker({ port: 0, persist, vars: { TOKENS, PROTECTED_BENCHMARKS: "secret" } }),
    ]);
    context = await browser.newContext({ viewport: { width: 1100, height: 800 } });
    responses = folder.path("board.csv.gz");
    await writeWideCsv(responses, smallLeaderboard({ models: 20, items: [28, 24] }));
    const { matrix } = await readResponses(responses);
    const fitted = await fit(matrix, {
      benchmark: "mine",
      version: "1.0.0",
      created: "2026-01-31T00:00:00Z",
      description: "A simulated leaderboard.",
      licence: "MIT",
      includeModelNames: true,
      sizes: SIZES,
      seed: 1,
      backend: onnxNodeBackend({ provider: "cpu", precision: "float64" }),
    });
    files = bundleFiles(fitted);
    bundle = await loadBundle(memorySource(files));
    const store = r2Store(await worker.bucket());
    await publishBundle(store, files, { card: new TextEncoder().encode(bundleCard(bundle)) });
    await publishBundle(store, sampleBundle({ benchmark: "secret" }));
    for (const version of ["1.0.0", "1.1.0"]) await publishBundle(store, sampleBundle({ version }));
    await yankVersion(store, { benchmark: "sample", version: "1.0.0" }, { yanked: true, reason: REASON });
  });
  afterAll(async () => {
    await browser.close();
    await worker.dispose();
    await rm(persist, { recursive: true, force: true });
  });

  const open = (hash: string, screen = context) => visit(screen, worker.url, hash);
  const answersOf = (seed: number, strength = 0.5): Map<string, number> => exampleAnswers(bundle, "20", seed, strength);

  test("lists what is published; protected benchmarks with a token, which a reload forgets", async () => {
    const page = await open("#/");
    const names = (): Promise<string[]> => page.locator(".cards .name").allInnerTexts();
    expect(await names()).toEqual(["mine", "sample"]);
    await page
      .getByText(/52 items( in \d scenarios)?, 20 models; \d\.\d points of error after 40 answers; licence MIT/)
      .waitFor();
    await page.getByText("what it is good for").click(); // one has a card
    await page.getByText(/Above the best seen, \d+\.\d points in/).waitFor();
    await go(page, "#/b/secret/1.0.0");
    expect(await page.locator(".problem").innerText()).toContain("requires a bearer token");
    await page.getByLabel("Token").fill("something-else");
    await page.keyboard.press("Enter");
    await page.getByText("this Worker does not know the token").waitFor();
    await page.getByLabel("Token").fill(TOKEN);
    await page.getByRole("button", { name: "Use it" }).click();
    await page.getByRole("heading", { name: "secret 1.0.0" }).waitFor();
    await page.getByRole("link", { name: "Benchmarks" }).click();
    await page.getByRole("link", { name: "secret" }).waitFor();
    await page.reload();
    await page.getByRole("link", { name: "sample", exact: true }).waitFor();
    expect(await names()).toEqual(["mine", "sample"]);
    await page.close();
  });

  test("versions: the newest first, yanked ones marked with the reason", async () => {
    const page = await open("#/b/sample");
    expect(await page.locator("tbody tr").allInnerTexts()).toEqual([
      expect.stringMatching(/^1\.1\.0\s+latest/),
      expect.stringMatching(/^1\.0\.0\s+yanked: wrong keys/),
    ]);
    await page.getByRole("link", { name: "1.0.0" }).click();
    await page.getByText(REASON).waitFor();
    await go(page, "#/b/nothing");
    expect(await page.locator(".problem").innerText()).toContain("Not found");
    await page.close();
  });

  test("a bundle: what it is worth, its curves, its items to search and keep", async () => {
    const page = await open(MINE);
    expect(await page.locator(".tiles").innerText()).toContain("of 52");
    expect(await page.locator("svg.plot").count()).toBeGreaterThanOrEqual(6);
    await page.getByText("Their names, 20").click();
    const names = await page.locator("details[open] li").allInnerTexts();
    expect(names.sort()).toEqual([...bundle.manifest.sources.names!].sort());
    await page.getByText("The bundle’s card").click();
    const rows = bundleCard(bundle).match(/^\| (models like|stronger).*$/gm)!;
    expect(await page.locator(".card tbody tr").count()).toBe(rows.length);
    const [manifest] = await Promise.all([
      page.waitForEvent("download"),
      page.getByRole("button", { name: "manifest.json" }).click(),
    ]);
    expect(new Uint8Array(await readFile(await manifest.path()))).toEqual(new Uint8Array(files.get("manifest.json")!));
    await page.getByRole("link", { name: "Items", exact: true }).click();
    await page.getByRole("combobox").selectOption("10");
    const first = [...bundle.scenarios.values()][0]!.forms.get("10")!.itemIds[3]!;
    await page.getByLabel("Search").fill(first);
    expect(await page.locator("tbody tr").first().innerText()).toContain(first);
    await page.getByRole("button", { name: first, exact: true }).click();
    expect(await page.locator("figcaption").first().innerText()).toContain(`right answer to ${first}`);
    await page.getByLabel("Search").fill("");
    await page.getByRole("button", { name: "right, typical model" }).click();
    const shares = (await page.locator("tbody tr td:nth-child(3)").allInnerTexts()).map((text) => parseInt(text));
    expect(shares).toEqual([...shares].sort((x, y) => x - y));
    const [list] = await Promise.all([
      page.waitForEvent("download"),
      page.getByRole("button", { name: "Download the list" }).click(),
    ]);
    expect((await readFile(await list.path(), "utf8")).trim().split("\n")).toHaveLength(20);
    await page.close();
  });

  test.each([
    ["answers.json", (answers: Map<string, number>) => JSON.stringify(Object.fromEntries(answers))],
    [
      "answers.csv",
      (answers: Map<string, number>) => ["item_id,score", ...[...answers].map((a) => a.join(","))].join("\n"),
    ],
    [
      "answers.jsonl.gz",
      (answers: Map<string, number>) =>
        gzipSync([...answers].map(([item_id, score]) => JSON.stringify({ item_id, score })).join("\n")),
    ],
  ])("a dropped %s gets the score of the SDK in Node", async (name, encode) => {
    const answers = answersOf(8);
    const expected = estimateFromAnchors(bundle, answers);
    const page = await open(`${MINE}/score`);
    await drop(page, name, encode(answers));
    await page.locator(".results h2").first().waitFor();
    expect(await page.locator(".figure").innerText()).toContain(scoreWords(expected.score));
    expect(await page.locator(".figure").innerText()).toContain(intervalWords(expected.interval));
    const [kept] = await Promise.all([page.waitForEvent("download"), page.getByText("Download as JSON").click()]);
    expectSameNumbers(
      JSON.parse(await readFile(await kept.path(), "utf8")),
      JSON.parse(JSON.stringify(expected)),
      1e-9,
    );
    await page.close();
  });

  test("a result's link opens the same figures without the answers; one of another bundle is refused in words", async () => {
    const expected = estimateFromAnchors(bundle, answersOf(8));
    const page = await open(`${MINE}/score`);
    await drop(page, "my-model.json", JSON.stringify(Object.fromEntries(answersOf(8))));
    await page.getByRole("link", { name: "Link to this result" }).click();
    await page.getByText("As somebody shared it, by form 20").waitFor();
    await page.reload();
    await page.getByRole("heading", { name: "Score of my-model" }).waitFor();
    expect(await page.locator(".figure").innerText()).toContain(scoreWords(expected.score));
    expect(await page.locator(".figure").innerText()).toContain(intervalWords(expected.interval));
    expect(await page.locator(".panels svg").count()).toBe(2);
    await go(page, `${MINE}/score?result=${encodeURIComponent('{"model":"x","overall":null,"scenarios":{"c":[1]}}')}`);
    await page.getByText("carries no result of this bundle").waitFor();
    await page.close();
  });

  test("answers that can't be scored are refused in words, warnings are shown, a form is inferred or chosen", async () => {
    const page = await open(`${MINE}/score`);
    const estimate = async (text: string): Promise<void> => {
      await page.getByLabel("or paste them").fill(text);
      await page.getByRole("button", { name: "Estimate" }).click();
    };
    await estimate('{"a/1": 7}');
    expect(await page.locator(".problem").innerText()).toContain("a score must be in [0,1], got 7");
    expect(await page.locator(".problem").innerText()).not.toContain("--");
    await estimate('{"nowhere": 1}');
    await page.locator(".results .problem").getByText("nowhere").first().waitFor();
    const most = [...answersOf(4)].filter((_, k) => k % 8 > 0);
    await page.getByRole("combobox").selectOption("20");
    await estimate(JSON.stringify(Object.fromEntries(most)));
    const expected = estimateFromAnchors(bundle, new Map(most), { form: "20" });
    expect(expected.warnings.length).toBeGreaterThan(0);
    await page.locator(".warnings").waitFor();
    expect(await page.locator(".warnings li").allInnerTexts()).toEqual(expected.warnings.map(({ message }) => message));
    await page.close();
  });

  test("two models: the verdict and the differences of the SDK in Node", async () => {
    const [a, b] = [answersOf(5, -1), answersOf(6, 2)];
    const page = await open(`${MINE}/compare`);
    const given = page.getByLabel("Drop a file");
    const write = (name: string, answers: Map<string, number>): string =>
      folder.write(name, JSON.stringify(Object.fromEntries(answers)));
    await given.nth(0).setInputFiles(write("old.json", a));
    await given.nth(1).setInputFiles(write("new.json", b));
    await page.locator(".verdict").waitFor();
    const expected = compareFromAnchors(bundle, { name: "old", responses: a }, { name: "new", responses: b });
    expect(expected.verdict).toBe("b-better");
    expect(await page.locator(".verdict").innerText()).toBe(`${verdictWords(expected)[0]!}.`);
    expect(await page.locator(".results svg.plot").getAttribute("aria-label")).toContain("new minus old");
    await page.close();
  });

  test("a bundle's folder that is given to the page is shown like one that is published", async () => {
    for (const [name, bytes] of files) folder.write(`given/${name}`, bytes);
    const page = await open("#/");
    await page.getByLabel("bundle’s folder").setInputFiles(folder.path("given"));
    await page.getByRole("heading", { name: "mine 1.0.0" }).waitFor();
    expect(await page.locator(".tiles").innerText()).toContain("of 52");
    await page.reload();
    await page.getByText("no bundle is open").waitFor();
    await page.close();
  });

  test("by keyboard alone: from the first page to a score", async () => {
    const page = await open("#/");
    const press = async (name: string | RegExp): Promise<void> => {
      for (let k = 0; k < 40; k++) {
        await page.keyboard.press("Tab");
        const focused = await page.evaluate(() => {
          const { outlineStyle } = getComputedStyle(document.activeElement!);
          return { text: (document.activeElement as HTMLElement).innerText, outlineStyle };
        });
        if (focused.text.match(name) === null) continue;
        expect(focused.outlineStyle).toBe("solid");
        return page.keyboard.press("Enter");
      }
      throw new Error(`${name} can't be reached by Tab`);
    };
    await press(/^Skip/);
    expect(await page.evaluate(() => document.activeElement!.id)).toBe("main");
    await press(/^mine$/);
    await page.getByRole("heading", { name: "mine 1.0.0" }).waitFor();
    await press("Score a model");
    await page.getByLabel("or paste them").waitFor();
    await press("made-up answers");
    await page.locator(".figure .score").waitFor();
    await page.close();
  });

  test("a fit in the browser is the fit in Node, and its bundle works here and there", async () => {
    const page = await open("#/fit");
    await page.getByRole("button", { name: "Fit", exact: true }).click();
    await page.getByText("choose a table of scores first").waitFor();
    await page.getByLabel("Scores of many models").setInputFiles(responses);
    await page.getByLabel("Items to ask").fill("500");
    await page.getByRole("button", { name: "Fit", exact: true }).click();
    await page.getByText("500 is more than there are").waitFor();
    await page.getByLabel("Items to ask").fill(SIZES.join(","));
    await page.getByRole("button", { name: "Fit", exact: true }).click();
    await page.locator("progress").waitFor();
    await page.getByRole("heading", { name: "The bundle" }).waitFor({ timeout: 60_000 });
    await shoot(page, "page/fit");
    const [archive] = await Promise.all([page.waitForEvent("download"), page.getByText("Download it").click()]);
    const unpacked = new Map(
      Object.entries(unzipSync(await readFile(await archive.path()))).map(
        ([path, bytes]) => [path.replace("mine-1.0.0/", "") as BundleFileName, bytes] as const,
      ),
    );
    const ours = await loadBundle(memorySource(unpacked));
    for (const [id, { bank, forms }] of bundle.scenarios) {
      const own = ours.scenarios.get(id)!;
      for (const name of ["a", "b"] as const) {
        const far = Array.from(bank[name], (value, k) => Math.abs(value - own.bank[name][k]!));
        expect(Math.max(...far)).toBeLessThan(1e-5);
      }
      for (const [form, { itemIds }] of forms) expect(own.forms.get(form)!.itemIds).toEqual(itemIds);
    }
    const answers = answersOf(7);
    expect(estimateFromAnchors(ours, answers).score).toBeCloseTo(estimateFromAnchors(bundle, answers).score!, 5);
    await page.getByRole("link", { name: "Open it" }).click();
    await page.getByRole("heading", { name: "mine 1.0.0" }).waitFor();
    await page.close();
  });

  const [device, name] = WHOLE ? (["webgpu", "WebGPU"] as const) : (["wasm", "WebAssembly"] as const);
  test(`a fit of a Parquet table, on ${name} where it is chosen; and one that is stopped`, async () => {
    const page = await open("#/fit");
    await page.getByRole("button", { name: "made-up leaderboard" }).click();
    await page.getByRole("button", { name: "Stop" }).click();
    await page.getByText("the fit was stopped").waitFor();
    await page.getByLabel("Scores of many models").setInputFiles(folder.write("torn.parquet", "PAR1 no more"));
    await page.getByRole("button", { name: "Fit", exact: true }).click();
    await page.getByText("torn.parquet: it can't be read as Parquet").waitFor();
    const shown = page.getByLabel("Scores of many models").evaluate((input: HTMLInputElement) => input.value);
    expect(await shown).toMatch(/torn\.parquet$/);
    // Too few models to hold any out: a calibration a scenario is all that the device is asked for.
    const cells = Array.from({ length: 6 * 12 }, (_, k) => ({ m: Math.floor(k / 12), i: k % 12 }));
    const columnData = [
      { name: "model", data: cells.map(({ m }) => `m${m}`), type: "STRING" as const },
      { name: "item_id", data: cells.map(({ i }) => `${i < 6 ? "a" : "b"}/${i}`), type: "STRING" as const },
      { name: "score", data: cells.map(({ m, i }) => ((m * 7 + i * 5) % 11 < m + 2 ? 1 : 0)), type: "INT32" as const },
    ];
    const parquet = new Uint8Array(parquetWriteBuffer({ columnData, codec: "SNAPPY" }));
    await page.getByLabel("Scores of many models").setInputFiles(folder.write("tiny.parquet", parquet));
    await page.getByText("Seed and device").click();
    await page.getByLabel("Compute on").selectOption(device);
    await page.getByLabel("Items to ask").fill("4");
    await page.getByRole("button", { name: "Fit", exact: true }).click();
    await page.getByRole("heading", { name: "The bundle" }).waitFor();
    await page.getByText("How it was computed").click();
    await page.getByText(`ONNX Runtime on ${name}: asked for`).waitFor();
    await page.close();
  });

  /** What is wrong with a view as it is shown now. */
  async function findingsOf(page: Page, picture: string, rules: "all" | "colours" | null): Promise<string[]> {
    const findings = rules === null ? [] : await seriousFindings(page, rules);
    const over = await overflow(page);
    if (over > 0) findings.push(`${over} pixels wider than the screen`);
    await shoot(page, `page/${picture}`);
    return findings.map((finding) => `${picture}: ${finding}`);
  }

  test.each([
    ["light, then dark", ["light", "dark"], {}],
    ["phone", ["phone"], { viewport: { width: 360, height: 740 }, reducedMotion: "reduce" }],
  ] as const)(
    "%s: every view without a serious finding of axe, none wider than the screen",
    async (_, looks, options) => {
      const screen = await browser.newContext({ viewport: { width: 1100, height: 800 }, ...options });
      const page = await open("#/", screen);
      const findings: string[] = [];
      for (const [view, hash] of [
        ["home", "#/"],
        ["versions", "#/b/sample"],
        ["about", MINE],
        ["items", `${MINE}/items`],
        ["score", `${MINE}/score`],
        ["compare", `${MINE}/compare`],
        ["fit", "#/fit"],
        ["problem", "#/b/secret/1.0.0"],
      ] as const) {
        await page.emulateMedia({ colorScheme: "light" });
        await go(page, hash);
        if (view === "score" || view === "compare") {
          await page.getByText("made-up answers").click();
          await page.locator(".results h2").first().waitFor();
          for (const closed of await page.locator(".results details").all()) await closed.locator("summary").click();
        }
        for (const look of looks) {
          // Styles alone make a view dark: nothing of it is drawn anew.
          if (look === "dark") await page.emulateMedia({ colorScheme: "dark" });
          const rules = { light: "all", dark: "colours", phone: null } as const;
          findings.push(...(await findingsOf(page, `${view}-${look}`, rules[look])));
        }
      }
      expect(findings).toEqual([]);
      await screen.close();
    },
  );

  test("a strict policy: no script in the page, nothing from other hosts", async () => {
    const { headers } = await fetch(`${worker.url}/`);
    const policy = headers.get("content-security-policy")!;
    expect(policy).toMatch(/^default-src 'none'; script-src 'self'; style-src 'self';/);
    expect(policy).not.toContain("unsafe");
    expect((await fetch(`${worker.url}/fit.js`)).headers.get("content-security-policy")).toContain(
      "'wasm-unsafe-eval'",
    );
    expect((await fetch(`${worker.url}/docs/`)).headers.get("content-security-policy")).toContain(
      "style-src 'self' 'unsafe-inline'",
    );
  });

  test("all that it loads before ONNX Runtime is under 300 kB of gzip", async () => {
    const shared = (await readdir(join(ROOT, "workers/public"))).filter((file) => file.startsWith("shared-"));
    const loaded = ["index.html", "page.css", "page.js", "icon.svg", "fit.js", ...shared];
    const sizes = await Promise.all(
      loaded.map(async (file) => gzipSync(await readFile(join(ROOT, "workers/public", file)), { level: 9 }).length),
    );
    expect(sizes.reduce((sum, size) => sum + size, 0)).toBeLessThan(300_000);
    expect(Math.max(...sizes)).toBeGreaterThan(50_000);
  });

  test("nothing was written to the console, and no other host was asked", () => {
    expect(complaints).toEqual([]);
  });
});
