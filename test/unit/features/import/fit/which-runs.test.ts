import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { gunzipSync } from "node:zlib";
import { describe, expect, test } from "vitest";
import { writeInspectLog, type InspectRun } from "../../../../support/inspect-logs.ts";
import { runCommand } from "../../../../support/run-command.ts";
import { tempFolder } from "../../../../support/temp-folder.ts";

type Sample = InspectRun["samples"][number];

const folder = tempFolder();
let logs = 0;

/** Logs of Inspect in a folder of their own. */
function written(
  runs: Readonly<Record<string, Partial<InspectRun> & { readonly samples: readonly Sample[] }>>,
): string {
  const place = folder.path(`logs-${++logs}`);
  for (const [name, run] of Object.entries(runs)) {
    mkdirSync(dirname(join(place, name)), { recursive: true });
    writeInspectLog(join(place, name), { model: "org/a", task: "quiz", ...run });
  }
  return place;
}

function scored(count: number, scoreOf: (id: number) => unknown, more: Partial<Sample> = {}): Sample[] {
  return Array.from({ length: count }, (_, id) => ({ id, scores: { match: scoreOf(id) }, ...more }));
}

async function imported(place: string, ...options: string[]): Promise<{ code: number; err: string; rows: string[] }> {
  const out = `${place}-out${options.join("")}`;
  const { code, err } = await runCommand("import", "--from", "inspect", place, "--out", out, ...options);
  const rows =
    code === 0
      ? gunzipSync(readFileSync(join(out, "responses.csv.gz")))
          .toString()
          .trim()
          .split("\n")
      : [];
  return { code, err, rows };
}

