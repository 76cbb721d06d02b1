import { describe, expect, test } from "vitest";
import { typescriptBackend } from "../../../../../offline-trainer/src/backends/typescript.ts";
import { judgeRouting, routeCsv, routingSummary } from "../../../../../features/routing/fit/judge-routing.ts";
import { forecastQuality } from "../../../../../features/routing/fit/probability-scale.ts";
import { splitQuestions, testAnswers } from "../../../../../features/routing/fit/questions.ts";
import { ROUTE_METHODS, routeQuestions, type Routing } from "../../../../../features/routing/fit/route-questions.ts";
import {
  responseMatrix,
  type ResponseMatrix,
  scoreAt,
} from "../../../../../offline-trainer/src/matrix/response-matrix.ts";
import { itemTexts, textFeatures } from "../../../../../offline-trainer/src/numeric/text-features.ts";
import { pickModels } from "anchoreval/internal/features/routing/core/predict-chances";
import { expectRefusal, refusal, rejection } from "../../../../support/refusal.ts";
import { topicBoard } from "../../../../support/topic-board.ts";

const OPTIONS = { backend: typescriptBackend, dims: 2, k: 20, rule: "threshold", seed: 1 } as const;

async function routed(matrix: ResponseMatrix, options: Partial<Parameters<typeof routeQuestions>[3]> = {}) {
  const split = splitQuestions(matrix, { train: "train", test: "test" });
  const features = textFeatures(itemTexts(split.train.items), itemTexts(split.test));
  const routing = await routeQuestions(split.train, split.test, features, { ...OPTIONS, ...options });
  const answers = testAnswers(split, routing.cut, matrix.subjects.length)!;
  return { split, routing, answers, judgement: judgeRouting(routing, answers)! };
}

/** The matrix with other scores, cell by cell. */
function rescored(matrix: ResponseMatrix, scoreOf: (score: number, model: number, item: number) => number) {
  const { subjects, items } = matrix;
  const scores = Float64Array.from({ length: subjects.length * items.length }, (_, at) => {
    const [m, i] = [Math.floor(at / items.length), at % items.length];
    return scoreOf(scoreAt(matrix, m, i), m, i);
  });
  return responseMatrix(subjects, items, scores);
}

const board = topicBoard(300, 2.5, 1);
const plain = routed(board);
/** Enough questions for figures that tell methods apart. */
const large = routed(topicBoard(900, 2.5, 1));

describe("where the text tells who is best", () => {
  test("every method beats the best single model, below the oracle", async () => {
    const { judgement } = await large;
    for (const { gain, right } of judgement.methods) {
      expect(gain.share).toBeGreaterThan(3 * gain.error);
      expect(right.share).toBeLessThan(judgement.oracle.share);
    }
    expect(judgement.random.share).toBeLessThan(judgement.single.share);
  });

  test("scaled probabilities are calibrated on questions not seen", async () => {
    const { judgement, routing } = await large;
    for (const { quality } of judgement.methods) expect(quality.calibrationError).toBeLessThan(0.06);
    for (const { leftOut } of routing.methods) expect(leftOut.scaled.logLoss).toBeLessThan(leftOut.raw.logLoss + 0.001);
  });
});

test("where the text tells nothing, straight regression stays with the best single model or close to it", async () => {
  const { judgement } = await routed(topicBoard(900, 0, 2));
  const own = judgement.methods.find(({ method }) => method === "answer-ridge")!;
  expect(Math.abs(own.gain.share)).toBeLessThan(0.05);
});

test("test answers change nothing but the judgement", async () => {
  const turned = rescored(board, (score, _, i) => (board.items[i]!.subscenario === "test" ? 1 - score : score));
  const [one, other] = [await plain, await routed(turned)];
  expect(other.routing).toEqual({ ...one.routing, test: other.routing.test });
  expect(other.judgement.oracle.share).not.toBe(one.judgement.oracle.share);
});

test("the same seed gives the same bits", async () => {
  const [one, other] = [await plain, await routed(board)];
  expect(other.routing).toEqual(one.routing);
});

test("missing answers are left aside, and a question with some isn't judged", async () => {
  const holed = rescored(board, (score, m, i) => ((7 * m + i) % 11 === 0 ? NaN : score));
  const { judgement, answers, routing } = await routed(holed);
  const models = holed.subjects.length;
  const whole = routing.test.filter((_, i) => !answers.subarray(i * models, (i + 1) * models).some(Number.isNaN));
  expect(judgement.questions).toBe(whole.length);
  expect(judgement.questions).toBeLessThan(routing.test.length);
  expect(judgement.methods.find(({ method }) => method === "answer-ridge")!.gain.share).toBeGreaterThan(0);
});

test("--binarize nonzero takes any score but 0 as right", async () => {
  const soft = rescored(board, (score, m, i) => score * (0.05 + 0.9 * (((3 * m + i) % 10) / 10)));
  const [hard, nonzero] = [await plain, await routed(soft, { rule: "nonzero" })];
  expect(nonzero.routing.cut).toBe(0);
  expect(nonzero.answers).toEqual(hard.answers);
  expect(nonzero.routing.methods).toEqual(hard.routing.methods);
});

describe("costs", () => {
  test("a model too dear for what it brings is never picked; a penalty alike for all changes nothing", async () => {
    const free = (await plain).routing;
    const dear = (await routed(board, { penalties: Float64Array.of(0, 0, 0, 0, 0, 1) })).routing;
    for (const { picks } of dear.methods) expect(picks).not.toContain(5);
    const alike = (await routed(board, { penalties: new Float64Array(6).fill(0.25) })).routing;
    expect(alike.methods.map(({ picks }) => picks)).toEqual(free.methods.map(({ picks }) => picks));
  });

  test("are taken off the probability", () => {
    const probabilities = Float64Array.of(0.6, 0.7, 0.6, 0.9);
    expect(Array.from(pickModels(probabilities, Float64Array.of(0, 0.2)))).toEqual([0, 1]);
  });
});

