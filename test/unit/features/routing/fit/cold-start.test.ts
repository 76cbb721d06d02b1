import { loadRouting, routeFromBundle } from "anchoreval";
import type { ColdItemRecord } from "anchoreval/internal/features/routing/core/cold-start";
import { createRandom } from "anchoreval/internal/core/numeric/random";
import { textCoordinates } from "anchoreval/internal/core/numeric/text-coordinates";
import { describe, expect, test } from "vitest";
import { typescriptBackend } from "../../../../../offline-trainer/src/backends/typescript.ts";
import { checkColdStart, fitColdStart } from "../../../../../features/routing/fit/cold-start.ts";
import { withColdStart } from "anchoreval/internal/features/routing/core/routing-file";
import { termVectors } from "../../../../../features/routing/fit/encode-texts.ts";
import { DEFAULT_SETTINGS } from "../../../../../offline-trainer/src/methods/settings.ts";
import { bundleFiles, fit, type Fit } from "../../../../../offline-trainer/src/fit/fit.ts";
import { responseMatrix, scoreAt } from "../../../../../offline-trainer/src/matrix/response-matrix.ts";
import { learnProjection } from "../../../../../offline-trainer/src/numeric/text-features.ts";
import { submatrixOf, testPart } from "../../../../support/board-parts.ts";
import { memorySource } from "../../../../support/memory-source.ts";
import { expectRefusal, refusal } from "../../../../support/refusal.ts";
import { recommended } from "../../../../../offline-trainer/src/methods/method.ts";
import { topicBoard } from "../../../../support/topic-board.ts";
import { WHOLE } from "../../../../support/whole.ts";

const board = topicBoard(300, 2.5, 5);
const train = submatrixOf(board, "train");
const cold = testPart(board);
const texts = board.items.map(({ text }) => text!);
const vectors = termVectors(texts, 12, createRandom(1));
const embeddings = {
  file: "vectors.jsonl",
  width: 12,
  vectors: new Map(
    board.items.map(({ item_id: id }, i) => [id, Float64Array.from(vectors.values.subarray(i * 12, (i + 1) * 12))]),
  ),
};

const learnedOf = ({ parts }: Fit) => parts.flatMap(({ learned }) => learned.scenarios);

const fitted = fit(train, {
  ...{ benchmark: "quiz", version: "1.0.0", created: "2026-01-01T00:00:00Z", sizes: [20], seed: 1 },
  method: { ...recommended, settings: { ...DEFAULT_SETTINGS, dims: 2 } },
  backend: typescriptBackend,
  includeModelNames: true,
});

async function coldBundle(by: "texts" | "embeddings") {
  const result = await fitted;
  const input = { items: cold, embeddings: by === "texts" ? null : embeddings };
  const made = fitColdStart(learnedOf(result), input, train.subjects, createRandom(1));
  const files = bundleFiles({ ...result, content: withColdStart(result.content, made) });
  return { made, files, routing: await loadRouting(memorySource(files)) };
}
const byTexts = coldBundle("texts");

describe("a bundle with a cold start", () => {
  test.each(["texts", "embeddings"] as const)("picks models by %s better than the best single one", async (by) => {
    const { routing } = by === "texts" ? await byTexts : await coldBundle(by);
    const questions = cold.map(({ item_id: id, text }) =>
      by === "texts" ? { id, text: text! } : { id, embedding: [...embeddings.vectors.get(id)!] },
    );
    const { routes, models, single, leftOut } = routeFromBundle(routing, questions);
    expect(models).toEqual(train.subjects);
    const share = (pickOf: (i: number) => string): number =>
      routes.reduce((sum, _, i) => {
        const column = board.items.findIndex(({ item_id: id }) => id === cold[i]!.item_id);
        return sum + scoreAt(board, board.subjects.indexOf(pickOf(i)), column) / routes.length;
      }, 0);
    expect(share((i) => routes[i]!.pick)).toBeGreaterThan(share(() => single) + 0.05);
    expect(leftOut.right).toBeGreaterThan(leftOut.singleRight + 0.05);
  });

  test("has every item without answers, its parameters with errors, and no answers or texts", async () => {
    const { files } = await byTexts;
    const text = new TextDecoder().decode(files.get("cold-items.jsonl"));
    const lines = text
      .trimEnd()
      .split("\n")
      .map((line) => JSON.parse(line) as ColdItemRecord);
    expect(lines.map(({ item_id: id }) => id)).toEqual(cold.map(({ item_id: id }) => id));
    for (const line of lines) {
      expect(Object.keys(line)).toEqual(["item_id", "scenario", "subscenario", "a", "b", "aError", "bError"]);
      expect(line.a).toHaveLength(1);
      expect(Math.min(...line.aError, line.bError)).toBeGreaterThan(0);
    }
    expect(files.get("manifest.json")!.length).toBeLessThan(20_000);
  });

  test("predicts the intercept's error about as large as it is", async () => {
    const result = await fitted;
    const { made } = await byTexts;
    const noise = made.routing!.scenarios.get("quiz")!.parameters[1]!.noise;
    const b = Float64Array.from(learnedOf(result)[0]!.trained.bank.b);
    const mean = b.reduce((sum, own) => sum + own, 0) / b.length;
    const variance = b.reduce((sum, own) => sum + (own - mean) ** 2, 0) / b.length;
    expect(noise).toBeLessThan(1.05 * variance);
    for (const { bError } of made.items) expect(bError ** 2).toBeGreaterThanOrEqual(noise);
  });

  test.skipIf(!WHOLE)("is the same again, and another seed's differs", async () => {
    const scenarios = learnedOf(await fitted);
    const [one, again, other] = [1, 1, 2].map((seed) =>
      fitColdStart(scenarios, { items: cold, embeddings: null }, train.subjects, createRandom(seed)),
    );
    expect(again).toEqual(one);
    expect(other!.routing!.projection!.axes).not.toEqual(one!.routing!.projection!.axes);
  });

  test("without names it has items and no routes", async () => {
    const scenarios = learnedOf(await fitted);
    expect(fitColdStart(scenarios, { items: cold, embeddings: null }, null, createRandom(1)).routing).toBeNull();
  });
});

