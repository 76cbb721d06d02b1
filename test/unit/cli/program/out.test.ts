import { createHash } from "node:crypto";
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { beforeAll, describe, expect, test } from "vitest";
import { OptionReader } from "../../../../cli/src/program/command.ts";
import { readOutFile } from "../../../../cli/src/program/out.ts";
import { lastGiven, runProgram } from "../../../support/run-command.ts";
import { tempFolder } from "../../../support/temp-folder.ts";

const folder = tempFolder();
const board = (file: string): string => folder.path(`board/${file}`);
const simulate = (seed: number, out: string, ...more: string[]): string[] => [
  ...["simulate", "--models", "8", "--items", "24", "--scenarios", "2", "--seed", String(seed)],
  ...["--out", folder.path(out), ...more],
];
const fit = (name: string, ...more: string[]): string[] => [
  ...["fit", "--responses", board("responses.csv.gz"), "--items", board("items.jsonl.gz"), "--anchors", "4"],
  ...["--provider", "typescript", "--quiet", "--name", name, "--out", folder.path("bundle"), ...more],
];
const forms = (out: string, items: string, ...more: string[]): string[] => [
  ...["forms", "--items", items, "--size", "4", "--count", "2", "--out", folder.path(out), ...more],
];
const table = (out: string, ...more: string[]): string[] => [
  ...[
    "import",
    "--from",
    "table",
    "--columns",
    "model=m,item=i,score=s,scenario=t",
    "--out",
    folder.path(out),
    ...more,
  ],
  folder.path("long.csv"),
];

/** Names and digests of all that lies in a folder. */
function contents(name: string): Record<string, string> {
  const files = readdirSync(folder.path(name), { recursive: true, withFileTypes: true }).filter((own) => own.isFile());
  return Object.fromEntries(
    files.map(({ parentPath, name: file }) => {
      const path = join(parentPath, file);
      return [path, createHash("sha256").update(readFileSync(path)).digest("hex")];
    }),
  );
}

const scores = (scenario: string): string =>
  [
    "m,i,s,t",
    ...["a", "b", "c", "d", "e"].flatMap((m, k) => [1, 2, 3].map((i) => `${m},${i},${(k + i) % 2},${scenario}`)),
  ].join("\n");

beforeAll(async () => {
  expect(await runProgram(simulate(1, "board"))).toMatchObject({ code: 0 });
  expect(await runProgram(fit("mine@1.0.0"))).toMatchObject({ code: 0 });
  expect(await runProgram(forms("forms", board("items.jsonl.gz")))).toMatchObject({ code: 0 });
  writeFileSync(folder.path("long.csv"), scores("x"));
  expect(await runProgram(table("imported"))).toMatchObject({ code: 0 });
  expect(await runProgram(simulate(2, "other-board"))).toMatchObject({ code: 0 });
  mkdirSync(folder.path("foreign"));
  writeFileSync(folder.path("foreign/thesis.txt"), "years of work");
  mkdirSync(folder.path("by-hand"));
  writeFileSync(folder.path("by-hand/responses.csv.gz"), "years of work");
});

const other = (): string => folder.path("other-board/items.jsonl.gz");

test.each([
  ["fit, another benchmark", "bundle", () => fit("yours@1.0.0"), "the bundle mine@1.0.0"],
  ["fit, another version", "bundle", () => fit("mine@1.0.1"), "the bundle mine@1.0.0"],
  ["fit, foreign files", "foreign", () => [...fit("mine@1.0.0"), "--out", folder.path("foreign")], "thesis.txt"],
  ["simulate, foreign files", "foreign", () => simulate(1, "foreign"), "thesis.txt"],
  ["simulate, responses that weren't simulated", "by-hand", () => simulate(1, "by-hand"), "were not simulated"],
  ["forms, foreign files", "foreign", () => forms("foreign", board("items.jsonl.gz")), "thesis.txt"],
  ["forms, of other items", "forms", () => forms("forms", other()), "forms of other items"],
  ["import, foreign files", "foreign", () => table("foreign"), "thesis.txt"],
  ["import, responses that no import wrote", "by-hand", () => table("by-hand"), "no import wrote"],
  ["demo, foreign files", "foreign", () => ["demo", "--out", folder.path("foreign")], "thesis.txt"],
])("is refused, and nothing is lost: %s", async (_, name, argv, what) => {
  const before = contents(name);
  const { code, err } = await runProgram(lastGiven(argv()));
  expect({ code, err }).toEqual({ code: 2, err: expect.stringContaining(what) as string });
  expect(contents(name)).toEqual(before);
});

