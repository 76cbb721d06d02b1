import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { isHarnessScore } from "anchoreval/internal/logs/answer-warnings";
import { groupBy } from "anchoreval/internal/logs/run-log";
import { describe, expect, test } from "vitest";
import { type LoggedDocument, type LoggedRun, writeLogs } from "../../support/lm-eval-logs.ts";
import { documentOf, loggedContent, taskOf, writeBundle } from "../../support/logged-bundle.ts";
import { runCommand } from "../../support/run-command.ts";
import { tempFolder } from "../../support/temp-folder.ts";
import { WHOLE } from "../../support/whole.ts";

const folder = tempFolder();
const content = loggedContent({ shots: 0, metric: "acc", harness: "lm-eval" });
const bundle = writeBundle(folder.path("bundle"), content);
const anchors = content.scenarios.flatMap((scenario) => scenario.anchors);
const answers = folder.write("answers.json", JSON.stringify(Object.fromEntries(anchors.map((a) => [a.item_id, a.index % 2])))); // prettier-ignore
const others = folder.write("others.json", JSON.stringify(Object.fromEntries(anchors.map((a) => [a.item_id, a.index % 3 === 0 ? 0 : 1])))); // prettier-ignore

/** All anchors as one run asked them. */
function run(
  changed: (document: LoggedDocument) => LoggedDocument | null = (document) => document,
  more: Partial<LoggedRun> = {},
): LoggedRun {
  const tasks = groupBy(anchors, taskOf);
  return {
    ...{ model: "Org/m", date: "2026-03-01T00-00-00.000001", shots: 0, ...more },
    tasks: Object.fromEntries(
      Array.from(tasks, ([task, own]) => {
        const all = own.map(({ index }) => documentOf(task, index, index % 2));
        return [task, { documents: all.flatMap((document) => changed(document) ?? []) }];
      }),
    ),
  };
}

test.each([
  ["the same", 91 / 120, 91 / 120, true],
  ["of a board, in percent with two decimals", 91 / 120, 75.83 / 100, true],
  ["one item less than the board's", 90 / 120, 75.83 / 100, false],
  ["one item of 2294 less, with four decimals", 1000 / 2294, 0.4364, false],
  ["with one decimal of percent", 91 / 120, 0.758, true],
  ["two decimals, as three quarters have: not rounded", 0.7536, 0.75, false],
  ["a float32's", 91 / 120, Math.fround(91 / 120), true],
])("a harness's score is compared to the decimals that it has: %s", (_, imported, harness, equal) => {
  expect(isHarnessScore({ imported, harness })).toBe(equal);
});

const OLDER = "2026-02-01T00-00-00.000001";

interface Case {
  readonly name: string;
  readonly code: string;
  readonly words: RegExp;
  /** Writes the logs into a folder. */
  readonly write: (place: string) => void;
  /** Of each task there is something else to say. */
  readonly byTask?: true;
  /** It is about the bundle, of which an import knows nothing. */
  readonly ofBundle?: true;
}

/** Whatever readers and the choice of runs have to say, a case each. */
const CASES: readonly Case[] = [
  {
    name: "the newest run broke off, and an older one counts",
    code: "run_choice",
    words: /the newest run has fewer answers than an older one, which counts/,
    write: (place) => {
      writeLogs(
        place,
        run((document) => (document.id < 10 ? document : null)),
      );
      writeLogs(place, run(undefined, { date: OLDER }));
    },
  },
  {
    name: "a run that is left out gave other answers",
    code: "run_choice",
    words: /others under this name gave other answers/,
    write: (place) => {
      writeLogs(place, run());
      writeLogs(
        place,
        run((document) => ({ ...document, score: 1 }), { date: OLDER }),
      );
    },
  },
  {
    name: "a run that is left out was asked otherwise",
    code: "run_choice",
    words: /its runs were not made alike: few-shot examples 0, in another 5/,
    write: (place) => {
      writeLogs(place, run());
      writeLogs(place, run(undefined, { date: OLDER, shots: 5 }));
    },
  },
  {
    name: "one task's run was made with other arguments than the others'",
    code: "unlike_runs",
    words: /its runs were made with different arguments \(load_in_4bit: true on alpha, none on beta_first and 1 more\)/,
    write: (place) => {
      const { tasks, ...more } = run();
      const { alpha, ...others } = tasks;
      writeLogs(place, { ...more, tasks: others });
      writeLogs(place, { ...more, date: OLDER, tasks: { alpha: alpha! }, modelArguments: ",load_in_4bit=True" });
    },
  },
  {
    name: "a run without a score",
    code: "run_choice",
    words: /a run without any score is passed over/,
    byTask: true,
    write: (place) => {
      writeLogs(place, run());
      writeLogs(
        place,
        run((document) => ({ ...document, score: null }), { date: OLDER }),
      );
    },
  },
  {
    name: "a score that isn't the harness's own",
    code: "score_differs",
    words: /1 score differs from the harness's own: Org\/m, alpha: 0\.\d{6} here, 0\.123000 there/,
    write: (place) => {
      const file = join(writeLogs(place, run()), "results_2026-03-01T00-00-00.000001.json");
      const logged = JSON.parse(readFileSync(file, "utf8")) as { results: Record<string, object> };
      logged.results["alpha"] = { ...logged.results["alpha"], "acc,none": 0.123 };
      writeFileSync(file, JSON.stringify(logged));
    },
  },
  {
    name: "a word that is no score",
    code: "log_remark",
    words: /"correct"/,
    write: (place) => {
      const logs = writeLogs(place, run());
      const file = join(logs, "samples_alpha_2026-03-01T00-00-00.000001.jsonl");
      writeFileSync(file, readFileSync(file, "utf8").replace('"acc":1', '"acc":"correct"'));
    },
  },
  {
    name: "logs without a results file",
    code: "log_remark",
    words: /has no results file beside it: its folder names the model/,
    byTask: true,
    write: (place) => {
      const logs = writeLogs(place, run());
      rmSync(join(logs, "results_2026-03-01T00-00-00.000001.json"));
    },
  },
  {
    name: "a task that isn't the bundle's",
    code: "log_remark",
    words: /the bundle has no item of other: ignored/,
    ofBundle: true,
    write: (place) => {
      const { tasks, ...more } = run();
      writeLogs(place, { ...more, tasks: { ...tasks, other: { documents: [documentOf("other", 0, 1)] } } });
    },
  },
  {
    name: "a protocol that isn't the bundle's",
    code: "other_protocol",
    words: /few-shot examples: 5 in this run, 0 in those of the models/,
    ofBundle: true,
    write: (place) => void writeLogs(place, run(undefined, { shots: 5 })),
  },
  {
    name: "answers that failed",
    code: "failed_answers",
    words: /1 failed \("an empty answer" once\)/,
    write: (place) => {
      const { tasks, ...more } = run();
      const [first, ...rest] = tasks["alpha"]!.documents;
      writeLogs(place, { ...more, tasks: { ...tasks, alpha: { documents: [{ ...first!, empty: true }, ...rest] } } });
    },
  },
];

