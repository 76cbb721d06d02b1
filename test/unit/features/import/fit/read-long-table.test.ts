import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { gunzipSync } from "node:zlib";
import { parquetWriteBuffer } from "hyparquet-writer";
import { describe, expect, test } from "vitest";
import { main as trainer } from "../../../../../cli/src/main.ts";
import { readLongTable, parseTableColumns } from "../../../../../features/import/fit/read-long-table.ts";
import { scoreAt, type ResponseMatrix } from "../../../../../offline-trainer/src/matrix/response-matrix.ts";
import { expectRefusal, refusal, rejection } from "../../../../support/refusal.ts";
import { tempFolder } from "../../../../support/temp-folder.ts";

const folder = tempFolder();
const MODELS = ["a", "b", "c", "d", "e"];

/** Five models on two items of each of two tasks, whose numbers begin anew; one has no score. */
const ROWS = MODELS.flatMap((llm, m) =>
  ["sums", "facts"].flatMap((task, t) =>
    [0, 1].map((doc, k) => ({
      llm,
      task,
      doc,
      acc: m === 4 && k === 1 && t === 1 ? null : (m + t + k) % 2,
      share: t === 0 ? 0.5 : 2,
      text: `${task}, question ${doc}`,
      when: "now",
    })),
  ),
);
type Row = Omit<(typeof ROWS)[number], "acc"> & { acc: unknown };

const csv = (rows: readonly Row[]): string => {
  const names = Object.keys(rows[0]!) as (keyof Row)[];
  const cell = (value: unknown): string => (value === null ? "" : JSON.stringify(value));
  return `${names.join(",")}\n${rows.map((row) => names.map((name) => cell(row[name])).join(",")).join("\n")}\n`;
};
const jsonl = (rows: readonly object[]): string => rows.map((row) => `${JSON.stringify(row)}\n`).join("");
function parquet(name: string): string {
  const of = (key: keyof Row): unknown[] => ROWS.map((row) => row[key]);
  const columnData = [
    { name: "llm", data: of("llm"), type: "STRING" as const },
    { name: "task", data: of("task"), type: "STRING" as const },
    { name: "doc", data: ROWS.map(({ doc }) => BigInt(doc)), type: "INT64" as const },
    { name: "acc", data: ROWS.map(({ acc }) => (acc === null ? null : acc === 1)), type: "BOOLEAN" as const },
    { name: "share", data: of("share"), type: "DOUBLE" as const },
    { name: "text", data: of("text"), type: "STRING" as const },
    { name: "when", data: of("when"), type: "STRING" as const },
  ];
  const path = folder.path(name);
  writeFileSync(path, new Uint8Array(parquetWriteBuffer({ columnData, rowGroupSize: 6 })));
  return path;
}

const COLUMNS = parseTableColumns(["model=llm,item=task+doc,score=acc", "scenario=task,text=text,weight=share"]);
const scores = (matrix: ResponseMatrix): number[] =>
  matrix.subjects.flatMap((_, m) => matrix.items.map((_, i) => scoreAt(matrix, m, i)));

