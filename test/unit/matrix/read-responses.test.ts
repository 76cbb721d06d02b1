import { gzipSync } from "node:zlib";
import { expect, test } from "vitest";
import { readResponses } from "../../../offline-trainer/src/matrix/read-responses.ts";
import { type ResponseMatrix, scoreAt } from "../../../offline-trainer/src/matrix/response-matrix.ts";
import { scenarioSlices } from "../../../offline-trainer/src/matrix/scenarios.ts";
import { tempFolder } from "../../support/temp-folder.ts";

const folder = tempFolder();
const WIDE = "model,x/1,y/1,x/2\na,1,0,\nb,0,1,1\nc,1,,1\nd,0,0,0\ne,1,1,1\n";

/** Scores by model and item, NaN for missing. */
function scores(matrix: ResponseMatrix): Record<string, Record<string, number>> {
  return Object.fromEntries(
    matrix.subjects.map((model, m) => [
      model,
      Object.fromEntries(matrix.items.map(({ item_id: id }, i) => [id, scoreAt(matrix, m, i)])),
    ]),
  );
}

test("a wide table: missing is missing, columns are grouped by scenario", async () => {
  const { matrix, remarks } = await readResponses(folder.write("wide.csv", WIDE));
  expect(matrix.subjects).toEqual(["a", "b", "c", "d", "e"]);
  expect(matrix.items.map((item) => item.item_id)).toEqual(["x/1", "x/2", "y/1"]);
  expect(matrix.scores).toEqual(Uint8Array.of(1, 0, 0, 0, 1, 1, 1, 1, 0, 0, 0, 0, 1, 1, 1));
  expect(matrix.observed).toEqual(Uint8Array.of(1, 0, 1, 1, 1, 1, 1, 1, 0, 1, 1, 1, 1, 1, 1));
  expect(remarks).toEqual([
    'no items file was given: an item\'s scenario is the part of its id before the last "/", 2 in all: "x", "y"',
  ]);
});

test("pooled: one scenario, its subscenarios those that there were, which weigh the same", async () => {
  const { matrix, remarks } = await readResponses(folder.write("pool.csv", WIDE), { pool: "lb" });
  const plain = await readResponses(folder.write("pool.csv", WIDE));
  expect(matrix).toEqual({
    ...plain.matrix,
    items: plain.matrix.items.map((item) => ({ ...item, scenario: "lb", subscenario: item.scenario })),
  });
  expect(remarks).toEqual(plain.remarks);
  const [slice] = scenarioSlices(matrix.items, "subscenarios");
  expect(Array.from(slice!.weights)).toEqual([1 / 4, 1 / 4, 1 / 2]);
  const items = ["x/1", "x/2", "y/1"].map((id, i) => ({
    item_id: id,
    scenario: i < 2 ? "x" : "y",
    ...(i < 2 && { subscenario: id }),
  }));
  const described = folder.write("pool.jsonl", items.map((item) => `${JSON.stringify(item)}\n`).join(""));
  const divided = await readResponses(folder.write("pool.csv", WIDE), { items: described, pool: "lb" });
  expect(divided.remarks).toEqual(["x is one subscenario of lb: its own subscenarios are not told apart"]);
  expect(divided.matrix).toEqual(matrix);
});

test("ids without a slash are one scenario", async () => {
  const { matrix, remarks } = await readResponses(folder.write("all.csv", WIDE.replace("y/1", "y1")));
  expect(new Set(matrix.items.map((item) => item.scenario))).toEqual(new Set(["all"]));
  expect(remarks).toEqual(['no items file was given: all 3 items are one scenario, "all"']);
});

