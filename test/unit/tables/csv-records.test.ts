import { csvRecords, type CsvRecord } from "anchoreval/internal/tables/csv-records";
import { DataIssues } from "anchoreval/internal/tables/data-issues";
import fc from "fast-check";
import { expect, test } from "vitest";

async function records(text: string): Promise<CsvRecord[]> {
  const out: CsvRecord[] = [];
  for await (const batch of csvRecords([{ first: 1, lines: text.split("\n") }], new DataIssues("f")))
    out.push(...batch);
  return out;
}

test.each<[text: string, cells: string[]]>([
  ["a,b,c", ["a", "b", "c"]],
  ["a,,b", ["a", "", "b"]],
  [",", ["", ""]],
  ['""', [""]],
  ['"",""', ["", ""]],
  ['"a,b",c', ["a,b", "c"]],
  ['"a ""b""",""""', ['a "b"', '"']],
  ['a,"b\nc\n\nd",e', ["a", "b\nc\n\nd", "e"]],
  ['"a",,b', ["a", "", "b"]],
  [" a , b ", [" a ", " b "]],
])("%j", async (text, cells) => {
  expect(await records(text)).toEqual([{ row: 1, cells }]);
});

test("a record's row is the line on which it begins; empty lines are skipped", async () => {
  expect((await records('a\n\n"b\nb"\nc\n')).map(({ row }) => row)).toEqual([1, 3, 5]);
});

test.each([
  ["a separator that Excel names", "sep=;\na;b\n1,5;2"],
  ["in quotes, by another", '"sep=\t"\na\tb\n1,5\t2'],
  ["columns at the end without a name and without a cell", "a;b;;\n1,5;2;;"],
  ["some rows without their separators", "a;b;\n1,5;2"],
])("%s", async (_, text) => {
  expect((await records(text)).map(({ cells }) => cells)).toEqual([["a", "b"], ["1,5", "2"]]); // prettier-ignore
});

test("a cell under no name stays", async () => {
  const cells = async (text: string): Promise<unknown> => (await records(text)).map((record) => record.cells);
  expect(await cells("a,b,\n1,2,3")).toEqual([["a", "b", ""], ["1", "2", "3"]]); // prettier-ignore
  expect(await cells("a,b,\n1,2,\n1,2,3")).toEqual([["a", "b"], ["1", "2"], ["1", "2", "3"]]); // prettier-ignore
});

test("cells that were quoted come back, however the lines are batched", async () => {
  const cell = fc.string({ maxLength: 5, unit: fc.constantFrom('"', ",", "\n", "a", "é") });
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.array(cell, { minLength: 1, maxLength: 4 }), { minLength: 1, maxLength: 5 }),
      fc.nat({ max: 8 }),
      async ([header, ...rows], at) => {
        const table = [[...header!, "named"], ...rows];
        const text = table.map((row) => row.map((value) => `"${value.replaceAll('"', '""')}"`).join(",")).join("\n");
        const lines = text.split("\n");
        const cut = Math.min(at, lines.length);
        const batches = [
          { first: 1, lines: lines.slice(0, cut) },
          { first: 1 + cut, lines: lines.slice(cut) },
        ];
        const out: (readonly string[])[] = [];
        for await (const batch of csvRecords(batches, new DataIssues("f")))
          out.push(...batch.map(({ cells }) => cells));
        expect(out).toEqual(table);
      },
    ),
  );
});

test("a quote that is never closed is found without reading on for ever", async () => {
  const lines = Array.from({ length: 200_000 }, () => "0,1,0,1,0,1");
  lines[3] = '0,"1,0';
  await expect(records(lines.join("\n"))).rejects.toThrow("f: row 4: a quoted cell of this row is never closed");
});
