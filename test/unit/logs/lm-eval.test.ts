import { contentHash } from "anchoreval/bundle";
import type { SampleOptions } from "anchoreval/internal/logs/score-rows";
import { describe, expect, it } from "vitest";
import { countedSample } from "../../support/counted-sample.ts";
import { readLmEvalSamples } from "../../support/lm-eval-samples.ts";
import { expectRefusal, refusal } from "../../support/refusal.ts";

const FILE = "samples_t_2026-01-01T00-00-00.jsonl";

function line(doc_id: number, fields: Record<string, unknown> = {}): string {
  return JSON.stringify({
    doc_id,
    doc: { question: `Q${doc_id}`, answer: 1 },
    target: "1",
    arguments: { gen_args_0: { arg_0: `few shots\n\nQ${doc_id}`, arg_1: " yes" } },
    resps: [[["-1.5", "False"]]],
    filtered_resps: [["-1.5", "False"]],
    filter: "none",
    metrics: ["acc"],
    doc_hash: "d",
    prompt_hash: "p",
    target_hash: "t",
    acc: 1,
    ...fields,
  });
}

function read(lines: readonly string[], options: Partial<SampleOptions> = {}): ReturnType<typeof readLmEvalSamples> {
  return readLmEvalSamples(lines, { file: FILE, task: "t", ...options });
}

/** Scores as they count. */
function scoresOf({ samples }: ReturnType<typeof read>): (number | null)[] {
  return samples.map((own) => countedSample(own).score);
}

describe("the samples", () => {
  it("have task, document, one attempt, text and the hash of the document, not of the prompt", () => {
    const { samples, metric, filter } = read([line(0), line(7, { acc: 0, arguments: {} }), ""]);
    expect({ metric, filter }).toEqual({ metric: "acc", filter: "none" });
    expect(samples).toEqual([
      { task: "t", doc_id: 0, attempts: [{ score: 1 }], text: "Q0", hash: hash(0) },
      { task: "t", doc_id: 7, attempts: [{ score: 0 }], text: "Q7", hash: hash(7) },
    ]);
    function hash(id: number): string {
      return contentHash({ input: `{"answer":1,"question":"Q${id}"}`, target: "1" });
    }
  });

  it("hash the same whatever the order of the document's fields, and otherwise where target or document differ", () => {
    const hashes = [
      line(0),
      line(0, { doc: { answer: 1, question: "Q0" } }),
      line(0, { target: "2" }),
      line(0, { doc: { question: "Q0", answer: 2 } }),
    ].map((text) => read([text]).samples[0]!.hash);
    expect(hashes[1]).toBe(hashes[0]);
    expect(new Set(hashes).size).toBe(3);
  });

  it("have no hash where the log lacks the documents", () => {
    expect(read([line(0, { doc: undefined })]).samples).toEqual([
      { task: "t", doc_id: 0, attempts: [{ score: 1 }], hash: null, text: null },
    ]);
  });

  it("are scored from numbers and truth values", () => {
    expect(scoresOf(read([line(0, { acc: true }), line(1, { acc: 0.25 })]))).toEqual([1, 0.25]);
  });

  it("have no score where the metric is NaN, null or left out", () => {
    const nan = line(0).replace('"acc":1', '"acc":NaN');
    const { samples } = read([nan, line(1, { acc: null }), line(2, { metrics: [], acc: undefined }), line(3)]);
    expect(samples.map(({ attempts }) => attempts)).toEqual([
      [{ score: null }],
      [{ score: null }],
      [{ score: null }],
      [{ score: 1 }],
    ]);
  });

  it("failed where no response came back, and keep the harness's score", () => {
    const { samples } = read([line(0, { resps: [[""], ["None"]], acc: 0 }), line(1, { resps: [[""], ["yes"]] })]);
    expect(samples.map(({ attempts }) => attempts)).toEqual([
      [{ score: 0, failure: "an empty answer" }],
      [{ score: 1 }],
    ]);
  });

  it("are rescaled, and flipped where lower is better", () => {
    const lines = [line(0, { acc: 25 }), line(1, { acc: 100 })];
    expect(scoresOf(read(lines, { scoreRange: [0, 100] }))).toEqual([0.25, 1]);
    expect(scoresOf(read(lines, { scoreRange: [100, 0] }))).toEqual([0.75, 0]);
  });
});

