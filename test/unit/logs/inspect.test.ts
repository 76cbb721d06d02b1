import { readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { contentHash } from "anchoreval/bundle";
import { parseChoices } from "anchoreval/internal/logs/choices";
import { scoreValue } from "anchoreval/internal/logs/inspect/read-samples";
import type { LoggedSample, RunSamples } from "anchoreval/internal/logs/run-log";
import { harnessNamed } from "anchoreval/internal/node/harnesses";
import { openZip } from "anchoreval/internal/node/zip-entries";
import { strToU8, zipSync } from "fflate";
import { decompress } from "fzstd";
import { describe, expect, test } from "vitest";
import { inspectLog, writeInspectLog, type InspectRun } from "../../support/inspect-logs.ts";
import { expectRefusal, rejection } from "../../support/refusal.ts";
import { tempFolder } from "../../support/temp-folder.ts";

const fixture = (name: string): string => fileURLToPath(new URL(`../../fixtures/inspect/${name}`, import.meta.url));
const folder = tempFolder();
const inspect = harnessNamed("inspect", { unzstd: decompress });

async function read(file: string, metric?: string): Promise<RunSamples> {
  const [log] = await inspect.find([file]);
  return inspect.read(log!, {
    metric: parseChoices("metric", metric === undefined ? [] : [metric]),
    filter: parseChoices("filter", []),
  });
}
const mean = (samples: readonly LoggedSample[]): number => {
  const scores = samples.flatMap(({ score }) => score ?? []);
  return scores.reduce((sum, score) => sum + score, 0) / scores.length;
};

describe("a score's value is what Inspect's own metrics make of it", () => {
  test.each<[unknown, number | null]>([
    ...([
      ["C", 1],
      ["I", 0],
      ["P", 0.5],
      ["N", 0],
    ] as [string, number][]),
    ...([
      [true, 1],
      [false, 0],
      [0.25, 0.25],
      [-3, -3],
      ["0.75", 0.75],
      ["Yes", 1],
      ["no", 0],
      ["TRUE", 1],
    ] as [unknown, number][]),
    ["what?", 0],
    ["", 0],
    ...([
      [NaN, null],
      [null, null],
      [[1, 0], null],
      [{ a: 1 }, null],
      [undefined, null],
    ] as [unknown, null][]),
  ])("%j is %j", (value, score) => {
    expect(scoreValue(value)).toBe(score);
  });
});

describe("logs that Inspect 0.3.285 wrote (test/fixtures/inspect)", () => {
  test.each([
    ["able-sums.eval", undefined, 12],
    ["weak-sums.eval", undefined, 12],
    ["able-letters.eval", undefined, 6],
    ["able-chats.eval", "includes", 6],
    ["able-chats.eval", "graded", 5],
    ["able-chats.eval", "several/length", 6],
    ["able-chats.eval", "several/polite", 6],
  ])("%s: the mean of %s is its own, to 1e-12", async (name, metric, scored) => {
    const [log] = await inspect.find([fixture(name)]);
    const run = await read(fixture(name), metric);
    const own = log!.results!.tasks.get(log!.task)!.aggregates.get(`${run.metric},${run.filter}`);
    expect(mean(run.samples)).toBeCloseTo(own!, 12);
    expect(run.samples.filter(({ state }) => state === "scored")).toHaveLength(scored);
  });

  test("epochs are averaged, and said; a score that is NaN is none", async () => {
    const letters = await read(fixture("able-letters.eval"));
    expect(letters.samples).toHaveLength(6);
    expect(letters.remarks).toEqual([`${fixture("able-letters.eval")}: scores are means over 3 epochs`]);
    for (const { trials, score } of letters.samples) {
      expect(trials).toHaveLength(3);
      expect(trials!.reduce<number>((sum, own) => sum + own!, 0) / 3).toBeCloseTo(score!, 12);
    }
    expect(new Set(letters.samples.map(({ score }) => (score! * 3).toFixed(6))).size).toBeGreaterThan(1);
    const graded = await read(fixture("able-chats.eval"), "graded");
    expect(graded.samples.filter(({ state }) => state === "unscored").map(({ score }) => score)).toEqual([null]);
  });

  test("several scores without a choice are listed", async () => {
    expectRefusal(
      await rejection(read(fixture("able-chats.eval"))),
      "invalid_option",
      "chats has several scores: choose one with --metric: includes, graded, several/length, several/polite",
    );
    expectRefusal(
      await rejection(read(fixture("able-sums.eval"), "f1")),
      "invalid_option",
      "no score f1: this log has includes",
    );
  });

  test("content is the dataset's: input, choices, target, for both models the same", async () => {
    const [able, weak] = [await read(fixture("able-sums.eval")), await read(fixture("weak-sums.eval"))];
    expect(able.samples.map(({ hash }) => hash)).toEqual(weak.samples.map(({ hash }) => hash));
    const { hash, text } = able.samples.find(({ doc_id: id }) => id === "sum-3")!;
    expect(hash).toBe(contentHash({ input: "What is 3 + 3?", target: "6" }));
    expect(text).toBe("What is 3 + 3?");
    const letters = await read(fixture("able-letters.eval"));
    expect(letters.samples[0]).toMatchObject({
      hash: contentHash({ input: "Which letter is number 0?", choices: ["a", "b", "c", "d"], target: "A" }),
      text: "Which letter is number 0?\na\nb\nc\nd",
    });
    const chats = await read(fixture("able-chats.eval"), "graded");
    expect(chats.samples[0]!.hash).toBe(
      contentHash({
        input: '[{"content":"Be short.","role":"system"},{"content":"Say 1.","role":"user"}]',
        target: ["1", "1."],
      }),
    );
  });

  test("the protocol: task version, solver, versions", async () => {
    const [log] = await inspect.find([fixture("able-letters.eval")]);
    expect(log).toMatchObject({ model: "mockllm/able", task: "letters" });
    expect(log!.results).toMatchObject({ harnessVersion: "0.3.285", solver: "multiple_choice()" });
    const [sums] = await inspect.find([fixture("able-sums.eval")]);
    expect(sums!.results!.tasks.get("sums")).toMatchObject({ version: "2", documents: { all: 12, run: 12 } });
  });

  test("the same as JSON, as `inspect log convert --to json` writes it", async () => {
    const zip = await openZip(fixture("weak-sums.eval"), decompress);
    const parsed = async (name: string): Promise<object> =>
      JSON.parse(new TextDecoder().decode(await zip.read(name))) as object;
    const samples = await Promise.all(zip.names.filter((name) => name.startsWith("samples/")).map(parsed));
    const path = folder.write("weak.json", JSON.stringify({ ...(await parsed("header.json")), samples }));
    await zip.close();
    expect((await read(path)).samples).toEqual((await read(fixture("weak-sums.eval"))).samples);
  });
});

const run: InspectRun = {
  model: "mock/m",
  task: "quiz",
  samples: [1, 2, 3, 4].map((id) => ({ id, scores: { match: id % 2 === 0 ? "C" : "I" } })),
};
const json = (name: string, more: Partial<InspectRun>): string =>
  writeInspectLog(folder.path(`${name}.json`), { ...run, ...more });

describe("what can go wrong in a run", () => {
  test("a run that broke off says so; what it lacks is missing, an error is no wrong answer", async () => {
    const samples = [...run.samples, { id: 5, error: { message: "time-out" } }, { id: 6, scores: { match: NaN } }];
    const { samples: found, remarks } = await read(json("cancelled", { status: "cancelled", samples }));
    expect(found.map(({ state, score }) => [state, score])).toEqual([
      ["scored", 0],
      ["scored", 1],
      ["scored", 0],
      ["scored", 1],
      ["errored", null],
      ["unscored", null],
    ]);
    expect(remarks[0]).toMatch(/cancelled\.json: the run ended with the status cancelled: what it lacks is missing$/);
  });

  test("of epochs only those that were scored count", async () => {
    const epochs = [1, 2, 3].map((epoch) => ({
      id: "a",
      epoch,
      ...(epoch === 2 ? { error: {} } : { scores: { match: epoch === 1 ? "C" : "P" } }),
    }));
    const { samples, remarks } = await read(json("epochs", { epochs: 3, samples: epochs }));
    expect(samples).toMatchObject([{ doc_id: "a", state: "scored", score: 0.75, trials: [1, null, 0.5] }]);
    expect(remarks.join("\n")).toContain("1 epochs of samples ended in an error and don't count");
  });

  test("an .eval without its header is one that broke off", async () => {
    const { eval: own, plan, samples } = inspectLog(run) as Record<string, unknown>;
    const start = strToU8(JSON.stringify({ version: 2, eval: own, plan }));
    const files = Object.fromEntries(
      (samples as object[]).map((sample, k) => [`samples/${k}_epoch_1.json`, strToU8(JSON.stringify(sample))]),
    );
    const path = folder.path("broken-off.eval");
    writeFileSync(path, zipSync({ "_journal/start.json": start, ...files }));
    const found = await read(path);
    expect(found.samples).toHaveLength(4);
    expect(found.remarks[0]).toContain("status started");
  });

  test.each<[string, () => string, string]>([
    ["no log", () => folder.write("a.txt", ""), "an .eval or a .json file"],
    ["no JSON", () => folder.write("bad.json", "{"), "bad.json: it is not valid JSON"],
    ["other JSON", () => folder.write("other.json", '{"results": {}}'), "this is no log of Inspect"],
    ["a log without samples", () => json("empty", { samples: [] }), "the log has no samples"],
    ["a sample without an id", () => json("idless", { samples: [{ id: null as never }] }), "sample 1 has no id"],
    [
      "scores outside [0,1]",
      () => json("large", { samples: [{ id: 1, scores: { match: 7 } }] }),
      "sample 1: match is 7: for scores that are not in [0,1] give --score-range",
    ],
    ["no archive", () => folder.write("text.eval", "not a zip"), "text.eval: it is no zip archive, or cut short"],
  ])("refused: %s", async (_, path, words) => {
    expectRefusal(await rejection(read(path())), "invalid_data", words);
  });

  test("a folder's other JSON is passed over; a folder without logs is refused", async () => {
    const nested = tempFolder();
    nested.write("notes.json", "{}");
    expectRefusal(await rejection(inspect.find([nested.path("")])), "invalid_data", "there is no log of Inspect");
    writeInspectLog(nested.path("log.json"), run);
    expect(await inspect.find([nested.path("")])).toHaveLength(1);
    expect((await inspect.find([nested.path("")], { modelName: "mine" }))[0]!.model).toBe("mine");
  });
});

describe("zip archives", () => {
  const text = strToU8("the same text again and again and again");
  const archive = zipSync({ "stored.txt": [text, { level: 0 }], "é/deflated.txt": [text, { level: 9 }] });

  test("stored and deflated files are read by name", async () => {
    const path = folder.path("good.zip");
    writeFileSync(path, archive);
    const zip = await openZip(path);
    expect(zip.names).toEqual(["stored.txt", "é/deflated.txt"]);
    for (const name of zip.names) expect(new Uint8Array(await zip.read(name))).toEqual(text);
    await zip.close();
  });

  test("any damage is found: cut short, a flipped byte", async () => {
    for (const [name, bytes] of [
      ["cut", archive.subarray(0, archive.length - 9)],
      ["flipped", archive.map((byte, k) => (k === 45 ? byte ^ 1 : byte))],
      ["directory", archive.map((byte, k) => (k === archive.length - 6 ? byte ^ 1 : byte))],
    ] as const) {
      const path = folder.path(`${name}.zip`);
      writeFileSync(path, bytes);
      const error = await rejection(
        (async () => {
          const zip = await openZip(path);
          try {
            for (const own of zip.names) await zip.read(own);
          } finally {
            await zip.close();
          }
        })(),
      );
      expect(error.code, name).toBe("invalid_data");
    }
  });

  test("zstd is unpacked by Node where it can, else by what is given, else refused by name", async () => {
    const zip = await openZip(fixture("able-sums.eval"));
    const header = zip.read("header.json");
    if ("zstdDecompressSync" in (await import("node:zlib"))) expect((await header).length).toBeGreaterThan(100);
    else expectRefusal(await rejection(header), "unsupported", "npx anchoreval-trainer estimate");
    await zip.close();
  });

  test("the largest fixture is small", () => {
    expect(readFileSync(fixture("able-letters.eval")).length).toBeLessThan(60_000);
  });
});
