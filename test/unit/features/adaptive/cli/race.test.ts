import { existsSync, readFileSync } from "node:fs";
import { folderSource } from "anchoreval/node";
import { loadAdaptive } from "anchoreval/internal/features/adaptive/sdk/item-pool";
import { type Race, raceFromPool } from "anchoreval/internal/features/adaptive/sdk/race";
import { describe, expect, test } from "vitest";
import { writeBundle } from "../../../../support/logged-bundle.ts";
import { runCommand } from "../../../../support/run-command.ts";
import { sampleContent } from "../../../../support/sample-bundle.ts";
import { tempFolder } from "../../../../support/temp-folder.ts";

const folder = tempFolder();
const bundle = writeBundle(folder.path("bundle"), sampleContent({ items: [160, 240] }));
const race = ["compare", "--bundle", bundle, "--race"];

/** A candidate that is wrong on every `wrong`-th item that it is asked. */
const WRONG = { weak: 2, middle: 9, strong: 11 };
const names = Object.keys(WRONG) as (keyof typeof WRONG)[];
const score = (name: keyof typeof WRONG, id: string): number =>
  Array.from(id).reduce((sum, letter) => 31 * sum + letter.charCodeAt(0), 7) % WRONG[name] === 0 ? 0 : 1;

/** Races with files until there is nothing more to ask. */
async function played(place: string, ...options: string[]) {
  const answers: Record<string, Record<string, number>> = Object.fromEntries(names.map((name) => [name, {}]));
  const paths = (): string[] =>
    names.map((name) => folder.write(`${place}/${name}.json`, JSON.stringify(answers[name])));
  for (let round = 0; round < 40; round++) {
    const next = folder.path(`${place}/next.json`);
    const { code, out, err } = await runCommand(...race, ...paths(), "--next", next, "--json", ...options);
    expect({ code, err }).toEqual({ code: 0, err: "" });
    const asked = JSON.parse(readFileSync(next, "utf8")) as Partial<Record<keyof typeof WRONG, string[]>>;
    if (Object.keys(asked).length === 0) return { document: JSON.parse(out) as Race, paths: paths(), answers };
    for (const name of names) for (const id of asked[name] ?? []) answers[name]![id] = score(name, id);
  }
  throw new Error("the race doesn't end");
}

describe("compare --race", () => {
  test("is the SDK's race, round after round from files without an answer on", async () => {
    const { document, paths, answers } = await played(
      "whole",
      "--margin",
      "1",
      "--level",
      "0.9",
      "--over",
      "these-answers",
    );
    const pool = await loadAdaptive(folderSource(bundle));
    const candidates = names.map((name) => ({ name, responses: answers[name]! }));
    const expected = raceFromPool(pool, candidates, { level: 0.9, margin: 0.01, over: "these-answers" });
    expect(document).toEqual(JSON.parse(JSON.stringify(expected)));
    expect(document).toMatchObject({ winner: "strong", level: 0.9, margin: 0.01, calls: { next: 0, all: 1200 } });
    expect(document.calls.made).toBeLessThan(1200);

    const { out } = await runCommand(...race, ...paths, "--margin", "1", "--level", "0.9", "--over", "these-answers"); // prettier-ignore
    expect(out).toContain(
      "winner: strong; with 90 % confidence no candidate's score on all items is higher by more than 1.0 points",
    );
    expect(out).toMatch(/weak +\d+\.\d +out in round \d+, behind (strong|middle)/);
  });

  test("says what to ask before the first answer, and writes it", async () => {
    const files = names.map((name) => folder.write(`first/${name}.json`, "{}"));
    const next = folder.path("first/next.json");
    const summary = folder.path("first/summary.md");
    const { out } = await runCommand(...race, ...files, "--next", next, "--summary", summary);
    expect(out).toContain("race of 3, round 0 of");
    expect(out).toContain("no winner yet\n");
    expect(out).toContain("next round: 180 more");
    const asked = JSON.parse(readFileSync(next, "utf8")) as Record<string, string[]>;
    expect(Object.keys(asked)).toEqual(names);
    expect(asked["weak"]).toHaveLength(60);
    expect(readFileSync(summary, "utf8")).toContain("### sample 1.0.0: race of 3");
  });

  test("says what holds of the leader before there is a winner", async () => {
    const [first] = [folder.path("first/next.json")];
    const asked = JSON.parse(readFileSync(first, "utf8")) as Record<string, string[]>;
    const files = (["middle", "strong"] as const).map((name) =>
      folder.write(
        `second/${name}.csv`,
        ["item_id,score", ...asked[name]!.map((id) => `${id},${score(name, id)}`)].join("\n"),
      ),
    );
    const { out } = await runCommand(...race, ...files, "--margin", "0");
    expect(out).toMatch(
      /no winner yet: middle leads; with 95 % confidence no candidate is better by more than \d+\.\d points on tasks like these/,
    );
    expect(out).toMatch(/strong +\d+\.\d +\d+\.\d +60 +\d+/);
  });
});

describe("compare --race refuses", () => {
  const good = folder.write("good.json", "{}");
  const other = folder.write("other.json", "{}");
  const twin = folder.write("twin/good.json", "{}");
  const foreign = folder.write("foreign.json", '{"nope": 1}');
  const high = folder.write("high.json", '{"nope": 3}');
  const next = folder.path("never.json");

  test.each([
    ["one candidate", [...race, good], "two PATHs or more"],
    ["no candidate", [...race], "two PATHs or more"],
    ["two of one name", [...race, good, twin], "two candidates are called good"],
    ["two models by name", [...race, "--a", good, "--b", other], "--a is for two models"],
    ["runs", [...race, good, other, "--over", "runs"], "--over must be one of tasks, these-answers"],
    ["a form", [...race, good, other, "--form", "20"], "--form isn't for a race"],
    ["logs", [...race, good, other, "--from", "lm-eval"], "--from isn't for a race"],
    ["answers to other items", [...race, good, foreign], "none of its 1 answers is to an item"],
    ["a score that is none", [...race, good, high], "high.json"],
    ["a file that isn't there", [...race, good, folder.path("gone.json")], "gone.json"],
    ["a level below a half", [...race, good, other, "--level", "0.3"], "[0.5,1)"],
    ["a level above 1", [...race, good, other, "--level", "3"], "--level"],
    ["a negative margin", [...race, good, other, "--margin", "-1"], "--margin"],
    ["a margin of all points", [...race, good, other, "--margin", "100"], "margin"],
    ["a folder that isn't there", [...race, good, other, "--next", folder.path("gone/next.json")], "--next"],
    [
      "next without a race",
      ["compare", "--bundle", bundle, "--a", good, "--b", other, "--next", next],
      "--next is for --race",
    ],
  ])("%s", async (_, args, words) => {
    const { code, out, err } = await runCommand(...args, ...(args.includes("--next") ? [] : ["--next", next]));
    expect({ code, out }).toEqual({ code: 2, out: "" });
    expect(err).toContain(words);
    expect(existsSync(next)).toBe(false);
  });

  test("items that are left out, by name", async () => {
    const asked = JSON.parse(readFileSync(folder.path("first/next.json"), "utf8")) as Record<string, string[]>;
    const { answers } = await played("left");
    const [skipped] = asked["strong"]!;
    const left = Object.entries(answers["strong"]!).filter(([id]) => id !== skipped);
    const path = folder.write("left/strong.json", JSON.stringify(Object.fromEntries(left)));
    const { code, err } = await runCommand(...race, good, path);
    expect(code).toBe(2);
    expect(err).toContain(`strong: 1 of the 60 items of round 1 are left out (${skipped!})`);
  });
});
