import { gzipSync } from "node:zlib";
import { AnchorEvalError } from "anchoreval";
import { describe, expect, test } from "vitest";
import { readResponses, type ReadResponsesOptions } from "../../../offline-trainer/src/matrix/read-responses.ts";
import { tempFolder } from "../../support/temp-folder.ts";

const folder = tempFolder();
let folders = 0;

interface BadInput {
  readonly name: string;
  /** Name of the responses file. @default "r.csv" */
  readonly file?: string;
  readonly responses: string | Uint8Array;
  readonly items?: string;
  /** Name of the items file. @default "items.jsonl" */
  readonly itemsFile?: string;
  readonly options?: ReadResponsesOptions;
  /** R and I stand for the paths of the responses and the items. */
  readonly message: string;
  readonly path?: (string | number)[];
  readonly rule: string;
}

/** A good table of 5 models and 2 items, with some of its rows replaced. */
function wide(changed: Record<number, string> = {}): string {
  const rows = ["model,x/1,x/2", "a,1,0", "b,0,1", "c,1,1", "d,0,", "e,,1"];
  return rows.map((row, index) => `${changed[index + 1] ?? row}\n`).join("");
}

function lines(...objects: unknown[]): string {
  return objects.map((object) => `${typeof object === "string" ? object : JSON.stringify(object)}\n`).join("");
}

const LONG = ["a", "b", "c", "d", "e"].map((model) => ({ model, item_id: "x/1", score: 1 }));
const PY_IRT = ["a", "b", "c", "d", "e"].map((subject_id) => ({ subject_id, responses: { "x/1": 1 } }));
/** @param scales - that the scores so far may be on */
const hint = (scales: string): string =>
  `for other bounded scores give \`scoreRange\` worst,best${scales === "" ? "" : ` (here perhaps ${scales})`}`;
const TOO_LONG = "é".repeat(257);

