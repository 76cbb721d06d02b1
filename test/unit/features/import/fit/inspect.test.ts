import { readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { Estimate } from "anchoreval";
import { describe, expect, test } from "vitest";
import { scoreAt } from "../../../../../offline-trainer/src/matrix/response-matrix.ts";
import { readResponses } from "../../../../../offline-trainer/src/matrix/read-responses.ts";
import { main as trainer } from "../../../../../cli/src/main.ts";
import { writeInspectLog, type InspectRun } from "../../../../support/inspect-logs.ts";
import { runCommand } from "../../../../support/run-command.ts";
import { tempFolder } from "../../../../support/temp-folder.ts";

const FIXTURES = fileURLToPath(new URL("../../../../fixtures/inspect", import.meta.url));
const folder = tempFolder();

async function command(...argv: string[]): Promise<{ code: number; out: string; err: string }> {
  let [out, err] = ["", ""];
  const streams = {
    stdout: { write: (text: string) => (out += text) },
    stderr: { write: (text: string) => (err += text) },
  };
  return { code: await trainer(argv, streams), out, err };
}

describe("import --from inspect", () => {
  test("real logs: a model a row, its own scores reproduced, epochs said", async () => {
    const out = folder.path("real");
    const {
      code,
      out: text,
      err,
    } = await command("import", "--from", "inspect", FIXTURES, "--metric", "chats=includes", "--out", out);
    expect(code).toBe(0);
    expect(text).toContain("2 models, 24 items, 3 scenarios:");
    expect(text).toContain("4 of 4 scores equal the harness's own to 1e-6");
    expect(err).toContain("scores are means over 3 epochs");
    const report = JSON.parse(readFileSync(join(out, "import.json"), "utf8")) as { harness: string; protocol: object };
    expect(report).toMatchObject({ harness: "inspect", protocol: { harness: "inspect", harnessVersion: "0.3.285" } });
    const items = readFileSync(join(out, "items.jsonl.gz"));
    expect(items.length).toBeGreaterThan(100);
  });

  test("runs made by other solvers are refused, with a table of who differs", async () => {
    const logs = tempFolder();
    for (const [name, solver] of [
      ["a", "generate"],
      ["b", "chain_of_thought"],
    ] as const)
      writeInspectLog(logs.path(`${name}.json`), { ...quiz(name, 1), solver });
    const { code, err } = await command("import", "--from", "inspect", logs.path(""), "--out", folder.path("mixed"));
    expect(code).toBe(2);
    expect(err).toContain("quiz: solver");
    expect(err).toMatch(/chain_of_thought\(\) +mock\/b/);
  });
});

/** Item k is right for models that are strong enough. */
function quiz(name: string, strength: number, ids = Array.from({ length: 40 }, (_, k) => `q-${k + 1}`)): InspectRun {
  const right = (id: string): boolean => (Number(id.slice(2)) * 7) % 40 < strength * 5;
  return {
    model: `mock/${name}`,
    task: "quiz",
    means: { match: ids.filter(right).length / ids.length },
    samples: ids.map((id) => ({ id, scores: { match: right(id) ? "C" : "I" } })),
  };
}

test("from logs to a bundle, to the samples to run, to an estimate from a log of them", async () => {
  const logs = tempFolder();
  for (let m = 1; m <= 7; m++) writeInspectLog(logs.path(`m${m}.json`), quiz(`m${m}`, m));
  const [imported, bundle, exported] = ["imported", "bundle", "exported"].map((name) => folder.path(name)) as [
    string,
    string,
    string,
  ];
  expect((await command("import", "--from", "inspect", logs.path(""), "--out", imported)).code).toBe(0);
  const responses = join(imported, "responses.csv.gz");
  const { matrix } = await readResponses(responses, { items: join(imported, "items.jsonl.gz") });
  expect(matrix.items.map(({ doc_id: id }) => id).slice(8, 11)).toEqual(["q-9", "q-10", "q-11"]);
  expect(scoreAt(matrix, 6, 1)).toBe(1);

  const board = ["--responses", responses, "--items", join(imported, "items.jsonl.gz")];
  const fitted = await command("fit", ...board, "--anchors", "10", "--name", "quiz@1.0.0", "--out", bundle, "--quiet");
  expect(fitted).toMatchObject({ code: 0 });

  const told = await runCommand("export", "--bundle", bundle, "--to", "inspect", "--out", exported, "--json");
  const { samples, commands, next } = JSON.parse(told.out) as {
    samples: Record<string, string[]>;
    commands: string[];
    next: string;
  };
  expect(samples["quiz"]).toHaveLength(10);
  expect(commands).toEqual([
    `inspect eval quiz --sample-id ${samples["quiz"]!.join(",")} --log-dir anchors --model PROVIDER/MODEL`,
  ]);
  expect(next).toMatch(/--form 10 --from inspect anchors$/);
  expect(JSON.parse(readFileSync(join(exported, "quiz-1.0.0-10.inspect.json"), "utf8"))).toEqual(samples);

  const run = writeInspectLog(folder.path("new.json"), quiz("new", 4, samples["quiz"]));
  const estimate = await runCommand("estimate", "--bundle", bundle, "--from", "inspect", run);
  expect(estimate.out).toContain("quiz 1.0.0, form 10: 10 of 10 items answered");
  expect(estimate.err).not.toContain("solver");

  // A package's task of that name, whose samples are numbered from 1: found by their content.
  const asked = quiz("new", 4, samples["quiz"]);
  const packaged = writeInspectLog(folder.path("packaged.json"), {
    ...{ ...asked, task: "evals/quiz" },
    samples: asked.samples.map((sample, k) => ({ ...sample, input: `Question ${sample.id}?`, id: k + 1 })),
  });
  const same = await runCommand("estimate", "--bundle", bundle, "--from", "inspect", packaged);
  expect(same).toEqual(estimate);

  const other = writeInspectLog(folder.path("other.json"), {
    ...quiz("new", 4, samples["quiz"]),
    solver: "chain_of_thought",
  });
  expect((await runCommand("estimate", "--bundle", bundle, "--from", "inspect", other)).out).toContain(
    "warning: quiz: solver: chain_of_thought() in this run, generate() in those of the models that the bundle was fitted on",
  );

  const thrice = quiz("new", 4, samples["quiz"]);
  const epochs = { ...thrice, epochs: 3, samples: [1, 2, 3].flatMap((epoch) => thrice.samples.map((one) => ({ ...one, epoch }))) }; // prettier-ignore
  const several = writeInspectLog(folder.path("epochs.json"), epochs);
  const { out: json } = await runCommand("estimate", "--bundle", bundle, "--from", "inspect", several, "--json");
  expect((JSON.parse(json) as Estimate).warnings.at(-1)).toEqual({
    code: "other_protocol",
    message:
      "quiz: epochs: 3 in this run, 1 in those of the models that the bundle was fitted on: the scores may not compare",
  });

  const changed = quiz("new", 4, samples["quiz"]);
  const odd = {
    ...changed,
    samples: changed.samples.map((sample, k) => (k === 3 ? { ...sample, target: "other" } : sample)),
  };
  const refused = await runCommand(
    "estimate",
    "--bundle",
    bundle,
    "--from",
    "inspect",
    writeInspectLog(folder.path("odd.json"), odd),
  );
  expect(refused.code).toBe(2);
  expect(refused.err).toContain("[item_changed]");
});
