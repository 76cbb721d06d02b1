import { gzipSync } from "node:zlib";
import { AnchorEvalError } from "anchoreval";
import type { Answers } from "anchoreval/internal/tables/parse-answers";
import { readAnswers } from "anchoreval/node";
import { expect, test } from "vitest";
import { tempFolder } from "../../support/temp-folder.ts";

const folder = tempFolder();
const HASH = "0123456789abcdef".repeat(4);
/** @param scales - that the scores so far may be on */
const hint = (scales: string): string =>
  `for other bounded scores give \`scoreRange\` worst,best${scales === "" ? "" : ` (here perhaps ${scales})`}`;

function plain({ answers, hashes }: Answers): unknown {
  return { answers: [...answers], hashes: [...hashes] };
}

test.each<[file: string, content: string]>([
  ["map.json", '{ "gsm/1": 1,\n "gsm/2": 0.5, "gsm/3": null }'],
  ["map", '{"gsm/1":1,"gsm/2":0.5,"gsm/3":null}'],
  ["body.json", '{"form":"50","responses":{"gsm/1":1,"gsm/2":0.5,"gsm/3":null}}'],
  ["bom.json", '\ufeff{"gsm/1":1,"gsm/2":0.5,"gsm/3":null}'],
  [
    "lines.jsonl",
    '{"item_id":"gsm/1","score":1}\n\n{"score":0.5,"item_id":"gsm/2","x":[]}\n{"item_id":"gsm/3","score":null}',
  ],
  [
    "lines.json",
    '{"item_id":"gsm/1","score":1}\n{"item_id":"gsm/2","score":0.5,"hash":null}\n{"item_id":"gsm/3","score":null}\n',
  ],
  ["table.csv", "item_id,score\ngsm/1,1\ngsm/2,0.5\ngsm/3,\n"],
  ["series.csv", ",0\ngsm/1,1.0\ngsm/2,0.5\ngsm/3,\n"], // pandas' Series.to_csv()
  ["named.csv", "question,correct\ngsm/1,True\ngsm/2,0.5\ngsm/3,NaN\n"],
  ["r.csv", '"","score"\n"gsm/1",TRUE\n"gsm/2",0.5\n"gsm/3",NA\n'],
  ["r2.csv", '"id";"hash";"score"\r\n"gsm/1";;1\r\n"gsm/2";;0,5\r\n"gsm/3";;NA\r\n'],
  ["tabs.tsv", "\ufeffscore\titem_id\n1\tgsm/1\n.5\tgsm/2\nnull\tgsm/3\n"],
  ["truth.json", '{"gsm/1":true,"gsm/2":0.5,"gsm/3":null}'],
  ["table", 'note,score,item_id\r\n"a, b",1,"gsm/1"\r\n,.5,gsm/2\r\n"two\nlines",,gsm/3'],
])("%s", async (file, content) => {
  const expected = {
    answers: [
      ["gsm/1", 1],
      ["gsm/2", 0.5],
      ["gsm/3", null],
    ],
    hashes: [],
  };
  expect(plain(await readAnswers(folder.write(file, content)))).toEqual(expected);
  expect(plain(await readAnswers(folder.write(`${file}.gz`, gzipSync(content))))).toEqual(expected);
});

test("hashes are kept where there are some", async () => {
  const expected = { answers: [["a", 1], ["b", 0]], hashes: [["b", HASH]] }; // prettier-ignore
  expect(plain(await readAnswers(folder.write("h.csv", `item_id,score,hash\na,1,\nb,0,${HASH}\n`)))).toEqual(expected);
  const lines = `{"item_id":"a","score":1}\n{"item_id":"b","score":0,"hash":"${HASH}"}\n`;
  expect(plain(await readAnswers(folder.write("h.jsonl", lines)))).toEqual(expected);
});

test("items named like an object's properties, and a range of scores", async () => {
  const path = folder.write("p.json", '{"__proto__":20,"constructor":100,"10":0}');
  const { answers } = await readAnswers(path, { scoreRange: [100, 0] });
  expect(Object.fromEntries(answers)).toEqual(
    Object.fromEntries([["__proto__", 0.8], ["constructor", 0], ["10", 1]]), // prettier-ignore
  );
});

