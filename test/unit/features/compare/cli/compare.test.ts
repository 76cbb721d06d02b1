import { compareFromAnchors, loadBundle, rankFromAnchors } from "anchoreval";
import type { AnchorRecord } from "anchoreval/bundle";
import { folderSource } from "anchoreval/node";
import { describe, expect, it } from "vitest";
import { type LoggedRun, writeLogs } from "../../../../support/lm-eval-logs.ts";
import { documentOf, loggedContent, taskOf, writeBundle } from "../../../../support/logged-bundle.ts";
import { runCommand } from "../../../../support/run-command.ts";
import { tempFolder } from "../../../../support/temp-folder.ts";

const folder = tempFolder();
const content = loggedContent({ shots: 0, metric: "acc", harness: "lm-eval" });
const bundle = writeBundle(folder.path("bundle"), content);
const anchors = content.scenarios.flatMap((scenario) => scenario.anchors);

/** Answers of a model that is wrong on every `wrong`-th item. */
const score = (anchor: AnchorRecord, wrong: number): number => (anchor.index % wrong === 0 ? 0 : 1);
const answers = (wrong: number, form = "20"): Record<string, number> =>
  Object.fromEntries(
    anchors.filter(({ forms }) => forms.includes(form)).map((anchor) => [anchor.item_id, score(anchor, wrong)]),
  );
const file = (name: string, wrong: number, form?: string): string =>
  folder.write(`${name}.json`, JSON.stringify(answers(wrong, form)));
const [a, b, c] = [file("weak", 2), file("strong", 11), file("middle", 4)];
const compare = ["compare", "--bundle", bundle];

describe("compare --a --b", () => {
  it("is the SDK's comparison, as JSON; the margin is in points", async () => {
    const { code, out, err } = await runCommand(
      ...compare,
      "--a",
      a,
      "--b",
      b,
      "--json",
      "--level",
      "0.9",
      "--margin",
      "1.5",
    );
    expect({ code, err }).toEqual({ code: 0, err: "" });
    const expected = compareFromAnchors(
      await loadBundle(folderSource(bundle)),
      { name: "weak", responses: answers(2) },
      { name: "strong", responses: answers(11) },
      { level: 0.9, margin: 0.015 },
    );
    expect(JSON.parse(out)).toEqual(JSON.parse(JSON.stringify(expected)));
  });

  it("is a table in points for people, with the verdict in words", async () => {
    const { out } = await runCommand(...compare, "--a", a, "--b", b);
    expect(out.split("\n")[0]).toBe("sample 1.0.0, form 20: 40 of 40 items answered by both; only these count");
    expect(out).toMatch(/overall +\d+\.\d +\d+\.\d +\+\d+\.\d +\+\d+\.\d to \+\d+\.\d +40 of 40/);
    expect(out).toContain("strong is better\n");
    expect(out).toMatch(/one-sided confidence that strong is better: (above )?99\.\d+ %/);
    expect(out).toMatch(/mid-p McNemar (below )?0\.\d+ \(two-sided\)/);
    expect(out).toContain("for the models on tasks like these: other runs and other tasks would differ");
    expect(out).not.toContain("stratified mean");
    expect((await runCommand(...compare, "--a", a, "--b", b, "--verbose")).out).toMatch(
      /alpha: raw answers.*\n.*\n?stratified mean/s,
    );
  });

  it("says in each case what the interval means", async () => {
    const worse = await runCommand(...compare, "--a", b, "--b", a);
    expect(worse.out).toContain("strong is better\n");
    const wide = await runCommand(...compare, "--a", c, "--b", a, "--margin", "90");
    expect(wide.out).toContain("no difference larger than the margin of 90.0 points");
    const more = await runCommand(...compare, "--a", a, "--b", b, "--margin", "2");
    expect(more.out).toContain("strong is better by more than 2.0 points");
    const same = await runCommand(...compare, "--a", a, "--b", a);
    expect(same.out).toContain("can't tell: not even all items would, if the difference stayed what it is; several runs of each model may"); // prettier-ignore
    expect(same.out).toContain("weak (2)");
    expect(same.out).toContain("for the models on tasks like these");
  });

  it("says of these answers alone what holds of them alone", async () => {
    const { out } = await runCommand(...compare, "--a", b, "--b", a, "--over", "these-answers");
    expect(out).toContain("strong scored higher\n");
    expect(out).not.toContain("better");
    expect(out).toContain("two runs of one model may differ by as much");
    const same = await runCommand(...compare, "--a", a, "--b", a, "--over", "these-answers");
    expect(same.out).toContain("can't tell: about 60 more items would, if the difference stayed what it is");
  });

  it("averages several runs of a model, and says what holds of it over runs", async () => {
    const runs = (file: string): string[] => [file, "--a", b];
    const { out } = await runCommand(...compare, "--a", ...runs(a), "--b", c, "--json");
    const means = Object.fromEntries(Object.entries(answers(2)).map(([id, score]) => [id, [score, answers(11)[id]!]]));
    const expected = compareFromAnchors(
      await loadBundle(folderSource(bundle)),
      { name: "weak", responses: means, form: "20" },
      { name: "middle", responses: answers(4), form: "20" },
    );
    expect(JSON.parse(out)).toEqual(JSON.parse(JSON.stringify(expected)));
    expect(expected.over).toBe("runs");
    const table = await runCommand(...compare, a, b, c, "--over", "these-answers");
    expect(table.out).toContain("these very runs' scores on all items");
  });

  it("reads logs of the harness, each PATH one model's", async () => {
    const run = (model: string, wrong: number): LoggedRun => {
      const tasks: Record<string, { documents: ReturnType<typeof documentOf>[] }> = {};
      for (const anchor of anchors) {
        const task = (tasks[taskOf(anchor)] ??= { documents: [] });
        task.documents.push(documentOf(taskOf(anchor), anchor.index, score(anchor, wrong)));
      }
      return { model, date: "2026-03-01T00-00-00.000001", tasks };
    };
    const logs = [run("Org/one", 2), run("Org/two", 11)].map((own, k) => writeLogs(folder.path(`logs-${k}`), own));
    const { out, err } = await runCommand(...compare, "--from", "lm-eval", "--a", logs[0]!, "--b", logs[1]!, "--json");
    expect(err).toBe("");
    const files = await runCommand(...compare, "--a", a, "--b", b, "--json");
    const bare = (text: string): object => ({ ...(JSON.parse(text) as object), names: null, warnings: null });
    expect(bare(out)).toEqual(bare(files.out));
    expect(JSON.parse(out)).toMatchObject({ names: { a: "Org/one", b: "Org/two" } });
  });
});