describe("of several runs of a model on a task", () => {
  test("the newer is newer by its instant, whatever its time zone", async () => {
    const place = written({
      "old.json": { samples: scored(4, () => 0), created: "2026-03-01T09:00:00+05:30" },
      "new.json": { samples: scored(4, () => 1), created: "2026-03-01T05:00:00+00:00" },
    });
    expect((await imported(place)).rows[1]).toBe("org/a,1,1,1,1");
  });

  test("the whole one counts before a newer that was cancelled, which is said", async () => {
    const place = written({
      "a.json": { samples: scored(12, (id) => id % 2), created: "2026-01-01T00:00:00+00:00" },
      "b.json": { samples: scored(3, () => 1), status: "cancelled", created: "2026-01-02T00:00:00+00:00" },
    });
    const { rows, err } = await imported(place);
    expect(rows[1]).toBe("org/a,0,1,0,1,0,1,0,1,0,1,0,1");
    expect(err).toContain(
      "org/a, quiz (3, before 12): the newest run has fewer answers than an older one, which counts",
    );
  });

  test("those of other answers are said: they may be other models", async () => {
    const place = written(
      Object.fromEntries(
        Array.from({ length: 6 }, (_, k) => [
          `llama-${k}/x.json`,
          {
            model: "hf/local",
            samples: scored(12, (id) => Number(id < 2 * k)),
            created: `2026-01-0${k + 1}T00:00:00Z`,
          },
        ]),
      ),
    );
    const { err } = await imported(place);
    expect(err).toContain(
      "hf/local, quiz (6 runs, 16 % of the answers alike): one run counts, and others under this name",
    );
    expect(err).toContain("--model-name");
  });

  test("shards are one run, and what had failed is taken from its rerun", async () => {
    const place = written({
      "first.json": { samples: [...scored(4, () => 1), { id: 4, error: { message: "429" } }] },
      "rest.json": {
        samples: [
          { id: 4, scores: { match: 0 } },
          { id: 5, scores: { match: 1 } },
        ],
      },
    });
    const { rows, err } = await imported(place, "--errors", "wrong");
    expect(rows[1]).toBe("org/a,1,1,1,1,0,1");
    expect(err).toContain("2 runs on different documents count as one");
  });

  test("documents that two shards answered count by the newer, and those of a run that is left out are said", async () => {
    const shards = {
      "a.json": { samples: scored(4, () => 1) },
      "b.json": { samples: scored(8, () => 0).slice(3), created: "2026-01-02T00:00:00+00:00" },
    };
    const { rows, err } = await imported(written(shards));
    expect(rows[1]).toBe("org/a,1,1,1,0,0,0,0,0");
    expect(err).toContain("(1 document, 1 with other answers): what several of its runs answered counts by the newest");
    expect(err).not.toContain("asked a part");
    // Of which most are the same, they are two runs.
    const more = written({ ...shards, "b.json": { ...shards["b.json"], samples: scored(8, () => 0).slice(1, 5) } });
    const whole = await imported(more);
    expect(whole.rows[1]).toBe("org/a,0,0,0,0");
    expect(whole.err).toContain("(1 document): what only runs left out have answered doesn't count");
  });

  test("shards that were asked otherwise are no shards, nor trials without a word", async () => {
    const low = { generation: { reasoning_effort: "low", max_connections: 4 } };
    const high = { generation: { reasoning_effort: "high" }, created: "2026-01-02T00:00:00+00:00" };
    const words =
      'org/a, quiz: its runs were not made alike: generation settings {"reasoning_effort":"high"}, in another {"reasoning_effort":"low"}';
    const place = written({
      "a.json": { ...low, samples: scored(4, () => 0) },
      "b.json": { ...high, samples: scored(8, () => 1).slice(4) },
    });
    const { rows, err } = await imported(place);
    expect(rows).toEqual(["model,quiz/4,quiz/5,quiz/6,quiz/7", "org/a,1,1,1,1"]);
    expect(err).toContain(words);
    expect(err).toContain("(4 documents): what only runs left out have answered doesn't count");
    const trials = {
      "a.json": { ...low, samples: scored(4, () => 0) },
      "b.json": { ...high, samples: scored(4, () => 1) },
    };
    expect((await imported(written(trials), "--on-duplicate", "mean")).err).toContain(words);
    const alike = { ...trials, "b.json": { ...trials["b.json"], generation: { reasoning_effort: "low", seed: 3 } } };
    expect((await imported(written(alike), "--on-duplicate", "mean")).err).not.toContain("alike");
  });

  test("a copy of a log is no trial", async () => {
    const run = { samples: scored(4, (id) => id % 2), created: "2026-01-01T00:00:00+00:00" };
    const other = { samples: scored(4, () => 1), created: "2026-01-02T00:00:00+00:00" };
    const place = written({ "a.json": run, "copy/a.json": run, "b.json": other });
    const { code, rows, err } = await imported(place, "--on-duplicate", "mean");
    expect({ code, row: rows[1] }).toEqual({ code: 0, row: "org/a,0.5,1,0.5,1" });
    expect(err).toContain("org/a, quiz: a copy of another log of it is no trial, and left out");
  });

  test("one without a score is passed over with its log's reason, and of such alone the reasons are all", async () => {
    const broken = { status: "error", samples: [{ id: 0, error: { message: "Connection error." } }] };
    const place = written({ "a.json": { samples: scored(4, () => 1) }, "b.json": { ...broken, model: "org/b" } });
    const { code, rows, err } = await imported(place);
    expect({ code, rows }).toEqual({ code: 0, rows: ["model,quiz/0,quiz/1,quiz/2,quiz/3", "org/a,1,1,1,1"] });
    expect(err).toContain(
      'org/b, quiz: a run without any score is passed over: it ended with the status error; 1 failed: "Connection error." once',
    );
    const alone = await imported(written({ "b.json": broken }));
    expect(alone.code).toBe(2);
    expect(alone.err).toContain("no run has a score");
    expect(alone.err).toContain("Connection error.");
  });
});

