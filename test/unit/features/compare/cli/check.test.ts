import { readFileSync } from "node:fs";
import { checkFromAnchors, loadBundle } from "anchoreval";
import type { AnchorRecord } from "anchoreval/bundle";
import { folderSource } from "anchoreval/node";
import { describe, expect, it, test } from "vitest";
import { isPinned } from "../../../../../cli/src/bundles/open-bundle.ts";
import { writeLogs } from "../../../../support/lm-eval-logs.ts";
import { documentOf, loggedContent, taskOf, writeBundle } from "../../../../support/logged-bundle.ts";
import { runCommand } from "../../../../support/run-command.ts";
import { tempFolder } from "../../../../support/temp-folder.ts";

const folder = tempFolder();
const content = loggedContent({ shots: 0, metric: "acc", harness: "lm-eval" });
const bundle = writeBundle(folder.path("bundle"), content);
const anchors = content.scenarios.flatMap((scenario) => scenario.anchors);

/** A model's score of an anchor that is wrong on every `wrong`-th item. */
const score = (anchor: AnchorRecord, wrong: number): number => Number(anchor.index % wrong !== 0);
const answers = (wrong: number): Record<string, number> =>
  Object.fromEntries(
    anchors.filter(({ forms }) => forms.includes("20")).map((anchor) => [anchor.item_id, score(anchor, wrong)]),
  );
const file = (name: string, wrong: number): string => folder.write(`${name}.json`, JSON.stringify(answers(wrong)));
const [strong, weak, same] = [file("strong", 11), file("weak", 2), file("same", 11)];
const check = ["check", "--bundle", bundle];

