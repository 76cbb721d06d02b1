import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { readResponses } from "../../../../offline-trainer/src/matrix/read-responses.ts";
import { SIMULATE_OPTIONS } from "../../../../features/simulate/fit/settings.ts";
import { simulateLeaderboard } from "../../../../features/simulate/fit/simulate-leaderboard.ts";
import { lastGiven, runCommand } from "../../../support/run-command.ts";
import { tempFolder } from "../../../support/temp-folder.ts";

const folder = tempFolder();
const FILES = ["responses.csv.gz", "items.jsonl.gz", "models.jsonl", "truth.safetensors"];
const settings = (name: string, values: object): string[] => [
  "--settings",
  folder.write(`${name}.json`, JSON.stringify(values)),
];
const SHAPE = ["--models", "30", "--items", "300", "--scenarios", "3", "--seed", "9", ...settings("dims", { dims: 2 })];

async function run(...argv: string[]): Promise<{ code: number; stdout: string; stderr: string }> {
  const { code, out: stdout, err: stderr } = await runCommand(...lastGiven(["simulate", ...argv]));
  return { code, stdout, stderr };
}

test("writes a leaderboard that reads back as it was drawn, the same bytes each time", async () => {
  const [first, second] = [folder.path("first"), folder.path("deep/second")];
  expect((await run(...SHAPE, "--out", first)).code).toBe(0);
  expect((await run(...SHAPE, "--out", second)).code).toBe(0);
  for (const file of FILES) expect(readFileSync(join(first, file))).toEqual(readFileSync(join(second, file)));

  const { matrix, truth } = simulateLeaderboard({ models: 30, items: 300, scenarios: 3, dims: 2, seed: 9 });
  const read = await readResponses(join(first, "responses.csv.gz"), { items: join(first, "items.jsonl.gz") });
  expect(read.matrix).toEqual(matrix);
  const models = readFileSync(join(first, "models.jsonl"), "utf8")
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line) as { model: string; family: string; date: string; replicate_of?: string });
  expect(models.map(({ model }) => model)).toEqual(matrix.subjects);
  models.forEach(({ model, family, date, replicate_of: original }, m) => {
    expect(model.startsWith(`${family}/`)).toBe(true);
    expect(date).toBe(truth.models[m]!.date);
    if (original !== undefined) expect(model).toBe(`${original}@host-2`);
  });
});

test("--json is one document", async () => {
  const { code, stdout } = await run(
    ...SHAPE,
    "--out",
    folder.path("json"),
    "--json",
    ...settings("graded", { samples: 3, text: true }),
  );
  expect(code).toBe(0);
  expect(JSON.parse(stdout)).toMatchObject({
    models: 30,
    items: 300,
    files: FILES.map((f) => folder.path(`json/${f}`)),
  });
});

test("--help-all lists every setting, --help those that have an option", async () => {
  const [all, help] = [(await run("--help-all")).stdout, (await run("--help")).stdout];
  for (const name of [...Object.keys(SIMULATE_OPTIONS), "order", "text"])
    expect(all).toMatch(new RegExp(`^  ${name} `, "m"));
  for (const name of ["models", "items", "scenarios", "seed", "settings", "out"])
    expect(help).toContain(`  --${name} `);
  expect(help).not.toContain("familySize");
});

test.each([
  [["--models", "3"], "--models must be a whole number from 5 to 100000; got 3"],
  [settings("sd", { familySd: "x" }), "familySd must be a number from 0 to 10, got x"],
  [settings("order", { order: "up" }), "order must be newest-first or oldest-first, got up"],
  [settings("share", { saturatedShare: 1 }), "more than 1"],
  [["--colour", "red"], "unknown option --colour"],
])("%s: exit code 2, the reason, and nothing written", async (flags, reason) => {
  const out = folder.path("refused");
  const { code, stderr } = await run(...flags, "--out", out);
  expect(code).toBe(2);
  expect(stderr).toContain(reason);
  expect(existsSync(out)).toBe(false);
});

test("--out is needed, and must be a folder", async () => {
  expect((await run(...SHAPE)).stderr).toContain("--out is needed");
  const file = folder.write("file", "");
  expect(await run(...SHAPE, "--out", file)).toMatchObject({
    code: 2,
    stderr: expect.stringContaining("can't be made a folder") as string,
  });
});
