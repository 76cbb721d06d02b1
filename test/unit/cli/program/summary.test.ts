import { mkdirSync, readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { loggedContent, writeBundle } from "../../../support/logged-bundle.ts";
import { runCommand } from "../../../support/run-command.ts";
import { tempFolder } from "../../../support/temp-folder.ts";

const folder = tempFolder();
const content = loggedContent();
const bundle = writeBundle(folder.path("bundle"), content);
const anchors = content.scenarios.flatMap((scenario) => scenario.anchors);
/** Answers that miss every n-th item. */
const answers = (name: string, wrong: number): string => {
  const own = anchors
    .filter(({ forms }) => forms.includes("20"))
    .map((a) => [a.item_id, a.index % wrong === 0 ? 0 : 1]);
  return folder.write(`${name}.json`, JSON.stringify(Object.fromEntries(own)));
};
const [weak, strong] = [answers("weak|*m", 2), answers("strong", 11)];
const estimate = ["estimate", "--bundle", bundle, strong];

/** The rows of the one Markdown table, cells trimmed. */
function tableOf(markdown: string): string[][] {
  const lines = markdown.split("\n").filter((line) => line.startsWith("|"));
  expect(lines[1]).toMatch(/^(\| :?-{3,}:? )+\|$/);
  return lines.map((line) => line.slice(2, -2).split(" | ").map((cell) => cell.trim())); // prettier-ignore
}

test("estimate: the heading has the score and its interval, the table what the terminal has", async () => {
  const file = folder.path("estimate.md");
  const { out } = await runCommand(...estimate, "--summary", file, "--verbose");
  const text = readFileSync(file, "utf8");
  const [, score, interval] = /overall +(\S+) +(\S+ to \S+)/.exec(out)!;
  expect(text.split("\n")[0]).toBe(`### sample 1.0.0: ${score!}, 95 % interval ${interval!}`);
  const table = tableOf(text);
  expect(table[0]).toEqual(["", "score", "95 % interval", "answered", ""]);
  expect(table.slice(2).map(([name]) => name)).toEqual(["overall", "alpha", "beta/γ"]);
  expect(table[2]!.slice(1, 4)).toEqual([score, interval, "40 of 40"]);
  expect(text).toContain("not sampling noise, other prompts or other items");
  expect(text).not.toContain("λ");
});

test("a summary is added to what the file has, and --json prints no less", async () => {
  const file = folder.write("job.md", "# Tonight\n\n");
  const { out } = await runCommand(...estimate, "--json");
  expect((await runCommand(...estimate, "--json", "--summary", file)).out).toBe(out);
  await runCommand("compare", "--bundle", bundle, "--a", weak, "--b", strong, "--summary", file);
  const text = readFileSync(file, "utf8");
  expect(text).toMatch(/^# Tonight\n\n### sample 1\.0\.0: \d/);
  expect(text).toContain("### sample 1.0.0: strong is better");
  expect(text.match(/^### /gm)).toHaveLength(2);
});

test("names and warnings are text, not Markdown", async () => {
  const file = folder.path("compare.md");
  const cut = { ...(JSON.parse(readFileSync(strong, "utf8")) as object), "no<b>/1": 1 };
  const [first] = Object.keys(cut);
  const path = folder.write("cut.json", JSON.stringify({ ...cut, [first!]: undefined }));
  await runCommand("compare", "--bundle", bundle, "--a", weak, "--b", path, "--form", "20", "--summary", file);
  const text = readFileSync(file, "utf8");
  expect(text).toContain("| weak\\|\\*m | cut | difference |");
  expect(text).toMatch(/^> \*\*warning:\*\* cut: 1 answer is to no item of the bundle \("no&lt;b&gt;\/1"\)/m);
});

test("three models are ranked, one table", async () => {
  const file = folder.path("rank.md");
  await runCommand("compare", "--bundle", bundle, weak, strong, answers("third", 5), "--summary", file);
  const text = readFileSync(file, "utf8");
  expect(text.split("\n")[0]).toBe("### sample 1.0.0: 3 models");
  expect(tableOf(text.replaceAll("\\|", "/"))).toHaveLength(5);
});

test("check: the verdict heads the summary, and each rule is a test case of the JUnit XML", async () => {
  const [md, xml] = [folder.path("check.md"), folder.path("check.xml")];
  const side = ["--summary", md, "--junit", xml];
  const check = (...more: string[]) => runCommand("check", "--bundle", bundle, ...side, ...more);
  const regressed = await check("--responses", weak, "--baseline", strong, "--min-score", "1pt");
  expect(regressed.code).toBe(3);
  expect(readFileSync(md, "utf8")).toMatch(/^### sample 1\.0\.0: regressed: \d+\.\d points worse/);
  const text = readFileSync(xml, "utf8");
  expect(text).toMatch(/^<\?xml version="1.0" encoding="UTF-8"\?>\n<testsuites name="anchoreval check" tests="2" failures="1" errors="0" skipped="0">/); // prettier-ignore
  expect(text).toMatch(
    /name="a drop of at most 1\.0 points"><failure message="\d+\.\d points worse" type="regressed">/,
  );
  expect(text).toMatch(/name="a score of at least 1\.0"><system-out>the score is \d+\.\d points above the minimum/);

  const open = await check("--responses", strong, "--baseline", strong, "--max-drop", "0.1pt");
  expect(open.code).toBe(4);
  const skipped = readFileSync(xml, "utf8"); // written anew
  expect(skipped).toContain('tests="1" failures="0" errors="0" skipped="1"');
  expect(skipped).toContain(`<skipped message="can't tell: no measured change">`);
  expect(skipped.match(/<testsuites/g)).toHaveLength(1);
});

test("a file that can't be written is refused before the work", async () => {
  mkdirSync(folder.path("is-folder"));
  for (const [argv, message] of [
    [[...estimate, "--summary", folder.path("none/s.md")], "none isn't a folder"],
    [[...estimate, "--summary", folder.path("is-folder")], "it is a folder"],
    [["check", "--bundle", bundle, "--responses", strong, "--min-score", "1pt", "--junit", folder.path("none/x.xml")], "none isn't a folder"], // prettier-ignore
    [["check", "--bundle", bundle, "--responses", strong, "--save", folder.path("s.json"), "--junit", folder.path("x.xml")], "--junit is for a check"], // prettier-ignore
  ] as const) {
    const { code, out, err } = await runCommand(...argv);
    expect({ code, out }).toEqual({ code: 2, out: "" });
    expect(err).toContain(message);
    expect(err).toContain("[invalid_option]");
  }
});

test.each([
  [
    "answers that aren't there",
    ["--responses", "nowhere.json", "--baseline", strong],
    "nowhere.json: there is no such file",
  ],
  [
    "answers that are broken",
    ["--responses", folder.write("broken.json", "{"), "--baseline", strong],
    "is not valid JSON",
  ],
  ["an option that isn't allowed", ["--responses", strong, "--min-score", "0.83"], "--min-score is in points"],
  ["a bundle that isn't there", ["--responses", strong, "--min-score", "80", "--bundle", "no-bundle"], "no-bundle"],
])("what could not be checked is an error in both files: %s", async (name, more, words) => {
  const [md, xml] = [folder.path(`${name}.md`), folder.path(`${name}.xml`)];
  const argv = more.includes("--bundle") ? more : ["--bundle", bundle, ...more];
  const { code, err } = await runCommand("check", ...argv, "--summary", md, "--junit", xml);
  expect(code).toBe(2);
  expect(err).toContain(words);
  expect(readFileSync(md, "utf8")).toMatch(/^### anchoreval check: no result\n\n\S/);
  const text = readFileSync(xml, "utf8");
  expect(text).toContain('tests="1" failures="0" errors="1" skipped="0"');
  expect(text).toMatch(/<error message="[^"]+" type="error"><\/error>/);
  expect(text).toContain(words);
});

test("estimate and compare say in the summary why they have no result", async () => {
  for (const argv of [
    ["estimate", "nowhere.json"],
    ["compare", "nowhere.json", strong],
  ]) {
    const md = folder.path(`${argv[0]!}-none.md`);
    expect((await runCommand(...argv, "--bundle", bundle, "--summary", md)).code).toBe(2);
    expect(readFileSync(md, "utf8")).toBe(
      `### anchoreval ${argv[0]!}: no result\n\nnowhere.json: there is no such file\n\n`,
    );
  }
});