describe("a long table whose columns are named", () => {
  test.each<[string, () => string]>([
    ["CSV", () => folder.write("t.csv", csv(ROWS))],
    [
      "CSV of True and False",
      () =>
        folder.write(
          "bool.csv",
          csv(ROWS.map((row) => ({ ...row, acc: row.acc === null ? null : row.acc === 1 ? "True" : "False" }))),
        ),
    ],
    ["JSON lines", () => folder.write("t.jsonl", jsonl(ROWS))],
    [
      "JSON lines of booleans",
      () =>
        folder.write("b.jsonl", jsonl(ROWS.map((row) => ({ ...row, acc: row.acc === null ? null : row.acc === 1 })))),
    ],
    ["Parquet", () => parquet("t.parquet")],
  ])("%s", async (_, path) => {
    const { matrix, weighting, remarks } = await readLongTable(path(), COLUMNS);
    expect(matrix.subjects).toEqual(MODELS);
    expect(matrix.items).toEqual(
      ["sums/0", "sums/1", "facts/0", "facts/1"].map((id) => ({
        item_id: id,
        scenario: id.split("/")[0],
        text: id.replace("/", ", question "),
      })),
    );
    expect(scores(matrix)).toEqual(ROWS.map(({ acc }) => acc ?? NaN));
    // Each task is a scenario of its own, and its items weigh the same: both weightings come to that.
    expect(weighting).toBe("subscenarios");
    expect(remarks).toEqual(['columns that are not read: "when"']);
  });

  test("a column whose name has a + is that column; without scenarios they are taken from the ids, and said so", async () => {
    const rows = ROWS.map(({ llm, task, doc, acc }) => ({ model: llm, "a+b": `${task}/${doc}`, score: acc }));
    const { matrix, remarks } = await readLongTable(
      folder.write("plus.jsonl", jsonl(rows)),
      parseTableColumns(["item=a+b"]),
    );
    expect(matrix.items.map(({ scenario }) => scenario)).toEqual(["sums", "sums", "facts", "facts"]);
    expect(remarks).toEqual([expect.stringContaining("no column of scenarios was given")]);
  });

  test.each<[string, readonly number[], string | null]>([
    ["the same for all items", [1, 1, 1], "items"],
    ["the same for all subscenarios", [0.25, 0.25, 0.5], "subscenarios"],
    ["neither", [1, 2, 3], null],
  ])("weights that are %s", async (name, weights, weighting) => {
    const rows = MODELS.flatMap((model) =>
      weights.map((weight, i) => ({ model, item_id: `q${i}`, score: 1, set: "s", part: i < 2 ? "x" : "y", weight })),
    );
    const path = folder.write(`${name}.jsonl`, jsonl(rows));
    const read = readLongTable(path, parseTableColumns(["scenario=set,subscenario=part,weight=weight"]));
    if (weighting !== null) expect((await read).weighting).toBe(weighting);
    else expectRefusal(await rejection(read), "unsupported", "a bundle keeps no others");
  });
});

describe("a long table with trials and costs", () => {
  /** Three models, two trials of each of two items; the second model spends twice as much, the third writes nothing. */
  const rows = ["a", "b", "c"].flatMap((llm, m) =>
    [0, 1].flatMap((doc) =>
      [1, 2].map((go) => ({
        llm,
        doc,
        acc: (m + doc + go) % 2,
        go,
        asked: m === 2 ? 0 : (m + 1) * 100 * (doc + 1) + 20 * (go - 1.5),
        said: m === 2 ? null : 10,
        "run-start": `2026-01-01T00:00:0${go}Z`,
        "run-end": m === 2 ? "" : `2026-01-01 00:00:0${go + doc + 1}.500`,
      })),
    ),
  );
  const named = parseTableColumns([
    "model=llm,item=doc,score=acc,trial=go,tokens=asked+said,seconds=run-end-run-start",
  ]);

  test.each<[string, () => string]>([
    ["CSV", () => folder.write("trials.csv", csv(rows as never))],
    ["JSON lines", () => folder.write("trials.jsonl", jsonl(rows))],
  ])("%s: means of the trials, the trials, and what a typical model spends", async (_, path) => {
    const { matrix, trials, prices, remarks } = await readLongTable(path(), named);
    expect(scores(matrix)).toEqual(Array(6).fill(0.5));
    expect(trials![0]).toEqual({ model: "a", item: "0", scores: [1, 0] });
    expect(trials).toHaveLength(6);
    const found = prices!.map(({ kind, models, items }) => [kind, models, ...Array.from(items.values(), (own) => own.toFixed(6))]); // prettier-ignore
    // Of two models the geometric mean of 110 and 210, and of 210 and 410.
    const [first, second] = [110 * 210, 210 * 410].map((product) => Math.sqrt(product).toFixed(6));
    expect(found).toEqual([["tokens", 2, first, second], ["seconds", 2, "1.500000", "2.500000"]]); // prettier-ignore
    expect(remarks).toEqual([expect.stringContaining("no column of scenarios was given")]);
  });

  test("a column called trial tells trials apart without being named; of one trial each there are none", async () => {
    const called = rows.map(({ go, ...row }) => ({ ...row, trial: go }));
    const columns = parseTableColumns(["model=llm,item=doc,score=acc"]);
    expect((await readLongTable(folder.write("called.jsonl", jsonl(called)), columns)).trials).toHaveLength(6);
    const once = called.filter(({ trial }) => trial === 1);
    const { trials, prices } = await readLongTable(folder.write("once.jsonl", jsonl(once)), columns);
    expect({ trials, prices }).toEqual({ trials: undefined, prices: [] });
  });

  test.each<[string, (row: Record<string, unknown>, k: number) => object, string]>([
    [
      "negative tokens",
      (row, k) => (k === 3 ? { ...row, asked: -1 } : row),
      'line 4, field "asked": a price is a number, at least 0, got "-1"',
    ],
    [
      "tokens in words",
      (row, k) => (k === 0 ? { ...row, said: "many" } : row),
      'line 1, field "said": a price is a number, at least 0, got "many"',
    ],
    [
      "infinite tokens",
      (row, k) => (k === 0 ? { ...row, said: "1e999" } : row),
      'line 1, field "said": a price is a number',
    ],
    [
      "a trial twice",
      (row, k) => (k === 1 ? { ...row, go: 1 } : row),
      'line 2, field "go": model "a" has trial "1" of item "0" twice',
    ],
    [
      "a trial without a name",
      (row, k) => (k === 1 ? { ...row, go: null } : row),
      'line 2, field "go": a trial has a number or a name',
    ],
    [
      "an end before its start",
      (row, k) => (k === 0 ? { ...row, "run-end": "2025-12-31T23:59:59Z" } : row),
      'line 1, field "run-end": it is 2 seconds before "run-start"',
    ],
    [
      "a time that is none",
      (row, k) => (k === 0 ? { ...row, "run-end": "noon" } : row),
      'line 1, field "run-end": a time is a date with its time by ISO 8601, or seconds since 1970, got "noon"',
    ],
    ["no such column", (row) => ({ ...row, said: undefined }), 'there is no column "said" (tokens)'],
  ])("%s", async (name, change, words) => {
    // prettier-ignore
    const path = folder.write(`bad ${name}.jsonl`, jsonl(rows.map((row, k) => change(row, k))));
    expectRefusal(await rejection(readLongTable(path, named)), "invalid_data", words);
  });

  test("NaN, NA and an empty cell are no cost, and never 0", async () => {
    const cells = ["NaN", "NA", ""].map((cell, i) => `m,${i},1,${cell}`);
    const table = ["model,item_id,score,tokens", ...cells, "m,3,1,5", "m,4,0,7", "m,5,0,9"].join("\n");
    const { prices } = await readLongTable(folder.write("nan.csv", table), parseTableColumns(["tokens=tokens"]));
    expect(prices![0]!.assumed).toEqual(["0", "1", "2"]);
    expect(prices![0]!.items.get("0")).toBeCloseTo(7, 9);
  });
});

