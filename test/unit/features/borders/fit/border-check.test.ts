import { describe, expect, test } from "vitest";
import { boardWords } from "../../../../../features/borders/fit/board-summary.ts";
import { checkBoard } from "../../../../../features/borders/fit/border-check.ts";
import { findingWords } from "../../../../../features/borders/fit/findings.ts";
import type { ResponseMatrix } from "../../../../../offline-trainer/src/matrix/response-matrix.ts";
import { board, codes, drawn, meanOf, normals, random, refused, rowsOf } from "./boards.ts";

describe("boards as they should be have no findings", () => {
  test.each([false, true])("graded: %s, with holes or without, few models and many", (graded) => {
    for (const models of [5, 14, 60])
      for (const holes of [0, 0.2]) {
        const columns = drawn(30, { models, graded }).map((column) => ({
          ...column,
          scores: column.scores.map((score) => (random.next() < holes ? NaN : score)),
        }));
        expect(codes(board(columns))).toEqual([]);
      }
  });

  test.each([10, 5])(
    "pass rates among %d runs, that six to nine strong models have on newer items, but for these gaps",
    (runs) => {
      for (let repeat = 0; repeat < 20; repeat++) {
        const levels = normals(30).sort((x, y) => y - x);
        const columns = Array.from({ length: 300 }, (_, i) => ({
          id: `item ${i}`,
          scores: levels.map((level, m) => {
            if (m >= 6 + (i % 4) && i % 3 > 0) return NaN;
            const chance = 1 / (1 + Math.exp(-6 - level - 2 * random.normal()));
            return Array.from({ length: runs }, () => Number(random.next() < chance)).reduce((x, y) => x + y) / runs;
          }),
        }));
        expect(codes(board(columns)).filter((code) => code !== "gaps_by_strength")).toEqual([]);
      }
    },
  );

  test("ordinary scenarios, one of which says nothing of the others", () => {
    for (let repeat = 0; repeat < 20; repeat++) {
      const levels = normals(20);
      const noise = drawn(20, { scenario: "c", prefix: "c", levels: normals(20) });
      expect(
        codes(board([...drawn(20, { levels }), ...drawn(20, { scenario: "b", prefix: "b", levels }), ...noise])),
      ).toEqual([]);
    }
  });
});

describe("a column that is the mean of others is refused", () => {
  test.each([2, 3, 4, 12])("to %d decimals, wherever it stands, whatever it is called", (round) => {
    for (const at of [0, 11, 24])
      for (const graded of [false, true]) {
        const columns = drawn(24, { graded });
        const mean = { id: "Durchschnitt", scores: meanOf(columns, round) };
        expect(refused(board(columns.toSpliced(at, 0, mean)))).toEqual([["summary_column", "Durchschnitt"]]);
      }
  });

  test("of all that a model answered, of a scenario, of a block before it, of the scenarios' means", () => {
    const holed = drawn(24).map((column) => ({
      ...column,
      scores: column.scores.map((score) => (random.next() < 0.2 ? NaN : score)),
    }));
    expect(refused(board([...holed, { id: "average", scores: meanOf(holed) }]))).toEqual([
      ["summary_column", "average"],
    ]);
    const levels = normals(14);
    const [a, b] = [
      drawn(9, { scenario: "a", prefix: "a", levels }),
      drawn(30, { scenario: "b", prefix: "b", levels }),
    ];
    const ofA = { id: "avg a", scenario: "a", scores: meanOf(a) };
    expect(refused(board([...a, ofA, ...b]))).toEqual([["summary_column", "avg a"]]);
    const unnamed = [...a, ofA, ...b, { id: "avg b", scores: meanOf(b) }, { id: "avg", scores: meanOf([...a, ...b]) }];
    const plain = unnamed.map((column) => ({ ...column, scenario: "all" }));
    expect(
      refused(board(plain))
        .map(([, name]) => name)
        .sort(),
    ).toEqual(["avg", "avg a", "avg b"]);
    const macro = {
      id: "macro",
      scenario: "b",
      scores: meanOf([
        { id: "", scores: meanOf(a, 12) },
        { id: "", scores: meanOf(b, 12) },
      ]),
    };
    expect(refused(board([...a, ...b, macro]))).toEqual([["summary_column", "macro"]]);
  });

  test("also their sum, on the scale that it needs", () => {
    const columns = drawn(20).map((column) => ({ ...column, scores: column.scores.map((score) => score / 20) }));
    const sum = { id: "points", scores: meanOf(columns, 12).map((mean) => Number((20 * mean).toFixed(6))) };
    expect(refused(board([...columns, sum]))).toEqual([["summary_column", "points"]]);
  });

  test("not one that is near it", () => {
    const columns = drawn(24, { graded: true });
    const near = meanOf(columns).map((score, m) => (m === 5 ? score + 0.003 : score));
    expect(codes(board([...columns, { id: "x", scores: near }]))).toEqual([]);
  });
});

