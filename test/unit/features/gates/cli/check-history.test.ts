import { execFile } from "node:child_process";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { promisify } from "node:util";
import { describe, expect, it, test } from "vitest";
import { loggedContent, writeBundle } from "../../../../support/logged-bundle.ts";
import type { HistoryNight } from "../../../../../features/gates/cli/check-history.ts";
import { runCommand } from "../../../../support/run-command.ts";
import { ROOT } from "../../../../support/source-imports.js";
import { tempFolder } from "../../../../support/temp-folder.ts";

const folder = tempFolder();
const content = loggedContent({ shots: 0, metric: "acc", harness: "lm-eval" });
const bundle = writeBundle(folder.path("bundle"), content);
const anchors = content.scenarios.flatMap((scenario) => scenario.anchors);
const answers = (form: string, wrong: number, offset = 0): Record<string, number> =>
  Object.fromEntries(
    anchors
      .filter(({ forms }) => forms.includes(form))
      .map(({ item_id, index }) => [item_id, Number((index + offset) % wrong !== 0)]),
  );
const file = (name: string, document: object): string => folder.write(`${name}.json`, JSON.stringify(document));
const base = [0, 1, 2].map((k) => file(`base${k}`, answers("20", 11, k)));
const [good, other, bad] = [file("good", answers("20", 11)), file("other", answers("20", 11, 5)), file("bad", answers("20", 2))]; // prettier-ignore
const check = ["check", "--bundle", bundle, ...base.flatMap((path) => ["--baseline", path]), "--form", "20"];
const night = (history: string, responses: string, ...more: string[]) =>
  runCommand(...check, "--history", history, "--responses", responses, ...more);
const lines = (history: string): Record<string, unknown>[] =>
  readFileSync(history, "utf8").trim().split("\n").map((line) => JSON.parse(line) as Record<string, unknown>); // prettier-ignore

