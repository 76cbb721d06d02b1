import { createHash } from "node:crypto";
import { readFileSync, writeFileSync } from "node:fs";
import { beforeAll, describe, expect, test } from "vitest";
import type { FormsDocument } from "../../../../features/forms/fit/summarize-forms.ts";
import { type ItemTable, readItemTable, itemTableLines } from "../../../../offline-trainer/src/matrix/item-table.ts";
import { writeWideCsv } from "../../../../offline-trainer/src/matrix/write-tables.ts";
import { scoreAt } from "../../../../offline-trainer/src/matrix/response-matrix.ts";
import { filesOf, lastGiven, listing, runProgram } from "../../../support/run-command.ts";
import { tempFolder } from "../../../support/temp-folder.ts";
import { simulatedBenchmark } from "./fit/simulated-benchmark.ts";

const folder = tempFolder();
const items = folder.path("items.csv");
const responses = folder.path("responses.csv.gz");
const long = folder.path("long.csv");
const { table, matrix } = simulatedBenchmark({ items: 400, subjects: 6, models: 15 });
const quick = ["--provider", "typescript"];
const base = ["forms", "--items", items, "--by", "Subject", "--size", "40", "--count", "2"];

beforeAll(async () => {
  writeFileSync(items, `\ufeff${[...itemTableLines(table, table.rows.keys())].join("").replaceAll("\n", "\r\n")}`);
  await writeWideCsv(responses, matrix);
  const lines = matrix.subjects.flatMap((model, m) =>
    matrix.items.map(({ item_id: id }, i) => {
      const score = scoreAt(matrix, m, i);
      return `${model},${id},${Number.isNaN(score) ? "" : score}\n`;
    }),
  );
  writeFileSync(long, `model,item_id,score\n${lines.join("")}`);
});

const summaryOf = (out: string): FormsDocument =>
  JSON.parse(readFileSync(`${out}/summary.json`, "utf8")) as FormsDocument;
const digest = (bytes: Uint8Array): string => `sha256:${createHash("sha256").update(bytes).digest("hex")}`;