/** WIDE as other programs write it. */
test.each<[name: string, file: string, content: string]>([
  ["pandas, models as the index", "pandas.csv", ",x/1,y/1,x/2\na,1.0,0.0,\nb,0.0,1.0,1.0\nc,1.0,,1.0\nd,0.0,0.0,0.0\ne,1.0,1.0,1.0\n"], // prettier-ignore
  ["pandas, row numbers and a column of models", "index.csv", "Unnamed: 0,model,x/1,y/1,x/2\n0,a,True,False,\n1,b,False,True,True\n2,c,True,,True\n3,d,False,False,False\n4,e,True,True,True\n"], // prettier-ignore
  ["pandas, with words", "words.csv", "llm,x/1,y/1,x/2\na,True,False,NaN\nb,False,True,True\nc,True,nan,True\nd,False,False,False\ne,True,True,True\n"], // prettier-ignore
  ["Polars", "polars.csv", "name,x/1,y/1,x/2\na,true,false,null\nb,false,true,true\nc,true,None,true\nd,false,false,false\ne,true,true,true\n"], // prettier-ignore
  ["R's write.csv", "r.csv", '"","x/1","y/1","x/2"\r\n"a",TRUE,FALSE,NA\r\n"b",FALSE,TRUE,TRUE\r\n"c",TRUE,NA,TRUE\r\n"d",FALSE,FALSE,FALSE\r\n"e",TRUE,TRUE,TRUE\r\n'], // prettier-ignore
  ["R's write.csv2", "r2.csv", '"model";"x/1";"y/1";"x/2"\n"a";1;0;NA\n"b";0;1,0;1\n"c";1;NA;1\n"d";0;0,00;0\n"e";1;1;1e0\n'], // prettier-ignore
  ["R's write.table by tabs", "r.tsv", '"model"\t"x/1"\t"y/1"\t"x/2"\n"a"\t1\t0\tNA\n"b"\t0\t1\t1\n"c"\t1\tN/A\t1\n"d"\t0\t0\t0\n"e"\t1\t1\t1\n'], // prettier-ignore
  ["a spreadsheet, with a byte order mark", "excel.csv", "\ufeffModell;x/1;y/1;x/2\r\na;1;0;#N/A\r\nb;0;1;1\r\nc;1;;1\r\nd;0;0;0\r\ne;1;1;1\r\n"], // prettier-ignore
  ["a long table of semicolons", "long.txt", `score;model;item_id\n${["a1 0 ", "b0 1 1", "c1  1", "d0 0 0", "e1 1 1"].flatMap(([model, ...cells]) => cells.join("").split(" ").map((cell, i) => `${cell === "" ? "NA" : cell === "1" ? "1,0" : "FALSE"};${model!};${["x/1", "y/1", "x/2"][i]!}\n`)).join("")}`], // prettier-ignore
])("%s", async (_, file, content) => {
  const plain = scores((await readResponses(folder.write("plain.csv", WIDE))).matrix);
  expect(scores((await readResponses(folder.write(file, content))).matrix)).toEqual(plain);
});

test("decimal commas, of graded scores", async () => {
  const rows = ["a;0,5;1", "b;0;,25", "c;1,0;0,125", "d;1e-1;0", "e;0,75;NA"];
  const { matrix } = await readResponses(folder.write("comma.csv", ["m;x/1;x/2", ...rows].join("\n")));
  expect(matrix.scores).toEqual(Float32Array.of(0.5, 1, 0, 0.25, 1, 0.125, 0.1, 0, 0.75, 0));
});

test("a separator in an item's id is none where only the other one fits the rows", async () => {
  const read = async (text: string): Promise<string[]> =>
    (await readResponses(folder.write("ids.csv", text))).matrix.items.map(({ item_id: id }) => id);
  const rows = (separator: string): string =>
    ["a", "b", "c", "d", "e"].map((m) => [m, 1, 0].join(separator)).join("\n");
  expect(await read(`model,x;1,x;2\n${rows(",")}`)).toEqual(["x;1", "x;2"]);
  expect(await read(`model;"x;1";x,2\n${rows(";")}`)).toEqual(["x;1", "x,2"]);
  const names = ["a;b", "b;b", "c;b", "d;b", "e;b"].map((m) => `${m},1`).join("\n");
  expect(await read(`model,x;1\n${names}`)).toEqual(["x;1"]);
  expect(await read(`model\tx,1\t"x\n2"\n${rows("\t")}`).catch((error: unknown) => (error as Error).message)).toContain(
    "control characters",
  );
});