const wideCases: BadInput[] = [
  { name: "an empty file", responses: "", message: "R: the file is empty", path: ["R"], rule: "empty" },
  { name: "only empty lines", responses: "\n\r\n", message: "R: the file is empty", path: ["R"], rule: "empty" },
  {
    name: "a header alone",
    responses: "model,x/1\n",
    message: "R: the file has no scores",
    path: ["R"],
    rule: "empty",
  },
  {
    name: "a header without items",
    responses: "model\na\n",
    message: "R: row 1: the header names no items",
    path: ["R", 1],
    rule: "wrong_header",
  },
  {
    name: "a row an item",
    responses: "question_id,gpt,llama\nq/1,1,0\n",
    message:
      'R: row 1, column 1: a row is a model and a column an item, or the columns are model,item_id,score; this table begins with "question_id": swap its rows and columns',
    path: ["R", 1, 1],
    rule: "wrong_header",
  },
  {
    name: "a row an item, under another name",
    responses: "x,gpt,llama\nq/1,1,0\nq/2,1,0\n",
    items: lines({ item_id: "q/1", scenario: "q" }, { item_id: "q/2", scenario: "q" }),
    message: "R: its rows are the items of I, and its columns are taken for items: swap its rows and columns",
    path: ["R"],
    rule: "wrong_header",
  },
  {
    name: "no header",
    responses: "gpt,1,0\nllama,0,True\n",
    message: "R: row 1: the first row has scores: a table begins with a header, model,<item_id>…",
    path: ["R", 1],
    rule: "wrong_header",
  },
  {
    name: "no header, of words",
    responses: "gpt;TRUE;0,5\nllama;FALSE;1\n",
    message: "R: row 1: the first row has scores: a table begins with a header, model,<item_id>…",
    path: ["R", 1],
    rule: "wrong_header",
  },
  {
    name: "a long table of other columns",
    responses: "llm,question,acc\ngpt,q/1,1\n",
    message:
      "R: row 1: a wide table has a column of models, then scores alone, and a long one the columns model,item_id,score; this has text in others: import the table and name them with `columns` model=…,item=…,score=…",
    path: ["R", 1],
    rule: "wrong_header",
  },
  {
    name: "R's write.table without a name for the first column",
    responses: "x/1,x/2\na,1,0\n",
    message:
      "R: row 2: the row has 3 cells, the header has 2; R's write.table leaves out the name of the first column: col.names = NA writes one",
    path: ["R", 2],
    rule: "ragged",
  },
  {
    name: "two separators that both fit",
    responses: "m;x,1;x/2\na;0,5;1\nb;1;1\n",
    message: "R: row 1: columns may be separated by commas or semicolons: put cells that have one of them in quotes",
    path: ["R", 1],
    rule: "ambiguous_separator",
  },
  {
    name: "a decimal comma among points",
    responses: "model;x/1;x/2\na;0.5;1\nb;0,5;1\n",
    message:
      'R: row 3, column "x/1": "0,5" has a decimal comma, and "0.5" before it the other mark: write all scores with one',
    path: ["R", 3, "x/1"],
    rule: "not_a_number",
  },
  {
    name: "a comma that may group thousands",
    responses: "model;x/1;x/2\na;1,250;1\n",
    options: { scoreRange: [0, 10_000] },
    message:
      'R: row 2, column "x/1": "1,250" may be a thousand or a decimal: write scores with a decimal point and without separators of thousands',
    path: ["R", 2, "x/1"],
    rule: "not_a_number",
  },
  {
    name: "true on a scale to 100",
    responses: "model,x/1,x/2\na,True,80\n",
    options: { scoreRange: [0, 100] },
    message: 'R: row 2, column "x/1": true and false are 1 and 0, which isn\'t a scale of 0 to 100: write numbers',
    path: ["R", 2, "x/1"],
    rule: "not_a_number",
  },
  {
    name: "an item twice",
    responses: wide({ 1: "model,x/1,x/1" }),
    message: 'R: row 1, column 3: item "x/1" is there twice, first in column 2',
    path: ["R", 1, 3],
    rule: "duplicate",
  },
  {
    name: "a model twice",
    responses: wide({ 5: "b,0,1" }),
    message: 'R: row 5, column "model": model "b" is there twice, first in row 3',
    path: ["R", 5, "model"],
    rule: "duplicate",
  },
  {
    name: "a score above 1",
    responses: wide({ 3: "b,0,85" }),
    message: `R: row 3, column "x/2": a score must be in [0,1], got 85; ${hint("0,100")}`,
    path: ["R", 3, "x/2"],
    rule: "out_of_range",
  },
  {
    name: "a score below 0",
    responses: wide({ 3: "b,-0.1,1" }),
    message: `R: row 3, column "x/1": a score must be in [0,1], got -0.1; ${hint("-1,1")}`,
    path: ["R", 3, "x/1"],
    rule: "out_of_range",
  },
  {
    name: "a score outside the range given",
    responses: wide({ 3: "b,0,5.5" }),
    options: { scoreRange: [0, 5] },
    message: 'R: row 3, column "x/2": a score must be in [0,5], got 5.5',
    path: ["R", 3, "x/2"],
    rule: "out_of_range",
  },
  ...["inf", "Infinity", "-inf", "0x1", "T", "yes", " ", "-", "NAN%", "1e", "1_0", "1,0,0", "1.000,5", "٣"].map(
    (cell): BadInput => ({
      name: `${JSON.stringify(cell)} as a score`,
      responses: wide({ 2: `a,"${cell}",0` }),
      message: `R: row 2, column "x/1": a score must be a number, got ${JSON.stringify(cell)}; an empty cell means no score`,
      path: ["R", 2, "x/1"],
      rule: "not_a_number",
    }),
  ),
  {
    name: "an overflowing score",
    responses: wide({ 2: "a,1e999,0" }),
    message: `R: row 2, column "x/1": a score must be in [0,1], got Infinity; ${hint("")}`,
    path: ["R", 2, "x/1"],
    rule: "out_of_range",
  },
  {
    name: "several findings",
    responses: wide({ 2: "a,2,x", 3: "b,1" }),
    message: `R: row 2, column "x/1": a score must be in [0,1], got 2; ${hint("1,5 or 0,5")}; and 2 more`,
    path: ["R", 2, "x/1"],
    rule: "out_of_range",
  },
  {
    name: "very many findings",
    responses: `model,${Array.from({ length: 50 }, (_, i) => `x/${i}`).join(",")}\na${",2".repeat(50)}\n`,
    message: `R: row 2, column "x/0": a score must be in [0,1], got 2; ${hint("1,5 or 0,5")}; and at least 19 more`,
    path: ["R", 2, "x/0"],
    rule: "out_of_range",
  },
  {
    name: "a short row",
    responses: wide({ 4: "c,1" }),
    message: "R: row 4: the row has 2 cells, the header has 3",
    path: ["R", 4],
    rule: "ragged",
  },
  {
    name: "a long row",
    responses: wide({ 4: "c,1,1,0" }),
    message: "R: row 4: the row has 4 cells, the header has 3",
    path: ["R", 4],
    rule: "ragged",
  },
  {
    name: "four models",
    responses: wide().split("\n").slice(0, 5).join("\n"),
    message: "R: 4 models are too few: at least 5 are needed",
    path: ["R"],
    rule: "too_few_models",
  },
  {
    name: "one model",
    responses: "model,x/1\na,1\n",
    message: "R: 1 model is too few: at least 5 are needed",
    path: ["R"],
    rule: "too_few_models",
  },
  {
    name: "a model without a name",
    responses: wide({ 3: ",0,1" }),
    message: 'R: row 3, column "model": an id must not be empty, got ""',
    path: ["R", 3, "model"],
    rule: "invalid_id",
  },
  {
    name: "an item without an id",
    responses: wide({ 1: "model,x/1," }),
    message: 'R: row 1, column 3: an id must not be empty, got ""',
    path: ["R", 1, 3],
    rule: "invalid_id",
  },
  {
    name: "an id that is not NFC",
    responses: wide({ 1: "model,x/1,cafe\u0301" }),
    message: `R: row 1, column 3: an id must be in Unicode's NFC, got "cafe\u0301"`,
    path: ["R", 1, 3],
    rule: "invalid_id",
  },
  {
    name: "a control character in an id",
    responses: wide({ 1: "model,x/1,x\u009b31m" }),
    message: 'R: row 1, column 3: an id must not have control characters, got "x\\u009b31m"',
    path: ["R", 1, 3],
    rule: "invalid_id",
  },
  {
    name: "a line end in an id",
    responses: wide({ 1: 'model,x/1,"x\n2"' }),
    message: 'R: row 1, column 3: an id must not have control characters, got "x\\n2"',
    path: ["R", 1, 3],
    rule: "invalid_id",
  },
  {
    name: "an id that is too long",
    responses: wide({ 1: `model,x/1,${TOO_LONG}` }),
    message: `R: row 1, column 3: an id has at most 512 bytes, got "${"é".repeat(60)}…"`,
    path: ["R", 1, 3],
    rule: "invalid_id",
  },
  {
    name: "a model without scores",
    responses: wide({ 4: "c,," }),
    message: 'R: row 4: model "c" has no score at all',
    path: ["R", 4],
    rule: "model_without_scores",
  },
  {
    name: "an item without scores",
    responses: "model,x/1,x/2\na,1,\nb,1,\nc,0,\nd,0,\ne,1,\n",
    message: 'R: column "x/2": the item has no score at all',
    path: ["R", "x/2"],
    rule: "item_without_scores",
  },
  {
    name: "a quote inside a cell",
    responses: wide({ 3: 'b"c,0,1' }),
    message: "R: row 3, column 1: a quote stands in an unquoted cell: quote the cell, and write the quote twice",
    path: ["R", 3, 1],
    rule: "malformed_csv",
  },
  {
    name: "text after a quoted cell",
    responses: wide({ 3: '"b"c,0,1' }),
    message: "R: row 3, column 1: there is text after the closing quote of the cell",
    path: ["R", 3, 1],
    rule: "malformed_csv",
  },
  {
    name: "a quote that is never closed",
    responses: wide({ 3: '"b,0,1' }),
    message: "R: row 3: a quoted cell of this row is never closed",
    path: ["R", 3],
    rule: "malformed_csv",
  },
];

