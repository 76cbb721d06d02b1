import { readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { contentHash } from "anchoreval/bundle";
import { countAttempts } from "anchoreval/internal/logs/attempts";
import { type MetricValue, parseChoices } from "anchoreval/internal/logs/choices";
import { scoreValue } from "anchoreval/internal/logs/inspect/read-samples";
import type { LoggedSample, RunSamples } from "anchoreval/internal/logs/run-log";
import { harnessNamed } from "anchoreval/internal/node/logs/harnesses";
import { openZip } from "anchoreval/internal/node/logs/zip-entries";
import { strToU8, zipSync } from "fflate";
import { decompress } from "fzstd";
import { describe, expect, test } from "vitest";
import { countedSample } from "../../support/counted-sample.ts";
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
  const scores = samples.flatMap((own) => countedSample(own).score ?? []);
  return scores.reduce((sum, score) => sum + score, 0) / scores.length;
};

describe("a score's value is what Inspect's own metrics make of it; a word that they don't know stays one", () => {
  test.each<[unknown, MetricValue]>([
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
      [" 1 ", 1],
    ] as [unknown, number][]),
    ...["what?", "", "c", "correct", "50%", "1,5", "1_0", "0x1", "nan", " yes", "True\n", " C"].map(
      (word): [string, string] => [word, word],
    ),
    ...([
      [NaN, null],
      [null, null],
      [undefined, null],
    ] as [unknown, null][]),
    [[1, 0], undefined],
    [{ a: 1 }, undefined],
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
    expect(run.samples.filter((own) => countedSample(own).state === "scored")).toHaveLength(scored);
  });

  test("epochs are averaged, and said; a score that is NaN is none", async () => {
    const letters = await read(fixture("able-letters.eval"));
    expect(letters.samples).toHaveLength(6);
    expect(letters.remarks).toEqual(["scores are means over 3 epochs"]);
    const counted = letters.samples.map((own) => countedSample(own));
    expect(counted[0]).toMatchObject({ trials: [0, 0, 0], cost: { tokens: 264 } });
    for (const { trials, score } of counted) {
      expect(trials).toHaveLength(3);
      expect(trials!.reduce<number>((sum, own) => sum + own!, 0) / 3).toBeCloseTo(score!, 12);
    }
    expect(new Set(counted.map(({ score }) => (score! * 3).toFixed(6))).size).toBeGreaterThan(1);
    const graded = await read(fixture("able-chats.eval"), "graded");
    expect(graded.samples.flatMap(({ attempts }) => attempts).filter(({ score }) => score === null)).toMatchObject([
      { score: null },
    ]);
    expect(graded.samples.filter((own) => countedSample(own).state === "missing")).toHaveLength(1);
  });

  test("several scores without a choice are listed", async () => {
    expectRefusal(
      await rejection(read(fixture("able-chats.eval"))),
      "invalid_option",
      "chats has several scores: choose one with `metric`: includes, graded, several/length, several/polite",
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
    const error = { message: "time-out\nat line 7" };
    const samples = [
      ...run.samples,
      { id: 5, error },
      { id: 6, scores: { match: NaN } },
      { id: 7, scores: { match: "C" }, error },
    ];
    const path = json("cancelled", { status: "cancelled", samples });
    const { samples: found, remarks } = await read(path);
    expect(found.map(({ attempts }) => attempts)).toEqual([
      [{ score: 0 }],
      [{ score: 1 }],
      [{ score: 0 }],
      [{ score: 1 }],
      [{ score: null, failure: "time-out" }],
      [{ score: null }],
      [{ score: 1, failure: "time-out" }],
    ]);
    expect(remarks).toEqual(["it ended with the status cancelled; what it lacks is missing"]);
    expect((await inspect.find([path]))[0]!.broken).toBe("it ended with the status cancelled");
  });

  test("what a sample took: tokens of all models, its judge's too, seconds without waiting; what isn't logged is none", async () => {
    const sample = (
      epoch: number,
      tokens: Record<string, unknown>,
      seconds?: unknown,
    ): InspectRun["samples"][number] => {
      return { id: 1, epoch, scores: { match: "C" }, tokens, seconds };
    };
    const epochs = [sample(1, { "org/m": 90, "org/judge": 10 }, 2), sample(2, { "org/m": 300 }, 4), sample(3, {})];
    const { samples } = await read(json("took", { epochs: 3, samples: epochs }));
    expect(countedSample(samples[0]!)).toMatchObject({ trials: [1, 1, 1], cost: { tokens: 200, seconds: 3 } });
    const costs = async (path: string): Promise<unknown> =>
      (await read(path)).samples.map(({ attempts }) => attempts.map(({ cost }) => cost));
    const dollars = [sample(1, { a: { total_tokens: 5, total_cost: 0.25 }, b: { total_tokens: 7, total_cost: 0.5 } })];
    expect(await costs(json("dollars", { samples: dollars }))).toEqual([[{ tokens: 12, price: 0.75 }]]);
    const partly = [sample(1, { a: { total_tokens: 5, total_cost: 0.25 }, b: { total_tokens: 7, total_cost: null } })];
    expect(await costs(json("partly", { samples: partly }))).toEqual([[{ tokens: 12 }]]);
    const none = [sample(1, { "org/m": 0 }, 0)];
    expect((await read(json("took-none", { samples: none }))).samples[0]!.attempts[0]).not.toHaveProperty("cost");
    for (const [name, tokens, seconds, words] of [
      ["negative", { "org/m": -5 }, 1, "tokens of an answer are a number above 0, got -5"],
      ["backwards", {}, -2, "seconds of an answer are a number above 0, got -2"],
    ] as const) {
      const error = await rejection(read(json(name, { samples: [sample(1, tokens, seconds)] })));
      expectRefusal(error, "invalid_data", `sample 1: ${words}`);
    }
  });

  test.each([
    ["there twice", 2, [1, 1], "sample 1: epoch 1 is there twice"],
    ["beyond the header's", 2, [1, 2, 3], "sample 1: epoch 3 is beyond the 2 of the log's header"],
  ])("an epoch that is %s is refused", async (name, epochs, found, words) => {
    const samples = found.map((epoch) => ({ id: 1, epoch, scores: { match: "C" } }));
    const error = await rejection(read(json(name, { epochs, samples })));
    expectRefusal(error, "invalid_data", words);
    expect(error.issues[0]!.path.slice(1)).toEqual([1, "epoch"]);
  });

  test("of epochs only those that were scored count, unless those that failed are to be wrong", async () => {
    const epochs = [1, 2, 3].map((epoch) => ({
      id: "a",
      epoch,
      ...(epoch === 2 ? { error: { message: "429" } } : { scores: { match: epoch === 1 ? "C" : "P" } }),
    }));
    const { samples, remarks } = await read(json("epochs", { epochs: 3, samples: epochs }));
    expect(samples.map(({ attempts }) => attempts)).toEqual([
      [{ score: 1 }, { score: null, failure: "429" }, { score: 0.5 }],
    ]);
    for (const errors of ["harness", "missing"] as const)
      expect(countedSample(samples[0]!, errors)).toMatchObject({
        ...{ doc_id: "a", state: "scored", score: 0.75, trials: [1, null, 0.5] },
      });
    expect(countedSample(samples[0]!, "wrong")).toMatchObject({ score: 0.5, trials: [1, 0, 0.5] });
    expect(countAttempts(samples)).toEqual({ scored: 2, failed: 1, missing: 0, reasons: new Map([["429", 1]]) });
    expect(remarks).toEqual(["scores are means over 3 epochs"]);
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
    expect(found.remarks).toEqual(["it ended with the status started; what it lacks is missing"]);
  });

  test.each<[string, () => string, string]>([
    ["no log", () => folder.write("a.txt", ""), "an .eval or a .json file"],
    ["no JSON", () => folder.write("bad.json", "{"), "bad.json: it is not valid JSON"],
    ["other JSON", () => folder.write("other.json", '{"results": {}}'), "this is no log of Inspect"],
    ["a sample without an id", () => json("idless", { samples: [{ id: null as never }] }), "sample 1: it has no id"],
    [
      "scores outside [0,1]",
      () => json("large", { samples: [{ id: 1, scores: { match: 7 } }] }),
      "sample 1: match is 7: for scores that are not in [0,1] give `scoreRange`",
    ],
    ["no archive", () => folder.write("text.eval", "not a zip"), "text.eval: it is no zip archive, or cut short"],
  ])("refused: %s", async (_, path, words) => {
    expectRefusal(await rejection(read(path())), "invalid_data", words);
  });

  test("a log without samples is read; its reason stays", async () => {
    const path = json("empty", { status: "error", samples: [] });
    expect(await read(path)).toMatchObject({ task: "quiz", samples: [], remarks: [] });
    expect((await inspect.find([path]))[0]!.broken).toBe("it ended with the status error");
  });

  test("on another scale than [0,1] words and truths are no scores: named, and refused where there is nothing else", async () => {
    const readOf = async (values: unknown[]): Promise<RunSamples> => {
      const file = writeInspectLog(folder.path("scaled.json"), {
        ...{ model: "m", task: "quiz" },
        samples: values.map((match, id) => ({ id, scores: { match } })),
      });
      const none = parseChoices("metric", []);
      const [log] = await inspect.find([file]);
      return inspect.read(log!, { metric: none, filter: none, scoreRange: [0, 10] });
    };
    const { samples, remarks } = await readOf([5, "C", true, "yes", "2.5"]);
    expect(samples.map(({ attempts }) => attempts[0]!.score)).toEqual([0.5, null, null, null, 0.25]);
    const words = '3 values of match are no score on a scale of 0 to 10: "C" once, "true" once, "yes" once';
    expect(remarks).toEqual([`${words}; they count as missing`]);
    for (const value of ["C", true])
      expectRefusal(await rejection(readOf([value])), "invalid_data", "there is no score");
  });

  test("early logs have one score a sample, without its scorer's name", async () => {
    const log = inspectLog({ model: "m", task: "quiz", samples: [{ id: 0 }, { id: 1 }] });
    const samples = (log as { samples: object[] }).samples.map((own, k) => ({
      ...{ ...own, scores: undefined },
      score: { value: k === 0 ? "C" : "I", answer: "x", explanation: null },
    }));
    const run = await read(folder.write("early.json", JSON.stringify({ ...log, samples })));
    expect([run.metric, mean(run.samples)]).toEqual(["score", 0.5]);
    const none = samples.map((own) => ({ ...own, score: undefined }));
    expect((await read(folder.write("early.json", JSON.stringify({ ...log, samples: none })))).metric).toBe("");
  });

  test("samples that are marked as invalidated are counted", async () => {
    const log = inspectLog({
      model: "m",
      task: "quiz",
      samples: [0, 1, 2].map((id) => ({ id, scores: { match: 1 } })),
    });
    const marks = [{ author: "me", reason: "leaked" }, { author: "me" }, null];
    const samples = (log as { samples: object[] }).samples.map((own, k) => ({ ...own, invalidation: marks[k] }));
    const { remarks } = await read(folder.write("invalid.json", JSON.stringify({ ...log, samples })));
    expect(remarks).toEqual(["2 samples marked as invalidated count all the same"]);
  });

  test("a log that nobody scored has no metric, whatever is asked for, so that it doesn't count", async () => {
    const file = writeInspectLog(folder.path("unscored.json"), {
      ...{ model: "m", task: "quiz", status: "cancelled" },
      samples: [{ id: 1 }, { id: 2, error: { message: "timeout" } }],
    });
    for (const metric of [undefined, "match"]) {
      const { samples, ...run } = await read(file, metric);
      expect(run).toMatchObject({ metric: "", remarks: [expect.stringContaining("cancelled")] });
      expect(countAttempts(samples)).toMatchObject({ scored: 0, failed: 1, missing: 1 });
    }
  });

  test("a word that is no score is named, and refused where there is nothing else", async () => {
    const [right, ...others] = ["C", "correct", "c", "c"].map((match, id) => ({ id, scores: { match } }));
    const { samples, remarks } = await read(json("words", { samples: [right!, ...others] }));
    expect(samples.map((own) => countedSample(own).score)).toEqual([1, null, null, null]);
    expect(remarks).toEqual(['3 values of match are no score: "c" 2 times, "correct" once; they count as missing']);
    expectRefusal(
      await rejection(read(json("only-words", { samples: others }))),
      "invalid_data",
      'only-words.json: there is no score: 3 values of match are no score: "c" 2 times, "correct" once',
    );
  });

  test("a folder's other JSON is passed over; a folder without logs is refused", async () => {
    const nested = tempFolder();
    nested.write("notes.json", "{}");
    expectRefusal(await rejection(inspect.find([nested.path("")])), "invalid_data", "there is no log of Inspect");
    writeInspectLog(nested.path("log.json"), run);
    expect(await inspect.find([nested.path("")])).toHaveLength(1);
    expect((await inspect.find([nested.path("")], { modelName: "mine" }))[0]!.model).toBe("mine");
    const log = inspectLog(run);
    for (const broken of [
      [log, log],
      { ...log, eval: null },
      { ...log, eval: undefined },
      { status: "error", eval: [] },
    ]) {
      nested.write("broken.json", JSON.stringify(broken));
      const error = await rejection(inspect.find([nested.path("")]));
      expectRefusal(error, "invalid_data", "broken.json: this is no log of Inspect");
    }
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

  test("whatever byte is another, files are as they were packed, or refused", async () => {
    const path = folder.path("fuzzed.zip");
    for (let k = 0; k < archive.length; k++) {
      writeFileSync(path, archive.map((byte, at) => (at === k ? byte ^ (1 + ((k * 37) % 255)) : byte))); // prettier-ignore
      try {
        const zip = await openZip(path);
        try {
          for (const own of zip.names) expect(new Uint8Array(await zip.read(own))).toEqual(text);
        } finally {
          await zip.close();
        }
      } catch (error) {
        expect(error).toMatchObject({ name: "AnchorEvalError" });
      }
    }
  });

  test.each([
    ["unpacks to more than it says", 24, 5, "can't be unpacked"],
    ["says that it unpacks to 4 GB", 24, 0xfffffffe, "more than the 268435456 that are read"],
    ["says that it has 2 GB packed", 20, 0x7fffffff, "more than the 268435456 that are read"],
    ["says that it lies far behind the end", 42, 0x7fffffff, "cut short"],
  ])("a file that %s is refused, and no room is made for it", async (_, field, value, words) => {
    const bytes = zipSync({ "zeros.txt": [new Uint8Array(100_000), { level: 9 }] });
    const view = new DataView(bytes.buffer, bytes.byteOffset);
    let directory = 0;
    while (view.getUint32(directory, true) !== 0x02014b50) directory++;
    view.setUint32(directory + field, value, true);
    const path = folder.path("bomb.zip");
    writeFileSync(path, bytes);
    const zip = await openZip(path);
    expectRefusal(await rejection(zip.read("zeros.txt")), "invalid_data", words);
    await zip.close();
  });

  test("zstd is unpacked by Node where it can, else by what is given, else refused by name", async () => {
    const zip = await openZip(fixture("able-sums.eval"));
    const header = zip.read("header.json");
    if ("zstdDecompressSync" in (await import("node:zlib"))) expect((await header).length).toBeGreaterThan(100);
    else expectRefusal(await rejection(header), "unsupported", "by `unzstd`");
    await zip.close();
  });

  test("the largest fixture is small", () => {
    expect(readFileSync(fixture("able-letters.eval")).length).toBeLessThan(60_000);
  });
});
