import { loadBundle, planFromBundle } from "anchoreval";
import { folderSource } from "anchoreval/node";
import { expect, it } from "vitest";
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
  expect(out).toMatch(/^20 +40 of 1000 +7\.8 +4\.6/m);
  expect(out).toMatch(/ {2}alpha +20 of 400 +13\.0/);
  expect(out).not.toContain("overall");
  const wide = await runCommand(...plan, "--half-width", "3");
  expect(wide.out).toMatch(/^half-width 3\.0 +items +half-width \(95 %\) +gap ranked right \(80 %\)$/m);
  expect(wide.out).toMatch(/overall +\d+ of 1000 +3\.0 +\d\.\d +beyond the measured sizes/);
  expect(wide.out).toContain("extrapolated");
  expect(wide.out).toContain("No form of this bundle is enough overall.");
  const gap = await runCommand(...plan, "--gap", "5");
  expect(gap.out).toContain("\ngap 5.0 ");
  expect(gap.out).toContain("Form 20 is enough overall.");
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