const encodingCases: BadInput[] = [
  {
    name: "gzip that is cut short",
    file: "r.csv.gz",
    responses: gzipSync(wide()).subarray(0, 40),
    message: "R: the gzip data break off: the file is cut short",
    path: ["R"],
    rule: "unreadable",
  },
  {
    name: "gzip that is damaged",
    file: "r.csv.gz",
    responses: gzipSync(wide()).fill(0xff, 12, 20),
    message: "R: the gzip data are damaged",
    path: ["R"],
    rule: "unreadable",
  },
  {
    name: "bytes that are not UTF-8",
    responses: Buffer.from(wide({ 3: "bé,0,1" }), "latin1"),
    message: "R: row 3: the text is not UTF-8",
    path: ["R", 3],
    rule: "not_utf8",
  },
  {
    name: "UTF-16",
    responses: Buffer.from(`\ufeff${wide()}`, "utf16le"),
    message: "R: row 1: the text is UTF-16; files are UTF-8",
    path: ["R", 1],
    rule: "not_utf8",
  },
  {
    name: "Parquet without its ending",
    file: "r.table",
    responses: "PAR1\u0015\u0004\u0015",
    message: "R: the file is a Parquet file: CSV and JSON lines are read, plain or gzip",
    path: ["R"],
    rule: "unsupported_format",
  },
  {
    name: "a pickle",
    file: "lb.pickle",
    responses: Buffer.from("8004950a00000000000000", "hex"),
    message: 'R: this is a Python pickle, which runs code where it is read; a table of it is written by: import pandas as pd; pd.read_pickle("R").to_csv("table.csv")', // prettier-ignore
    path: ["R"],
    rule: "unsupported_format",
  },
  {
    name: "a packed pickle",
    file: "lb.pkl.gz",
    responses: gzipSync(Buffer.from("80055d942e", "hex")),
    message: 'R: this is a Python pickle, which runs code where it is read; a table of it is written by: import pandas as pd; pd.read_pickle("R").to_csv("table.csv")', // prettier-ignore
    path: ["R"],
    rule: "unsupported_format",
  },
  {
    name: "an archive",
    file: "r.zip",
    responses: "PK\u0003\u0004 and so on",
    message: "R: the file is a zip archive: CSV and JSON lines are read, plain or gzip",
    path: ["R"],
    rule: "unsupported_format",
  },
];