test("columns of row numbers are told, not read", async () => {
  const { remarks } = await readResponses(folder.write("n.csv", `,model,x/1\n${["a", "b", "c", "d", "e"].map((m, k) => `${k},${m},1`).join("\n")}`)); // prettier-ignore
  expect(remarks[0]).toBe('columns that are not read: ""');
});

test("items in a table are those of JSON lines", async () => {
  const hash = "0123456789abcdef".repeat(4);
  const responses = folder.write("plain.csv", WIDE);
  const lines = [
    { item_id: "x/1", scenario: "x", subscenario: "p", text: "NA", hash, task: "t", doc_id: 7 },
    { item_id: "y/1", scenario: "y", task: "t", doc_id: "sum-7" },
    { item_id: "x/2", scenario: "x", subscenario: "q", text: 'a "b",\nc', doc_id: "007" },
  ].map((item) => JSON.stringify(item));
  const table = `note;item_id;scenario;subscenario;text;hash;task;doc_id\r\n;x/1;x;p;NA;${hash};t;7\r\n;y/1;y;;;NA;t;sum-7\r\n;x/2;x;q;"a ""b"",\nc";;;007\r\n`;
  const expected = await readResponses(responses, { items: folder.write("i.jsonl", lines.join("\n")) });
  expect(await readResponses(responses, { items: folder.write("i.csv", `\ufeff${table}`) })).toEqual(expected);
  expect(await readResponses(responses, { items: folder.write("i", gzipSync(table)) })).toEqual(expected);
});

test("byte order mark, CR LF, gzip under any name, quotes and no last line end make no difference", async () => {
  const plain = await readResponses(folder.write("plain.csv", WIDE));
  const quotedCells = WIDE.replace(/[^,\n]+/g, '"$&"');
  for (const [name, content] of [
    ["crlf.csv", `\ufeff${WIDE.replaceAll("\n", "\r\n")}`],
    ["gzip.csv.gz", gzipSync(WIDE)],
    ["gzip.csv", gzipSync(WIDE)],
    ["members.csv.gz", Buffer.concat([gzipSync(WIDE.slice(0, 30)), gzipSync(WIDE.slice(30))])],
    ["ending", WIDE],
    ["plain.csv.gz", WIDE],
    ["quoted.csv", quotedCells],
    ["last.csv", WIDE.trimEnd()],
    ["blank.csv", WIDE.replaceAll("\n", "\n\n")],
    ["spaces.csv", WIDE.replace("d,0,0,0", "d, 0,0 ,\t0")],
    ["numbers.csv", WIDE.replace("d,0,0,0", "d,0.0,-0,0e5").replace("e,1,1,1", "e,1.,+1,1e0")],
  ] as const)
    expect(await readResponses(folder.write(name, content)), name).toEqual(plain);
});

test("wide, long and py-irt's form of the same scores read equal", async () => {
  const plain = await readResponses(folder.write("same.csv", WIDE));
  const { matrix } = plain;
  const entries = Object.entries(scores(matrix)).map(([model, row]) => [model, Object.entries(row)] as const);
  const pairs = entries.flatMap(([model, row]) => row.map(([item, score]) => ({ model, item, score })));
  const text = (score: number): string => (Number.isNaN(score) ? "" : String(score));
  const json = (score: number): number | null => (Number.isNaN(score) ? null : score);
  const forms: Record<string, string> = {
    "long.csv": [
      "item_id,score,note,model",
      ...pairs.map(({ model, item, score }) => `${item},${text(score)},n,${model}`),
    ].join("\n"),
    "long.jsonl": pairs
      .map(({ model, item, score }) =>
        JSON.stringify({ score: json(score), item_id: item, model, extra: { score: 1 } }),
      )
      .join("\n"),
    "absent.jsonl": pairs
      .filter(({ score }) => !Number.isNaN(score))
      .map(({ model, item, score }) => JSON.stringify({ model, item_id: item, score }))
      .join("\n"),
    "python.jsonl": pairs
      .map(
        ({ model, item, score }) =>
          `{"note": "is \\": NaN", ${JSON.stringify({ model, item_id: item }).slice(1, -1)}, "score": ${score}}`,
      )
      .join("\n"),
    "py-irt.jsonl": entries
      .map(([model, row]) =>
        JSON.stringify({
          subject_id: model,
          responses: Object.fromEntries(row.map(([id, score]) => [id, json(score)])),
        }),
      )
      .join("\n"),
  };
  for (const [name, content] of Object.entries(forms)) {
    const read = await readResponses(folder.write(name, content));
    expect(scores(read.matrix), name).toEqual(scores(matrix));
    const unread = { "long.csv": "note", "long.jsonl": "extra", "python.jsonl": "note" }[name];
    expect(read.remarks.slice(0, -1), name).toEqual(unread ? [`columns that are not read: "${unread}"`] : []);
  }
});