test("trials are read from lists, counts and rows alike, and their means are the answers", async () => {
  const read = async (file: string, content: string) => readAnswers(folder.write(file, content));
  const list = await read("trials.json", '{"a":[1,0,null,1],"b":{"passed":1,"of":4},"c":0.5,"d":[null],"passed":[0]}');
  expect([...list.answers]).toEqual([["a", 2 / 3], ["b", 0.25], ["c", 0.5], ["d", null], ["passed", 0]]); // prettier-ignore
  expect([...list.trials]).toEqual([["a", [1, 0, null, 1]], ["b", { passed: 1, of: 4 }], ["d", [null]], ["passed", [0]]]); // prettier-ignore
  const rows = await read("trials.csv", "trial,item_id,score\n0,a,1\n0,b,0\n1,a,0\nlast,a,NA\n");
  expect([...rows.answers]).toEqual([["a", 0.5], ["b", 0]]); // prettier-ignore
  expect([...rows.trials]).toEqual([["a", [1, 0, null]], ["b", [0]]]); // prettier-ignore
  const lines = await read(
    "trials.jsonl",
    '{"item_id":"a","trial":0,"score":1}\n{"item_id":"a","trial":1,"score":null}',
  );
  expect([...lines.trials]).toEqual([["a", [1, null]]]);
  const flipped = readAnswers(folder.write("errors.json", '{"a":{"passed":1,"of":4}}'), { scoreRange: [1, 0] });
  expect([...(await flipped).answers]).toEqual([["a", 0.75]]);
  const scaled = readAnswers(folder.write("scaled.json", '{"a":{"passed":1,"of":4}}'), { scoreRange: [0, 10] });
  await expect(scaled).rejects.toMatchObject({ message: expect.stringContaining("trials that passed or didn't") as string }); // prettier-ignore
  const plain = await read("plain.csv", "item_id,score\na,1\n");
  expect(plain.trials.size).toBe(0);
});

