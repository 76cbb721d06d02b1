import { existsSync, readFileSync, utimesSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, test } from "vitest";
import type { Manifest } from "anchoreval/bundle";
import { RECIPES } from "../../../../../features/recipes/fit/recipes.ts";
import { writeBfcl } from "../../../../support/bfcl-logs.ts";
import {
  arenaLines,
  BOARDS_ABSENT,
  noisesTable,
  type PublicBoard,
  publicBoard,
  siteBoard,
} from "../../../../support/public-boards.ts";
import { type CommandResult, listing, runCommand } from "../../../../support/run-command.ts";
import { tempFolder } from "../../../../support/temp-folder.ts";
import { benchTrial, terminalBenchWriter } from "../../../../support/terminal-bench-logs.ts";

const folder = tempFolder();
const make = (...argv: string[]): Promise<CommandResult> => runCommand("bundles", "make", ...argv);
const manifestOf = (out: string): Manifest =>
  JSON.parse(readFileSync(join(out, "bundle/manifest.json"), "utf8")) as Manifest;
const named = (place: string): Record<string, string> =>
  Object.fromEntries(Object.entries(listing(place)).map(([path, digest]) => [path.slice(place.length), digest]));

describe("without a recipe, or its data", () => {
  test("all recipes are listed with what they make, read and pin, and the licence", async () => {
    const { code, out } = await make();
    expect(code).toBe(0);
    for (const [name, { repository, path, licence }] of Object.entries(RECIPES))
      for (const part of [name, repository, path, licence]) expect(out).toContain(part);
    const { recipes } = JSON.parse((await make("--json")).out) as { recipes: { name: string; pinned: string }[] };
    expect(Object.fromEntries(recipes.map(({ name, pinned }) => [name, pinned.split(",")[0]]))).toMatchObject({
      "terminal-bench-1": "models",
      "swe-bench-verified":
        "the commit and the items' digest; models and scores are first read where the bundle is made",
    });
  });

  test.each([
    [
      "another name",
      ["terminal-bench", "x", "--out", "y"],
      "there is no recipe terminal-bench: there are terminal-bench-1,",
    ],
    ["two folders", ["bfcl", "x", "z", "--out", "y"], "a recipe reads one folder; got 2"],
    ["options alone", ["--out", "y"], "--out is for a recipe, and none is named"],
    [
      "the recipe's own version",
      ["bfcl", "x", "--out", "y", "--newer", "1.0.0"],
      "--newer 1.0.0 is the version of the recipe's own data",
    ],
    ["no version", ["bfcl", "x", "--out", "y", "--newer", "new"], "must be BENCHMARK@X.Y.Z"],
    ["no out", ["terminal-bench-1", "."], "terminal-bench-1.0.jsonl"],
  ])("%s is refused", async (_, argv, words) => {
    const { code, err } = await make(...argv);
    expect({ code, err }).toEqual({ code: 2, err: expect.stringContaining(words) as string });
  });

  test.each([
    ["no folder", [], "name a clone of", "eval-arena-data"],
    ["one that isn't there", [folder.path("absent")], "there is no folder", folder.path("absent")],
    ["another one", [folder.path(".")], "has no terminal-bench-1.0.jsonl of https", "eval-arena-data"],
  ])("%s: the commands that make the clone", async (_, place, words, clone) => {
    const { code, err } = await make("terminal-bench-1", ...place, "--out", folder.path("never"));
    expect(code).toBe(2);
    expect(err).toContain(words);
    expect(err).toContain(
      `git clone --filter=blob:none --no-checkout https://github.com/vionax/eval-arena-data ${clone}\n`,
    );
    expect(err).toContain(`git -C ${clone} checkout 99a3faf9de67d962c4e4897cd05657a5a1097b7d\n`);
    expect(existsSync(folder.path("never"))).toBe(false);
  });
});