test("py-irt's items keep their order and unusual names", async () => {
  const line = (model: string): string => `{"subject_id":"${model}","responses":{"10":1,"2":0,"__proto__":1}}`;
  const { matrix } = await readResponses(folder.write("order.jsonl", ["a", "b", "c", "d", "e"].map(line).join("\n")));
  expect(matrix.items.map((item) => item.item_id)).toEqual(["10", "2", "__proto__"]);
  expect([...matrix.scores.slice(0, 3)]).toEqual([1, 0, 1]);
});

test("an items file decides about order, scenarios and subscenarios; gold answers are not kept", async () => {
  const items = [
    { item_id: "y/1", scenario: "second", subscenario: "q", text: "Why?", answer: "because", target: "t", doc_id: 3 },
    { item_id: "x/2", scenario: "first", task: "first_task", hash: "a".repeat(64), gold: 1 },
    { item_id: "x/1", scenario: "second", subscenario: null },
  ];
  const { matrix, remarks } = await readResponses(folder.write("described.csv", WIDE), {
    items: folder.write("items.jsonl.gz", gzipSync(items.map((item) => JSON.stringify(item)).join("\n"))),
  });
  expect(matrix.items).toEqual([
    { item_id: "y/1", scenario: "second", subscenario: "q", text: "Why?", doc_id: 3 },
    { item_id: "x/1", scenario: "second" },
    { item_id: "x/2", scenario: "first", hash: "a".repeat(64), task: "first_task" },
  ]);
  expect([...matrix.scores.slice(3, 6)]).toEqual([1, 0, 1]);
  expect(remarks).toEqual(["second: 1 of its 2 items have no subscenario, and count as one of their own"]);
});

test("bounded scores are rescaled, lower-is-better ones turned round", async () => {
  const points = folder.write("points.csv", "model,x\na,0\nb,25\nc,100\nd,62.5\ne,50\n");
  const read = async (options: Parameters<typeof readResponses>[1]): Promise<number[]> => [
    ...(await readResponses(points, options)).matrix.scores,
  ];
  expect(await read({ scoreRange: [0, 100] })).toEqual([0, 0.25, 1, 0.625, 0.5]);
  expect(await read({ scoreRange: [100, 0] })).toEqual([1, 0.75, 0, 0.375, 0.5]);
  expect(await read({ scoreRange: [-100, 100] })).toEqual([0.5, 0.625, 1, 0.8125, 0.75]);
  const errors = folder.write("errors.csv", "model,x\na,0\nb,1\nc,1\nd,0\ne,1\n");
  expect([...(await readResponses(errors, { scoreRange: [1, 0] })).matrix.scores]).toEqual([1, 0, 0, 1, 0]);
});

test("lines longer than a chunk, and characters that a chunk cuts, are read whole", async () => {
  const ids = Array.from({ length: 90_000 }, (_, i) => `scénario/${"é".repeat(i % 7)}${i}`);
  const rows = ["a", "b", "c", "d", "e"].map((model, m) => [model, ...ids.map((_, i) => (i * 7 + m) % 2)].join(","));
  const { matrix } = await readResponses(
    folder.write("long-lines.csv", ["model," + ids.join(","), ...rows].join("\n")),
  );
  expect(matrix.items.map((item) => item.item_id)).toEqual(ids);
  expect(matrix.scores.length).toBe(450_000);
  expect(matrix.scores[90_000 + 3]).toBe((3 * 7 + 1) % 2);
});
