import { AnchorEvalError } from "anchoreval/internal/core/errors";
import { setTimeout as wait } from "node:timers/promises";
import { pathToFileURL } from "node:url";
import { describe, expect, test } from "vitest";
import {
  type CallersThread,
  runOnThreads,
  type ThreadsOptions,
} from "../../../offline-trainer/src/threads/run-on-threads.ts";
import { expectRefusal, rejection } from "../../support/refusal.ts";
import { tempFolder } from "../../support/temp-folder.ts";

const folder = tempFolder();

/** A thread's script, on the built package. */
function script(name: string, body: string): URL {
  const built = new URL("../../../offline-trainer/dist/offline-trainer/src/threads/run-on-threads.js", import.meta.url);
  const core = new URL("../../../sdk/dist/sdk/core/errors.js", import.meta.url);
  const lines = [
    'import { threadId } from "node:worker_threads";',
    'import { setTimeout as wait } from "node:timers/promises";',
    `import { AnchorEvalError } from "${core.href}";`,
    `import { answerInputs, threadData, uninterrupted } from "${built.href}";`,
    body,
  ];
  folder.write(`${name}.mjs`, lines.join("\n"));
  return pathToFileURL(folder.path(`${name}.mjs`));
}

const run = <Output, Note = never>(
  body: string,
  inputs: readonly unknown[],
  change: Partial<ThreadsOptions<Output, Note>> = {},
): Promise<Output[]> =>
  runOnThreads(script(`script ${body.length}`, body), inputs, { threads: 2, work: "the test", ...change });

describe("outputs", () => {
  test.each([1, 2, 9])("come in the order of the inputs, whoever is done first, on %d threads", async (threads) => {
    const inputs = [30, 0, 20, 10, 0];
    const done: number[] = [];
    const outputs = await run<number>("answerInputs(async (ms) => (await wait(ms), ms + threadData().plus));", inputs, {
      threads,
      data: { plus: 1 },
      onDone: (count) => done.push(count),
    });
    expect({ outputs, done }).toEqual({ outputs: inputs.map((ms) => ms + 1), done: [1, 2, 3, 4, 5] });
  });

  test("of no inputs are none, by no thread", async () => {
    expect(await run("throw new Error('started');", [])).toEqual([]);
  });

  test("are computed by as many threads as there are, the first inputs first; who is done takes the next", async () => {
    const outputs = await run<[number, number]>(
      "const begun = []; answerInputs(async (ms) => (begun.push(ms), await wait(ms), [threadId, begun.length]));",
      [400, 0, 0, 0],
    );
    const [long, ...short] = outputs;
    expect(new Set(short.map(([thread]) => thread)).size).toBe(1);
    expect(short.map(([, place]) => place)).toEqual([1, 2, 3]);
    expect(long).not.toEqual(short[0]);
  });

  test("may be preceded by notes, each with its input's index", async () => {
    const notes: [number, string][] = [];
    await run<null, string>(
      "answerInputs((text, say) => { say(text + 1); say(text + 2); return null; });",
      ["a", "b"],
      {
        threads: 1,
        onNote: (index, note) => notes.push([index, note]),
      },
    );
    expect(notes).toEqual([
      [0, "a1"],
      [0, "a2"],
      [1, "b1"],
      [1, "b2"],
    ]);
  });

  test("are computed in memory that is shared, where it is", async () => {
    const cells = new Uint8Array(new SharedArrayBuffer(3));
    await run("answerInputs((at) => void (threadData()[at] = 10 + at));", [0, 1, 2], { data: cells });
    expect([...cells]).toEqual([10, 11, 12]);
  });
});

test("the longest inputs begin first; outputs, notes and counts are the inputs' all the same", async () => {
  const begun: number[] = [];
  const body = "answerInputs((input, say) => { say('begun'); return 10 * input; });";
  const outputs = await run<number, string>(body, [1, 3, 2], {
    threads: 1,
    cost: (index) => [1, 3, 2][index]!,
    onNote: (index) => begun.push(index),
  });
  expect({ outputs, begun }).toEqual({ outputs: [10, 30, 20], begun: [1, 2, 0] });
});

test("a thread asks its caller: answers and refusals come back to the question", async () => {
  const body = `answerInputs(async (input, say, ask) => {
    const both = await Promise.all([ask(input), ask(input + 1)]);
    const refused = await ask("no").catch((error) => error.code);
    return [...both, refused];
  });`;
  const onAsk = (index: number, question: unknown): Promise<string> =>
    question === "no"
      ? Promise.reject(new AnchorEvalError("unavailable", "no"))
      : Promise.resolve(`${index}: ${String(question)}`);
  expect(await run<unknown[]>(body, [1, 5], { threads: 2, onAsk })).toEqual([
    ["0: 1", "0: 2", "unavailable"],
    ["1: 5", "1: 6", "unavailable"],
  ]);
});