test("an import of other scenarios is refused, one of the same is not", async () => {
  expect(await runProgram(table("imported"))).toMatchObject({ code: 0 });
  const before = contents("imported");
  writeFileSync(folder.path("long.csv"), scores("y"));
  const { code, err } = await runProgram(table("imported"));
  expect({ code, err }).toMatchObject({ code: 2, err: expect.stringContaining("the responses of x") as string });
  expect(contents("imported")).toEqual(before);
  expect(await runProgram(table("imported", "--force"))).toMatchObject({ code: 0 });
  expect(contents("imported")).not.toEqual(before);
});

test("the same bundle, forms and board are replaced without a word, others with --force", async () => {
  expect(await runProgram(fit("mine@1.0.0", "--seed", "2"))).toMatchObject({ code: 0 });
  expect(await runProgram(fit("yours@2.0.0", "--force"))).toMatchObject({ code: 0 });
  expect(await runProgram(forms("forms", board("items.jsonl.gz")))).toMatchObject({ code: 0 });
  expect(await runProgram(forms("forms", other(), "--force"))).toMatchObject({ code: 0 });
  expect(await runProgram(simulate(3, "other-board"))).toMatchObject({ code: 0 });
  expect(readdirSync(folder.path("")).filter((name) => name.startsWith("."))).toEqual([]);
});

describe("a file that --out names", () => {
  const read = (file: string, force = false): Promise<unknown> =>
    readOutFile(new OptionReader({ out: file, force }), { jsonl: /^\{"record":/, csv: /^rank,/ });

  test("is replaced where the command wrote it, or nobody anything", async () => {
    const own = folder.write("own.csv", "rank,item_id\n1,a\n");
    expect(await read(own)).toEqual({ file: own, ending: "csv" });
    const zipped = folder.write("own.jsonl.gz", gzipSync('{"record":"item"}\n'));
    expect(await read(zipped)).toEqual({ file: zipped, ending: "jsonl" });
    for (const free of [folder.path("new.csv.gz"), folder.write("empty.csv", "")])
      expect(await read(free)).toEqual({ file: free, ending: "csv" });
  });

  test("is refused where it holds anything else, unless --force is given", async () => {
    const others = [
      folder.write("scores.csv", "model,q1\na,1\n"),
      folder.write("items.jsonl", '{"item_id":"q1"}\n'),
      folder.write("broken.csv.gz", "no gzip"),
    ];
    for (const file of others) {
      await expect(read(file)).rejects.toMatchObject({
        code: "invalid_option",
        message: expect.stringContaining(`${file} holds something that this command didn't write`) as string,
      });
      expect(await read(file, true)).toMatchObject({ file });
    }
    await expect(read(folder.path("x.txt"))).rejects.toThrow(
      `--out must be a file that ends in .jsonl, .csv, .jsonl.gz or .csv.gz; got ${folder.path("x.txt")}`,
    );
  });

  test("of each command is its own, and no other file", async () => {
    const responses = board("responses.csv.gz");
    const { code, err } = await runProgram(["audit", "--responses", responses, "--out", responses]);
    expect({ code, err }).toEqual({
      code: 2,
      err: expect.stringContaining("holds something that this command") as string,
    });
  });
});