describe("documents are told by their content", () => {
  const board = (count: number): Parameters<typeof written>[0] =>
    Object.fromEntries(
      [0, 1, 2].map((k) => [`${k}.json`, { model: `org/m${k}`, samples: scored(count, (id) => (id + k) % 2) }]),
    );
  /** The documents of a task, asked under other ids. */
  const asked = (ids: readonly (number | string)[], scoreOf: (document: number) => unknown, first = 0): Sample[] =>
    ids.map((id, k) => ({ id, input: `Question ${k + first}?`, scores: { match: scoreOf(k + first) } }));

  test.each([
    ["from 1", [1, 2, 3, 4, 5, 6]],
    ["backwards", [5, 4, 3, 2, 1, 0]],
    ["by other names", ["a", "b", "c", "d", "e", "f"]],
  ])("a run that numbers them %s has the same items", async (_, ids) => {
    const place = written({ ...board(6), "x.json": { model: "org/x", samples: asked(ids, (k) => Number(k < 2)) } });
    const { rows, err } = await imported(place);
    expect(rows[0]).toBe("model,quiz/0,quiz/1,quiz/2,quiz/3,quiz/4,quiz/5");
    expect(rows).toContain("org/x,1,1,0,0,0,0");
    expect(err).toContain("6 samples have another document's number, and were matched by content: org/x, quiz: 6");
    expect(err).not.toContain("asked a part");
  });

  test("two whole runs under other ids are no shards, and as trials are trials of the same items", async () => {
    const runs = {
      ...board(6),
      "old.json": { model: "org/x", samples: asked([0, 1, 2, 3, 4, 5], () => 0) },
      "new.json": { model: "org/x", samples: asked([1, 2, 3, 4, 5, 6], () => 1), created: "2026-02-01T00:00:00+00:00" },
    };
    expect((await imported(written(runs))).rows).toContain("org/x,1,1,1,1,1,1");
    const mean = await imported(written(runs), "--on-duplicate", "mean");
    expect(mean.rows[0]).toBe("model,quiz/0,quiz/1,quiz/2,quiz/3,quiz/4,quiz/5");
    expect(mean.rows).toContain("org/x,0.5,0.5,0.5,0.5,0.5,0.5");
    const same = { ...runs, "old.json": { ...runs["old.json"], samples: asked([0, 1, 2, 3, 4, 5], () => 1) } };
    expect((await imported(written(same))).err).not.toContain("other answers");
  });

  test("shards that each count from 0 are shards; items without a number of their own are called by content", async () => {
    const shards = {
      "1.json": { model: "org/x", samples: asked([0, 1, 2], () => 1) },
      "2.json": { model: "org/x", samples: asked([0, 1, 2], () => 0, 3), created: "2026-02-01T00:00:00+00:00" },
    };
    const words = "2 runs on different documents count as one: they have the same ids, and are told apart by content";
    const { rows, err } = await imported(written({ ...board(6), ...shards }));
    expect(rows).toContain("org/x,1,1,1,0,0,0");
    expect(err).toContain(words);
    const alone = await imported(written(shards));
    expect(alone.rows[0]).toMatch(/^model(,quiz\/[012]){3}(,quiz\/[012]-[0-9a-f]{8}){3}$/);
    expect(alone.rows[1]!.split(",").sort().join()).toBe("0,0,0,1,1,1,org/x");
    expect(alone.err).toContain("3 items whose ids are other documents' are called by id and content: quiz/0-");
  });

  test("a task that has a question twice keeps both, whole and in shards", async () => {
    const twice = scored(24, (id) => id % 2).map((sample) => ({
      ...sample,
      input: `Question ${Number(sample.id) % 23}?`,
    }));
    const place = written({
      "1.json": { model: "org/x", samples: twice.slice(0, 12) },
      "2.json": { model: "org/x", samples: twice.slice(12), created: "2026-02-01T00:00:00+00:00" },
      "3.json": { model: "org/y", samples: twice },
    });
    const { rows } = await imported(place);
    expect(rows.slice(1).sort()).toEqual(["org/x", "org/y"].map((name) => `${name}${",0,1".repeat(12)}`));
  });

  test("a changed document of a run that numbers as others do is left out, as before", async () => {
    const changed = scored(6, () => 1).map((sample) => (sample.id === 2 ? { ...sample, input: "another" } : sample));
    const { rows, err } = await imported(written({ ...board(6), "x.json": { model: "org/x", samples: changed } }));
    expect(rows).toContain("org/x,1,1,,1,1,1");
    expect(err).toContain("1 sample was left out, as its document differs from most models'");
  });
});