describe("the caller's thread", () => {
  const slow = "answerInputs(async (ms) => (await wait(ms), 'there'));";
  const here = (compute: CallersThread<string, never>["compute"], free: Promise<unknown> = Promise.resolve()) => ({
    caller: { free, compute },
  });

  test("takes inputs once it is free, and no other's", async () => {
    const outputs = await run<string>(slow, [1000, 0, 0, 0], {
      threads: 1,
      ...here((index) => Promise.resolve(`here ${index}`)),
    });
    expect(outputs).toEqual(["there", "here 1", "here 2", "here 3"]);
  });

  test("ends with the others' error, and they with its", async () => {
    let stopped = false;
    const waits = (_: number, __: unknown, signal: AbortSignal): Promise<string> =>
      wait(60_000, "", { signal }).catch(() => ((stopped = true), ""));
    await expect(run("answerInputs(() => { throw new Error('there'); });", [1, 2], { threads: 1, ...here(waits) })).rejects.toThrow("there"); // prettier-ignore
    expect(stopped).toBe(true);
    await expect(run(slow, [60_000, 1], { threads: 1, ...here(() => Promise.reject(new Error("here"))) })).rejects.toThrow("here"); // prettier-ignore
  });
});

describe("an error", () => {
  test("keeps its code, its words and its issues, and ends the others", async () => {
    const issues = [{ path: ["a", 1], code: "wrong", message: "it is wrong" }];
    const began = performance.now();
    const error = await rejection(
      run(
        `answerInputs(async (ms) => {
          await wait(ms);
          throw new AnchorEvalError("invalid_data", "no good", { issues: ${JSON.stringify(issues)} });
        });`,
        [60_000, 0],
      ),
    );
    expectRefusal(error, "invalid_data", "no good");
    expect(error).toMatchObject({ issues });
    expect(performance.now() - began).toBeLessThan(20_000);
  });

  test("of another kind keeps its name, its words and its stack", async () => {
    await expect(run("answerInputs(() => threadData().nothing());", [1], { data: {} })).rejects.toMatchObject({
      name: "TypeError",
      message: "threadData(...).nothing is not a function",
      stack: expect.stringContaining(".mjs") as string,
    });
  });

  test("that is none comes out in words", async () => {
    await expect(run("answerInputs(() => { throw 'text'; });", [1])).rejects.toThrow("text");
  });

  test.each([
    ["a script that breaks", "throw new RangeError('at once');", "at once"],
    ["an output that can't be sent", "answerInputs(() => () => 1);", "could not be cloned"],
    ["a thread that ends", "answerInputs(() => process.exit(3));", "a thread of the test ended with status 3"],
  ])("is thrown for %s", async (_, body, words) => {
    await expect(run(body, [1, 2, 3])).rejects.toThrow(words);
  });
});

describe("an abort", () => {
  const slow = "answerInputs(async (ms) => (await wait(ms), ms));";

  test("beforehand starts nothing", async () => {
    const refused = run("throw new Error('started');", [1], { signal: AbortSignal.abort() });
    expectRefusal(await rejection(refused), "aborted", "the test was interrupted");
  });

  test("in between ends threads amid their work; nothing is counted after it", async () => {
    const controller = new AbortController();
    let count = 0;
    const onDone = (done: number): void => {
      count = done;
      controller.abort();
    };
    const began = performance.now();
    const refused = run(slow, [60_000, 0, 0, 0], { signal: controller.signal, onDone });
    expectRefusal(await rejection(refused), "aborted", "the test was interrupted");
    expect(count).toBe(1);
    expect(performance.now() - began).toBeLessThan(20_000);
  });

  test("waits for what must not be ended amid, and lets nothing more of it begin", async () => {
    const sections = new Int32Array(new SharedArrayBuffer(8));
    const controller = new AbortController();
    const body = `answerInputs(async (_, say) => {
      const section = () => uninterrupted(async () => {
        Atomics.add(threadData(), 0, 1);
        say(null);
        await wait(300);
        Atomics.add(threadData(), 1, 1);
      });
      await section();
      await section();
    });`;
    const refused = run(body, [1, 2], { signal: controller.signal, data: sections, onNote: () => controller.abort() });
    expectRefusal(await rejection(refused), "aborted", "the test was interrupted");
    expect(sections[0]).toBeGreaterThan(0);
    expect(sections[1]).toBe(sections[0]);
    expect(sections[0]).toBeLessThanOrEqual(2);
  });

  test("afterwards is none", async () => {
    const controller = new AbortController();
    expect(await run(slow, [0], { signal: controller.signal })).toEqual([0]);
    controller.abort();
  });
});