describe("check --history", () => {
  it("keeps a night a line, says promise and power, and alarms for good after a collapse", async () => {
    const history = folder.path("nights.jsonl");
    const first = await night(history, good);
    expect(first.err).toBe("");
    expect(first.code).toBe(4);
    expect(first.out).toMatch(/^can't tell: no alarm in 1 night, /);
    expect(first.out).toMatch(
      /\nAn unchanged model raises at most 1 false alarm in 365 nights on average; a drop of 3\.0 points is found within 30 nights in \d+ of 100 cases, replayed from the baseline\.\n/,
    );
    const [summary, junit] = [folder.path("summary.md"), folder.path("junit.xml")];
    const fallen = await night(history, bad, "--night", "a bad one", "--summary", summary, "--junit", junit);
    const again = await night(history, bad, "--night", "the next");
    expect(again.code).toBe(3);
    if (fallen.code === 3) expect(again.out).toContain("after night a bad one"); // it stays
    expect(readFileSync(summary, "utf8")).toContain("### sample 1.0.0: ");
    expect(readFileSync(junit, "utf8")).toContain("no change for the worse");
    expect(lines(history).map((own) => own["night"])).toEqual(["1", "a bad one", "the next"]);
    expect(existsSync(`${history}.part`)).toBe(false);
  });

  it("takes the same answers of a night again for the same night; the order of baselines doesn't matter", async () => {
    const history = folder.path("again.jsonl");
    const first = await night(history, good, "--night", "monday", "--json");
    const turned = [...base].reverse().flatMap((path) => ["--baseline", path]);
    const second = await runCommand("check", "--bundle", bundle, ...turned, "--history", history, "--responses", good, "--night", "monday", "--json"); // prettier-ignore
    expect(second.code).toBe(first.code);
    expect(lines(history).length).toBe(1);
    const [left, right] = [first, second].map(({ out }) => JSON.parse(out) as { nights: number; evidence: number });
    expect([left!.nights, right!.nights]).toEqual([1, 1]);
    expect(right!.evidence).toBeCloseTo(left!.evidence, 9);
  });
});

const history = folder.path("kept.jsonl");
await night(history, good, "--night", "1");
const kept = readFileSync(history, "utf8");
const line = JSON.parse(kept) as Record<string, unknown>;
const { benchmark, version, digest, form, baseline } = line as unknown as HistoryNight;
const key = { benchmark, version, digest, form, baseline };
const made = (name: string, ...own: (object | string)[]): string =>
  folder.write(`${name}.jsonl`, own.map((one) => (typeof one === "string" ? one : JSON.stringify(one))).join("\n"));
const graded = file("graded", { ...answers("20", 11), [Object.keys(answers("20", 11))[0]!]: 0.5 });

test.each<[string, string[], string[]]>([
  ["another bundle's", ["--history", made("digest", { ...line, digest: "sha256:0" }), "--responses", good], ["another bundle", "begin a new file"]], // prettier-ignore
  ["another form's", ["--history", made("form", { ...line, form: "8" }), "--responses", good], ["another form (8, now 20)"]], // prettier-ignore
  ["another baseline's", ["--history", history, "--responses", good, "--baseline", good], ["another baseline"]],
  ["a night twice, answered otherwise", ["--history", history, "--responses", other, "--night", "1"], ["other answers of the night 1"]], // prettier-ignore
  ["a night that stands there twice", ["--history", made("twice", line, line), "--responses", good], ["line 2", "twice"]], // prettier-ignore
  ["a broken line", ["--history", made("broken", line, '{"night": "2", '), "--responses", good], ["line 2", "not JSON"]], // prettier-ignore
  ["a line that is no night", ["--history", made("list", "[1]"), "--responses", good], ["line 1", "expected a night"]],
  ["a night without its form", ["--history", made("no-form", { ...line, form: 5 }), "--responses", good], ["line 1", "form is missing"]], // prettier-ignore
  ["graded answers", ["--history", history, "--responses", graded], ["right and wrong", "0.5"]],
  ["two nights at once", ["--history", history, "--responses", good, "--responses", other], ["one night"]],
  ["a lowest score", ["--history", history, "--responses", good, "--min-score", "5"], ["--min-score"]],
  ["a table", ["--history", history, "--table"], ["--history"]],
  ["a name without a history", ["--night", "1", "--responses", good], ["--night"]],
  ["no folder", ["--history", folder.path("no/where.jsonl"), "--responses", good], ["isn't a folder"]],
])("refused, and nothing is written: %s", async (_, argv, words) => {
  const { code, out, err } = await runCommand(...check, ...argv);
  expect([code, out]).toEqual([2, ""]);
  for (const word of words) expect(err).toContain(word);
  expect(readFileSync(history, "utf8")).toBe(kept);
});

test("refused: one baseline", async () => {
  const { code, err } = await runCommand("check", "--bundle", bundle, "--baseline", base[0]!, "--history", history, "--responses", good); // prettier-ignore
  expect(code).toBe(2);
  expect(err).toContain("two times or more");
});

test("twenty processes that add a night at the same time lose none", { timeout: 60_000 }, async () => {
  const history = folder.path("jobs.jsonl");
  const module = pathToFileURL(join(ROOT, "cli/dist/features/gates/cli/check-history.js")).href;
  const names = Array.from({ length: 20 }, (_, k) => `job ${String(k).padStart(2, "0")}`);
  const start = String(Date.now() + 2000); // all of them at once, or as they are loaded
  const script = `
    const [history, key, night, start] = process.argv.slice(1);
    const { addNight } = await import(${JSON.stringify(module)});
    while (Date.now() < Number(start)) await new Promise((resolve) => setTimeout(resolve, 5));
    await addNight(history, JSON.parse(key), { item: 1 }, night);`;
  const added = names.map(
    (night) =>
    promisify(execFile)(process.execPath, ["--input-type=module", "-e", script, history, JSON.stringify(key), night, start]), // prettier-ignore
  );
  for (const { stderr } of await Promise.all(added)) expect(stderr).toBe("");
  expect(lines(history).map((own) => String(own["night"])).sort()).toEqual(names); // prettier-ignore
  expect(readdirSync(folder.path("")).filter((name) => /\.(?:lock|tmp)$/.test(name))).toEqual([]);
});