const longCases: BadInput[] = [
  {
    name: "an answer twice",
    responses: "item_id,score,model\nx/1,1,a\nx/1,1,b\nx/1,0,a\n",
    message: 'R: row 4, column "item_id": model "a" answers item "x/1" twice',
    path: ["R", 4, "item_id"],
    rule: "duplicate",
  },
  {
    name: "an answer twice, the first one empty",
    responses: "model,item_id,score\na,x/1,\na,x/1,1\n",
    message: 'R: row 3, column "item_id": model "a" answers item "x/1" twice',
    path: ["R", 3, "item_id"],
    rule: "duplicate",
  },
  {
    name: "a column twice",
    responses: "model,item_id,score,score\na,x/1,1,1\n",
    message: 'R: row 1, column 4: column "score" is there twice, first in column 3',
    path: ["R", 1, 4],
    rule: "duplicate",
  },
  {
    name: "a column too few",
    responses: "model,item,score\na,x/1,1\n",
    message: "R: row 1: a long table has the columns model,item_id,score; there is no item_id",
    path: ["R", 1],
    rule: "wrong_header",
  },
  {
    name: "a short row of the long form",
    responses: "model,item_id,score\na,x/1\n",
    message: "R: row 2: the row has 2 cells, the header has 3",
    path: ["R", 2],
    rule: "ragged",
  },
  {
    name: "text as a score",
    responses: "model,item_id,score\na,x/1,C\n",
    message: 'R: row 2, column "score": a score must be a number, got "C"; an empty cell means no score',
    path: ["R", 2, "score"],
    rule: "not_a_number",
  },
  {
    name: "an item without any score in the long form",
    responses: `model,item_id,score\n${["a", "b", "c", "d", "e"].map((model) => `${model},x/1,1\n`).join("")}a,x/2,\n`,
    message: 'R: column "x/2": the item has no score at all',
    path: ["R", "x/2"],
    rule: "item_without_scores",
  },
];

