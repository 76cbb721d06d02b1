import { loadBundle, planFromBundle } from "anchoreval";
import { folderSource } from "anchoreval/node";
import { describe, expect, it } from "vitest";
import { writeBundle } from "../../../support/logged-bundle.ts";
import { runCommand } from "../../../support/run-command.ts";
import { sampleContent } from "../../../support/sample-bundle.ts";
import { tempFolder } from "../../../support/temp-folder.ts";

const folder = tempFolder();
const bundle = writeBundle(folder.path("bundle"), sampleContent({ items: [400, 600], sizes: [20, 50] }));
const plan = ["plan", "--bundle", bundle];

it("is the SDK's plan, as JSON; goals are in points", async () => {
  const loaded = await loadBundle(folderSource(bundle));
  for (const [options, expected] of [
    [[], planFromBundle(loaded)],
    [["--half-width", "5"], planFromBundle(loaded, { halfWidth: 0.05 })],
    [["--gap", "2", "--ranked-right", "0.9"], planFromBundle(loaded, { gap: 0.02, rankedRight: 0.9 })],
    [["--half-width", "5", "--level", "0.8"], planFromBundle(loaded, { halfWidth: 0.05, level: 0.8 })],
  ] as const) {
    const { code, out, err } = await runCommand(...plan, ...options, "--json");
    expect({ code, err }).toEqual({ code: 0, err: "" });
    expect(JSON.parse(out)).toEqual(JSON.parse(JSON.stringify(expected)));
  }
});

it("is a table in points for people, and says where it extrapolates", async () => {
  const { out } = await runCommand(...plan);
  expect(out).toMatch(/^20 +40 of 1000 +9\.6 +4\.6/m);
  expect(out).toMatch(/ {2}alpha +20 of 400 +16\.0/);
  expect(out).not.toContain("overall");
  expect(out).toContain("half-widths that nine in ten of them have at most.");
  const wide = await runCommand(...plan, "--half-width", "3");
  expect(wide.out).toMatch(/^half-width 3\.0 +items +half-width \(95 %\) +gap ranked right \(80 %\)$/m);
  expect(wide.out).toMatch(/overall +\d+ of 1000 +3\.0 +\d\.\d +beyond the measured sizes/);
  expect(wide.out).toContain("extrapolated");
  expect(wide.out).toContain("No form of this bundle is enough overall.");
  const gap = await runCommand(...plan, "--gap", "5");
  expect(gap.out).toContain("\ngap 5.0 ");
  expect(gap.out).toContain("Form 20 of this bundle is enough overall.");
});

it("names what is wrong, exit code 2", async () => {
  for (const more of [
    ["--half-width", "3", "--gap", "2"],
    ["--half-width", "0"],
    ["--half-width", "100"],
    ["--gap", "-1"],
    ["--gap", "x"],
    ["--gap", "2", "--ranked-right", "0.4"],
    ["--level", "1"],
    ["extra"],
  ]) {
    const result = await runCommand(...plan, ...more);
    expect({ more, code: result.code, out: result.out }).toEqual({ more, code: 2, out: "" });
    expect(result.err).toContain("[invalid_option]");
  }
  expect((await runCommand("plan")).err).toContain("--bundle is needed");
});

