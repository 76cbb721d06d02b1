import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { runCommand } from "../../../support/run-command.ts";
import { tempFolder } from "../../../support/temp-folder.ts";

const folder = tempFolder();
const IDS = Array.from({ length: 200 }, (_, k) => `q-${k}`);
const judge = folder.write("judge.json", JSON.stringify(Object.fromEntries(IDS.map((id, k) => [id, (k % 10) / 10]))));
const unjudged = folder.write(
  "unjudged.json",
  JSON.stringify(Object.fromEntries(IDS.map((id, k) => [id, k === 7 ? null : (k % 10) / 10]))),
);
const rows = IDS.filter((_, k) => k % 4 === 1).map((id, k) => `${id},${Number(k % 5 > 1)}\n`);
const labels = folder.write("labels.csv", `item_id,score\n${rows.join("")}`);

test("prints people's score, the labels' alone, the judge's own, and what the judge is worth", async () => {
  const { code, out } = await runCommand("estimate", "--judge", judge, "--labels", labels);
  expect(code).toBe(0);
  expect(out).toMatch(/^people +\d+\.\d +\d+\.\d to \d+\.\d +50 of 200 items labelled$/m);
  expect(out).toMatch(/^labels alone +60\.0 /m);
  expect(out).toMatch(/^the judge's own mean +45\.0 /m);
  expect(out).toContain("points below people's");
});

test("writes the items to label, and prints the same as JSON", async () => {
  const next = folder.path("next.txt");
  const asked = ["estimate", "--judge", judge, "--labels", labels, "--half-width", "5", "--next", next];
  const { out } = await runCommand(...asked, "--json");
  const result = JSON.parse(out) as { next: { labels: number; items: string[] }; labelled: number };
  expect(readFileSync(next, "utf8").trim().split("\n")).toEqual(result.next.items);
  expect(result.next.items).toHaveLength(result.next.labels - result.labelled);
  expect(rows.some((row) => result.next.items.includes(row.split(",")[0]!))).toBe(false);
  const first = await runCommand("estimate", "--judge", judge, "--half-width", "5", "--next", next);
  expect(first.out).toContain("0 of 200 items labelled");
});

test("an item without a label isn't labelled: it is no 0", async () => {
  const some = folder.write("some.csv", `item_id,score\n${rows.join("")}q-0,\n`);
  const [more, plain] = [
    await runCommand("estimate", "--judge", judge, "--labels", some),
    await runCommand("estimate", "--judge", judge, "--labels", labels),
  ];
  expect(more.out).toBe(plain.out);
});

test("a judge that gives 1 to 10 and people who say right or wrong each have their own scale", async () => {
  const ofTen = folder.write("ten.csv", `item_id,score\n${IDS.map((id, k) => `${id},${1 + (9 * (k % 10)) / 10}\n`).join("")}`); // prettier-ignore
  const asked = ["--labels", labels, "--score-range", "1,10"];
  const { out } = await runCommand("estimate", "--judge", ofTen, ...asked, "--label-range", "0,1");
  expect(out).toBe((await runCommand("estimate", "--judge", judge, "--labels", labels)).out);
  const alone = await runCommand("estimate", "--judge", ofTen, ...asked);
  expect(alone).toMatchObject({ code: 2, err: expect.stringContaining("a score must be in [1,10], got 0") as string });
});

describe("refused", () => {
  test.each([
    [
      "half a range of labels",
      ["--judge", judge, "--labels", labels, "--label-range", "3"],
      "--label-range must be two numbers, WORST,BEST; got 3",
    ],
    ["a range without labels", ["--bundle", "gsm8k", "--label-range", "0,1"], "--label-range is for --judge"],
    ["neither labels nor a draw", ["--judge", judge], "--labels FILE has people's scores"],
    [
      "a bundle beside",
      ["--judge", judge, "--labels", labels, "--bundle", "gsm8k"],
      "--bundle is for a bundle's anchors",
    ],
    ["logs beside", ["--judge", judge, "--labels", labels, "--from", "lm-eval"], "--from is for a bundle's anchors"],
    ["labels without a judge", ["--bundle", "gsm8k", "--labels", labels], "--labels is for --judge"],
    ["a width without a file", ["--judge", judge, "--labels", labels, "--half-width", "5"], "go together"],
    ["a width as a fraction", ["--judge", judge, "--half-width", "0.05", "--next", "x"], "--half-width is in points"],
    [
      "an item without the judge's score: the whole would be another",
      ["--judge", unjudged, "--labels", labels],
      'the judge has no score of 1 item: "q-7"; the score is of all items: have it judge them',
    ],
    ["labels of other items", ["--judge", labels, "--labels", judge], "of items without a score of the judge"],
  ])("%s", async (_, argv, words) => {
    const { code, err } = await runCommand("estimate", ...argv);
    expect(code).toBe(2);
    expect(err).toContain(words);
  });
});