const jsonCases: BadInput[] = [
  {
    name: "a broken line",
    responses: lines(LONG[0], '{"model":"b","item_id":"x/1"'),
    message: "R: line 2: the line is not valid JSON",
    path: ["R", 2],
    rule: "malformed_json",
  },
  {
    name: "Infinity in JSON",
    responses: lines(LONG[0], '{"model":"b","item_id":"x/1","score":Infinity}'),
    message: "R: line 2: the line is not valid JSON: JSON has no Infinity, and no score is infinite",
    path: ["R", 2],
    rule: "malformed_json",
  },
  {
    name: "an array of records",
    responses: lines(LONG),
    message: "R: line 1: expected a JSON object, got an array",
    path: ["R", 1],
    rule: "wrong_type",
  },
  {
    name: "a field twice",
    responses: lines('{"model":"b","item_id":"x/1","score":1,"score":0}'),
    message: 'R: line 1, field "score": it is there twice',
    path: ["R", 1, "score"],
    rule: "duplicate",
  },
  {
    name: "no score",
    responses: lines(...LONG, { model: "f", item_id: "x/1" }),
    message: 'R: line 6, field "score": a score must be a number, got none; null means no score',
    path: ["R", 6, "score"],
    rule: "not_a_number",
  },
  {
    name: "a score in quotes",
    responses: lines(...LONG, { model: "f", item_id: "x/1", score: "1" }),
    message: 'R: line 6, field "score": a score must be a number, got the text "1"; null means no score',
    path: ["R", 6, "score"],
    rule: "not_a_number",
  },
  {
    name: "a truth value on a scale to 10",
    responses: lines(...LONG, { model: "f", item_id: "x/1", score: true }),
    options: { scoreRange: [0, 10] as const },
    message: 'R: line 6, field "score": true and false are 1 and 0, which isn\'t a scale of 0 to 10: write numbers',
    path: ["R", 6, "score"],
    rule: "not_a_number",
  },
  {
    name: "a number as an item's id",
    responses: lines(...LONG, { model: "f", item_id: 1, score: 1 }),
    message: 'R: line 6, field "item_id": item_id must be text, got a number',
    path: ["R", 6, "item_id"],
    rule: "wrong_type",
  },
  {
    name: "half a surrogate pair in an id",
    responses: lines(...LONG, '{"model":"f","item_id":"\\ud83d","score":1}'),
    message: 'R: line 6, field "item_id": an id must be valid Unicode, got "\\ud83d"',
    path: ["R", 6, "item_id"],
    rule: "invalid_id",
  },
  {
    name: "a model twice in py-irt's form",
    responses: lines(...PY_IRT, PY_IRT[1]),
    message: 'R: line 6, field "subject_id": model "b" is there twice, first in line 2',
    path: ["R", 6, "subject_id"],
    rule: "duplicate",
  },
  {
    name: "an item twice in py-irt's form",
    responses: lines(...PY_IRT, '{"subject_id":"f","responses":{"x/1":1,"x\\/1":0}}'),
    message: 'R: line 6, field "x/1": model "f" answers item "x/1" twice',
    path: ["R", 6, "x/1"],
    rule: "duplicate",
  },
  {
    name: "a score outside [0,1] in py-irt's form",
    responses: lines(...PY_IRT, { subject_id: "f", responses: { "x/1": 2 } }),
    message: `R: line 6, field "x/1": a score must be in [0,1], got 2; ${hint("1,5 or 0,5")}`,
    path: ["R", 6, "x/1"],
    rule: "out_of_range",
  },
  {
    name: "responses that are an array",
    responses: lines({ subject_id: "f", responses: [1, 0] }),
    message: 'R: line 1, field "responses": expected an object of item → score, got an array',
    path: ["R", 1, "responses"],
    rule: "wrong_type",
  },
  {
    name: "a model without a name in py-irt's form",
    responses: lines(...PY_IRT, { responses: { "x/1": 1 } }),
    message: 'R: line 6, field "subject_id": subject_id must be text, got none',
    path: ["R", 6, "subject_id"],
    rule: "wrong_type",
  },
  {
    name: "a model without responses in py-irt's form",
    responses: lines(...PY_IRT, { subject_id: "f", responses: {} }),
    message: 'R: line 6: model "f" has no score at all',
    path: ["R", 6],
    rule: "model_without_scores",
  },
].map((input) => ({ file: "r.jsonl", ...input }));

