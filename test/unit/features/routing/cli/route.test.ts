import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { beforeAll, describe, expect, test } from "vitest";
import { writeItems, writeWideCsv } from "../../../../../offline-trainer/src/matrix/write-tables.ts";
import { lastGiven, runProgram } from "../../../../support/run-command.ts";
import { tempFolder } from "../../../../support/temp-folder.ts";
import { topicBoard } from "../../../../support/topic-board.ts";
import { WHOLE } from "../../../../support/whole.ts";

const folder = tempFolder();
const board = topicBoard(300, 2.5, 3);
const responses = folder.path("responses.csv");
const items = folder.path("items.jsonl");
const ROUTE = ["route", "--responses", responses, "--items", items, "--provider", "typescript"];
const SPLIT = ["--train", "train", "--test", "test"];

beforeAll(async () => {
  await writeWideCsv(responses, board);
  await writeItems(items, board.items);
});

function write(name: string, content: string): string {
  const path = folder.path(name);
  writeFileSync(path, content);
  return path;
}

interface Document {
  readonly header: Readonly<Record<string, unknown>>;
  readonly train: number;
  readonly test: number;
  readonly meanCost: number | null;
  readonly methods: readonly { readonly method: string; readonly picks: Readonly<Record<string, number>> }[];
  readonly judgement: { readonly questions: number } | null;
}

async function document(...more: string[]): Promise<Document> {
  const { code, out, err } = await runProgram([...ROUTE, ...more, "--json", "--quiet"]);
  expect({ code, err }).toEqual({ code: 0, err: "" });
  return JSON.parse(out) as Document;
}

describe("anchoreval route", () => {
  test("prints what routing is worth, and writes a row a question", async () => {
    const csv = folder.path("routes.csv");
    const { code, out, err } = await runProgram([...ROUTE, ...SPLIT, "--method", "ridge", "--out", csv]);
    expect(code).toBe(0);
    expect(err).toContain(`ridge: ${csv}`);
    expect(out).toContain("100 test questions, share answered right");
    expect(out).toMatch(/oracle \(any model\) +\d/);
    expect(out).toMatch(/Better than the best single model: .*answer-ridge/);
    const rows = readFileSync(csv, "utf8").trimEnd().split("\n");
    expect(rows).toHaveLength(101);
    expect(rows[0]).toBe(
      `item_id,${board.subjects.map((model) => `p:${model}`).join()},pick,pick_logit_error,pick_right,best_right`,
    );
  });

  test.skipIf(!WHOLE)("writes the same bytes again", async () => {
    const [one, other] = [folder.path("one.csv"), folder.path("other.csv")];
    for (const out of [one, other]) await document(...SPLIT, "--out", out, "--seed", "7");
    expect(readFileSync(other)).toEqual(readFileSync(one));
  });

  test("says by what and on what it was made", async () => {
    const { header, train, test: questions, judgement } = await document(...SPLIT, "--dims", "3", "--k", "5");
    expect(header).toMatchObject({
      features: "tf-idf",
      k: 5,
      dims: 3,
      binarize: "threshold",
      seed: 1,
      costWeight: null,
    });
    expect({ train, questions, judged: judgement!.questions }).toEqual({ train: 200, questions: 100, judged: 100 });
  });

  test("routes questions that nobody has answered", async () => {
    const fresh = write(
      "fresh.jsonl",
      '{"item_id":"new/1","scenario":"quiz","text":"What of enzyme, protein and genome is smallest?"}\n',
    );
    const csv = folder.path("fresh.csv");
    const { judgement, test: questions } = await document("--train", "train", "--test", fresh, "--out", csv);
    expect({ judgement, questions }).toEqual({ judgement: null, questions: 1 });
    expect(readFileSync(csv, "utf8").trimEnd().split("\n")[1]).toMatch(/^new\/1,.*,,$/);
  });

  test("takes embeddings of the user's own", async () => {
    const lines = board.items.map(({ item_id: id, text }) =>
      JSON.stringify({ item_id: id, embedding: ["enzyme", "treaty", "prime"].map((word) => text!.split(word).length) }),
    );
    const { header } = await document(...SPLIT, "--embeddings", write("own.jsonl", lines.join("\n")));
    expect(header["features"]).toBe("embeddings");
  });

  test("weighs costs against probabilities", async () => {
    const cost = write("cost.csv", board.subjects.map((model, m) => `${model},${m === 0 ? 0 : 2}`).join("\n"));
    const dear = await document(...SPLIT, "--cost", cost);
    expect(dear.meanCost).toBe(0);
    for (const { picks } of dear.methods) expect(picks["model-0"]).toBe(100);
    const free = await document(...SPLIT, "--cost", cost, "--cost-weight", "0");
    expect(free.meanCost).toBeGreaterThan(1);
  });
});

describe("anchoreval route refuses, and writes nothing,", () => {
  const costs = (lines: string) => ["--cost", write("bad-cost.csv", lines)];
  const all = board.subjects.map((model) => `${model},1`).join("\n");
  test.each<[string, () => string[], string]>([
    ["an unknown subscenario", () => ["--train", "train", "--test", "tset"], 'no subscenario "tset"'],
    ["questions of both kinds", () => ["--train", "train", "--test", "train"], "are train questions too"],
    ["too many neighbours", () => [...SPLIT, "--k", "200"], "200 neighbours need more than 200 train questions"],
    ["no neighbour", () => [...SPLIT, "--k", "0"], "--k must be a whole number of at least 1"],
    ["no choice of questions", () => ["--train", "train"], "--test is needed"],
    ["a cost of a model that isn't there", () => [...SPLIT, ...costs(`${all}\ngpt,1`)], 'have no model "gpt"'],
    ["a negative cost", () => [...SPLIT, ...costs("model-0,-1")], "line 1: a cost must be at least 0, got -1"],
    ["a model without its cost", () => [...SPLIT, ...costs("model-0,1")], 'there is no cost of "model-1"'],
    ["a model's cost twice", () => [...SPLIT, ...costs(`${all}\nmodel-0,2`)], 'model "model-0" is there twice'],
    ["a cost that is no number", () => [...SPLIT, ...costs("model-0,cheap")], "a line must be model,cost"],
    ["a weight of nothing", () => [...SPLIT, "--cost-weight", "2"], "--cost FILE, which isn't given"],
    ["another output", () => [...SPLIT, "--out", folder.path("x.txt")], "--out must be a file that ends in .csv"],
    [
      "questions without texts",
      () => ["--train", "train", "--test", write("bare.jsonl", '{"item_id":"n","scenario":"quiz"}')],
      '1 question has no text: "n"',
    ],
    [
      "a question that is described twice",
      () => [
        "--train",
        "train",
        "--test",
        write("twice.jsonl", '{"item_id":"n","scenario":"quiz","text":"?"}\n'.repeat(2)),
      ],
      'item "n" is there twice',
    ],
    ["no questions", () => ["--train", "train", "--test", write("none.jsonl", "")], "the file"],
    [
      "questions without embeddings",
      () => [...SPLIT, "--embeddings", write("few.csv", "item_id,1\nq/0,3\n")],
      "questions have no embedding",
    ],
  ])("%s", async (_, argv, message) => {
    const out = folder.path("refused.csv");
    const own = argv();
    const { code, err } = await runProgram(lastGiven([...ROUTE, "--out", out, ...own]));
    expect(err).toContain(message);
    expect({ code, written: existsSync(out) }).toEqual({ code: 2, written: false });
  });
});
