import { describe, expect, test } from "vitest";
import { inOrder, otherThanPinned, pinnedBoard } from "../../../../../features/recipes/fit/pinned-board.ts";
import { dataDigests } from "../../../../../offline-trainer/src/matrix/data-digests.ts";
import {
  type ItemInfo,
  responseMatrix,
  type ResponseMatrix,
  scoreAt,
} from "../../../../../offline-trainer/src/matrix/response-matrix.ts";

const ITEMS = ["x", "y", "z"];
const SCORES: Readonly<Record<string, readonly number[]>> = { a: [1, 0, 1], b: [0, 0.5, 1], c: [1, 1, NaN] };

function board(
  models = Object.keys(SCORES),
  items = ITEMS,
  change: (cell: string, score: number) => number = (_, score) => score,
): ResponseMatrix {
  const infos = items.map((id): ItemInfo => ({ item_id: `t/${id}`, scenario: "t", task: "t", doc_id: id }));
  const cells = models.flatMap((model) =>
    items.map((id) => change(`${model} ${id}`, (SCORES[model] ?? [0, 0, 0])[ITEMS.indexOf(id)] ?? 1)),
  );
  return responseMatrix(models, infos, Float64Array.from(cells));
}

describe("the order of a board's rows", () => {
  const trials = (models: readonly string[], items: readonly string[]) =>
    models.flatMap((model) => items.map((id) => ({ model, item: `t/${id}`, scores: [model === id ? 1 : 0, 1] })));
  const arranged = (models: string[], items: string[]) =>
    inOrder(
      {
        matrix: board(models, items),
        trials: trials(models, items),
        prices: [
          {
            kind: "tokens",
            items: new Map(items.map((id) => [`t/${id}`, id.charCodeAt(0)])),
            models: 1,
            assumed: ["t/x"],
          },
        ],
        modelFacts: models.map((model) => ({ model, date: `of ${model}` })),
      },
      (item) => ({ ...item, item_id: `u/${item.doc_id}`, scenario: "u" }),
    );

  test("changes nothing: models and items by name, trials, prices and facts with them", () => {
    const first = arranged(["a", "b", "c"], ["x", "y", "z"]);
    const other = arranged(["c", "a", "b"], ["z", "x", "y"]);
    expect(dataDigests(other.matrix)).toEqual(dataDigests(first.matrix));
    expect(other.trials).toEqual(first.trials);
    expect(other.modelFacts).toEqual(first.modelFacts);
    expect(other.prices![0]!.items).toEqual(first.prices![0]!.items);
  });

  test("and each cell stays with its model and its item under the new name", () => {
    const { matrix, trials, prices } = arranged(["c", "a", "b"], ["z", "x", "y"]);
    expect(matrix.subjects).toEqual(["a", "b", "c"]);
    expect(matrix.items.map(({ item_id: id }) => id)).toEqual(["u/x", "u/y", "u/z"]);
    expect(matrix.subjects.map((_, m) => ITEMS.map((__, i) => scoreAt(matrix, m, i)))).toEqual(Object.values(SCORES));
    expect(trials!.map(({ model, item }) => `${model} ${item}`).slice(0, 4)).toEqual([
      "a u/x",
      "a u/y",
      "a u/z",
      "b u/x",
    ]);
    expect(prices![0]!.assumed).toEqual(["u/x"]);
  });
});

describe("what is another than pinned", () => {
  const pinned = pinnedBoard(board());
  const other = (noted: Partial<typeof pinned>, matrix: ResponseMatrix): string[] =>
    otherThanPinned(noted, matrix, pinnedBoard(matrix));

  test.each([
    ["nothing of the same data", board(), []],
    ["a score", board(undefined, undefined, (cell, score) => (cell === "b y" ? 0.75 : score)), ['other scores of "b"']],
    [
      "an answer that is missing now",
      board(undefined, undefined, (cell, score) => (cell === "a x" ? NaN : score)),
      ['other scores of "a"'],
    ],
    ["a model more", board(["a", "b", "c", "d"]), ['1 model more: "d"']],
    ["a model fewer", board(["a", "c"]), ["1 model fewer"]],
    [
      "one in another's place, and a score",
      board(["a", "b", "d"], undefined, (cell, score) => (cell === "a z" ? 0 : score)),
      ['1 model more: "d"', "1 model fewer", 'other scores of "a"'],
    ],
    ["an item fewer", board(undefined, ["x", "y"]), ["other items, or other facts of them (2 here)"]],
  ])("%s", (_, matrix, words) => {
    expect(other(pinned, matrix)).toEqual(words);
  });

  test("the order of models, which digests cover, is said where nothing else is", () => {
    expect(other(pinned, board(["b", "a", "c"]))).toEqual(["other models"]);
  });

  test("of a part without a digest nothing is known", () => {
    const { items } = pinned;
    expect(other({ items }, board(["a", "d"]))).toEqual([]);
    expect(other({}, board(["a"], ["x"]))).toEqual([]);
    expect(other({ scores: pinned.scores }, board(["a", "c"]))).toEqual(["other scores"]);
  });
});
