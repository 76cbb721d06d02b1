import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { gunzipSync } from "node:zlib";
import { loadBundle } from "anchoreval";
import { knownPrices } from "anchoreval/internal/features/prices/sdk/bundle-prices";
import { shortLines } from "anchoreval/internal/features/publishing/sdk/bundle-card";
import { priceWords } from "anchoreval/internal/words/figures";
import { folderSource } from "anchoreval/node";
import { beforeAll, describe, expect, it } from "vitest";
import { runCommand } from "../../../support/run-command.ts";
import { tempFolder } from "../../../support/temp-folder.ts";

const folder = tempFolder();
const SHARED = fileURLToPath(new URL("../../../../../shared/data/", import.meta.url));
const ABSENT = existsSync(SHARED) ? "" : " (skipped: the shared data are not beside this checkout)";
const price = (id: string): number => (Number(/\d+$/.exec(id)![0]) % 5 === 0 ? 0.01 : 1);
let ids: string[];
let table: string;

/** Fits in plain TypeScript, one dimension: small and quick. */
const fit = (name: string, ...more: string[]) =>
  runCommand(
    ...["fit", "--responses", folder.path("board/responses.csv"), "--items", folder.path("board/items.jsonl")],
    ...["--name", "demo@1.0.0", "--out", folder.path(name), "--created", "2026-01-01"],
    ...["--provider", "typescript", "--set", "dims=1", "--anchors", "6,14", ...more],
  );

beforeAll(async () => {
  const settings = folder.write("board.json", JSON.stringify({ models: 24, items: 80, scenarios: 2, seed: 3 }));
  const { code } = await runCommand("simulate", "--settings", settings, "--out", folder.path("board.gz"));
  expect(code).toBe(0);
  const text = (file: string): string => gunzipSync(readFileSync(folder.path(`board.gz/${file}.gz`))).toString();
  folder.write("board/responses.csv", text("responses.csv"));
  folder.write("board/items.jsonl", text("items.jsonl"));
  ids = text("items.jsonl").trim().split("\n").map((line) => (JSON.parse(line) as { item_id: string }).item_id); // prettier-ignore
  table = folder.write("prices.csv", ["item_id,price", ...ids.map((id) => `${id},${price(id)}`)].join("\n"));
});