describe("anchoreval forms", () => {
  const out = folder.path("forms");
  let screen: string;
  let forms: ItemTable[];

  beforeAll(async () => {
    const argv = [...base, "--responses", responses, "--join", "ID", "--exclude", "科目_02", ...quick, "--out", out];
    const run = await runProgram(argv);
    expect({ code: run.code, err: run.err }).toEqual({
      code: 0,
      err: "plain TypeScript: asked for\nnote: difficulties from 15 models are imprecise\n",
    });
    screen = run.out;
    forms = await Promise.all([1, 2].map((form) => readItemTable(`${out}/form-${form}.csv`)));
  });

  test("writes disjoint forms with every column and cell of the items, in the items' order", () => {
    expect(Object.keys(filesOf(out))).toEqual(["form-1.csv", "form-2.csv", "summary.json"]);
    const places = new Map(table.rows.map((cells, row) => [cells[0]!, row]));
    const ids = forms.flatMap((form) => form.rows.map((cells) => cells[0]!));
    expect(new Set(ids).size).toBe(80);
    for (const form of forms) {
      expect(form.columns).toEqual(table.columns);
      const rows = form.rows.map((cells) => places.get(cells[0]!)!);
      expect(form.rows).toEqual(rows.map((row) => table.rows[row]!));
      expect(rows).toEqual([...rows].sort((left, right) => left - right));
      expect(form.rows.some((cells) => cells.includes("科目_02"))).toBe(false);
    }
  });

  test("keeps no byte order mark and no CR LF, and quotes what needs it", () => {
    const text = readFileSync(`${out}/form-1.csv`, "utf8");
    expect(text.startsWith("ID,Question,A,B,C,D,Answer,Subject\n")).toBe(true);
    expect(text).not.toContain("\r");
    expect(text).toMatch(/"第\d+题，[^"]*""再来\d+个""呢？\n一共有多少个, 请选择。",/);
  });

  test("summary.json counts the forms, names its inputs by digest, and says that difficulty is borrowed", () => {
    const summary = summaryOf(out);
    expect(summary.inputs).toEqual({ items: digest(readFileSync(items)), responses: digest(readFileSync(responses)) });
    for (const [name, own] of Object.entries(summary.files)) expect(digest(readFileSync(`${out}/${name}`))).toBe(own);
    expect(summary.options).toMatchObject({ size: 40, count: 2, buckets: 5, by: "Subject", seed: 1 });
    expect(Object.keys(summary.options.exclude)).toEqual(["科目_02"]);
    summary.forms.forEach((form, k) => {
      const subjects = forms[k]!.rows.map((cells) => cells.at(-1)!);
      for (const [subject, { items: count }] of Object.entries(form.subjects))
        expect(subjects.filter((own) => own === subject)).toHaveLength(count);
      expect(form.distance).toEqual(summary.leastDistance);
    });
    expect(summary.pairs[0]!.distance).toEqual({ subjects: 0, difficulty: 0 });
    expect(summary.difficulty).toMatchObject({
      kind: "responses",
      models: 15,
      join: "ID",
      borrowed: "unknown",
      unused: expect.any(Number) as number,
    });
    expect(summary.equating).toMatchObject({ method: "irt-true-score", verified: false });
    expect(summary.equating.poolScores.map((scores) => scores.length)).toEqual([41, 41]);
    expect(summary.curves!.information.forms[0]).toHaveLength(summary.curves!.abilities.length);
    expect(screen).toMatch(
      /^2 forms of 40 items, disjoint, from \d+ \(\d+ of excluded subjects left out\): 5 subjects, 5 buckets of difficulty, seed 1\.\n/,
    );
    expect(screen).toContain("It is treated as borrowed");
  });

  test("the same input and seed give the same bytes, from a long table too; another seed gives other forms", async () => {
    const run = async (name: string, ...more: string[]): Promise<Record<string, Buffer>> => {
      const argv = [
        ...base,
        "--responses",
        responses,
        "--exclude",
        "科目_02",
        ...quick,
        "--out",
        folder.path(name),
        ...more,
      ];
      expect((await runProgram(lastGiven(argv))).code).toBe(0);
      return filesOf(folder.path(name));
    };
    const first = filesOf(out);
    expect(await run("again")).toEqual(first);
    expect((await run("long", "--responses", long))["form-2.csv"]).toEqual(first["form-2.csv"]);
    expect((await run("other", "--seed", "2"))["form-1.csv"]).not.toEqual(first["form-1.csv"]);
  });

  test("--json prints summary.json itself", async () => {
    const argv = [...base, "--out", folder.path("json"), "--json"];
    const { code, out: printed, err } = await runProgram(argv);
    expect({ code, err }).toEqual({ code: 0, err: "" });
    expect(JSON.parse(printed)).toEqual(summaryOf(folder.path("json")));
    expect(summaryOf(folder.path("json")).difficulty.kind).toBe("none");
  });

  test("reads JSON lines: columns in order of first appearance, difficulty from one of them", async () => {
    const lines = table.rows.map((cells, row) => ({
      id: Number(cells[0]),
      科目: cells.at(-1)!,
      ...(row > 0 && { 题目: cells[1]!, 难度: row % 50 === 1 ? null : (row * 37) % 100 }),
    }));
    const file = folder.write("items.jsonl", lines.map((line) => `${JSON.stringify(line)}\n`).join(""));
    const argv = [
      "forms",
      "--items",
      file,
      "--by",
      "科目",
      "--difficulty",
      "难度",
      "--size",
      "60",
      "--count",
      "3",
      "--quiet",
    ];
    const run = await runProgram([...argv, "--out", folder.path("jsonl")]);
    expect(run.code).toBe(0);
    expect(run.err).toBe("");
    expect(summaryOf(folder.path("jsonl")).warnings[0]).toBe(
      '9 items of 400 have no difficulty (an empty cell): they form a bucket of their own, "unknown"',
    );
    expect(run.out).toContain('Difficulty: column "难度" of the items, 391 of them.');
    const form = await readItemTable(folder.path("jsonl/form-3.csv"));
    expect(form.columns).toEqual(["id", "科目", "题目", "难度"]);
    expect(form.rows.every((cells) => cells[2] === "" || cells[2]!.includes("\n"))).toBe(true);
  });

  test("texts of the responses' items tell that the answers are to these items", async () => {
    const described = table.rows.map((cells) => ({ item_id: cells[0]!, scenario: cells.at(-1)!, text: cells[1]! }));
    const file = folder.write("described.jsonl", described.map((line) => `${JSON.stringify(line)}\n`).join(""));
    const argv = [...base, "--responses", responses, "--response-items", file, ...quick, "--out", folder.path("own")];
    const run = await runProgram(argv);
    expect(run.code).toBe(0);
    expect(run.out).toContain("The answers are to these very items (400 of 400 texts are the same).");
    expect(summaryOf(folder.path("own")).equating.verified).toBe(true);
  });
});