describe("an answer that failed", () => {
  const samples = [...scored(4, () => "I", { error: { message: "429" } }), ...scored(8, () => "C").slice(4)];

  test.each([
    ["harness", "0,0,0,0,1,1,1,1"],
    ["missing", ",,,,1,1,1,1"],
    ["wrong", "0,0,0,0,1,1,1,1"],
  ])("counts as --errors %s says, though the harness scored it, and is said", async (errors, row) => {
    const place = written({ "a.json": { samples } });
    const { rows, err } = await imported(place, ...(errors === "harness" ? [] : ["--errors", errors]));
    expect(rows[1]).toBe(`org/a,${row}`);
    expect(err).toContain('of 8 answers, 4 failed ("429" 4 times)');
  });
});

describe("refused", () => {
  test("words that are no score, where there is nothing else", async () => {
    const { code, err } = await imported(
      written({ "0.json": { samples: scored(8, (id) => (id % 3 ? "correct" : "incorrect")) } }),
    );
    expect(code).toBe(2);
    expect(err).toContain('there is no score: 8 values of match are no score: "correct" 5 times, "incorrect" 3 times');
  });

  test("the number 1 and the text 1 as ids", async () => {
    const both = [...scored(4, () => 1), ...scored(4, () => 0).map((sample) => ({ ...sample, id: String(sample.id) }))];
    const { code, err } = await imported(written({ "0.json": { samples: both } }));
    expect(code).toBe(2);
    expect(err).toContain('the number 1 and the text "1" are ids of two samples');
  });

  test("a log that is cut, by its name", async () => {
    const place = written({ "1.json": { samples: scored(4, () => 1) }, "2.json": { samples: scored(4, () => 0) } });
    const file = join(place, "2.json");
    writeFileSync(file, readFileSync(file).subarray(0, 300));
    const { code, err } = await imported(place);
    expect(code).toBe(2);
    expect(err).toContain(`${file}: it is not valid JSON`);
  });
});

test("a word among scores is missing, named and counted", async () => {
  const place = written({ "0.json": { samples: scored(4, (id) => (id === 2 ? "50%" : id % 2)) } });
  const { rows, err } = await imported(place);
  expect(rows[1]).toBe("org/a,0,1,,1");
  expect(err).toContain('1 value of match is no score: "50%" once; they count as missing');
});

test("scores within 1e-9 of a bound are the bound", async () => {
  const place = written({ "0.json": { samples: scored(4, (id) => (id % 2 ? 1.0000000000000002 : -1e-17)) } });
  expect((await imported(place)).rows[1]).toBe("org/a,0,1,0,1");
});

describe("a task with and without its package", () => {
  const runs = (more: (k: number) => Partial<Sample> = () => ({})): string =>
    written(
      Object.fromEntries(
        Array.from({ length: 6 }, (_, k) => [
          `${k}.json`,
          { model: `org/m${k}`, task: k % 2 ? "pkg/quiz" : "quiz", samples: scored(4, (id) => (id + k) % 2, more(k)) },
        ]),
      ),
    );

  test("is one where its items are the same", async () => {
    const { rows, err } = await imported(runs());
    expect(rows[0]).toBe("model,quiz/0,quiz/1,quiz/2,quiz/3");
    expect(rows.slice(1).sort()[1]).toBe("org/m1,1,0,1,0");
    expect(err).toContain("pkg/quiz and quiz have the same items: they are one task here, quiz");
  });

  test("is two where they aren't, which is said", async () => {
    const { rows, err } = await imported(runs((k) => ({ input: `another question ${k % 2}` })));
    expect(rows[0]).toBe("model,quiz/0,quiz/1,quiz/2,quiz/3,pkg/quiz/0,pkg/quiz/1,pkg/quiz/2,pkg/quiz/3");
    expect(err).toContain("pkg/quiz and quiz look like one task, and are two here: they share 0 of");
    expect(err).toContain("6 runs aren't there");
  });
});