describe("check", () => {
  it("fails with exit code 3 where the answers show a drop", async () => {
    const { code, out } = await runCommand(...check, "--baseline", strong, "--responses", weak);
    expect(code).toBe(3);
    expect(out).toMatch(
      /^regressed: \d+\.\d points worse\nThis check finds a drop of \d+\.\d points in four of five runs; if nothing changes, it fails .* a year\.\n\n/,
    );
    expect(out).toContain("\nsample 1.0.0, form 20: 40 of 40 items answered on both sides; only these count\n");
    expect(out).toMatch(/\ndrop +\d+\.\d +at most 1\.0 +\d+\.\d +\d+\.\d +regressed\n/);
    expect(out).toMatch(/\n“passed” holds with 95 % confidence; “regressed” allows 1 false alarm in 365 runs\.\n/);
  });

  it("passes with 0, and can't tell with 4", async () => {
    const passed = await runCommand(...check, "--baseline", strong, "--responses", same, "--max-drop", "12");
    expect(passed.code).toBe(0);
    expect(passed.out).toMatch(/^passed: no measured change\n/);
    const better = await runCommand(...check, "--baseline", weak, "--responses", strong);
    expect(better.code).toBe(0);
    expect(better.out).toMatch(/^passed: \d+\.\d points better\n/);
    const open = await runCommand(...check, "--baseline", strong, "--responses", same);
    expect(open.code).toBe(4);
    expect(open.out).toMatch(
      /^can't tell: no measured change; ask more items \(anchoreval plan says how many\), or allow a larger --max-drop\n/,
    );
  });

  it("--table replays it on the baseline's own model", async () => {
    const table = [...check, "--baseline", strong, "--baseline", weak, "--table", "--nights", "20"];
    const { code, out } = await runCommand(...table);
    expect(code).toBe(0);
    expect(out).toMatch(/^sample 1\.0\.0, form 20: replayed from 2 runs of the baseline, which answer \d+\.?\d* % of /);
    expect(out).toMatch(/\nlooked at +items +false alarms a year +drop of 1 .*\n1 run +40 +/);
    expect(out).toMatch(/\n30 nights +20 +.*\n30 nights +40 +/);
    expect(out).toContain("with half of the items (the mean of random halves) and with all");
    const { checks, gates } = JSON.parse((await runCommand(...table, "--json")).out) as {
      checks: { runs: number }[];
      gates: { items: number; within: number; power: number[] }[];
    };
    expect(checks.map(({ runs }) => runs)).toEqual([1, 3, 7]);
    expect(gates.map(({ items, within }) => [items, within])).toEqual([[20, 30], [40, 30]]); // prettier-ignore
    for (const { power } of gates) expect(power.every((share) => share >= 0 && share <= 1)).toBe(true);
  });

  it("--table of graded answers leaves the gate over nights out, and says so", async () => {
    const [[first]] = Object.entries(answers(11)) as [[string, number]];
    const graded = folder.write("graded.json", JSON.stringify({ ...answers(11), [first]: 0.5 }));
    const { code, out } = await runCommand(...check, "--baseline", strong, "--baseline", graded, "--table", "--nights", "20"); // prettier-ignore
    expect(code).toBe(0);
    expect(out).not.toContain("30 nights");
    expect(out).toContain("--history is left out: it takes answers that are right or wrong");
  });

  it("holds a score against the lowest allowed one", async () => {
    const low = await runCommand(...check, "--responses", weak, "--min-score", "95");
    expect(low.code).toBe(3);
    expect(low.out).toMatch(/^regressed: the score is \d+\.\d points below the minimum\n\n/);
    expect(low.out).toMatch(/\nscore +\d+\.\d +at least 95\.0 +\d+\.\d +\d+\.\d +regressed\n/);
    expect(low.out).toContain("not sampling noise, other prompts or other items");
    expect((await runCommand(...check, "--responses", strong, "--min-score", "40")).code).toBe(0);
    const near = await runCommand(...check, "--responses", strong, "--min-score", "90");
    expect(near.code).toBe(4);
    expect(near.out).toMatch(
      /^can't tell: the score is .* minimum; ask more items \(.*\), or ask a lower --min-score\n/,
    );
  });

  it("says the reason where too few items were answered", async () => {
    const few = folder.write("few.json", JSON.stringify(Object.fromEntries(Object.entries(answers(11)).slice(0, 3))));
    const { code, out } = await runCommand(...check, "--responses", few, "--min-score", "90", "--form", "20");
    expect(code).toBe(4);
    expect(out).toMatch(/^can't tell: .*; answer more items\n/);
    expect(out).toMatch(/\nscore +\S+ +at least 90\.0 +– +– +can't tell\n/);
  });

  it("is the SDK's check, as JSON; points on the command line, fractions there", async () => {
    const { out, err } = await runCommand(
      ...[...check, "--baseline", strong, "--baseline", same, "--responses", weak, "--max-drop", "2", "--json"],
      ...["--min-score", "60", "--alarms-per-year", "4", "--runs-per-year", "52", "--level", "0.9"],
    );
    expect(err).toBe("");
    const expected = checkFromAnchors(
      await loadBundle(folderSource(bundle)),
      { responses: answers(2) },
      {
        baselines: [{ responses: answers(11) }, { responses: answers(11) }],
        maxDrop: 0.02,
        minScore: 0.6,
        alarmsPerYear: 4,
        runsPerYear: 52,
        level: 0.9,
      },
    );
    expect(JSON.parse(out)).toEqual(JSON.parse(JSON.stringify(expected)));
  });

  it("reads tonight's logs against a baseline that an earlier run saved", async () => {
    const logs = (name: string, wrong: number): string =>
      writeLogs(folder.path(name), {
        model: "quiz-model",
        date: "2026-01-01T00-00-00.000000",
        tasks: Object.fromEntries(
          [...new Set(anchors.map(taskOf))].map((task) => [
            task,
            {
              documents: anchors
                .filter((anchor) => taskOf(anchor) === task)
                .map((anchor) => documentOf(task, anchor.index, score(anchor, wrong))),
            },
          ]),
        ),
      });
    const first = logs("first", 11);
    const baseline = folder.path("baseline.json");
    const saved = await runCommand(...check, "--from", "lm-eval", "--responses", first, "--save", baseline);
    expect(saved).toMatchObject({ code: 0, out: `${baseline}: 40 answers; nothing was checked\n` });
    const asJson = await runCommand(...check, "--from", "lm-eval", "--responses", first, "--save", baseline, "--json");
    expect(JSON.parse(asJson.out)).toEqual({ save: baseline, answers: 40, warnings: [] });
    const document = JSON.parse(readFileSync(baseline, "utf8")) as { responses: object; hashes: object };
    expect(Object.keys(document.hashes)).toEqual(Object.keys(document.responses));

    const second = logs("second", 2);
    const fromLogs = ["--from", "lm-eval", "--responses", second, "--json"];
    const byFile = await runCommand(...check, ...fromLogs, "--baseline", baseline);
    expect(byFile.code).toBe(3);
    const byFolder = await runCommand(...check, ...fromLogs, "--baseline", first);
    expect(JSON.parse(byFolder.out)).toEqual(JSON.parse(byFile.out));
  });
});

test.each([
  [["--baseline", strong], "--responses is needed"],
  [["--responses", strong], "give --baseline PATH, --min-score POINTS, or both"],
  [["--responses", strong, "--min-score", "0.6.1"], "--min-score"],
  [["--responses", strong, "--min-score", "60", "--alarms-per-year", "0"], "alarmsPerYear"],
  [["--responses", strong, "--responses", same, "--save", "x.json"], "--save takes one run"],
  [["--responses", strong, "--score-range", "1,0", "--save", "x.json"], "--save writes scores in [0,1]"],
  [["--responses", strong, "--baseline", "nowhere.json"], "nowhere.json"],
  [["--table", "--baseline", strong], "two runs or more"],
  [["--table", "--baseline", strong, "--responses", same], "--responses is for a check"],
  [["--nights", "5", "--baseline", strong, "--responses", same], "--nights is for --table"],
])("refused: %j", async (options, words) => {
  const { code, err } = await runCommand(...check, ...options);
  expect(code).toBe(2);
  expect(err).toContain(words);
});

test.each([
  ["bundle", true],
  ["https://static.example.com/bundles/quiz/1.0.0", true],
  ["https://evals.example.com/v1/bundles/quiz/1.0.0", true],
  ["https://evals.example.com/v1/bundles/quiz/latest", false],
  ["https://evals.example.com/v1/bundles/quiz/", false],
])("%s is pinned: %s", (place, pinned) => {
  expect(isPinned(place)).toBe(pinned);
});