describe("refused", () => {
  const changed = (change: (row: Row, k: number) => object): (() => string) => {
    return () => jsonl(ROWS.map((row, k) => change(row, k)));
  };
  test.each<[string, () => string, string, string?]>([
    [
      "a column that isn't there",
      () => jsonl(ROWS),
      'no column "model" (model); the columns are "llm", "task", "doc", "acc"',
      "item=doc",
    ],
    [
      "numbers that begin anew",
      () => jsonl(ROWS),
      'line 3, field "task": item "0" has another scenario in line 1; where ids begin anew in each scenario, name both columns: item=task+doc',
      "model=llm,item=doc,score=acc,scenario=task",
    ],
    [
      "an item of two texts",
      changed((row, k) => ({ ...row, text: k === 4 ? "other" : row.text })),
      'line 5, field "text": item "sums/0" has another text in line 1',
    ],
    [
      "a model without a name",
      changed((row, k) => ({ ...row, llm: k === 1 ? null : row.llm })),
      'line 2, field "llm": it must be text or a whole number, got null',
    ],
    [
      "a broken number",
      changed((row, k) => ({ ...row, doc: k === 1 ? 0.5 : row.doc })),
      'line 2, field "doc": it must be text or a whole number',
    ],
    [
      "a scenario that is missing",
      changed((row, k) => ({ ...row, task: k === 0 ? "" : row.task })),
      'line 1, field "task"',
    ],
    [
      "a weight of 0",
      changed((row) => ({ ...row, share: 0 })),
      'line 1, field "share": a weight must be a number above 0',
    ],
    [
      "a score out of range",
      changed((row, k) => ({ ...row, acc: k === 0 ? 7 : row.acc })),
      'line 1, field "score": a score must be in [0,1], got 7',
    ],
    ["a row twice", () => jsonl([...ROWS, ROWS[0]!]), 'model "a" answers item "sums/0" twice'],
    [
      "a hash that is none",
      changed((row) => ({ ...row, text: "x" })),
      'a hash is SHA-256, 64 lowercase hex digits, got "x"',
      "model=llm,item=task+doc,score=acc,hash=text",
    ],
    ["nothing", () => "", "the file is empty"],
  ])("%s", async (name, text, words, columns) => {
    const named = columns === undefined ? COLUMNS : parseTableColumns([columns]);
    expectRefusal(await rejection(readLongTable(folder.write(`${name}.jsonl`, text()), named)), "invalid_data", words);
  });

  test("a Parquet file and a CSV without the column, and a CSV that has it twice", async () => {
    const named = parseTableColumns(["model=who"]);
    for (const path of [parquet("p.parquet"), folder.write("c.csv", csv(ROWS))])
      expectRefusal(
        await rejection(readLongTable(path, named)),
        "invalid_data",
        'the columns are "llm", "task", "doc"',
      );
    const twice = folder.write("twice.csv", "model,model,item_id,score\na,b,c,1\n");
    expectRefusal(
      await rejection(readLongTable(twice, parseTableColumns([]))),
      "invalid_data",
      'column "model" is there twice',
    );
  });

  test.each([
    ["model", "`columns` must be ROLE=COLUMN"],
    [
      "modell=x",
      "where ROLE is model, item, score, trial, scenario, subscenario, weight, text, hash, tokens, seconds, price; got modell=x",
    ],
    ["model=", "got model="],
    ["model=a,model=b", "names model twice: a and b"],
    ["subscenario=x", "name its column too"],
  ])("--columns %s", (value, words) => {
    expectRefusal(
      refusal(() => parseTableColumns([value])),
      "invalid_option",
      words,
    );
  });
});

