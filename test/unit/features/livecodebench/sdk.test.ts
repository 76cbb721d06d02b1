import { contentHash } from "anchoreval/bundle";
import { describe, expect, test } from "vitest";
import { gradedSamples, readGraded, readSite, scenarioOf } from "../../../../features/livecodebench/sdk.ts";
import { countedSample } from "../../../support/counted-sample.ts";
import { expectRefusal, refusal } from "../../../support/refusal.ts";

const FILE = "Scenario.codegeneration_2_0.2_eval_all.json";
const OPTIONS = { file: FILE, task: "livecodebench" };

/** A question as LiveCodeBench writes it. */
function question(id: string, grades: readonly unknown[], more: object = {}): object {
  return {
    ...{ question_title: `Title of ${id}`, question_content: `Solve ${id}.`, platform: "atcoder", question_id: id },
    ...{ contest_id: "abc", contest_date: "2025-01-04T00:00:00", starter_code: "", difficulty: "hard" },
    ...{ output_list: grades.map(() => "```python\npass\n```"), code_list: grades.map(() => "pass") },
    graded_list: grades,
    "pass@1": grades.filter((grade) => grade === true).length / grades.length,
    metadata: grades.map(() => "{}"),
    ...more,
  };
}

const performance = (id: string, percent: unknown, more: object = {}): object => ({
  ...{ question_id: id, model: "Model-A", date: 1692662400000, difficulty: "easy", "pass@1": percent },
  ...{ platform: "codeforces", ...more },
});

describe("questions of …_eval_all.json", () => {
  test("each grade is an attempt, in order; ids stay text", () => {
    const entries = [question("1873_A", [true, false, true]), question("2727", [false, false, true])];
    const { samples, metric, remarks } = gradedSamples(readGraded(entries, "codegeneration", FILE), OPTIONS);
    expect(metric).toBe("pass@1");
    expect(samples.map(({ doc_id, attempts }) => [doc_id, attempts.map(({ score }) => score)])).toEqual([
      ["1873_A", [1, 0, 1]],
      ["2727", [0, 0, 1]],
    ]);
    expect(remarks).toEqual(["scores are means over 3 attempts"]);
  });

  test("content is the question with the code that it begins with", () => {
    const begun = question("2727", [true], { starter_code: "class Solution:" });
    const [plain, coded, none] = readGraded(
      [question("a", [true]), begun, question("b", [true], { question_content: "" })],
      "codegeneration",
      FILE,
    );
    expect(plain).toMatchObject({ text: "Solve a.", hash: contentHash({ input: "Solve a.", target: [] }) });
    expect(coded!.text).toBe("Solve 2727.\nclass Solution:");
    expect(none).toMatchObject({ text: null, hash: null });
  });

  test("an empty answer has failed and counts as wrong, as it does there; an answer without code is a wrong answer", () => {
    const entries = [
      question("a", [false, true], { code_list: ["", "pass"], output_list: ["", "pass"] }),
      question("b", [false, false], { code_list: ["", ""], output_list: ["I can't", ""] }),
      question("c", [false, true], { code_list: ["", "pass"], output_list: undefined }),
    ];
    const { samples } = gradedSamples(readGraded(entries, "codegeneration", FILE), OPTIONS);
    expect(samples.map(({ attempts }) => attempts.map(({ failure = null }) => failure))).toEqual([
      ["an empty answer", null],
      [null, "an empty answer"],
      ["an empty answer", null],
    ]);
    expect(samples.map((sample) => countedSample(sample).score)).toEqual([0.5, 0, 0.5]);
    expect(samples.map((sample) => countedSample(sample, "missing").score)).toEqual([1, 0, 1]);
  });

  test("no grade is missing, never 0", () => {
    const entries = [question("a", [true, null], { "pass@1": 0.5 }), question("b", [null, null])];
    const { samples } = gradedSamples(readGraded(entries, "codegeneration", FILE), OPTIONS);
    expect(samples.map((sample) => countedSample(sample).score)).toEqual([1, null]);
  });

  test("metadata may be a list, an object, or absent", () => {
    const entries = [{}, [], undefined].map((metadata, k) => question(`q${k}`, [true], { metadata }));
    expect(readGraded(entries, "codegeneration", FILE)).toHaveLength(3);
  });

  test.each<[string, object, string]>([
    ["without a name", question("", [true]), 'entry 2, field "question_id": a question has a name'],
    ["twice", question("a", [true]), "question a is there twice, first in entry 1"],
    ["without grades", question("b", [], { "pass@1": 0 }), "there is no grade"],
    ["not graded", question("b", [true], { graded_list: undefined }), "there is no grade"],
    ["a number for a grade", question("b", [1]), "a grade is true or false, got a number"],
    ["a list for a grade", question("b", [[true]]), "a grade is true or false, got a list or an object"],
    ["fewer answers", question("b", [true, true], { code_list: ["pass"] }), "2 grades of 1 answers"],
    [
      "another share",
      question("b", [true, false], { "pass@1": 1 }),
      "it is 1, and the share of answers that pass is 0.5",
    ],
    ["percent", question("b", [true, false], { "pass@1": 50 }), "it is 50, and the share"],
    ["no object", [] as object, "a question has a name"],
  ])("refused: %s", (_, entry, words) => {
    const error = refusal(() => readGraded([question("a", [true]), entry], "codegeneration", FILE));
    expectRefusal(error, "invalid_data", words);
    expect(error.message).toContain(FILE);
  });

  test("another metric is refused, and so is a scale that shares haven't", () => {
    const questions = readGraded([question("a", [true])], "codegeneration", FILE);
    expectRefusal(
      refusal(() => gradedSamples(questions, { ...OPTIONS, metric: "pass@5" })),
      "invalid_option",
      "livecodebench has no metric pass@5: this log has pass@1",
    );
    expectRefusal(
      refusal(() => gradedSamples(questions, { ...OPTIONS, scoreRange: [0, 100] })),
      "invalid_option",
      "leave out `scoreRange`",
    );
  });
});

