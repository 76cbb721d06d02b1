import { createRandom } from "anchoreval/internal/core/numeric/random";
import { describe, expect, test } from "vitest";
import {
  replicateGroups,
  replicateNames,
  replicateWords,
} from "../../../../offline-trainer/src/matrix/alike/replicates.ts";
import { BOARD_KINDS, boardOf, independentRows } from "./boards.ts";

const groupsOf = (rows: readonly ArrayLike<number>[]): number[] => Array.from(replicateGroups(boardOf(rows)));

/** Boards of each kind; REPLICATE_BOARDS for more. `replicates.js` of 4ea04665 has other kinds and sizes. */
const BOARDS = Number(process.env["REPLICATE_BOARDS"] ?? 6);

describe.each(BOARD_KINDS)("on boards of $name", (kind) => {
  test("independent models aren't joined, and copies are found", { timeout: 60_000 + 1000 * BOARDS }, () => {
    let [found, copies] = [0, 0];
    for (let board = 0; board < BOARDS; board++) {
      const random = createRandom(`${kind.name} ${board}`);
      const rows = independentRows(kind, 40, 400, random);
      const originals = [0, 1, 2, 3, 4, 5, 6, 7, 8, 9];
      const all = [...rows, ...originals.map((m) => rows[m]!.map((score) => kind.copy(score, random)))];
      const groups = groupsOf(all);
      expect(new Set(groups.slice(0, 40)).size, `board ${board}`).toBe(40);
      copies += originals.length;
      found += originals.filter((m) => groups[40 + m] === groups[m]).length;
    }
    expect(found).toBeGreaterThanOrEqual(Math.ceil(0.9 * copies));
  });
});

const random = createRandom("replicates");
const [ordinary, , , judged] = BOARD_KINDS;
const rows = independentRows(ordinary!, 20, 200, random);
/** The row with the answers from one on turned. */
const turned = (row: readonly number[], from: number, count: number): number[] =>
  row.map((value, i) => (i >= from && i < from + count ? 1 - value : value));

describe("a pair", () => {
  test.each([
    [0, true],
    [7, true], // of 200 answers chance may turn 7 where 1 % are
    [8, false],
    [30, false],
  ])("of 200 answers %d of which differ: %s", (differing, same) => {
    expect(groupsOf([...rows, turned(rows[3]!, 0, differing)])[20]).toBe(same ? 3 : 20);
  });

  test("of many answers differs in 3 % at most, of very many by those that are compared", () => {
    for (const items of [1000, 10_000]) {
      const many = independentRows(ordinary!, 10, items, random);
      const away = (share: number): number[] => many[2]!.map((value) => (random.next() < share ? 1 - value : value));
      expect(groupsOf([...many, away(0.02), away(0.05)]).slice(10)).toEqual([2, 10]);
    }
  });

  test("counts the answers that both gave, twenty at least", () => {
    const gaps = (from: number): number[] => rows[3]!.map((value, i) => (i < from ? NaN : value));
    expect(groupsOf([...rows, gaps(100)])[20]).toBe(3);
    expect(groupsOf([...rows, gaps(181)])[20]).toBe(20);
    // A difference where one didn't answer is none.
    expect(groupsOf([...rows, turned(gaps(100), 0, 100)])[20]).toBe(3);
  });

  test("of graded scores is compared as numbers: another's that lie on the same side aren't the same", () => {
    const graded = independentRows(judged!, 20, 120, random);
    const sides = graded[3]!.map((score) => (score > 0.7 ? 0.9 : 0.6));
    const noisy = graded[3]!.map((score) => Math.min(1, score + 0.02 * random.normal()));
    expect(groupsOf([...graded, sides, noisy]).slice(20)).toEqual([20, 3]);
  });
});

test("models alike through a third alone aren't one; the groups don't hang on those after them", () => {
  const between = turned(rows[3]!, 0, 5);
  const far = turned(between, 100, 5);
  const groups = groupsOf([...rows, between, far]);
  expect(groups.slice(20)).toEqual([3, 20]);
  expect(groups.slice(0, 20)).toEqual(rows.map((_, m) => m));
  expect(groupsOf([...rows, between])).toEqual(groups.slice(0, 21));
});

test("a board where many models answer nothing right has no replicates among them", () => {
  const weak = Array.from({ length: 10 }, (_, m) => rows[0]!.map((_, i) => Number(i === m)));
  expect(new Set(groupsOf([...rows, ...weak])).size).toBe(30);
});

test("copies are one whatever the others answer, and so are all models where nothing varies", () => {
  const row = rows[0]!;
  expect(groupsOf([row, row, row])).toEqual([0, 0, 0]);
  expect(groupsOf([...rows, rows[3]!]).at(-1)).toBe(3);
  expect(groupsOf([1, 1, 1].map(() => row.map(() => 1)))).toEqual([0, 0, 0]);
  const perfect = row.map(() => 1);
  expect(groupsOf([...rows, perfect, perfect]).slice(20)).toEqual([20, 21]);
});

test("words name the models, a few of many", () => {
  const names = replicateNames(["a", "b", "c", "d", "e"], [0, 1, 0, 2, 1]);
  expect(names).toEqual([
    ["a", "c"],
    ["b", "e"],
  ]);
  expect(replicateWords(names)).toBe("a with c; b with e");
  expect(replicateWords([["a", "b", "c", "d", "e", "f", "g", "h"]])).toBe("a with b, c, d, e, f and 2 more");
  expect(replicateWords([])).toBe("");
});