describe("plan --prices", () => {
  const predicting = writeBundle(folder.path("predicting"), sampleContent({ unasked: true }));
  const prices = folder.write("prices.json", JSON.stringify({ alpha: 1, "beta/γ": 4 }));
  const choose = ["plan", "--bundle", predicting, "--prices", prices];

  it("marks the cheapest choice of scenarios that is narrow enough, within the budget", async () => {
    const { code, out } = await runCommand(...choose, "--half-width", "40", "--budget", "60");
    expect(code).toBe(0);
    expect(out).toMatch(/^> +20 +20 +\d+\.\d +alpha$/m);
    expect(out).toMatch(/^ +8 +40 +7\.8 +alpha, beta\/γ$/m);
    expect((await runCommand(...choose, "--half-width", "8")).out).toMatch(/^> +8 +40 /m);
  });

  it("marks the narrowest that the budget allows where none is narrow enough, and says so", async () => {
    const { out } = await runCommand(...choose, "--half-width", "8", "--budget", "30");
    expect(out).toMatch(/^> +20 +20 /m);
    expect(out).toContain("None within 30 is as narrow as asked for: the narrowest is marked.");
    expect((await runCommand(...choose, "--budget", "10")).out).toContain("No choice is within 10.");
  });

  it("has the choices as JSON, beside the plan", async () => {
    const { out } = await runCommand(...choose, "--json");
    const { choices, chosen, forms } = JSON.parse(out) as { choices: object[]; chosen: object; forms: object[] };
    expect([choices.length, forms.length]).toEqual([2, 2]);
    expect(chosen).toEqual(choices[1]);
  });

  it("takes an item's own price, and a bundle whose scenarios must all be asked", async () => {
    const content = sampleContent({ items: [400, 600], sizes: [20, 50] });
    const rows = content.scenarios.flatMap(({ items }) => items.map(({ item_id: id }, k) => `${id},${1 + (k % 2)}`));
    const table = folder.write("items.csv", ["item_id,usd", ...rows].join("\n"));
    const own = [...plan, "--prices", table, "--price-column", "usd:usd"];
    const loaded = await loadBundle(folderSource(bundle));
    const byId = new Map(rows.map((row) => row.split(",") as [string, string]));
    const costOf = (form: string): number =>
      [...loaded.scenarios.values()]
        .flatMap(({ forms }) => forms.get(form)!.itemIds)
        .reduce((sum, id) => sum + Number(byId.get(id)), 0);
    const { out } = await runCommand(...own, "--budget", `${costOf("20") + 1}usd`, "--json");
    const { choices, chosen, whole, unit, forms } = JSON.parse(out) as {
      choices: { form: string; cost: number; halfWidth: number }[];
      chosen: object;
      whole: number;
      unit: string;
      forms: { form: string; overall: { halfWidth: number } }[];
    };
    expect({ whole, unit }).toEqual({ whole: 1500, unit: "usd" });
    // Both forms are as narrow as one another: the cheaper one is left.
    const [{ form, overall }] = forms as [(typeof forms)[0]];
    expect(choices).toEqual([
      { form, scenarios: ["alpha", "beta/γ"], cost: costOf("20"), halfWidth: overall.halfWidth },
    ]);
    expect(chosen).toEqual(choices[0]);
    const words = await runCommand(...own, "--budget", "3usd");
    expect(words.out).toContain("No form is within 3 usd.");
    expect(words.out).toContain("All items of the benchmark cost 1\u202f500 usd.");
  });

  it.each([
    ["a file that isn't there", ["--prices", folder.path("none.json")], "there is no such file [not_found]"],
    [
      "prices that are text",
      ["--prices", folder.write("text.json", '{"alpha":"1"}')],
      'item "alpha": a price is a number',
    ],
    [
      "a price below 0",
      ["--prices", folder.write("low.json", '{"alpha":1,"beta/γ":-1}')],
      'item "beta/γ": a price is a number, at least 0',
    ],
    ["a scenario without a price", ["--prices", folder.write("few.json", '{"alpha":1}')], 'prices lack "beta/γ"'],
    [
      "a name of nothing",
      ["--prices", folder.write("odd.csv", "scenario,price\nalpha,1\nbeta/γ,1\ngamma,1\n")],
      'row 4: "gamma" is no scenario',
    ],
    [
      "a column that isn't there",
      ["--prices", folder.write("own.csv", "scenario,price\nalpha,1\n"), "--price-column", "usd"],
      'there is no column "usd"',
    ],
    [
      "a unit that is none",
      ["--prices", prices, "--price-column", "price:5%"],
      "the unit of --price-column is a word of letters",
    ],
    [
      "a budget in another unit",
      ["--prices", prices, "--price-column", "price:usd", "--budget", "5tokens"],
      "the prices are in usd, --budget says tokens",
    ],
    ["a budget below 0", ["--prices", prices, "--budget", "-5"], "--budget must be an amount of at least 0"],
    ["a budget that is none", ["--prices", prices, "--budget", "much"], "--budget must be an amount"],
    ["a budget without prices", ["--budget", "3"], "--budget needs prices: --prices FILE"],
    ["a column without prices", ["--price-column", "usd"], "--price-column is for the prices of --prices FILE"],
    ["a gap", ["--prices", prices, "--gap", "2"], "--prices goes with --half-width, not with --gap"],
  ])("refuses %s", async (_, options, message) => {
    const { code, out, err } = await runCommand("plan", "--bundle", predicting, ...options);
    expect({ code, out }).toEqual({ code: 2, out: "" });
    expect(err).toContain(message);
  });
});