describe("the check on held-out models", () => {
  const run = async (name: string, ...more: readonly string[]): Promise<[string, FormsDocument["check"]]> => {
    const out = folder.path(name);
    const {
      code,
      out: screen,
      err,
    } = await runProgram([...[...base, "--responses", long, "--join", "ID", ...quick, "--out", out, ...more]]);
    expect({ code, err: code === 0 ? "" : err }).toEqual({ code: 0, err: "" });
    return [screen, summaryOf(out).check];
  };
  const families = (of: (m: number) => string): string =>
    folder.write("families.csv", matrix.subjects.map((model, m) => `${model},${of(m)}\n`).join(""));

  test("is made on whole families, and said to be borrowed where the answers are", async () => {
    const [screen, check] = await run(
      "checked",
      "--families",
      families((m) => `maker ${m % 10}`),
    );
    expect(check).toMatchObject({ kind: "folds", folds: 4, draws: 5 });
    expect(screen).toMatch(
      /Checked on \d+ models of \d+ families, held out in 4 parts, with forms of 40 rebuilt without each: their scores on two forms differ by \d\.\d points on average \(± \d\.\d\), on two random ones by \d+\.\d \(\d\.\d\d ± \d\.\d\d of it\)\. Their answers are borrowed, too/,
    );
  });

  test("is left out with a reason: few families, or --check none; the forms are the same", async () => {
    const [screen, check] = await run(
      "few",
      "--families",
      families((m) => `maker ${m % 2}`),
    );
    expect(check).toEqual({
      kind: "none",
      reason: expect.stringMatching(/ of [12] famil.*8 families are needed$/) as string,
    });
    expect(screen).toContain("Not checked on held-out models: ");
    const [, none] = await run("unchecked", "--check", "none");
    expect(none).toEqual({ kind: "none", reason: "left out by --check none" });
    expect(filesOf(folder.path("unchecked"))["form-1.csv"]).toEqual(filesOf(folder.path("few"))["form-1.csv"]);
  });
});