describe("a row that is no model", () => {
  test("the mean of the others is refused", () => {
    for (const graded of [false, true]) {
      const columns = rowsOf(drawn(40, { graded }), (scores) =>
        Number((scores.reduce((sum, own) => sum + own, 0) / scores.length).toFixed(3)),
      );
      expect(refused(board(columns))).toEqual([["summary_row", "m14"]]);
    }
  });

  test.each([
    ["oracle", (scores: readonly number[]): number => Math.max(...scores)],
    ["worst of all", (scores: readonly number[]): number => Math.min(...scores)],
    ["Median", (scores: readonly number[]): number => scores.toSorted((x, y) => x - y)[6]!],
  ])("%s is named, a model of another name isn't", (name, row) => {
    const columns = rowsOf(drawn(40), row);
    const others = Array.from({ length: 14 }, (_, m) => `m${m}`);
    expect(codes(board(columns, [...others, name]))).toEqual(["summary_row"]);
    expect(codes(board(columns, [...others, "gpt-9"]))).toEqual([]);
  });
});

describe("a scenario that runs against the others is named", () => {
  test.each([1, 2, 4])("beside %d others", (others) => {
    for (let repeat = 0; repeat < 5; repeat++) {
      const levels = normals(40);
      const right = Array.from({ length: others }, (_, s) =>
        drawn(40, { scenario: `s${s}`, prefix: `s${s}/`, levels }),
      ).flat();
      const wrong = drawn(40, { scenario: "errors", prefix: "e", levels, way: -1 });
      const { findings } = checkBoard("t.csv", board([...right, ...wrong]));
      const names = others === 1 ? ["s0", "errors"] : ["errors"];
      expect(findings.map(({ code, names: own }) => [code, ...own])).toEqual([["scenario_reversed", ...names]]);
      expect(findingWords(findings[0]!)).toMatch(
        /run.* against .*: r = -\.\d\d over 40 models; .* \[scenario_reversed\]$/,
      );
    }
  });

  test("also one that is exactly the others' mirror, and a subscenario", () => {
    const levels = normals(20);
    const right = drawn(30, { models: 20, scenario: "a", prefix: "a", levels });
    const mirror = right.map((column, k) => ({
      id: `b${k}`,
      scenario: "b",
      scores: column.scores.map((score) => 1 - score),
    }));
    expect(codes(board([...right, ...mirror]))).toEqual(["scenario_reversed"]);
    const pooled = board([...right, ...mirror]);
    const items = pooled.items.map((item) => ({ ...item, scenario: "pool", subscenario: item.scenario }));
    const { findings } = checkBoard("t.csv", { ...pooled, items });
    expect(findings.map(({ message }) => message)).toEqual([
      expect.stringContaining('subscenarios "a" and "b" run against each other: r = -1.00 over 20 models') as string,
    ]);
  });

  test("two of five are", () => {
    const levels = normals(40);
    const all = [1, -1, 1, 1, -1].flatMap((way, s) => drawn(40, { scenario: `s${s}`, prefix: `s${s}/`, levels, way }));
    expect(checkBoard("t.csv", board(all)).findings.flatMap(({ names }) => names)).toEqual(["s1", "s4"]);
  });
});

test("a scenario far below the scale is named: scores of [0,1] among percent", () => {
  const levels = normals(14);
  const percent = drawn(20, { scenario: "a", prefix: "a", levels });
  const shares = drawn(20, { scenario: "b", prefix: "b", levels }).map((column) => ({ ...column, scores: column.scores.map((score) => score / 100) })); // prettier-ignore
  expect(
    checkBoard("t.csv", board([...percent, ...shares])).findings.map(({ code, names }) => [code, ...names]),
  ).toEqual([["scale_unlikely", "b"]]);
  const fifths = shares.map((column) => ({ ...column, scores: column.scores.map((score) => 20 * score) }));
  const grades = drawn(20, { scenario: "a", prefix: "a", graded: true });
  expect(codes(board([...grades, ...fifths]))).toEqual(["scale_unlikely"]);
  const none = shares.map((column) => ({ ...column, scores: column.scores.map(() => 0) }));
  expect(codes(board([...percent, ...none]))).toEqual(["no_variance"]);
});