describe("fit --prices", () => {
  it("says of every form how it was chosen, of a gate form beside them too", async () => {
    expect((await fit("gated", "--prices", table, "--gate-form", "10")).code).toBe(0);
    const { manifest } = await loadBundle(folderSource(folder.path("gated")));
    expect(manifest.forms.map(({ id, selection }) => `${id} ${selection}`)).toEqual(["6 priced", "14 priced", "gate-10 flips"]); // prettier-ignore
  });

  it("chooses cheaper forms, notes what they cost, and show, plan and estimate say it", async () => {
    const { code, out, err } = await fit("priced", "--prices", table, "--price-column", "price:usd");
    expect({ code, err: err.includes("defect") }).toEqual({ code: 0, err: false });
    expect((await fit("plain")).code).toBe(0);
    const [priced, plain] = await Promise.all(
      ["priced", "plain"].map((name) => loadBundle(folderSource(folder.path(name)))),
    );
    const costOf = (bundle: typeof priced, form: string): number =>
      [...bundle!.scenarios.values()]
        .flatMap(({ forms }) => forms.get(form)!.itemIds)
        .reduce((sum, id) => sum + price(id), 0);
    expect(costOf(priced, "14")).toBeLessThan(0.8 * costOf(plain, "14"));
    expect(knownPrices(plain!)).toBeNull();
    expect(priced!.manifest.forms.map(({ selection }) => selection)).toEqual(["priced", "priced"]);
    const known = knownPrices(priced!)!;
    for (const [id, own] of known.anchors) expect(own).toBe(price(id));

    const all = ids.reduce((sum, id) => sum + price(id), 0);
    const words = `14: ${Number(costOf(priced, "14").toPrecision(3))} usd`;
    expect(out).toContain("price by form");
    const show = await runCommand("show", folder.path("priced"));
    expect(show.out).toContain(words);
    const plan = await runCommand(
      "plan",
      folder.path("priced"),
      "--budget",
      `${costOf(priced, "6") + 0.001}usd`,
      "--json",
    );
    expect(JSON.parse(plan.out)).toMatchObject({ unit: "usd", chosen: { form: "6" } });

    const asked = [...priced!.scenarios.values()].flatMap(({ forms }) => forms.get("6")!.itemIds);
    const answers = folder.write("answers.json", JSON.stringify(Object.fromEntries(asked.map((id, k) => [id, k % 2]))));
    const estimate = ["estimate", "--bundle", folder.path("priced"), "--responses", answers];
    const { cost } = JSON.parse((await runCommand(...estimate, "--json")).out) as { cost: Record<string, number> };
    expect(cost).toMatchObject({ unit: "usd", answered: 12, items: 80 });
    expect(cost["cost"]).toBeCloseTo(costOf(priced, "6"), 9);
    expect(cost["whole"]).toBeCloseTo(all, 4);
    expect((await runCommand(...estimate)).out).toMatch(
      /^The 12 items answered cost [\d.]+ usd; all 80 would have cost [\d.]+ usd\.$/m,
    );
    const other = await runCommand(
      ...estimate,
      "--prices",
      folder.write("one.json", JSON.stringify(Object.fromEntries(ids.map((id) => [id, 2])))),
      "--json",
    );
    expect(JSON.parse(other.out)).toMatchObject({ cost: { unit: null, cost: 24, whole: 160 } });
    await fit("drawn", "--prices", table, "--set", "selection=stratified");
    const drawn = await loadBundle(folderSource(folder.path("drawn")));
    expect(drawn.manifest.forms[0]!.selection).toBe("priced-draw");
    expect(costOf(drawn, "14")).toBeLessThan(0.9 * costOf(plain, "14"));
    const unpriced = await runCommand("estimate", "--bundle", folder.path("plain"), "--responses", answers, "--json");
    expect(JSON.parse(unpriced.out)).not.toHaveProperty("cost");
  });

  it("notes seconds beside dollars, which chose, and card, show, plan and estimate say both", async () => {
    const seconds = new Map(ids.map((id, k) => [id, 300 + 60 * (k % 7)]));
    const both = folder.write("both.csv", ["item_id,price,seconds", ...ids.map((id) => `${id},${price(id)},${seconds.get(id)!}`)].join("\n")); // prettier-ignore
    expect((await fit("alone", "--prices", both, "--price-column", "price:usd")).code).toBe(0);
    expect((await fit("both", "--prices", both, "--price-column", "price:usd,seconds")).code).toBe(0);
    const [alone, bundle] = await Promise.all(["alone", "both"].map((name) => loadBundle(folderSource(folder.path(name))))); // prettier-ignore
    const file = (name: string): string => readFileSync(folder.path(name), "utf8");
    for (const name of ["anchors.jsonl", "items.jsonl"]) expect(file(`both/${name}`)).toBe(file(`alone/${name}`));
    const { beside, ...prices } = bundle!.manifest.fit["prices"] as { beside: object[] };
    expect(prices).toEqual(alone!.manifest.fit["prices"]);
    expect(beside).toMatchObject([{ unit: "seconds" }]);

    const total = (some: readonly string[], of: (id: string) => number): number => some.reduce((sum, id) => sum + of(id), 0); // prettier-ignore
    const asked = [...bundle!.scenarios.values()].flatMap(({ forms }) => forms.get("6")!.itemIds);
    const words = (some: readonly string[]): string =>
      `${priceWords(total(some, price), "usd")} and ${priceWords(
        total(some, (id) => seconds.get(id)!),
        "seconds",
      )}`;
    const show = await runCommand("show", folder.path("both"));
    expect(show.out).toContain(`6: ${words(asked)}, 14: `);
    expect(show.out).toContain(`all items: ${words(ids)}`);
    expect(words(ids)).toMatch(/^[\d.]+ usd and [\d.]+ hours$/);
    expect(shortLines(bundle!)[0]).toMatch(/, [\d.]+ of [\d.]+ usd, [\d.]+ of [\d.]+ hours\.$/);
    const plan = ["plan", folder.path("both"), "--budget", `${total(asked, price) + 0.001}usd`];
    expect((await runCommand(...plan)).out).toContain(`All items of the benchmark cost ${words(ids)}, those marked ${words(asked)}.`); // prettier-ignore
    const amount = { unit: "seconds", cost: total(asked, (id) => seconds.get(id)!), whole: total(ids, (id) => seconds.get(id)!) }; // prettier-ignore
    expect(JSON.parse((await runCommand(...plan, "--json")).out)).toMatchObject({ unit: "usd", beside: [amount] });
    const answers = folder.write("half.json", JSON.stringify(Object.fromEntries(asked.map((id, k) => [id, k % 2]))));
    const estimate = ["estimate", "--bundle", folder.path("both"), "--responses", answers];
    expect((await runCommand(...estimate)).out).toContain(`The 12 items answered cost ${words(asked)}; all 80 would have cost ${words(ids)}.`); // prettier-ignore
    expect(JSON.parse((await runCommand(...estimate, "--json")).out)).toMatchObject({ cost: { unit: "usd", beside: [amount] } }); // prettier-ignore
    const other = ["--bundle", folder.path("alone"), "--responses", answers, "--prices", both, "--price-column", "price:usd,seconds"]; // prettier-ignore
    expect(JSON.parse((await runCommand("estimate", ...other, "--json")).out)).toMatchObject({ cost: { beside: [amount] } }); // prettier-ignore
  });

  it.skipIf(ABSENT !== "")(
    `Terminal-Bench by what its trials took: tokens choose, and time stands beside${ABSENT}`,
    async () => {
      const board = folder.path("core");
      const columns = "tokens=input_tokens+output_tokens,seconds=ended-started";
      await runCommand("import", "--from", "table", join(SHARED, "terminal-bench-core/trials.csv.gz"), "--columns", columns, "--out", board); // prettier-ignore
      const items = gunzipSync(readFileSync(join(board, "items.jsonl.gz"))).toString();
      const prices = folder.write("core.jsonl", items.replaceAll("terminal-bench-core", "terminal-bench"));
      const [responses, tasks] = ["responses.csv", "items.jsonl"].map(
        (name) =>
      folder.write(`tb1/${name}`, gunzipSync(readFileSync(join(SHARED, `terminal-bench-1/${name}.gz`))).toString().replaceAll(/terminal-bench-1(\.0)?/g, "terminal-bench")), // prettier-ignore
      );
      const { code, out } = await runCommand(
        ...[
          "fit",
          "--responses",
          responses!,
          "--items",
          tasks!,
          "--prices",
          prices,
          "--price-column",
          "tokens,seconds",
        ],
        ...["--name", "tb@1.0.0", "--anchors", "50", "--created", "2026-01-01", "--provider", "typescript", "--set", "dims=1"], // prettier-ignore
        ...["--out", folder.path("tb")],
      );
      expect(code).toBe(0);
      expect(out).toMatch(
        /50: [\d\u202f]+ tokens and [\d.]+ hours, all items: 5\u202f261\u202f\d+ tokens and 9\.4\d hours/,
      );
      const [line] = shortLines(await loadBundle(folderSource(folder.path("tb"))));
      expect(line).toMatch(/^\*\*In short:\*\* 50 of 80 items: ± [\d.]+ points for a model like those seen, [\d\u202f]+ of 5\u202f261\u202f\d+ tokens, [\d.]+ of 9\.4\d hours\.$/); // prettier-ignore
    },
    60_000,
  );

  it.each<[string, () => string[], string]>([
    [
      "an item without seconds, which are noted beside",
      () => [
        ...["--prices", folder.write("idle.csv", ["item_id,price,seconds", ...ids.map((id, k) => `${id},1,${k === 3 ? "" : 60}`)].join("\n"))], // prettier-ignore
        ...["--price-column", "price:usd,seconds"],
      ],
      'idle.csv, column "seconds": prices lack "',
    ],
    ["a column without a name", () => ["--prices", table, "--price-column", "price:usd,"], "names columns, as in price:usd,seconds; one is empty"], // prettier-ignore
    [
      "a negative price",
      () => ["--prices", folder.write("low.csv", readFileSync(table, "utf8").replace(",1\n", ",-1\n"))],
      'column "price": a price is a number, at least 0, got "-1"',
    ],
    [
      "a price that is no number",
      () => ["--prices", folder.write("nan.csv", readFileSync(table, "utf8").replace(",1\n", ",much\n"))],
      'got "much"',
    ],
    [
      "an item without a price",
      () => ["--prices", folder.write("few.csv", readFileSync(table, "utf8").split("\n").slice(0, -1).join("\n"))],
      'prices lack "',
    ],
    [
      "a price of an unknown item",
      () => ["--prices", folder.write("more.csv", `${readFileSync(table, "utf8")}\nnobody,1`)],
      'row 82: "nobody" is no item',
    ],
    ["a column that isn't there", () => ["--prices", table, "--price-column", "tokens"], 'there is no column "tokens"'],
    [
      "anchors chosen another way",
      () => ["--prices", table, "--set", "selection=random"],
      "isn't for those chosen by random",
    ],
    [
      "a unit without prices",
      () => ["--price-column", "price:usd"],
      "--price-column is for the prices of --prices FILE",
    ],
  ])("refuses %s and writes nothing", async (_, options, message) => {
    const { code, out, err } = await fit("refused", ...options());
    expect({ code, out }).toEqual({ code: 2, out: "" });
    expect(err).toContain(message);
    await expect(loadBundle(folderSource(folder.path("refused")))).rejects.toMatchObject({ code: "not_found" });
  });
});
