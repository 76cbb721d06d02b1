import { describe, expect, test } from "vitest";
import { checkBoard } from "../../../../../features/borders/fit/border-check.ts";
import { board, codes, type Column, drawn, meanOf, normals, random, refused, rowsOf } from "./boards.ts";

describe("columns that no mean explains", () => {
  const cells = (column: readonly Column[], m: number): number[] => column.map(({ scores }) => scores[m]!);
  const weights = Array.from({ length: 24 }, () => random.next());
  const summaries: readonly [string, (scores: readonly number[], rank: number) => number][] = [
    ["median", (scores) => scores.toSorted((x, y) => x - y)[12]!],
    ["Std. dev.", (scores) => Math.min(...scores) / 3 + scores[0]! / 4],
    ["weighted_avg", (scores) => weights.reduce((sum, weight, k) => sum + weight * scores[k]!, 0) / 24],
    ["all/Mean (top 3)", (scores) => Math.max(...scores)],
    ["rank_pct", (_, rank) => rank / 14],
  ];

  test.each(summaries)("%s is named by what it is called", (name, of) => {
    for (const graded of [false, true]) {
      const columns = drawn(24, { graded });
      const scores = columns[0]!.scores.map((_, m) => of(cells(columns, m), m));
      const { findings } = checkBoard("t.csv", board([...columns, { id: name, scores }]));
      expect(findings).toContainEqual(expect.objectContaining({ code: "summary_column", names: [name] }));
    }
  });

  test("fractions where all others are 0 and 1 are named, of columns and of rows, whatever they are called", () => {
    const columns = drawn(40);
    const fractions = { id: "x", scores: columns[0]!.scores.map(() => random.next()) };
    const row = rowsOf(columns, () => random.next());
    expect(codes(board([...columns, fractions]))).toEqual(["summary_column"]);
    expect(codes(board(row))).toEqual(["summary_row"]);
    expect(codes(board([...columns, ...drawn(8, { graded: true, prefix: "g" })]))).toEqual([]);
  });

  test.each(["average pooling", "all-MiniLM", "mean-teacher", "totally", "q/12"])("not %s", (name) => {
    const columns = drawn(24);
    const models = columns[0]!.scores.map((_, m) => (m === 0 ? name : `m${m}`));
    expect(codes(board([...columns.slice(1), { ...columns[0]!, id: name }], models))).toEqual([]);
  });

  test("an error rate, one decimal, and the means of what ids have in common are refused", () => {
    const columns = drawn(24);
    const errors = { id: "wrong", scores: meanOf(columns).map((mean) => 1 - mean) };
    expect(refused(board([...columns, errors]))).toEqual([["summary_column", "wrong"]]);
    expect(refused(board([...columns, { id: "avg", scores: meanOf(columns, 1) }]))).toEqual([["summary_column", "avg"]]); // prettier-ignore
    const levels = normals(14);
    const parts = ["math/q", "code_", "law"].map((prefix) => drawn(9, { prefix, levels }));
    const means = parts.map((part, k) => ({ id: `x${k}`, scores: meanOf(part) }));
    expect(refused(board([...parts.flat(), ...means]))).toEqual(means.map(({ id }) => ["summary_column", id]));
  });

  test("one with fractions that runs against the others, as perplexities do", () => {
    const levels = normals(30);
    const columns = drawn(40, { models: 30, levels, graded: true });
    const perplexity = { id: "x", scores: levels.map((level) => Math.min(1, 0.3 * Math.exp(-level / 2))) };
    const { findings } = checkBoard("t.csv", board([...columns, perplexity]));
    expect(findings.map(({ code, names }) => [code, ...names])).toEqual([["item_reversed", "x"]]);
  });
});