/** F stands for the file's path. */
test.each<[name: string, file: string, content: string | Uint8Array, message: string, path: (string | number)[]]>([
  ["an empty file", "a.json", "", "F: the file is empty", ["F"]],
  ["no answers", "a.json", "{}", "F: the file has no answers", ["F"]],
  ["no rows", "a.csv", "item_id,score\n", "F: the file has no answers", ["F"]],
  ["an item twice", "a.json", '{"gsm/17":1,"gsm/17":0}', 'F: item "gsm/17": it is there twice', ["F", "gsm/17"]],
  [
    "an item twice, written in another way",
    "a.json",
    '{"gsm/17":1,"gsm\\/1\\u0037":1}',
    'F: item "gsm/17": it is there twice',
    ["F", "gsm/17"],
  ],
  ["__proto__ twice", "a.json", '{"__proto__":1,"__proto__":0}', 'F: item "__proto__": it is there twice', ["F", "__proto__"]], // prettier-ignore
  [
    "an item twice in lines",
    "a.jsonl",
    '{"item_id":"a","score":1}\n{"item_id":"a","score":null}\n',
    'F: line 2, field "item_id": item "a" is there twice',
    ["F", 2, "item_id"],
  ],
  [
    "an item twice in a table",
    "a.csv",
    "item_id,score\na,\na,1\n",
    'F: row 3, column "item_id": item "a" is there twice',
    ["F", 3, "item_id"],
  ],
  [
    "a score above 1",
    "a.json",
    '{"a":1,"b":2}',
    `F: item "b": a score must be in [0,1], got 2; ${hint("1,5 or 0,5")}`,
    ["F", "b"],
  ],
  ["a score below 0", "a.csv", "item_id,score\na,-1\n", `F: row 2, column "score": a score must be in [0,1], got -1; ${hint("-1,1")}`, ["F", 2, "score"]], // prettier-ignore
  [
    "text",
    "a.json",
    '{"a":"1"}',
    'F: item "a": a score must be a number, got the text "1"; null means no score',
    ["F", "a"],
  ],
  ["an item twice in a request", "a.json", '{"responses":{"a":1,"a":0}}', 'F: item "a": it is there twice', ["F", "a"]],
  [
    "a wrapped map",
    "a.json",
    '{"answers":{"a":1,"b":0}}',
    'F: item "answers": a score must be a number, got an object; null means no score',
    ["F", "answers"],
  ],
  [
    "Infinity",
    "a.json",
    '{"a": Infinity}',
    "F: the file is not valid JSON: JSON has no Infinity, and no score is infinite",
    ["F"],
  ],
  ["broken JSON", "a.json", '{"a": 1', "F: the file is not valid JSON", ["F"]],
  [
    "an array",
    "a.json",
    "[1,0]",
    'F: an array has no item ids: answers are a JSON object {"item id": score, …}',
    ["F"],
  ],
  ["a number", "a.json", "1", "F: expected a JSON object, got a number", ["F"]],
  [
    "a broken line",
    "a.jsonl",
    '{"item_id":"a","score":1}\n{"item_id',
    "F: line 2: the line is not valid JSON",
    ["F", 2],
  ],
  ["no id", "a.jsonl", '{"id":"a","score":1}', 'F: line 1, field "item_id": an id must be text', ["F", 1, "item_id"]],
  ["an empty id", "a.json", '{"":1}', 'F: item "": an id must not be empty', ["F", ""]],
  [
    "no score",
    "a.jsonl",
    '{"item_id":"a"}',
    'F: line 1, field "score": a score must be a number, got none; null means no score',
    ["F", 1, "score"],
  ],
  [
    "no header",
    "a.csv",
    "gsm/1,1\n",
    "F: row 1: the first row is an answer: a table begins with a header, item_id,score",
    ["F", 1],
  ],
  [
    "a column twice",
    "a.csv",
    "item_id,score,score\na,1,0\n",
    'F: row 1: a table of answers has the columns item_id,score[,hash][,trial], each once; this has "item_id", "score", "score"',
    ["F", 1],
  ],
  ...(
    [
      ["a header without names, of a pair", "a.csv", "a,True\nb,False\n", "the first row is an answer: a table begins with a header, item_id,score"],
      ["two columns that may be the id", "a.csv", "index,id,score\n0,a,1\n", 'a table of answers has the columns item_id,score[,hash][,trial], each once; this has "index", "id", "score"'],
      ["no column of scores", "a.csv", "id,acc,f1\na,1,1\n", 'a table of answers has the columns item_id,score[,hash][,trial], each once; this has "id", "acc", "f1"'],
      ["a column of models first", "a.csv", "model,score\na,1\n", 'a table of answers has the columns item_id,score[,hash][,trial], each once; this has "model", "score"'],
    ] as const
  ).map(([name, file, content, message]): [string, string, string, string, (string | number)[]] => [name, file, content, `F: row 1: ${message}`, ["F", 1]]), // prettier-ignore
  ["a short row", "a.csv", "item_id,score\na\n", "F: row 2: the row has 1 cell, the header has 2", ["F", 2]],
  [
    "a word in a table",
    "a.csv",
    "item_id,score\na,missing\n",
    'F: row 2, column "score": a score must be a number, got "missing"; an empty cell means no score',
    ["F", 2, "score"],
  ],
  [
    "a hash that is none",
    "a.csv",
    `item_id,score,hash\na,1,${HASH.toUpperCase()}\n`,
    'F: row 2, column "hash": a hash is SHA-256, 64 lowercase hex digits',
    ["F", 2, "hash"],
  ],
  ...(
    [
      ["an empty list of trials", "a.json", '{"a":[1],"b":[]}', 'item "b": a list of trials has one score a trial, this has none: leave the item out', ["b"]],
      ["a trial above 1", "a.json", '{"a":[0,1.5]}', `item "a": trial 2 of 2: a score must be in [0,1], got 1.5; ${hint("0,5 or 0,10")}`, ["a"]],
      ["trials within trials", "a.json", '{"a":[[1],0]}', 'item "a": trial 1 of 2: a score must be a number, got an array; null means no score', ["a"]],
      ["counts above their total", "a.json", '{"a":{"passed":6,"of":5}}', 'item "a": passed must be from 0 to the 5 trials that there are, got 6', ["a"]],
      ["negative counts", "a.json", '{"responses":{"a":{"passed":-1,"of":5}}}', 'item "a": passed must be from 0 to the 5 trials that there are, got -1', ["a"]],
      ["counts of no trials", "a.json", '{"a":{"passed":0,"of":0}}', 'item "a": of counts the trials, at least 1, got 0: leave out an item that has none', ["a"]],
      ["half a count", "a.json", '{"a":{"passed":2}}', 'item "a": trials are a list of scores, or counts {"passed": 3, "of": 5}, both whole numbers', ["a"]],
      ["a count twice", "a.json", '{"a":{"passed":2,"passed":1,"of":3}}', 'item "passed": it is there twice', ["passed"]],
      ["a trial twice", "a.csv", "item_id,trial,score\na,0,1\na,1,1\na,0,0\n", 'row 4, column "trial": trial 0 of item "a" is there twice', [4, "trial"]],
      ["a trial without its number", "a.csv", "item_id,trial,score\na,0,1\na,,1\n", 'row 3, column "trial": a trial has a number or a name, got none', [3, "trial"]],
      ["rows with and without trials", "a.jsonl", '{"item_id":"a","trial":1,"score":1}\n{"item_id":"b","score":1}\n', 'line 2, field "trial": some rows name their trial and some don\'t: all of them do, or none', [2, "trial"]],
      ["a list of scores in one trial", "a.jsonl", '{"item_id":"a","trial":1,"score":[1,0]}\n', 'line 1, field "score": the score of one trial is one number', [1, "score"]],
      ["two hashes of an item", "a.csv", `item_id,trial,score,hash\na,0,1,${HASH}\na,1,1,${HASH.replace(/^./, "f")}\n`, 'row 3, column "hash": item "a" has another hash in a row before', [3, "hash"]],
    ] as const
  ).map(([name, file, content, message, path]): [string, string, string, string, (string | number)[]] => [name, file, content, `F: ${message}`, ["F", ...path]]), // prettier-ignore
  ["Latin 1", "a.json", Buffer.from('{"é":1}', "latin1"), "F: row 1: the text is not UTF-8", ["F", 1]],
  [
    "truncated gzip",
    "a.json.gz",
    gzipSync('{"a":1}').subarray(0, 20),
    "F: the gzip data break off: the file is cut short",
    ["F"],
  ],
])("%s is refused", async (_, file, content, message, path) => {
  const F = folder.write(file, content);
  const error = await readAnswers(F).catch((reason: unknown) => reason);
  expect(error).toBeInstanceOf(AnchorEvalError);
  const { code, message: actual, issues } = error as AnchorEvalError;
  expect({ code, message: actual }).toEqual({ code: "invalid_data", message: message.replace("F", F) });
  expect(issues[0]!.path).toEqual(path.map((part) => (part === "F" ? F : part)));
});