describe("the scenario", () => {
  const repair = question("a", [true], { original_code_list: ["pass"] });
  const output = { question_id: "a", test_id: 3, pred_list: ["1"], graded_list: [true] };
  const execution = { id: "sample_12", pred_list: ["1"], graded_list: [true] };

  test.each([
    ["Scenario.codegeneration_2_0.2_eval_all.json", question("a", [true]), "codegeneration"],
    ["mine_eval_all.json", question("a", [true]), "codegeneration"],
    ["Scenario.selfrepair_10_1_0.2_eval_all.json", repair, "selfrepair"],
    ["Scenario.selfrepair_10_1_0.2_eval_all.json", question("a", [true]), "selfrepair"],
    ["mine_eval_all.json", repair, "selfrepair"],
    ["Scenario.testoutputprediction_1_0.2_eval_all.json", output, "testoutputprediction"],
    ["mine_eval_all.json", output, "testoutputprediction"],
    ["Scenario.codeexecution_1_0.2_eval_all.json", execution, "codeexecution"],
  ])("of %s", (name, entry, scenario) => {
    expect(scenarioOf([entry], name, name)).toBe(scenario);
  });

  test("names its items: a question has several tests, a program its own name", () => {
    expect(readGraded([output, { ...output, test_id: 4 }], "testoutputprediction", FILE).map(({ id }) => id)).toEqual([
      "a/3",
      "a/4",
    ]);
    expect(readGraded([execution], "codeexecution", FILE)[0]).toMatchObject({ id: "sample_12", hash: null });
    expectRefusal(
      refusal(() => readGraded([output, { ...output, test_id: undefined }], "testoutputprediction", FILE)),
      "invalid_data",
      'field "test_id": a question has a name',
    );
  });

  test.each<[string, object, string]>([
    ["Scenario.codeexecution_1_0.2_eval_all.json", question("a", [true]), "called codeexecution, and its questions are of codegeneration"], // prettier-ignore
    [
      "Scenario.codegeneration_1_0.2_eval_all.json",
      repair,
      "called codegeneration, and its questions are of selfrepair",
    ],
    ["mine_eval_all.json", { question_id: "a", graded_list: [true] }, "nothing says of which scenario"],
  ])("of %s is refused where it can't be told", (name, entry, words) => {
    expectRefusal(refusal(() => scenarioOf([entry], name, name)), "invalid_data", words); // prettier-ignore
  });
});

describe("the site's performances", () => {
  const site = (performances: readonly object[], models: readonly object[] = []): Record<string, unknown> => ({
    ...{ performances, models, date_marks: [1682924400000] },
  });

  test("are shares of answers, by model, with its release", () => {
    const read = readSite(
      site(
        [performance("1873_A", 70), performance("2727", 0, { model: "Model-B" }), performance("2727", 100)],
        [
          { model_name: "a", model_repr: "Model-A", release_date: 1633071600000 },
          { model_name: "b", model_repr: "Model-B", release_date: null },
          { model_name: "c", model_repr: "Model-C", release_date: 1633071600000 },
        ],
      ),
      "site.json",
    );
    expect(read.map(({ model, date }) => [model, date])).toEqual([
      ["Model-A", "2021-10-01"],
      ["Model-B", null],
    ]);
    const [first] = read.map(({ questions }) => gradedSamples(questions, OPTIONS).samples);
    expect(first!.map(({ doc_id, attempts }) => [doc_id, attempts])).toEqual([
      ["1873_A", [{ score: 0.7 }]],
      ["2727", [{ score: 1 }]],
    ]);
  });

  test("without a rate an item is missing", () => {
    const [model] = readSite(site([performance("a", 100), performance("b", null)]), "site.json");
    expect(gradedSamples(model!.questions, OPTIONS).samples.map((sample) => countedSample(sample).score)).toEqual([
      1,
      null,
    ]);
  });

  test.each<[string, readonly object[], string]>([
    ["no percent", [performance("a", 101)], "the site has percent, from 0 to 100, got 101"],
    ["below 0", [performance("a", -1)], "got -1"],
    ["a word", [performance("a", "50%")], 'got "50%"'],
    ["shares", [performance("a", 0.5), performance("b", 1)], "the highest pass@1 is 1: the site has percent"],
    ["without a model", [performance("a", 1, { model: "" })], "entry 1: a performance has a question_id and a model"],
    ["without a question", [performance("", 1)], "a performance has a question_id and a model"],
  ])("refused: %s", (_, performances, words) => {
    expectRefusal(refusal(() => readSite(site(performances), "site.json")), "invalid_data", words); // prettier-ignore
  });

  test("a question that a model has twice is refused", () => {
    const [model] = readSite(site([performance("a", 100), performance("a", 50)]), "site.json");
    expectRefusal(refusal(() => gradedSamples(model!.questions, OPTIONS)), "invalid_data", "question a is there twice, first in entry 1"); // prettier-ignore
  });
});
