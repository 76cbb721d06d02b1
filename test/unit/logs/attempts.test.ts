import { attemptFailure } from "anchoreval/internal/logs/attempts";
import { eeeLines, readEeeSamples } from "anchoreval/internal/features/eee/sdk";
import { readHelmSamples } from "anchoreval/internal/features/helm/sdk";
import { readInspectHeader } from "anchoreval/internal/logs/inspect/read-header";
import { readInspectSamples } from "anchoreval/internal/logs/inspect/read-samples";
import { readLightevalDetails } from "anchoreval/internal/features/lighteval/sdk";
import { LmEvalSampleReader } from "anchoreval/internal/logs/lm-eval/read-samples";
import type { RunSamples } from "anchoreval/internal/logs/run-log";
import { describe, expect, test } from "vitest";
import { inspectLog } from "../../support/inspect-logs.ts";

const options = { file: "log", task: "quiz" };

describe("why no answer came back", () => {
  const none = [undefined, null, false, "", 0, {}, [], { code: null, message: null }];
  const errors: [unknown, string][] = [
    ["rate limit\nat …", "rate limit"],
    [{ code: 429, message: "rate limit" }, "rate limit"],
    [{ code: 429 }, '{"code":429}'],
    [true, "true"],
    [["late"], '["late"]'],
  ];
  const answers: [unknown, string | null][] = [
    [undefined, null],
    [[undefined], null],
    ["x", null],
    [["", "x"], null],
    [" ", null],
    ["", "an empty answer"],
    [null, "an empty answer"],
    [[[""], [null]], "an empty answer"],
    [[], "no answer"],
    [[[]], "no answer"],
  ];

  test.each(answers)("answers %j: %s; an error goes before", (answer, failure) => {
    for (const error of none) expect(attemptFailure(answer, error)).toBe(failure);
    for (const [error, words] of errors) expect(attemptFailure(answer, error)).toBe(words);
  });
});

type Read = (answers: unknown, error?: unknown) => RunSamples | Promise<RunSamples>;

/** One sample by each reader, scored 0. */
const READERS: Record<string, Read> = {
  "lm-eval": (resps) => {
    const reader = new LmEvalSampleReader(options);
    reader.add(JSON.stringify({ doc_id: 0, doc: {}, target: "x", resps, filter: "none", metrics: ["acc"], acc: 0 }));
    return reader.finish();
  },
  inspect: (answers, error) => {
    const log = inspectLog({ model: "m", task: "quiz", samples: [{ id: 1, scores: { match: 0 } }] });
    const completion = Array.isArray(answers) ? (answers as unknown[]).join("") : answers;
    const { samples } = log as { samples: object[] };
    const output = { choices: [], completion, ...(error !== undefined && { error }) };
    return readInspectSamples(readInspectHeader(log, "log"), [{ ...samples[0], output }], options);
  },
  helm: (answers, error) => {
    const stats = [{ name: { name: "em", split: "test" }, mean: 0 }];
    const result = {
      ...{ success: error === undefined, error },
      completions: Array.isArray(answers) ? answers.map((text: unknown) => ({ text })) : undefined,
    };
    return readHelmSamples(
      [{ instance_id: "id0", train_trial_index: 0, stats }],
      { request_states: [{ instance: { id: "id0", split: "test" }, train_trial_index: 0, result }] },
      { ...options, group: "quiz" },
    );
  },
  lighteval: (text) =>
    readLightevalDetails(
      [{ doc: { id: "0", query: "?" }, metric: { acc: 0 }, model_response: { text, logprobs: [] } }],
      options,
    ),
  eee: (raw, error) => {
    const record = { model_id: "m", evaluation_name: "quiz", sample_id: "0", evaluation: { score: 0 } };
    const lines = [JSON.stringify({ ...record, output: { raw }, error })];
    // eslint-disable-next-line @typescript-eslint/require-await -- one batch of lines
    async function* batch(): AsyncGenerator<{ first: number; lines: string[] }> {
      yield { first: 1, lines };
    }
    return readEeeSamples(eeeLines("log", batch()), new Map(), options);
  },
};

describe.each(Object.entries(READERS))("an attempt as %s logs it", (name, read) => {
  const failureOf = async (answers: unknown, error?: unknown): Promise<string | null> =>
    (await read(answers, error)).samples[0]!.attempts[0]!.failure ?? null;

  test("failed where nothing came back, or an error did; not where an answer came back or isn't logged", async () => {
    expect(await failureOf([""])).toBe("an empty answer");
    expect(await failureOf([])).toMatch(/^(no|an empty) answer$/);
    expect(await failureOf(["x"])).toBeNull();
    expect(await failureOf(undefined)).toBeNull();
    if (!["inspect", "helm", "eee"].includes(name)) return;
    expect(await failureOf(["x"], "content filter")).toBe("content filter");
    expect(await failureOf([""], { code: 429, message: "rate limit" })).toBe("rate limit");
  });
});