test("a model far below the scale where others aren't is named, in whatever scenario", () => {
  const columns = [...drawn(20, { scenario: "a", prefix: "a" }), ...drawn(20, { scenario: "b", prefix: "b" })];
  const found = (share: (scenario: string) => number): string[] =>
    checkBoard(
      "t.csv",
      board(columns.map((column) => ({ ...column, scores: column.scores.map((score, m) => m === 13 ? score * share(column.scenario!) : score) }))), // prettier-ignore
    )
      .findings.filter(({ code }) => code === "scale_unlikely")
      .flatMap(({ code, names }) => [code, ...names]);
  expect(found(() => 0.01)).toEqual(["scale_unlikely", "m13"]);
  expect(found((scenario) => (scenario === "b" ? 0.01 : 1))).toEqual(["scale_unlikely", "m13"]);
  for (const share of [0, 0.02, 1]) expect(found(() => share)).toEqual([]);
});

test("what came in is said in two lines", () => {
  const columns = [
    { id: "a1", scenario: "a", scores: [0, 0.5, 1, 1] },
    { id: "a2", scenario: "a", scores: [NaN, 0.5, 1, 1] },
    { id: "b1", scenario: "b", scores: [0.25, 0.25, 0.25, 0.25] },
  ];
  const { summary, findings } = checkBoard("t.csv", board(columns));
  expect(summary).toEqual({
    models: 4,
    items: 3,
    range: [0, 1],
    distinct: 4,
    missing: 1 - 11 / 12,
    scenarios: [
      { id: "a", items: 2, mean: 5 / 7, highest: 1, missing: 1 - 7 / 8 },
      { id: "b", items: 1, mean: 0.25, highest: 0.25, missing: 0 },
    ],
  });
  expect(boardWords(summary)).toEqual([
    "4 models, 3 items; scores 0 to 1, 4 distinct; 8 % missing",
    "a: 2 items, mean 71 %, 13 % missing; b: 1 item, mean 25 %",
  ]);
  expect(findings.map(({ code, names }) => [code, ...names])).toEqual([["no_variance", "b"]]);
});

describe("gaps that go with strength", () => {
  /** Items in the order of their dates; models from the weakest to the strongest. */
  const gappy = (lacks: (m: number, k: number) => boolean): ResponseMatrix => {
    const levels = normals(40).sort((x, y) => x - y);
    const columns = drawn(60, { models: 40, levels });
    return board(
      columns.map((column, k) => ({ ...column, scores: column.scores.map((score, m) => (lacks(m, k) ? NaN : score)) })),
    );
  };

  test("are named where newer items were asked of stronger models alone, however hard they are", () => {
    const { findings } = checkBoard(
      "t.csv",
      gappy((m, k) => k / 60 > m / 40 + 0.3),
    );
    expect(findings.map(findingWords)).toEqual([
      expect.stringMatching(
        /^scenario "all" lacks 2\d % of its answers, and stronger models have answered more items \(r = \.[6-9]\d over 40 models\).* \[gaps_by_strength\]$/,
      ),
    ]);
    expect(codes(gappy((m, k) => k / 60 < m / 40 - 0.3))).toEqual(["gaps_by_strength"]);
  });

  test("not gaps at random, whole scenarios that weren't run, and runs of the first items", () => {
    for (let repeat = 0; repeat < 10; repeat++) {
      expect(codes(gappy(() => random.next() < 0.3))).toEqual([]);
      const ends = normals(40).map((value) => 40 + 10 * value);
      expect(codes(gappy((m, k) => k > ends[m]!))).toEqual([]);
      const lost = normals(40).map((value) => value > 1);
      expect(codes(gappy((m, k) => lost[m]! && k > 0))).toEqual([]);
    }
  });

  test("not a few answers", () => {
    expect(codes(gappy((m, k) => m === 0 && k > 30))).toEqual([]);
  });
});