describe("import --from table", () => {
  async function command(...argv: string[]): Promise<{ code: number; out: string; err: string }> {
    let [out, err] = ["", ""];
    const streams = {
      stdout: { write: (text: string) => (out += text) },
      stderr: { write: (text: string) => (err += text) },
    };
    return { code: await trainer(["import", ...argv], streams), out, err };
  }

  test("writes what fit reads, with the weighting", async () => {
    const out = folder.path("imported");
    const named = ["--columns", "model=llm,item=task+doc,score=acc", "--columns", "scenario=task,weight=share"];
    const told = await command("--from", "table", folder.write("in.csv", csv(ROWS)), ...named, "--out", out);
    expect(told).toMatchObject({ code: 0 });
    expect(told.out).toContain("5 models, 4 items, 2 scenarios:\n  sums: 2 items\n  facts: 2 items\n");
    expect(told.out).toContain("--set weighting=subscenarios");
    expect(told.err).toContain('columns that are not read: "text", "when"');
    expect(gunzipSync(readFileSync(`${out}/responses.csv.gz`)).toString()).toContain(
      "model,sums/0,sums/1,facts/0,facts/1\n",
    );
    expect(JSON.parse(readFileSync(`${out}/import.json`, "utf8"))).toMatchObject({
      source: "table",
      weighting: "subscenarios",
    });
  });

  test.each([
    ["options of logs", ["--from", "table", "x.csv", "--metric", "acc"], "--metric is for logs of harnesses"],
    ["several tables", ["--from", "table", "x.csv", "y.csv"], "--from table reads one file; got 2"],
    ["columns of logs", ["--from", "lm-eval", "logs", "--columns", "model=x"], "--columns is for --from table"],
    ["columns of RouterDC", ["--from", "routerdc", "x.json", "--columns", "model=x"], "RouterDC's fields are known"],
  ])("%s are refused", async (_, argv, words) => {
    const told = await command(...argv, "--out", folder.path("never"));
    expect(told).toMatchObject({ code: 2, out: "" });
    expect(told.err).toContain(words);
  });

  const entries = (count: number, scores: (k: number, m: number) => unknown): object[] =>
    Array.from({ length: count }, (_, k) => ({
      question: `question ${k}`,
      scores: Object.fromEntries(MODELS.map((model, m) => [`org/${model}`, scores(k, m)])),
      cluster_id: 1,
    }));

  test("--from routerdc: a file is a scenario, or a half of one; scores as they are", async () => {
    const files = [
      folder.write("mmlu_train.json", JSON.stringify(entries(2, (k, m) => (k + m) / 10))),
      folder.write("mmlu_test.json", JSON.stringify(entries(1, (_, m) => m % 2))),
      folder.write("mbpp.json", JSON.stringify(entries(3, () => 0.5))),
    ];
    const out = folder.path("router");
    const told = await command("--from", "routerdc", ...files, "--out", out);
    expect(told.code).toBe(0);
    expect(told.err).toMatch(/^columns that are not read: "cluster_id"\nno variance in "mbpp": .* \[no_variance\]\n$/);
    expect(told.out).toContain("5 models, 6 items, 2 scenarios:\n  mmlu: 3 items in 2 subscenarios\n  mbpp: 3 items\n");
    const [first, , third] = gunzipSync(readFileSync(`${out}/items.jsonl.gz`))
      .toString()
      .split("\n");
    expect(JSON.parse(first!)).toEqual({
      item_id: "mmlu_train/0",
      scenario: "mmlu",
      subscenario: "train",
      text: "question 0",
    });
    expect(JSON.parse(third!)).toMatchObject({ item_id: "mmlu_test/0", subscenario: "test" });
    expect(gunzipSync(readFileSync(`${out}/responses.csv.gz`)).toString()).toContain("\norg/b,0.1,0.2,1,0.5,0.5,0.5\n");
  });

  test("a model that is the mean of the others, and white space at the end of a scenario, are refused: nothing is written", async () => {
    const models = ["a", "b", "c", "d", "mean"];
    const rows = (task: string): string[] =>
      Array.from({ length: 12 }, (_, q) => [1, 0, 1, q % 2].map((score, m) => (m === q % 4 ? 0 : score))).flatMap(
        (scores, q) =>
          [...scores, scores.reduce((sum, score) => sum + score, 0) / 4].map(
            (score, m) => `${models[m]!},q${q},${score},${task}`,
          ),
      );
    for (const [task, words] of [
      [
        "math",
        'model "mean" is on every item the mean of all others: a summary, no model; leave its row out [invalid_data]',
      ],
      ["math ", 'scenario "math " has white space at an end: take it away'],
    ] as const) {
      const file = folder.write("border.csv", `model,item_id,score,task\n${rows(task).join("\n")}\n`);
      const told = await command("--from", "table", file, "--columns", "scenario=task", "--out", folder.path("never"));
      expect(told).toMatchObject({ code: 2, out: "" });
      expect(told.err).toContain(words);
      expect(existsSync(folder.path("never"))).toBe(false);
    }
    const good = rows("math").filter((row) => !row.startsWith("mean"));
    const told = await command("--from", "table", folder.write("good.csv", `model,item_id,score,task\n${good.join("\n")}\n`), "--columns", "scenario=task", "--out", folder.path("good"), "--json"); // prettier-ignore
    expect(JSON.parse(told.out)).toMatchObject({
      board: { models: 4, items: 12, range: [0, 1], distinct: 2, findings: [] },
    });
  });

  test.each<[string, unknown, string]>([
    ["no list", { question: "?" }, "RouterDC's data must be a list of questions, got an object"],
    ["no question", [{ scores: {} }], "entry 1: an entry has question, a text, and scores, by model"],
    ["null", [null], "entry 1: an entry has question"],
    ["a score out of range", entries(2, (k) => 3 * k), 'entry 2, field "score": a score must be in [0,1], got 3'],
  ])("--from routerdc: %s", async (name, value, words) => {
    const path = folder.write(`${name}/data.json`, JSON.stringify(value));
    const told = await command("--from", "routerdc", path, "--out", folder.path("never"));
    expect(told).toMatchObject({ code: 2, out: "" });
    expect(told.err).toContain(words);
  });

  test("four models are read: they may be those that were run again", async () => {
    const few = [{ question: "?", scores: { a: 1, b: 1, c: 0, d: 1 } }];
    const path = folder.write("few/data.json", JSON.stringify(few));
    const told = await command("--from", "routerdc", path, "--out", folder.path("few-out"));
    expect(told.code).toBe(0);
    expect(told.out).toContain("a fit needs at least 5 models");
    const rows = folder.write("few.jsonl", jsonl(ROWS.slice(0, 16)));
    expect((await readLongTable(rows, COLUMNS)).matrix.subjects).toHaveLength(4);
  });

  test("--from routerdc: two files of one name", async () => {
    const files = ["x/a.json", "y/a.json"].map((name) => folder.write(name, JSON.stringify(entries(1, () => 1))));
    expect((await command("--from", "routerdc", ...files, "--out", folder.path("never"))).err).toContain(
      "another file has this name",
    );
  });
});
