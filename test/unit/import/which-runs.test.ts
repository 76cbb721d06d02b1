import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { gunzipSync } from "node:zlib";
import { describe, expect, test } from "vitest";
import { writeInspectLog, type InspectRun } from "../../support/inspect-logs.ts";
import { runCommand } from "../../support/run-command.ts";
import { tempFolder } from "../../support/temp-folder.ts";

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
