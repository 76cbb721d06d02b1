import { existsSync, writeFileSync } from "node:fs";
import { loadRouting, routeFromBundle } from "anchoreval";
import { parseManifest } from "anchoreval/bundle";
import { type ColdItemRecord, coldStartPart } from "anchoreval/internal/features/routing/core/cold-start";
import { partOf } from "anchoreval/internal/core/bundle/part";
import { folderSource } from "anchoreval/node";
import { beforeAll, describe, expect, test } from "vitest";
import { COLD_START_OPTIONS } from "../../../../../features/routing/cli/cold-start.ts";
import { DEFAULT_NEIGHBOURS } from "../../../../../features/routing/fit/forecasts.ts";
import { writeItems, writeWideCsv } from "../../../../../offline-trainer/src/matrix/write-tables.ts";
import { submatrixOf, testPart } from "../../../../support/board-parts.ts";
import { type CommandResult, filesOf, runCommand, runProgram } from "../../../../support/run-command.ts";
import { tempFolder } from "../../../../support/temp-folder.ts";
import { topicBoard } from "../../../../support/topic-board.ts";

const folder = tempFolder();
const board = topicBoard(150, 2.5, 3);
const train = submatrixOf(board, "train");
const cold = folder.path("cold.jsonl");
const items = folder.path("items.jsonl");
const vectors = folder.path("vectors.jsonl");

beforeAll(async () => {
  await writeWideCsv(folder.path("responses.csv"), train);
  await writeItems(items, train.items);
  await writeItems(cold, testPart(board));
  await writeItems(folder.path("all.jsonl"), board.items);
  const { code } = await runProgram([
    ...["embed", "--items", folder.path("all.jsonl"), "--dims", "10", "--out", vectors],
  ]);
  expect(code).toBe(0);
});

function fit(name: string, ...more: string[]): Promise<CommandResult> {
  const data = ["--responses", folder.path("responses.csv"), "--items", items, "--created", "2026-01-01"];
  const how = ["--name", "quiz@1.0.0", "--anchors", "10", "--set", "dims=1", "--provider", "typescript"];
  return runProgram(["fit", ...data, ...how, "--out", folder.path(name), ...more]);
}

test("the help has the neighbours of the trainer, which isn't loaded for it", () => {
  expect(COLD_START_OPTIONS["cold-k"].description).toContain(`(default ${DEFAULT_NEIGHBOURS})`);
});

describe("fit --cold-start", () => {
  test("predicts items, keeps routes, says what they were worth, and writes the same bytes again", async () => {
    const { code, out } = await fit("one", "--cold-start", cold, "--include-model-names");
    expect(code).toBe(0);
    expect(out).toMatch(/\ncold start +50 items without answers, predicted from their texts\n/);
    expect(out).toMatch(/\nroutes +quiz: 100 questions; left out, the route is right in [\d.]+ %, the single model in/);
    await fit("two", "--cold-start", cold, "--include-model-names");
    expect(filesOf(folder.path("two"))).toEqual(filesOf(folder.path("one")));
    const routing = await loadRouting(folderSource(folder.path("one")));
    const { routes } = routeFromBundle(routing, [{ text: "What of enzyme, protein and genome is smallest?" }]);
    // Models 0 and 3 know biology.
    expect(["model-0", "model-3"]).toContain(routes[0]!.pick);
    const shown = await runCommand("show", folder.path("one"));
    expect(shown.code).toBe(0);
    expect(shown.out).toMatch(/routing\.safetensors +\d+ +ok/);
  });

  test("goes by embeddings where they are given, and keeps no routes without names", async () => {
    const { code, out } = await fit("vectors", "--cold-start", cold, "--cold-embeddings", vectors);
    expect(code).toBe(0);
    expect(out).toContain("predicted from their embeddings");
    expect(out).toMatch(/\nroutes +none in the bundle: they need the models' names\n/);
    expect(Object.keys(filesOf(folder.path("vectors")))).not.toContain("routing.safetensors");
  });

  test("by neighbours: other parameters, said so, and the same routes", async () => {
    const { code, out } = await fit(
      "knn",
      ...["--cold-start", cold, "--include-model-names", "--cold-method", "weighted-knn", "--cold-k", "15"],
    );
    expect(code).toBe(0);
    expect(out).toContain("predicted from their texts as weighted means of the 15 nearest items\n");
    const [own, one] = [filesOf(folder.path("knn")), filesOf(folder.path("one"))];
    expect(own["routing.safetensors"]).toEqual(one["routing.safetensors"]);
    const [line, other] = [own, one].map(
      (files) => JSON.parse(files["cold-items.jsonl"]!.toString().split("\n")[0]!) as ColdItemRecord,
    );
    expect(Object.keys(line!)).toEqual(Object.keys(other!));
    expect(line!.b).not.toBe(other!.b);
    expect(line!.bError).toBeGreaterThan(0);
    expect(partOf(parseManifest(own["manifest.json"]!), coldStartPart)!.neighbours).toEqual({ k: 15, weighted: true });
    expect((await runCommand("show", folder.path("knn"))).out).toContain("as weighted means of the 15 nearest items\n");
  });

  test("changes nothing else of the bundle", async () => {
    await fit("plain", "--include-model-names");
    const [plain, own] = [filesOf(folder.path("plain")), filesOf(folder.path("one"))];
    for (const name of ["parameters.safetensors", "anchors.jsonl", "items.jsonl"])
      expect(own[name]).toEqual(plain[name]);
  });

  const write = (name: string, content: string): string => {
    writeFileSync(folder.path(name), content);
    return folder.path(name);
  };
  const item = (id: string, more = ""): string => `{"item_id":"${id}","scenario":"quiz"${more}}\n`;
  test.each<[string, () => string[], string]>([
    [
      "more neighbours than items",
      () => ["--cold-start", cold, "--cold-method", "knn", "--cold-k", "100"],
      "100 neighbours need more than 100 items with answers, quiz has 100: a smaller --cold-k, or --cold-method ridge",
    ],
    [
      "neighbours of a regression",
      () => ["--cold-start", cold, "--cold-k", "5"],
      "--cold-k is for --cold-method knn or weighted-knn",
    ],
    ["a method without items", () => ["--cold-method", "knn"], "--cold-method needs --cold-start, which isn't given"],
    ["items without a text", () => ["--cold-start", write("a.jsonl", item("new"))], '1 question has no text: "new"'],
    ["items with answers", () => ["--cold-start", items], "100 items with answers in the responses"],
    [
      "embeddings of unequal length",
      () => [
        ...["--cold-start", cold, "--cold-embeddings"],
        write("b.jsonl", '{"item_id":"a","embedding":[1,2]}\n{"item_id":"b","embedding":[1]}\n'),
      ],
      'item "b" has 1 numbers, the first one has 2',
    ],
    [
      "items without an embedding",
      () => ["--cold-start", write("c.jsonl", item("new")), "--cold-embeddings", vectors],
      '1 question has no embedding: "new"',
    ],
    [
      "embeddings without items",
      () => ["--cold-embeddings", vectors],
      "--cold-embeddings needs --cold-start, which isn't given",
    ],
    ["asymptotes", () => ["--cold-start", cold, "--set", "irt-model=3pl"], "not the asymptotes of 3pl"],
  ])("refuses %s with exit code 2, before the fit", async (_, more, message) => {
    const { code, err } = await fit("refused", ...more());
    expect(err).toContain(message);
    expect(code).toBe(2);
    expect(err).not.toContain("plain TypeScript");
    expect(existsSync(folder.path("refused"))).toBe(false);
  });
});