test("two scenarios with missing answers, one that a model wasn't asked: each has its own models and figures", async () => {
  const [one, other] = [topicBoard(90, 1, 6), topicBoard(60, 1, 7)];
  const items = [one, other].flatMap((own, s) =>
    own.items.map(({ item_id, text }) => ({ item_id: `${s}/${item_id}`, scenario: `s${s}`, text: text! })),
  );
  const scores = one.subjects.flatMap((_, m) =>
    items.map(({ scenario }, i) => {
      if ((m === 2 && scenario === "s1") || (i + 3 * m) % 13 === 0) return NaN;
      return i < 90 ? scoreAt(one, m, i) : scoreAt(other, m, i - 90);
    }),
  );
  const matrix = responseMatrix(one.subjects, items, Float64Array.from(scores));
  const result = await fit(matrix, {
    ...{ benchmark: "two", version: "1.0.0", created: "2026-01-01T00:00:00Z", sizes: [10], seed: 1 },
    method: { ...recommended, settings: { ...DEFAULT_SETTINGS, dims: 1 } },
    backend: typescriptBackend,
    includeModelNames: true,
  });
  const fresh = [{ item_id: "fresh", scenario: "s1", text: "What of prime and matrix is a number?" }];
  const made = fitColdStart(learnedOf(result), { items: fresh, embeddings: null }, matrix.subjects, createRandom(1));
  const routing = await loadRouting(
    memorySource(bundleFiles({ ...result, content: withColdStart(result.content, made) })),
  );
  const [first, second] = ["s0", "s1"].map((scenario) =>
    routeFromBundle(routing, [{ text: fresh[0]!.text }], { scenario }),
  );
  expect(first!.models).toEqual(matrix.subjects);
  expect(second!.models).toEqual(matrix.subjects.filter((_, m) => m !== 2));
  expect(second!.routes[0]!.chances).toHaveLength(5);
  expect(made.manifest.scenarios).toMatchObject({ s0: { questions: 90 }, s1: { questions: 60 } });
  expect(made.items).toMatchObject([{ item_id: "fresh", scenario: "s1" }]);
});

describe("a projection of texts", () => {
  const projection = learnProjection(texts, { terms: 300, width: 8 }, createRandom(1));

  test("keeps as many terms as asked for, hashes ascending, those of most texts", () => {
    expect(projection.hashes).toHaveLength(300);
    expect(Array.from(projection.hashes)).toEqual([...new Set(projection.hashes)].sort((x, y) => x - y));
    const all = learnProjection(texts, { terms: 100_000, width: 8 }, createRandom(1));
    const kept = new Set(projection.hashes);
    const left = all.idf.filter((_, t) => !kept.has(all.hashes[t]!));
    expect(Math.min(...left)).toBeGreaterThanOrEqual(Math.max(...projection.idf));
  });

  test.each([[["one", "two", "three"]], [["the same", "the same"]]])(
    "refuses texts that tell nothing apart: %j",
    (own) => {
      const learn = () => learnProjection(own, { terms: 10, width: 2 }, createRandom(1));
      expectRefusal(refusal(learn), "invalid_data", "nothing to compare items by");
    },
  );

  test("says nothing of a text without a known term, and the same of a text in capitals", () => {
    expect(textCoordinates("...", projection)).toBeNull();
    expect(textCoordinates(texts[3]!.toUpperCase(), projection)).toEqual(textCoordinates(texts[3]!, projection));
  });
});

describe("refuses, before the fit,", () => {
  const item = (fields: object) => ({ item_id: "new", scenario: "quiz", text: "?", ...fields });
  test.each([
    [
      "items with answers",
      item({ item_id: "q/0" }),
      null,
      "invalid_data",
      '1 item with answers in the responses: "q/0"',
    ],
    ["another scenario's", item({ scenario: "gsm" }), null, "invalid_data", 'responses don\'t have (they have "quiz")'],
    ["items without a text", item({ text: undefined }), null, "invalid_data", '1 question has no text: "new"'],
    ["items without a vector", item({}), embeddings, "invalid_data", '1 question has no embedding: "new"'],
  ] as const)("%s", (_, own, by, code, fragment) => {
    expectRefusal(
      refusal(() => checkColdStart(train, { items: [own], embeddings: by })),
      code,
      fragment,
    );
  });
});
