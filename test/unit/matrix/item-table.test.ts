import { gzipSync } from "node:zlib";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { columnOf, itemTableLines, readItemTable } from "../../../offline-trainer/src/matrix/item-table.ts";
import { expectRefusal, refusal, rejection } from "../../support/refusal.ts";
import { tempFolder } from "../../support/temp-folder.ts";

const folder = tempFolder();

describe("a table of items", () => {
  test("keeps every column and cell of a CSV: quotes, commas, line ends, Chinese, a byte order mark, CR LF", async () => {
    const text = '\ufeffID,题目,"选,项"\r\n1,"他说：""好""",甲\r\n2,"第一行\r\n第二行",\r\n3, 空格 ,"a,b"\r\n';
    const table = await readItemTable(folder.write("crlf.csv", text));
    expect(table.columns).toEqual(["ID", "题目", "选,项"]);
    expect(table.rows).toEqual([
      ["1", '他说："好"', "甲"],
      ["2", "第一行\n第二行", ""],
      ["3", " 空格 ", "a,b"],
    ]);
    expect(table.lines).toEqual([2, 3, 5]);
  });

  test("has the columns of JSON lines in order of first appearance, values as JSON writes them", async () => {
    const lines = [
      { id: 7, q: "多少？", choices: ["甲", "乙"] },
      { q: "b", extra: null, id: 1.5, right: true, meta: { level: 2 } },
    ];
    const content = lines.map((line) => `${JSON.stringify(line)}\n`).join("\n");
    const table = await readItemTable(folder.write("items.jsonl.gz", gzipSync(content)));
    expect(table.columns).toEqual(["id", "q", "choices", "extra", "right", "meta"]);
    expect(table.rows).toEqual([
      ["7", "多少？", '["甲","乙"]', "", "", ""],
      ["1.5", "b", "", "", "true", '{"level":2}'],
    ]);
  });

  test("is written as it was read, whatever its cells have", async () => {
    const cell = fc.oneof(
      fc.string({ unit: "grapheme" }),
      fc.constantFrom('"', ",", "\n", '""\n', "\ufeff中文", "", " ", "'=1+1", "a\rb"),
    );
    const width = fc.integer({ min: 1, max: 4 });
    const tables = width.chain((columns) =>
      fc.array(fc.array(cell, { minLength: columns, maxLength: columns }), { minLength: 1, maxLength: 6 }),
    );
    await fc.assert(
      fc.asyncProperty(tables, async (rows) => {
        const written = { name: "t", columns: rows[0]!.map((_, at) => `列 ${at}`), rows, lines: rows.map((_, k) => k) };
        const text = [...itemTableLines(written, rows.keys())].join("");
        const read = await readItemTable(folder.write("round.csv", text));
        expect(read.columns).toEqual(written.columns);
        expect(read.rows).toEqual(rows.map((row) => row.map((own) => own.replaceAll("\r\n", "\n"))));
      }),
      { numRuns: 200 },
    );
  });
});

describe("what is refused by name", () => {
  const cases: readonly [string, string, string | Uint8Array, string][] = [
    ["an empty file", "a.csv", "", "the file is empty"],
    ["empty lines", "a.csv", "\n\n", "the file is empty"],
    ["a header alone", "a.csv", "ID,Subject\n", "the file has no rows"],
    ["no JSON line", "a.jsonl", "\n", "the file is empty"],
    [
      "two columns of one name",
      "a.csv",
      "ID,x,ID\n1,2,3\n",
      'row 1, column 3: column "ID" is there twice, first in column 1',
    ],
    ["a column without a name", "a.csv", "ID, \n1,2\n", "row 1, column 2: the column has no name"],
    ["a short row", "a.csv", "ID,x\n1,2\n3\n", "row 3: the row has 1 cell, the header has 2"],
    ["a long row", "a.csv", "ID,x\n1,2,3\n", "row 2: the row has 3 cells, the header has 2"],
    ["a quote that is never closed", "a.csv", 'ID,x\n1,"2\n', "row 2: a quoted cell of this row is never closed"],
    ["UTF-16", "a.csv", Buffer.from("\ufeffID,x\n1,2\n", "utf16le"), "row 1: the text is UTF-16; files are UTF-8"],
    ["another encoding", "a.csv", Uint8Array.of(0x49, 0x44, 0x0a, 0xb5, 0xda, 0x0a), "row 2: the text is not UTF-8"],
    ["a broken line of JSON", "a.jsonl", '{"id":1}\n{"id"\n', "line 2: the line is not valid JSON"],
    ["a list", "a.jsonl", "[1]\n", "line 1: expected a JSON object, got an array"],
    ["a field twice", "a.jsonl", '{"id":1,"id":2}\n', 'line 1, field "id": it is there twice'],
    [
      "a number too long to keep",
      "a.jsonl",
      '{"id":12345678901234567890}\n',
      'line 1, field "id": the number has more digits than can be kept',
    ],
    ["a zip archive", "a.csv", Uint8Array.of(0x50, 0x4b, 3, 4, 0, 0, 0, 0), "the file is a zip archive"],
  ];
  test.each(cases)("%s", async (_, name, content, message) => {
    const path = folder.write(name, content);
    expectRefusal(await rejection(readItemTable(path)), "invalid_data", `${path}: ${message}`);
  });

  test("a file that isn't there", async () => {
    expectRefusal(await rejection(readItemTable(folder.path("none.csv"))), "not_found", "there is no such file");
  });

  test("a column that isn't there, with those that are", () => {
    const table = { name: "items.csv", columns: ["ID", "科目"], rows: [], lines: [] };
    expect(columnOf(table, "科目", "--by")).toBe(1);
    expectRefusal(
      refusal(() => columnOf(table, "Subject", "--by")),
      "invalid_data",
      'items.csv: there is no column "Subject" (--by); the columns are "ID", "科目"',
    );
  });
});