describe.skipIf(BOARDS_ABSENT !== "")(`terminal-bench-1${BOARDS_ABSENT}`, () => {
  const FILE = "terminal-bench-1.0.jsonl";
  const out = folder.path("tb");
  let board: PublicBoard;
  let first: CommandResult;
  const place = (name: string, other: PublicBoard): string => {
    folder.write(`${name}/${FILE}`, arenaLines(other));
    return folder.path(name);
  };

  beforeAll(async () => {
    board = publicBoard("terminal-bench-1");
    first = await make("terminal-bench-1", place("data", board), "--out", out, "--threads", "1");
  });

  test("the shared copy is the file that the recipe names, to its length", () => {
    expect(readFileSync(folder.path(`data/${FILE}`)).length).toBe(274_510);
  });

  test("a bundle, its card and its board, by the recipe's data, date and licence", () => {
    expect(first).toMatchObject({ code: 0, out: expect.stringContaining("terminal-bench-1@1.0.0 in") as string });
    const { created, data, fit, protocol, scenarios } = manifestOf(out);
    const { models, items, scores } = RECIPES["terminal-bench-1"]!.pinned;
    expect(fit["provenance"]).toMatchObject({ data: { models, items, scores } });
    expect({ created, licence: data.licence, scenarios: scenarios.map(({ id, items: count }) => [id, count]) }).toEqual(
      {
        created: "2026-01-31T00:00:00Z",
        licence: "none stated: for your own use, not to be passed on",
        scenarios: [["terminal-bench", 80]],
      },
    );
    expect(data.source).toBe("github.com/vionax/eval-arena-data at 99a3faf (2026-01-31), terminal-bench-1.0.jsonl");
    expect(protocol).toMatchObject({ harness: "terminal-bench", taskVersion: "terminal-bench-core 0.1.1" });
    expect(readFileSync(join(out, "card.md"), "utf8")).toContain("**Licence:** none stated: for your own use");
    const facts = JSON.parse(readFileSync(join(out, "board/import.json"), "utf8")) as { data: object };
    expect(facts.data).toEqual(RECIPES["terminal-bench-1"]!.pinned);
  });

  test("the same bytes again: rows in another order, other threads, another folder", async () => {
    const turned = { ids: board.ids.toReversed(), rows: board.rows.map(({ model, scores }) => ({ model, scores: scores.toReversed() })).toReversed() }; // prettier-ignore
    const again = folder.path("tb-again");
    const { code } = await make("terminal-bench-1", place("turned", turned), "--out", again, "--threads", "2");
    expect(code).toBe(0);
    expect(named(again)).toEqual(named(out));
    expect(Object.keys(named(out)).sort()).toEqual(expect.arrayContaining(["/board/trials.csv.gz", "/bundle/manifest.json", "/card.md"])); // prettier-ignore
  });

  test("prints what the page of bundles shows of it, its digest too", () => {
    const [, shown] = /\n```text\n(form {2}.+?)\nlicence: /s.exec(readFileSync("docs/bundles.md", "utf8"))!;
    for (const line of shown!.split("\n").filter((row) => row !== ""))
      expect(first.out.replace(`in ${out}/bundle`, "in out/tb/bundle")).toContain(line.replace(/…$/, ""));
  });

  test("reproduce says identical, by the command that was printed", async () => {
    const [, command] = /anchoreval (reproduce .+)\n/.exec(first.out)!;
    expect(await runCommand(...command!.split(" "), "--quiet")).toMatchObject({
      code: 0,
      out: expect.stringContaining("identical, every byte: sha256:") as string,
    });
  });

  test("and its anchors are asked by the harness and estimated from its logs, without a warning of another protocol", async () => {
    const asked = await runCommand("export", "--bundle", join(out, "bundle"), "--form", "10", "--to", "terminal-bench", "--out", folder.path("anchors"), "--json"); // prettier-ignore
    const { tasks } = JSON.parse(asked.out) as { tasks: Record<string, string[]> };
    expect(Object.keys(tasks)).toEqual(["terminal-bench"]);
    const logs = terminalBenchWriter(folder).run("logs", tasks["terminal-bench"]!.map((id, k) => benchTrial(id, { is_resolved: k < 5 }))); // prettier-ignore
    const estimate = await runCommand("estimate", "--bundle", join(out, "bundle"), "--form", "10", "--from", "terminal-bench", logs, "--json"); // prettier-ignore
    const { warnings } = JSON.parse(estimate.out) as { warnings: { code: string }[] };
    expect(estimate.code).toBe(0);
    expect(warnings.map(({ code }) => code)).not.toContain("other_protocol");
  });

  const changes: readonly (readonly [string, (board: PublicBoard) => PublicBoard, string])[] = [
    ["a changed cell", ({ ids, rows }) => ({ ids, rows: rows.with(3, { ...rows[3]!, scores: rows[3]!.scores.with(7, 0.6) }) }), 'other scores of "20250829_goose_claude-4-opus"'], // prettier-ignore
    ["a model more", ({ ids, rows }) => ({ ids, rows: [...rows, { ...rows[0]!, model: "20260201_new" }] }), '1 model more: "20260201_new"'], // prettier-ignore
    ["a model fewer", ({ ids, rows }) => ({ ids, rows: rows.slice(1) }), "1 model fewer"],
    ["another item", ({ ids, rows }) => ({ ids: ids.with(0, "new-task"), rows }), "other items"],
  ];

  test.each(changes)(
    "%s is refused by name, with the recipe's clone and the way to take it all the same",
    async (name, change, words) => {
      const refused = folder.path("refused");
      const { code, err } = await make("terminal-bench-1", place(`other ${name}`, change(board)), "--out", refused);
      expect({ code, err }).toEqual({ code: 2, err: expect.stringContaining(words) as string });
      expect(err).toContain("[digest_mismatch]");
      expect(err).toContain("git -C eval-arena-data-99a3faf checkout 99a3faf9de67d962c4e4897cd05657a5a1097b7d");
      expect(err).toContain("--newer X.Y.Z makes a bundle");
      expect(existsSync(refused)).toBe(false);
    },
  );

  test("newer data are taken by --newer as another version, which the bundle says, with the file's date", async () => {
    const newer = place("newer", {
      ids: board.ids,
      rows: [...board.rows, { ...board.rows[0]!, model: "20260201_new" }],
    });
    utimesSync(join(newer, FILE), new Date("2026-02-01T00:00:00Z"), new Date("2026-02-01T00:00:00Z"));
    const later = folder.path("later");
    const argv = ["terminal-bench-1", newer, "--out", later, "--newer", "1.1.0"];
    expect((await make(...argv)).code).toBe(0);
    const { version, created, data } = manifestOf(later);
    expect({ version, created }).toEqual({ version: "1.1.0", created: "2026-02-01T00:00:00Z" });
    expect(data.source).toContain('other data than those of the recipe, 99a3faf: 1 model more: "20260201_new"');
    const same = await make("terminal-bench-1", folder.path("data"), "--out", folder.path("own"), "--newer", "1.1.0");
    expect(same).toMatchObject({ code: 2, err: expect.stringContaining("has the recipe's own data") as string });
    const over = await make("terminal-bench-1", folder.path("data"), "--out", later);
    expect(over).toMatchObject({
      code: 2,
      err: expect.stringContaining("the bundle terminal-bench-1@1.1.0") as string,
    });
  });
});

test.skipIf(BOARDS_ABSENT !== "")(`swe-bench-verified: the 500 items are the pinned ones${BOARDS_ABSENT}`, async () => {
  const { path } = RECIPES["swe-bench-verified"]!;
  const leaderboards = [siteBoard("bash-only", publicBoard("swebench-verified-bash"))];
  folder.write(`verified/${path}`, JSON.stringify({ leaderboards }));
  const { code, err } = await make("swe-bench-verified", folder.path("verified"), "--out", folder.path("verified-out"));
  expect(code).toBe(2);
  expect(err).toContain(
    "than the recipe swe-bench-verified: nothing says their commit, as it is no git clone. The recipe's",
  );
});

test.skipIf(BOARDS_ABSENT !== "")(`swe-bench-lite: the data are the pinned ones${BOARDS_ABSENT}`, async () => {
  const text = noisesTable(publicBoard("swebench-lite"));
  expect(text.length).toBe(2_156_124); // the file's own
  folder.write(`lite/${RECIPES["swe-bench-lite"]!.path}`, text);
  // A newer version of them is refused before the fit, which takes half a minute.
  const again = await make("swe-bench-lite", folder.path("lite"), "--out", folder.path("lite-out"), "--newer", "1.1.0");
  expect(again).toMatchObject({ code: 2, err: expect.stringContaining("has the recipe's own data") as string });
});

test("bfcl: a snapshot's categories are scenarios, and its licence is said", async () => {
  const categories = ["simple_java", "simple_javascript"];
  for (const category of categories)
    for (let m = 0; m < 6; m++) {
      const entries = Array.from({ length: 12 }, (_, k) => ({
        id: `${category}_${k}`,
        valid: (k * 7 + m * 5) % 11 < 4 + m,
      }));
      writeBfcl(folder, "bfcl/2025-12-16", { model: `org_m${m}`, category, entries });
    }
  const out = folder.path("bfcl-out");
  const made = await make("bfcl", folder.path("bfcl"), "--out", out, "--newer", "1.0.1");
  expect(`${made.code} ${made.code === 0 ? "" : made.err}`).toBe("0 ");
  const { scenarios, data, protocol, fit } = manifestOf(out);
  expect(fit["prices"]).toMatchObject({ unit: "tokens", beside: [{ unit: "seconds" }] });
  expect(scenarios.map(({ id }) => id)).toEqual(categories);
  expect(data.licence).toBe("none stated: for your own use, not to be passed on");
  expect(protocol).toMatchObject({ harness: "bfcl", taskVersion: "v4" });
  const anchors = ["export", "--bundle", join(out, "bundle"), "--to", "bfcl", "--out", folder.path("bfcl-anchors")];
  expect((await runCommand(...anchors)).code).toBe(0);
  const [, command] = /anchoreval (reproduce .+)\n/.exec(made.out)!;
  expect((await runCommand(...command!.split(" "), "--quiet")).out).toContain("identical, every byte: sha256:");
});
