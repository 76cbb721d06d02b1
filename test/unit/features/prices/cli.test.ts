import { readFileSync } from "node:fs";
import { loadBundle } from "anchoreval";
import { knownPrices } from "anchoreval/internal/features/prices/sdk/bundle-prices";
import { folderSource } from "anchoreval/node";
import { beforeAll, describe, expect, it } from "vitest";
import { runCommand } from "../../../support/run-command.ts";
import { tempFolder } from "../../../support/temp-folder.ts";

const folder = tempFolder();
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
  const { gunzipSync } = await import("node:zlib");
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
    const words = `14: ${costOf(priced, "14").toPrecision(3)}`.replace(/0+$/, "");
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
      /^The 12 items answered cost [\d.]+ usd; all 80 would have cost [\d.]+\.$/m,
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

  it.each<[string, () => string[], string]>([
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