test("the quality of a forecast is what its definitions say", () => {
  const quality = forecastQuality(Float64Array.of(0.8, 0.85, 0.3, 1), Float64Array.of(1, 0, 0, NaN))!;
  expect(quality.cells).toBe(3);
  expect(quality.brier).toBeCloseTo((0.04 + 0.7225 + 0.09) / 3, 12);
  expect(quality.logLoss).toBeCloseTo(-(Math.log(0.8) + Math.log(0.15) + Math.log(0.7)) / 3, 12);
  expect(quality.calibrationError).toBeCloseTo((Math.abs(1.65 - 1) + 0.3) / 3, 12);
  expect(forecastQuality(Float64Array.of(0.5), Float64Array.of(NaN))).toBeNull();
});

test("judges by hand-counted shares", () => {
  const method = { probabilities: Float64Array.of(0.9, 0.1, 0.2, 0.6), picks: Uint32Array.of(0, 1), pickErrors: null };
  const routing = {
    models: ["a", "b"],
    test: [],
    cut: 0.5,
    single: 0,
    methods: ROUTE_METHODS.map((name) => ({ ...method, method: name, shiftOf: "all", leftOut: null as never })),
    best: "knn",
  } satisfies Routing;
  const judgement = judgeRouting(routing, Float64Array.of(1, 0, 0, 1))!;
  expect(judgement.methods[0]!.right).toEqual({ share: 1, error: 0 });
  expect(judgement.methods[0]!.gain).toEqual({ share: 0.5, error: 0.5 });
  expect(judgement.random.share).toBe(0.5);
  expect(judgement.single).toEqual({ model: "a", share: 0.5, error: 0.5 });
  expect(judgement.oracle.share).toBe(1);
  expect(judgeRouting(routing, new Float64Array(4).fill(NaN))).toBeNull();
});

test("the summary doesn't call a difference one that isn't", async () => {
  const { routing, judgement } = await large;
  expect(routingSummary(routing, judgement).join("\n")).toContain("Better than the best single model: knn");
  const doubtful = judgement.methods.map((own) => ({ ...own, gain: { share: 0.01, error: 0.006 } }));
  const lines = routingSummary(routing, { ...judgement, methods: doubtful }).join("\n");
  expect(lines).toContain("No method is significantly better than the best single model.");
  expect(lines).toContain("Not distinguishable from it: knn, weighted-knn, ridge, answer-ridge.");
  expect(routingSummary(routing, null).at(-1)).toContain("No answers to the test questions are known");
});

test("the CSV has a row a question, and leaves unknown truths empty", async () => {
  const { routing, answers } = await plain;
  const some = answers.slice();
  some.fill(NaN, 0, 6);
  const own = routing.methods.find(({ method }) => method === "ridge")!;
  const rows = [...routeCsv(routing, own, some)].map((line) => line.trimEnd().split(","));
  expect(rows[0]!.slice(-4)).toEqual(["pick", "pick_logit_error", "pick_right", "best_right"]);
  expect(rows).toHaveLength(routing.test.length + 1);
  expect(rows[1]!.slice(-2)).toEqual(["", ""]);
  const pick = routing.models.indexOf(rows[2]![7]!);
  expect(rows[2]!.slice(-2)).toEqual([String(answers[6 + pick]), String(Math.max(...answers.slice(6, 12)))]);
  expect(Number(rows[2]![8])).toBeGreaterThan(0);
  expect([...routeCsv(routing, own, null)][1]!.trimEnd().endsWith(",,")).toBe(true);
});

describe("refuses", () => {
  const items = board.items;
  const split = (train: string, other: string) => splitQuestions(board, { train, test: other });

  test("as many neighbours as train questions", async () => {
    expectRefusal(await rejection(routed(topicBoard(30, 1, 1))), "invalid_option", "20 neighbours need more than 20");
  });

  test("no train and no test questions", async () => {
    const features = textFeatures([], []);
    const none = { ...board, items: [], scores: new Uint8Array() };
    expectRefusal(
      await rejection(routeQuestions(none, items, features, OPTIONS)),
      "invalid_data",
      "no train questions",
    );
    expectRefusal(await rejection(routeQuestions(board, [], features, OPTIONS)), "invalid_data", "no test questions");
  });

  test("questions that are in both", async () => {
    const features = textFeatures([], []);
    const both = rejection(routeQuestions(board, items.slice(0, 2), features, OPTIONS));
    expectRefusal(await both, "invalid_data", '2 of the test questions are train questions too: "q/0", "q/1"');
  });

  test("subscenarios and scenarios that aren't there, train questions without answers, questions without texts", () => {
    expectRefusal(
      refusal(() => split("trian", "test")),
      "invalid_data",
      'no subscenario "trian"; there are "train", "test"',
    );
    const elsewhere = { train: "train", test: "test", scenario: "exam" };
    expectRefusal(
      refusal(() => splitQuestions(board, elsewhere)),
      "invalid_data",
      'no scenario "exam"; there are "quiz"',
    );
    const unknown = [{ item_id: "new/1", scenario: "quiz", text: "?" }];
    expectRefusal(
      refusal(() => splitQuestions(board, { train: unknown, test: "test" })),
      "invalid_data",
      '1 train question has no answers in the responses: "new/1"',
    );
    expectRefusal(
      refusal(() => itemTexts([{ item_id: "a", scenario: "s", text: " " }, unknown[0]!])),
      "invalid_data",
      '1 question has no text: "a"',
    );
  });
});