describe("metrics", () => {
  const both = { metrics: ["acc", "acc_norm"], acc_norm: 0 };

  it("must be chosen where there are several", () => {
    expectRefusal(
      refusal(() => read([line(0, both)])),
      "invalid_option",
      "`metric`: acc, acc_norm",
    );
    expect(scoresOf(read([line(0, both)], { metric: "acc_norm" }))).toEqual([0]);
  });

  it("that are not there are refused with those that are", () => {
    expectRefusal(
      refusal(() => read([line(0)], { metric: "f1" })),
      "invalid_option",
      "t has no metric f1: this log has acc",
    );
  });

  it("of the whole corpus are refused by name, with the reason", () => {
    const mcc = line(0, { metrics: ["acc", "mcc"], mcc: [0, 1] });
    expect(read([mcc]).metric).toBe("acc");
    expectRefusal(
      refusal(() => read([mcc], { metric: "mcc" })),
      "unsupported",
      "mcc is computed from the counts",
    );
    const perplexity = line(0, { metrics: ["perplexity"], perplexity: -3.5 });
    expectRefusal(
      refusal(() => read([perplexity])),
      "unsupported",
      "perplexity is the exponent or rate of a sum",
    );
    const pairs = line(0, { metrics: ["odd"], odd: [1, 2] });
    expectRefusal(
      refusal(() => read([pairs])),
      "unsupported",
      "odd is logged as several values for a document",
    );
  });

  it("aren't chosen by one broken value: it is missing and named", () => {
    const both = { metrics: ["acc", "acc_norm"], acc_norm: 1 };
    expectRefusal(
      refusal(() => read([line(0, { ...both, acc: [1] }), line(1, both)])),
      "invalid_option",
      "t has several metrics: choose one with `metric`: acc, acc_norm",
    );
    const run = read([line(0, { acc: [1] }), line(1), line(2, { acc: {} }), line(3, { acc: false })]);
    expect(scoresOf(run)).toEqual([null, 1, null, 0]);
    expect(run.remarks).toEqual(['2 values of acc are no score: "a list or an object" 2 times; they count as missing']);
  });

  it("are judged by the task's own aggregation where the results file names it", () => {
    const f1 = line(0, { metrics: ["f1"], f1: 0.5 });
    expect(read([f1]).metric).toBe("f1");
    const results = { ...task(), aggregations: new Map([["f1", "f1"]]) };
    expectRefusal(
      refusal(() => read([f1], { results })),
      "unsupported",
      "f1 is computed from the counts",
    );
  });

  it("for which lower is better need a range", () => {
    const results = { ...task(), higherIsBetter: new Map([["acc", false]]) };
    expectRefusal(
      refusal(() => read([line(0)], { results })),
      "unsupported",
      "lower is better for acc: give `scoreRange` worst,best",
    );
    expect(scoresOf(read([line(0)], { results, scoreRange: [1, 0] }))).toEqual([0]);
  });
});

describe("filters", () => {
  const lines = [
    line(0, { filter: "strict", acc: 0 }),
    line(1, { filter: "strict", acc: 0 }),
    line(0, { filter: "loose" }),
    line(1, { filter: "loose" }),
  ];

  it("must be chosen where there are several", () => {
    expectRefusal(
      refusal(() => read(lines)),
      "invalid_option",
      "`filter`: strict, loose",
    );
    expectRefusal(
      refusal(() => read(lines, { filter: "x" })),
      "invalid_option",
      "has no filter x: this log has strict, loose",
    );
    expect(scoresOf(read(lines, { filter: "loose" }))).toEqual([1, 1]);
    expect(scoresOf(read(lines, { metric: "acc,strict" }))).toEqual([0, 0]);
  });

  it("that old logs don't name are told by the results file's order", () => {
    const old = lines.map((text) =>
      JSON.stringify({ ...(JSON.parse(text) as object), filter: undefined, metrics: undefined }),
    );
    const results = { ...task(), filters: ["strict", "loose"] };
    expect(scoresOf(read(old, { filter: "loose", results }))).toEqual([1, 1]);
    expectRefusal(
      refusal(() => read(old, { filter: "loose" })),
      "invalid_data",
      "2 times, once for each filter",
    );
    expect(read(old.slice(0, 2)).filter).toBe("none");
  });
});

describe("bad lines are named by file and line", () => {
  it.each([
    ["{", "malformed_json", "line 2: the line is not valid JSON"],
    ["[]", "wrong_type", "line 2: the line is not a JSON object"],
    [line(1, { doc_id: "1" }), "invalid_value", "line 2: doc_id must be a whole number"],
    [line(1, { doc_id: 1.5 }), "invalid_value", "line 2: doc_id must be a whole number"],
    [line(1, { filter: 3 }), "wrong_type", "line 2: filter must be text"],
    [line(1, { metrics: "acc" }), "wrong_type", "line 2: metrics must be a list"],
    [line(0), "duplicate", "line 2: document 0 is there twice, first in line 1"],
    [line(1, { acc: 1.5 }), "out_of_range", "line 2: acc is 1.5: for scores that are not in [0,1] give `scoreRange`"],
  ])("%s", (bad, code, message) => {
    const error = refusal(() => read([line(0), bad]));
    expectRefusal(error, "invalid_data", `${FILE}: ${message}`);
    expect(error.issues[0]).toMatchObject({ code });
    expect(error.issues[0]!.path.slice(0, 2)).toEqual([FILE, 2]);
  });

  it("several at once", () => {
    const error = refusal(() => read(["{", line(0), "[", "x"]));
    expectRefusal(error, "invalid_data", "line 1: the line is not valid JSON; and 2 more");
    expect(error.issues.map(({ path }) => path[1])).toEqual([1, 3, 4]);
  });
});

it("a log without lines has no samples", () => {
  expect(read(["", ""])).toMatchObject({ task: "t", samples: [], remarks: [] });
});

describe("a word where a score should be", () => {
  it("is no score: it is named and counted, beside scores", () => {
    const { samples, remarks } = read([line(0), line(1, { acc: "50%" }), line(2, { acc: "C" }), line(3, { acc: "C" })]);
    expect(samples.map(({ attempts }) => attempts)).toEqual([
      [{ score: 1 }],
      [{ score: null }],
      [{ score: null }],
      [{ score: null }],
    ]);
    expect(remarks).toEqual(['3 values of acc are no score: "C" 2 times, "50%" once; they count as missing']);
  });

  it("is refused where there is nothing else", () => {
    const error = refusal(() => read([line(0, { acc: "yes" }), line(1, { acc: null })]));
    expectRefusal(error, "invalid_data", `${FILE}: there is no score: 1 value of acc is no score: "yes" once`);
    expect(error.issues).toMatchObject([{ path: [FILE, "acc"], code: "not_a_number" }]);
  });
});

function task(): NonNullable<SampleOptions["results"]> {
  return {
    version: null,
    shots: null,
    aggregates: new Map(),
    aggregations: new Map(),
    higherIsBetter: new Map(),
    filters: [],
    epochs: null,
    documents: null,
  };
}
