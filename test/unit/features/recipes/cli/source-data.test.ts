import { execFileSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, test } from "vitest";
import type { Manifest } from "anchoreval/bundle";
import { OptionReader } from "../../../../../cli/src/program/command.ts";
import { bundlesWith } from "../../../../../features/recipes/cli/make.ts";
import { type Recipe, RECIPES } from "../../../../../features/recipes/fit/recipes.ts";
import { BOARDS_ABSENT, type PublicBoard, publicBoard, siteBoard } from "../../../../support/public-boards.ts";
import { expectRefusal, rejection } from "../../../../support/refusal.ts";
import { filesOf } from "../../../../support/run-command.ts";
import { tempFolder } from "../../../../support/temp-folder.ts";

const folder = tempFolder();
const manifestOf = (out: string): Manifest =>
  JSON.parse(readFileSync(join(out, "bundle/manifest.json"), "utf8")) as Manifest;

/** Runs the command on recipes of the test's own. */
async function run(
  recipes: Readonly<Record<string, Recipe>>,
  operands: readonly string[],
  options: object,
): Promise<string[]> {
  const lines: string[] = [];
  const output = {
    ...{ json: false, line: (text = "") => void lines.push(text), document: () => undefined, remark: () => undefined },
    result: (_: unknown, result: readonly string[]) => void lines.push(...result),
    during: <T>(_: string, work: (update: () => void) => Promise<T>) => work(() => undefined),
  };
  const { make } = bundlesWith(recipes).actions!;
  const { signal } = new AbortController();
  await make!.run({ operands, options: new OptionReader({ ...options }), output, signal });
  return lines;
}

const git = (place: string, ...words: string[]): string =>
  execFileSync("git", ["-C", place, "-c", "user.name=n", "-c", "user.email=e@example.org", ...words])
    .toString()
    .trim();

describe.skipIf(BOARDS_ABSENT !== "")(`a recipe that pins a commit and items alone${BOARDS_ABSENT}`, () => {
  const ITEMS = 40;
  const place = folder.path("site");
  let recipe: Recipe;
  let recipes: Readonly<Record<string, Recipe>>;
  let commit: string;
  const changed = (change: (board: PublicBoard) => PublicBoard = (same) => same): string => {
    const { ids, rows } = publicBoard("swebench-verified-bash");
    const board = { ids: ids.slice(0, ITEMS), rows: rows.slice(0, 12).map(({ model, scores }) => ({ model, scores: scores.slice(0, ITEMS) })) }; // prettier-ignore
    const leaderboards = [siteBoard("bash-only", change(board)), siteBoard("Multilingual", board)];
    folder.write("site/data/leaderboards.json", JSON.stringify({ leaderboards }));
    return place;
  };

  beforeAll(async () => {
    changed();
    folder.write("site/other.txt", "other\n");
    git(folder.path("."), "init", "-q", place);
    git(place, "add", ".");
    git(place, "commit", "-q", "-m", "first", "--date", "2026-01-02T00:00:00Z");
    commit = git(place, "rev-parse", "HEAD");
    const verified = RECIPES["swe-bench-verified"]!;
    const unpinned = { ...verified, repository: `file://${place}`, commit, pinned: {} };
    const lines = await run({ small: unpinned }, ["small", place], { out: folder.path("first") });
    const [, items] = /^read here: models [0-9a-f]{64}, items ([0-9a-f]{64}), scores [0-9a-f]{64}$/m.exec(
      lines.join("\n"),
    )!;
    recipe = { ...unpinned, commit: commit.slice(0, 7), pinned: { items: items! } };
    recipes = { small: recipe };
  });

  test("is made at that commit from its board alone, and prints the digests to keep", async () => {
    const out = folder.path("kept");
    const lines = await run(recipes, ["small", place], { out });
    expect(lines.join("\n")).toContain("data: the recipe's, of which it pins the commit and the items' digest");
    expect(manifestOf(out).protocol).toMatchObject({ harness: "swe-bench", taskVersion: "bash-only" });
    expect(manifestOf(out).sources.models).toBe(12);
  });

  test.each([
    ["from nothing", "clone", 3],
    ["from a sparse clone for another recipe", "sparse", 1],
  ])("its printed commands make a clone that it is made from, %s", async (_, name, count) => {
    const clone = folder.path(name);
    if (name === "sparse") {
      git(folder.path("."), "clone", "-q", "--no-checkout", `file://${place}`, clone);
      git(clone, "sparse-checkout", "set", "--no-cone", "/other.txt");
      git(clone, "checkout", "-q", commit);
      expect(existsSync(join(clone, recipe.path))).toBe(false);
    }
    const out = folder.path(`from-${name}`);
    const { code, message } = await rejection(run(recipes, ["small", clone], { out }));
    const commands = message.split("\n").filter((line) => line.startsWith("  git "));
    expect([code, commands.length]).toEqual(["not_found", count]);
    for (const command of commands) execFileSync("sh", ["-c", command], { stdio: "ignore" });
    await run(recipes, ["small", clone], { out });
    expect(filesOf(join(out, "bundle"))).toEqual(filesOf(folder.path("kept/bundle")));
  });

  const copy = (name: string): string => {
    folder.write(`${name}/data/leaderboards.json`, readFileSync(join(place, "data/leaderboards.json")));
    return folder.path(name);
  };
  const others: readonly (readonly [string, () => string, string])[] = [
    ["without git", () => copy("plain"), "nothing says their commit, as it is no git clone"],
    [
      "in a folder of another repository",
      () => copy("site/nested"),
      "nothing says their commit, as it is no git clone",
    ],
    ["changed since", () => changed(({ ids, rows }) => ({ ids, rows: rows.slice(1) })), "changed since their commit"],
    ["of a later commit", () => (git(place, "commit", "-q", "-a", "-m", "second"), place), "commit "],
    ["of other items", () => changed(({ ids, rows }) => ({ ids: ids.with(0, "a__b-1"), rows })), "other items"],
  ];

  test.each(others)("data %s are refused", async (_, at, words) => {
    const out = folder.path("refused");
    expectRefusal(await rejection(run(recipes, ["small", at()], { out })), "digest_mismatch", words);
    expect(existsSync(out)).toBe(false);
  });

  test("and taken by newer, with their commit and its date", async () => {
    git(place, "checkout", "-q", ".");
    const out = folder.path("second");
    await run(recipes, ["small", place], { out, newer: "1.1.0" });
    const { data, created } = manifestOf(out);
    const head = git(place, "rev-parse", "HEAD");
    expect(data.source).toContain(`at ${head.slice(0, 7)}, data/leaderboards.json; other data than those of the recipe, ${commit.slice(0, 7)}: commit ${head.slice(0, 7)}`); // prettier-ignore
    expect(new Date(created).getTime()).toBe(new Date(git(place, "log", "-1", "--format=%cI")).getTime());
  });
});