test("all findings are listed", async () => {
  const path = folder.write("many.csv", "item_id,score\na,2\nb,x\nc,1\n");
  await expect(readAnswers(path)).rejects.toMatchObject({
    message: `${path}: row 2, column "score": a score must be in [0,1], got 2; ${hint("1,5 or 0,5")}; and 1 more`,
    issues: [
      {
        path: [path, 2, "score"],
        code: "out_of_range",
        message: `a score must be in [0,1], got 2; ${hint("1,5 or 0,5")}`,
      },
      { path: [path, 3, "score"], code: "not_a_number" },
    ],
  });
});

test("a file that isn't there", async () => {
  await expect(readAnswers(folder.path("absent"))).rejects.toMatchObject({ code: "not_found" });
});

test("the body of a request has its hashes beside the answers; an item may be called like a part of it", async () => {
  const body = { responses: { "gsm/1": 1, responses: 0 }, hashes: { "gsm/1": HASH } };
  expect(plain(await readAnswers(folder.write("request.json", JSON.stringify(body))))).toEqual({
    answers: Object.entries(body.responses),
    hashes: [["gsm/1", HASH]],
  });
  const map = { responses: 1, hashes: 0 };
  expect(plain(await readAnswers(folder.write("names.json", JSON.stringify(map))))).toEqual({
    answers: Object.entries(map),
    hashes: [],
  });
});

test("a NaN of Python's is no score, as null is", async () => {
  for (const ending of ["json", "jsonl"]) {
    const text = (none: string): string =>
      ending === "json"
        ? `{"a NaN":${none},"b":1}`
        : `{"item_id":"a NaN","score":${none}}\n{"item_id":"b","score":1}\n`;
    const read = await readAnswers(folder.write(`nan.${ending}`, text("NaN")));
    expect(read).toEqual(await readAnswers(folder.write(`null.${ending}`, text("null"))));
    expect(read.answers.get("a NaN")).toBeNull();
  }
});
