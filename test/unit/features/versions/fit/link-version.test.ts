import { describe, expect, test } from "vitest";
import { compareItems } from "../../../../../features/versions/fit/compare-items.ts";
import { carryAnswers } from "../../../../../features/versions/fit/link-version.ts";
import { responseMatrix, scoreAt } from "../../../../../offline-trainer/src/matrix/response-matrix.ts";
import { refusal } from "../../../../support/refusal.ts";

const item = (id: string, content: string) => ({ item_id: id, scenario: "s", hash: content.repeat(64) });
const before = [item("same", "a"), item("renamed", "b"), item("changed", "c"), item("gone", "d")];
const now = [item("same", "a"), item("called", "b"), item("changed", "e"), item("new", "f")];
const matrix = (subjects: string[], items: typeof before, scores: number[]) =>
  responseMatrix(subjects, items, Float64Array.from(scores));
const older = matrix(["old", "both"], before, [1, 1, 1, 1, 0, 0, 0, 0]);
const carried = (rerun: Parameters<typeof carryAnswers>[1]) =>
  carryAnswers(older, rerun, now, compareItems(before, now), (scenario) => scenario === "fresh");

describe("answers to a new version", () => {
  test("are the old ones where the item is the same, under whatever id, and none where it changed", () => {
    const { matrix: own, fixedIds, rerun } = carried(null);
    expect([...fixedIds]).toEqual([
      ["same", "same"],
      ["called", "renamed"],
    ]);
    expect(now.map((_, i) => scoreAt(own, 0, i))).toEqual([1, 1, NaN, NaN]);
    expect(rerun).toBe(0);
  });

  test("of a new scenario count where an item moved to it or came with it, not where its id now names another", () => {
    const fresh = (id: string, content: string) => ({ ...item(id, content), scenario: "fresh" });
    const later = [fresh("moved", "a"), fresh("changed", "e"), fresh("renamed", "f"), fresh("new", "g")];
    const table = matrix(["one"], [...before, item("new", "g")], [1, 1, 1, 1, 0]);
    const changes = compareItems(before, [...later, item("called", "b")]);
    const { matrix: own, fixedIds } = carryAnswers(table, null, later, changes, (scenario) => scenario === "fresh");
    expect(later.map((_, i) => scoreAt(own, 0, i))).toEqual([1, NaN, NaN, 0]);
    expect([...fixedIds.keys()]).toEqual(["called"]);
  });

  test("and those of models that were run again, which count before their old ones", () => {
    const again = matrix(["both", "young"], [now[0]!, now[2]!], [1, 1, NaN, 0]);
    const { matrix: own, rerun } = carried(again);
    expect(own.subjects).toEqual(["old", "both", "young"]);
    expect(now.map((_, i) => scoreAt(own, 1, i))).toEqual([1, 0, 1, NaN]);
    expect(now.map((_, i) => scoreAt(own, 2, i))).toEqual([NaN, NaN, 0, NaN]);
    expect(rerun).toBe(2);
  });

  test("to items that nobody described are refused", () => {
    const { code, message } = refusal(() => carried(matrix(["both"], [item("stranger", "9")], [1])));
    expect([code, message]).toEqual([
      "invalid_data",
      'the re-run answers have 1 item that isn\'t described: "stranger"',
    ]);
  });
});