const itemCases: BadInput[] = [
  {
    name: "an item without a scenario",
    items: lines({ item_id: "x/1", scenario: "x" }, { item_id: "x/2" }),
    message: 'I: line 2, field "scenario": the item has no scenario',
    path: ["I", 2, "scenario"],
    rule: "missing_field",
  },
  {
    name: "an empty scenario",
    items: lines({ item_id: "x/1", scenario: "" }),
    message: 'I: line 1, field "scenario": an id must not be empty, got ""',
    path: ["I", 1, "scenario"],
    rule: "invalid_id",
  },
  {
    name: "a described item without an id",
    items: lines({ scenario: "x" }),
    message: 'I: line 1, field "item_id": the item has no item_id',
    path: ["I", 1, "item_id"],
    rule: "missing_field",
  },
  {
    name: "an item described twice",
    items: lines({ item_id: "x/1", scenario: "x" }, { item_id: "x/1", scenario: "y" }),
    message: 'I: line 2, field "item_id": item "x/1" is there twice, first in line 1',
    path: ["I", 2, "item_id"],
    rule: "duplicate",
  },
  {
    name: "a hash that is none",
    items: lines({ item_id: "x/1", scenario: "x", hash: "abc" }),
    message: 'I: line 1, field "hash": a hash is SHA-256, 64 lowercase hex digits',
    path: ["I", 1, "hash"],
    rule: "invalid_hash",
  },
  {
    name: "a text that is none",
    items: lines({ item_id: "x/1", scenario: "x", text: ["q"], doc_id: {} }),
    message: 'I: line 1, field "text": text must be text, got an array; and 1 more',
    path: ["I", 1, "text"],
    rule: "wrong_type",
  },
  { name: "an empty items file", items: "", message: "I: the file is empty", path: ["I"], rule: "empty" },
  ...(
    [
      ["no column of scenarios", "item_id,subject\nx/1,x\n", 'there is no column "scenario" (of item_id,scenario,…); the columns are "item_id", "subject"', [], "missing_column"], // prettier-ignore
      ["no scenario in a cell", "item_id,scenario\nx/1,x\nx/2,\n", 'row 3, column "scenario": the item has no scenario', [3, "scenario"], "missing_field"], // prettier-ignore
      ["an item twice in a table", "item_id;scenario\nx/1;x\nx/1;x\n", 'row 3, column "item_id": item "x/1" is there twice, first in row 2', [3, "item_id"], "duplicate"], // prettier-ignore
      ["a word that may be a name", "item_id,scenario,subscenario\nx/1,x,NA\nx/2,x,b\n", 'row 2, column "subscenario": "NA" may be a name, or none: leave the cell empty for none', [2, "subscenario"], "ambiguous_word"], // prettier-ignore
      ["a number with decimals as a document", "item_id\tscenario\tdoc_id\nx/1\tx\t1.0\nx/2\tx\t\n", "row 2, column \"doc_id\": 1.0 isn't a document's number: write 1", [2, "doc_id"], "ambiguous_number"], // prettier-ignore
      ["a short row of items", "item_id,scenario\nx/1\n", "row 2: the row has 1 cell, the header has 2", [2], "ragged"], // prettier-ignore
      ["a column of items twice", "item_id,scenario,scenario\nx/1,x,y\n", 'row 1, column 3: column "scenario" is there twice, first in column 2', [1, 3], "duplicate"], // prettier-ignore
    ] as const
  ).map(([name, items, message, path, rule]) => ({
    name,
    items,
    itemsFile: "items.csv",
    message: `I: ${message}`,
    path: ["I", ...path],
    rule,
  })),
  {
    name: "items that are not described",
    items: lines({ item_id: "x/1", scenario: "x" }),
    message: 'R: 1 item of the responses is not described in I: "x/2"',
    path: ["R", "x/2"],
    rule: "undescribed_item",
  },
  {
    name: "described items without a column",
    items: lines(
      ...["x/1", "x/2", "y/1", "y/2", "y/3", "y/4", "y/5", "y/6"].map((id) => ({ item_id: id, scenario: "x" })),
    ),
    message: 'I: 6 items described here are not in R: "y/1", "y/2", "y/3", "y/4", "y/5", …',
    path: ["I", "y/1"],
    rule: "item_without_responses",
  },
].map((input) => ({ responses: wide(), ...input }));

