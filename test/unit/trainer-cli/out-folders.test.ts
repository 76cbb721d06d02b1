import { createHash } from "node:crypto";
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, expect, test } from "vitest";
import { tempFolder } from "../../support/temp-folder.ts";
import { runTrainer } from "./run-trainer.ts";

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
  expect(await runTrainer(simulate(1, "board"))).toMatchObject({ code: 0 });
  expect(await runTrainer(fit("mine@1.0.0"))).toMatchObject({ code: 0 });
  expect(await runTrainer(forms("forms", board("items.jsonl.gz")))).toMatchObject({ code: 0 });
  writeFileSync(folder.path("long.csv"), scores("x"));
  expect(await runTrainer(table("imported"))).toMatchObject({ code: 0 });
  expect(await runTrainer(simulate(2, "other-board"))).toMatchObject({ code: 0 });
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
  const { code, err } = await runTrainer(argv());
  expect({ code, err }).toEqual({ code: 2, err: expect.stringContaining(what) as string });
  expect(contents(name)).toEqual(before);
});

test("an import of other scenarios is refused, one of the same is not", async () => {
  expect(await runTrainer(table("imported"))).toMatchObject({ code: 0 });
  const before = contents("imported");
  writeFileSync(folder.path("long.csv"), scores("y"));
  const { code, err } = await runTrainer(table("imported"));
  expect({ code, err }).toMatchObject({ code: 2, err: expect.stringContaining("the responses of x") as string });
  expect(contents("imported")).toEqual(before);
  expect(await runTrainer(table("imported", "--force"))).toMatchObject({ code: 0 });
  expect(contents("imported")).not.toEqual(before);
});

test("the same bundle, forms and board are replaced without a word, others with --force", async () => {
  expect(await runTrainer(fit("mine@1.0.0", "--seed", "2"))).toMatchObject({ code: 0 });
  expect(await runTrainer(fit("yours@2.0.0", "--force"))).toMatchObject({ code: 0 });
  expect(await runTrainer(forms("forms", board("items.jsonl.gz")))).toMatchObject({ code: 0 });
  expect(await runTrainer(forms("forms", other(), "--force"))).toMatchObject({ code: 0 });
  expect(await runTrainer(simulate(3, "other-board"))).toMatchObject({ code: 0 });
  expect(readdirSync(folder.path("")).filter((name) => name.startsWith("."))).toEqual([]);
});