/** The commands that read logs. */
const SURFACES: Readonly<Record<string, (logs: string) => readonly string[]>> = {
  estimate: (logs) => ["estimate", "--bundle", bundle, logs],
  compare: (logs) => ["compare", "--bundle", bundle, "--a", logs, "--b", logs],
  check: (logs) => ["check", "--bundle", bundle, "--responses", logs, "--min-score", "1pt"],
  "check against logs": (logs) => ["check", "--bundle", bundle, "--responses", logs, "--baseline", logs],
  import: (logs) => ["import", logs, "--out", `${logs}-imported`, "--force"],
};

/** Slow ones, which read logs by the same function. */
const REPLAYS: typeof SURFACES = {
  "check of nights": (logs) => [
    ...["check", "--bundle", bundle, "--responses", logs, "--baseline", answers, "--baseline", others],
    ...["--history", `${logs}-nights.json`],
  ],
  "check --table": (logs) => [
    ...["check", "--bundle", bundle, "--baseline", logs, "--baseline", answers, "--table", "--nights", "10"],
  ],
};

/** Of the first case every command; of others one by one in turn, and all in a whole run. */
function surfacesOf(k: number): typeof SURFACES {
  if (k === 0) return { ...SURFACES, ...REPLAYS };
  const all = Object.entries(SURFACES);
  return Object.fromEntries(all.filter((_, at) => WHOLE || at === 0 || at === 1 + (k % (all.length - 1))));
}

describe("what is to be said of logs is said by every command, in its document and for people", () => {
  for (const [k, { name, code, words, write, ofBundle, byTask }] of CASES.entries())
    test(name, async () => {
      const logs = folder.path(`logs-${k}`);
      write(logs);
      for (const [surface, argumentsOf] of Object.entries(surfacesOf(k))) {
        if (surface === "import" && ofBundle) continue;
        const call = [...argumentsOf(logs), "--from", "lm-eval"];
        const quiet = await runCommand(...call, "--json", "--quiet");
        expect([surface, quiet.err]).toEqual([surface, ""]);
        const { warnings } = JSON.parse(quiet.out) as { warnings: readonly unknown[] };
        const said = warnings.filter((warning) => words.test(JSON.stringify(warning).replaceAll('\\"', '"')));
        const times = (surface === "compare" || surface === "check against logs" ? 2 : 1) * (byTask ? 3 : 1);
        expect([surface, said.length]).toEqual([surface, times]);
        if (surface !== "import") expect(said).toContainEqual(expect.objectContaining({ code }));
        if (surface in REPLAYS) continue;
        const { out, err } = await runCommand(...call);
        expect([surface, `${out}${err}`.split("\n").filter((line) => words.test(line)).length]).toEqual([
          surface,
          times,
        ]);
      }
    });

  test("a gate that passes by an older run says so in its summary and its JUnit file, too", async () => {
    const logs = folder.path("gate");
    CASES[0]!.write(logs);
    const [summary, junit, saved] = ["summary.md", "junit.xml", "saved.json"].map((file) => folder.path(file));
    const call = ["check", "--bundle", bundle, "--responses", logs, "--from", "lm-eval", "--quiet"];
    await runCommand(...call, "--min-score", "1pt", "--summary", summary!, "--junit", junit!);
    for (const file of [summary!, junit!]) expect(readFileSync(file, "utf8")).toMatch(CASES[0]!.words);
    expect((await runCommand(...call, "--save", saved!)).out).toMatch(CASES[0]!.words);
  });

  test("of logs of which there is nothing to say nothing is said", async () => {
    const logs = writeLogs(folder.path("honest"), run());
    for (const [surface, argumentsOf] of Object.entries(SURFACES)) {
      const { out, err } = await runCommand(...argumentsOf(logs), "--from", "lm-eval", "--json");
      const { warnings } = JSON.parse(out) as { warnings: readonly { code?: string }[] };
      const ofLogs = warnings.filter((warning) => /run|log|protocol|failed/.test(warning.code ?? ""));
      expect([surface, err, ofLogs]).toEqual([surface, "", []]);
    }
  });
});