describe("compare PATH PATH PATH", () => {
  it("is the SDK's ranking, as JSON", async () => {
    const { code, out } = await runCommand(...compare, a, b, c, "--json");
    expect(code).toBe(0);
    const models = [
      { name: "weak", responses: answers(2) },
      { name: "strong", responses: answers(11) },
      { name: "middle", responses: answers(4) },
    ];
    const expected = rankFromAnchors(await loadBundle(folderSource(bundle)), models);
    expect(JSON.parse(out)).toEqual(JSON.parse(JSON.stringify(expected)));
  });

  it("is a table for people, the best first", async () => {
    const { out } = await runCommand(...compare, a, b, c);
    const lines = out.split("\n");
    expect(lines[3]).toMatch(/^1 +strong +\d+\.\d +\d+\.\d +\d+\.\d to \d+\.\d +1 to [12]$/);
    expect(lines[5]).toMatch(/^3 +weak/);
    expect(out).toContain("all of them right together with 95 % confidence");
  });
});

it("names what is wrong, exit code 2", async () => {
  const cases: [string[], string][] = [
    [[], "invalid_option"],
    [["--a", a], "invalid_option"],
    [["--b", b], "invalid_option"],
    [["--a", a, "--b", b, c], "invalid_option"],
    [["--a", a, "--b", b, "--margin", "-1"], "invalid_option"],
    [["--a", a, "--b", b, "--margin", "100"], "invalid_option"],
    [["--a", a, "--b", b, "--margin", "x"], "invalid_option"],
    [[a, b, c, "--margin", "1"], "invalid_option"],
    [["--a", a, "--b", b, "--level", "1"], "invalid_option"],
    [["--a", a, "--b", b, "--over", "runs"], "invalid_option"],
    [["--a", a, "--b", b, "--over", "models"], "invalid_option"],
    [["--a", a, "--b", b, "--form", "99"], "unknown_form"],
    [["--a", a, "--b", file("small", 3, "8")], "invalid_answers"],
    [["--a", a, "--b", folder.write("bad.json", '{"nope": 1}')], "invalid_answers"],
    [["--a", a, "--b", folder.path("none.json")], "not_found"],
    [["--from", "nowhere", "--a", a, "--b", b], "invalid_option"],
  ];
  for (const [more, code] of cases) {
    const result = await runCommand(...compare, ...more);
    expect({ more, code: result.code, out: result.out }).toEqual({ more, code: 2, out: "" });
    expect(result.err).toContain(`[${code}]`);
  }
  expect((await runCommand("compare", "--a", a, "--b", b)).err).toContain("--bundle is needed");
});

describe("two paths without --a and --b", () => {
  it("are the two models, of answers and of logs", async () => {
    const named = await runCommand(...compare, "--a", a, "--b", b, "--margin", "2");
    expect(named.code).toBe(0);
    expect(await runCommand(...compare, a, b, "--margin", "2")).toEqual(named);
    const logs = [2, 11].map((wrong) =>
      writeLogs(folder.path(`logs-${wrong}`), {
        model: `quiz-${wrong}`,
        date: "2026-01-01T00-00-00.000000",
        tasks: Object.fromEntries(
          [...new Set(anchors.map(taskOf))].map((task) => [
            task,
            { documents: anchors.filter((anchor) => taskOf(anchor) === task).map((anchor) => documentOf(task, anchor.index, score(anchor, wrong))) }, // prettier-ignore
          ]),
        ),
      }),
    );
    const [first, second] = logs as [string, string];
    const fromLogs = await runCommand(...compare, "--from", "lm-eval", first, second);
    expect(fromLogs).toMatchObject({ code: 0 });
    expect(fromLogs.out).toContain("quiz-11 is better");
    expect(await runCommand(...compare, "--from", "lm-eval", "--a", first, "--b", second)).toEqual(fromLogs);
  });

  it.each([[[a]], [["--a", a]], [["--a", a, b]], [["--a", a, "--b", b, c]], [[]]])("%j is refused", async (paths) => {
    const { code, err } = await runCommand(...compare, ...paths);
    expect(code).toBe(2);
    expect(err).toContain("give two PATHs, or --a PATH --b PATH, or three PATHs or more to be ranked [invalid_option]");
  });
});