describe("what is refused, and leaves nothing behind", () => {
  const out = folder.path("refused");
  const good = folder.write("good.csv", "id,s,d\n1,a,1\n2,a,2\n3,b,3\n4,b,4\n");
  const few = folder.write("few.csv", "model,1,2,3,4\nm,1,0,1,0\n");
  const twice = folder.write("twice.csv", "id,s\n1,a\n1,b\n");
  const ragged = folder.write("ragged.csv", "id,s\n1\n");
  const names = folder.write("names.csv", "id,s,s\n1,a,a\n");
  const empty = folder.write("empty.csv", "");
  folder.write("older/form-3.csv", "id\n1\n");
  const forms = (...more: readonly string[]): string[] => [
    "forms",
    "--items",
    good,
    "--size",
    "1",
    "--out",
    out,
    ...more,
  ];
  const cases: readonly [string, readonly string[], string, string | RegExp][] = [
    ["no items", ["forms"], "invalid_option", "--items is needed"],
    ["no folder", ["forms", "--items", good], "invalid_option", "--out is needed"],
    ["no size", ["forms", "--items", good, "--out", out], "invalid_option", "--size is needed"],
    ["size 0", forms("--size", "0"), "invalid_option", "--size must be a whole number of at least 1; got 0"],
    ["one form", forms("--count", "1"), "invalid_option", "--count must be a whole number from 2 to 1000; got 1"],
    ["no bucket", forms("--buckets", "0"), "invalid_option", "--buckets must be a whole number from 1 to 100; got 0"],
    [
      "a seed that must be none",
      forms("--seed", "x"),
      "invalid_option",
      "--seed must be a whole number of at least 0; got x",
    ],
    [
      "more than there is",
      forms("--size", "3"),
      "invalid_option",
      "2 forms of 3 items take 6, and there are 4: --size is at most 2",
    ],
    [
      "more than is left",
      forms("--size", "2", "--by", "s", "--exclude", "b"),
      "invalid_option",
      "2 forms of 2 items take 4, and there are 2: --size is at most 1",
    ],
    [
      "a subject that isn't there",
      forms("--by", "s", "--exclude", "c"),
      "invalid_option",
      /--exclude "c": there is no such subject/,
    ],
    [
      "both difficulties",
      forms("--difficulty", "d", "--responses", few),
      "invalid_option",
      "difficulty comes from --responses or from --difficulty, not from both",
    ],
    [
      "a join without responses",
      forms("--join", "id"),
      "invalid_option",
      "--join needs --responses, which isn't given",
    ],
    [
      "scores flipped without responses",
      forms("--score-range", "1,0"),
      "invalid_option",
      "--score-range needs --responses, which isn't given",
    ],
    [
      "answers to what",
      forms("--responses", few, "--answers-to", "mine"),
      "invalid_option",
      "--answers-to must be one of same, other; got mine",
    ],
    [
      "another provider",
      forms("--responses", few, "--provider", "abacus"),
      "invalid_option",
      /--provider must be one of auto, .*; got abacus/,
    ],
    [
      "older forms",
      forms("--out", folder.path("older")),
      "invalid_option",
      /older holds other files \(form-3\.csv\): choose another folder, or replace what it holds with --force/,
    ],
    ["a file for a folder", forms("--out", good), "invalid_option", /can't be made a folder/],
    [
      "a missing column",
      forms("--by", "subject"),
      "invalid_data",
      /there is no column "subject" \(--by\); the columns are "id", "s", "d"/,
    ],
    ["a missing join", forms("--responses", few, "--join", "x"), "invalid_data", /there is no column "x" \(--join\)/],
    [
      "a difficulty that is text",
      forms("--difficulty", "s"),
      "invalid_data",
      /row 2, column "s": a difficulty must be a number/,
    ],
    [
      "an id twice",
      forms("--items", twice),
      "invalid_data",
      /row 3, column "id": id "1" is there twice, first in row 2/,
    ],
    ["a short row", forms("--items", ragged), "invalid_data", /row 2: the row has 1 cell, the header has 2/],
    ["a header twice", forms("--items", names), "invalid_data", /column "s" is there twice, first in column 2/],
    ["an empty file", forms("--items", empty), "invalid_data", /the file is empty/],
    ["no file", forms("--items", folder.path("none.csv")), "not_found", /there is no such file/],
    ["few models", forms("--responses", few, ...quick), "invalid_data", /1 model is too few: at least 5 are needed/],
    [
      "nothing in common",
      forms("--responses", few, "--join", "s", "--by", "s"),
      "invalid_data",
      /id "a" is there twice/,
    ],
  ];
  test.each(cases)("%s", async (_, argv, code, message) => {
    const before = listing(folder.path(""));
    const run = await runProgram(lastGiven([...argv, "--json"]));
    expect(run.code).toBe(2);
    const { error } = JSON.parse(run.out) as { error: { code: string; message: string } };
    expect(error.code).toBe(code);
    if (typeof message === "string") expect(error.message).toBe(message);
    else expect(error.message).toMatch(message);
    expect(listing(folder.path(""))).toEqual(before);
  });

  test("Ctrl-C ends it with exit code 1 and leaves nothing behind", async () => {
    const before = listing(folder.path(""));
    const argv = [...base, "--responses", responses, ...quick, "--out", folder.path("stopped")];
    const run = await runProgram(argv, (text, interrupt) => {
      if (text.startsWith("plain TypeScript")) setImmediate(interrupt);
    });
    expect({ code: run.code, out: run.out }).toEqual({ code: 1, out: "" });
    expect(run.err).toContain("anchoreval: forms was stopped; nothing was written [aborted]\n");
    expect(listing(folder.path(""))).toEqual(before);
  });
});