describe.each([
  ["wide CSV", wideCases],
  ["encodings", encodingCases],
  ["long CSV", longCases],
  ["JSON lines", jsonCases],
  ["items files", itemCases],
])("%s", (_, cases) => {
  test.each(cases)(
    "$name",
    async ({ file = "r.csv", itemsFile = "items.jsonl", responses, items, options, message, path, rule }) => {
      const R = folder.write(`${++folders}/${file}`, responses);
      const I = items === undefined ? "" : folder.write(`${folders}/${itemsFile}`, items);
      const named = (text: string): string => text.replace(/\b[RI]\b(?!')/g, (letter) => (letter === "R" ? R : I));
      const error = await readResponses(R, { ...options, ...(I && { items: I }) }).catch((reason: unknown) => reason);
      expect(error).toBeInstanceOf(AnchorEvalError);
      const { code, message: actual, issues } = error as AnchorEvalError;
      expect({ code, message: actual }).toEqual({ code: "invalid_data", message: named(message) });
      expect(issues[0]!.code).toBe(rule);
      expect(issues[0]!.path).toEqual(path!.map((part) => (part === "R" ? R : part === "I" ? I : part)));
    },
  );
});

test("a file that isn't there, and a folder", async () => {
  await expect(readResponses(folder.path("absent.csv"))).rejects.toMatchObject({
    code: "not_found",
    message: `${folder.path("absent.csv")}: there is no such file`,
  });
  await expect(readResponses(folder.path("."))).rejects.toMatchObject({ code: "invalid_data" });
});

test("a range that is none", async () => {
  const file = folder.write("range/r.csv", wide());
  await expect(readResponses(file, { scoreRange: [1, 1] })).rejects.toMatchObject({
    code: "invalid_option",
    message: "`scoreRange` must be two numbers, the worst score and the best; got 1,1",
  });
});
