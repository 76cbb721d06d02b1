import { describe, expect, test } from "vitest";
import type { ScenarioAudit } from "../../../../../features/audit/fit/audit-leaderboard.ts";
import {
  type AnswerLikeness,
  itemCopies,
  type NearCopy,
  type TextPair,
  textPairs,
} from "../../../../../features/audit/fit/near-copies.ts";
import { responseMatrix } from "../../../../../offline-trainer/src/matrix/response-matrix.ts";
import { sameTexts } from "../../../../../offline-trainer/src/matrix/same-text.ts";
import { modelFamilies } from "../../../../../offline-trainer/src/matrix/families.ts";

const item = (text?: string, hash?: string) => ({
  item_id: text ?? hash ?? "x",
  scenario: "s",
  ...(text !== undefined && { text }),
  ...(hash !== undefined && { hash }),
});

describe("items that say the same", () => {
  test("texts are the same but for case, white space and Unicode's forms", () => {
    const groups = sameTexts([
      item("How many apples does Ada have?"),
      item("  how many\n apples  does ADA have? "),
      item("How many apples does Ada have!"),
      item("Ｈow many apples does Ada have?"),
    ]);
    expect(groups).toEqual([{ sameness: "text", items: [0, 1, 3] }]);
  });

  test("what differs in a sign differs", () => {
    expect(sameTexts([item("What is the sum a + b of these?"), item("What is the sum a - b of these?")])).toEqual([]);
  });

  test("numbers apart they are of one kind; what the text says already isn't said again", () => {
    const groups = sameTexts([
      item("Ada buys 3 pears for 1,200.50 a piece."),
      item("Ada buys 17 pears for 2 a piece."),
      item("Bela sells 12 jars of honey today."),
      item("Bela sells 12 jars of honey today."),
    ]);
    expect(groups).toEqual([
      { sameness: "text", items: [2, 3] },
      { sameness: "numbers", items: [0, 1] },
    ]);
  });

  test("content hashes decide before texts, and across scenarios", () => {
    const hash = "ab".repeat(32);
    const other = { ...item("A quite different wording of it", hash), scenario: "t" };
    expect(sameTexts([item("How many apples does Ada have?", hash), other])).toEqual([
      { sameness: "content", items: [0, 1] },
    ]);
  });

  test("short texts, and items without one, tell nothing", () => {
    expect(sameTexts([item("Which is true?"), item("Which is true?"), item(), item()])).toEqual([]);
  });

  test("all pairs of a small group, those with the first of a large one, each once", () => {
    const large = Array.from({ length: 12 }, (_, k) => 10 + k);
    const pairs = textPairs([
      { sameness: "text", items: [1, 4, 7] },
      { sameness: "numbers", items: [1, 4, 9] },
      { sameness: "numbers", items: large },
    ]);
    expect(pairs.slice(0, 5)).toEqual([
      { items: [1, 4], sameness: "text" },
      { items: [1, 7], sameness: "text" },
      { items: [4, 7], sameness: "text" },
      { items: [1, 9], sameness: "numbers" },
      { items: [4, 9], sameness: "numbers" },
    ]);
    expect(pairs.slice(5)).toEqual(large.slice(1).map((other) => ({ items: [10, other], sameness: "numbers" })));
  });
});

describe("copies by text and by answers", () => {
  const like = (z: number): Omit<AnswerLikeness, "items"> => ({
    models: 50,
    agreement: 0.9,
    expectedAgreement: 0.6,
    q3: 0.5,
    z,
  });
  const audited = (likeness: readonly AnswerLikeness[], pairs: readonly NearCopy[]): ScenarioAudit =>
    ({ likeness, copies: { pairs, compared: 1, comparable: 1 } }) as unknown as ScenarioAudit;
  const text = (one: number, other: number, sameness: TextPair["sameness"]): TextPair => ({
    items: [one, other],
    sameness,
  });

  test("content before text before answers, each by z; columns are the matrix's", () => {
    const copies = itemCopies(
      [text(0, 9, "text"), text(1, 2, "text"), text(11, 12, "content"), text(2, 3, "numbers"), text(3, 4, "numbers")],
      [
        {
          begin: 0,
          audit: audited(
            [
              { items: [1, 2], ...like(1) },
              { items: [2, 3], ...like(2.5) },
              { items: [3, 4], ...like(1.9) },
            ],
            [
              { items: [1, 2], ...like(1), chance: 0.2 },
              { items: [5, 6], ...like(4), chance: 0.1 },
            ],
          ),
        },
        {
          begin: 10,
          audit: audited([{ items: [1, 2], ...like(-0.3) }], [{ items: [0, 4], ...like(9), chance: 0.01 }]),
        },
      ],
    );
    expect(
      copies.map(({ items, sameness, likeness, chance }) => [items.join("-"), sameness, likeness?.z, chance]),
    ).toEqual([
      ["11-12", "content", -0.3, null],
      ["1-2", "text", 1, 0.2],
      ["0-9", "text", undefined, null],
      ["10-14", null, 9, 0.01],
      ["5-6", null, 4, 0.1],
      ["2-3", "numbers", 2.5, null],
    ]);
  });
});

describe("families of models", () => {
  const matrix = (names: readonly string[], rows: readonly (readonly number[])[]) =>
    responseMatrix(
      names,
      Array.from({ length: rows[0]!.length }, (_, i) => ({ item_id: `i${i}`, scenario: "s" })),
      Float64Array.from(rows.flat()),
    );
  const row = (seed: number): number[] => Array.from({ length: 40 }, (_, i) => ((i * 7 + seed * 13) % 11) % 2);

  test("are read off the names, or off the table where it has the model", () => {
    const names = ["a/Llama-3-8B", "Llama-2-7b", "Qwen2-7B", "strange"];
    const own = matrix(names, [row(1), row(2), row(3), row(4)]);
    expect(Array.from(modelFamilies(own))).toEqual([0, 0, 1, 2]);
    expect(Array.from(modelFamilies(own, new Map([["strange", "qwen"]])))).toEqual([0, 0, 1, 1]);
  });

  test("of replicates are one, and with them all their members", () => {
    const names = ["x", "y", "z", "u", "v"];
    const table = new Map([
      ["x", "one"],
      ["y", "two"],
      ["z", "two"],
      ["u", "three"],
      ["v", "four"],
    ]);
    const own = matrix(names, [row(1), row(1), row(3), row(4), row(3)]);
    expect(Array.from(modelFamilies(own, table))).toEqual([0, 0, 0, 1, 0]);
  });
});
