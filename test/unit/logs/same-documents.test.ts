import { describe, expect, test } from "vitest";
import { documentNames, isNumberedAlike } from "../../../sdk/logs/same-documents.ts";

/** Documents as `id:content`; without a content the log doesn't hold it. */
function run(...documents: readonly string[]) {
  return documents.map((document) => {
    const [doc_id, hash = null] = document.split(":") as [string, string?];
    return { doc_id, hash };
  });
}

describe("documents are the same in several runs", () => {
  test("by content, whatever their ids and their order", () => {
    const [one, other] = documentNames([run("0:a", "1:b", "2:c"), run("x:c", "y:a", "0:b")]) as [string[], string[]];
    expect(other).toEqual([one[2], one[0], one[1]]);
  });

  test("by an ordinal in the order of their ids where a run has a content twice", () => {
    const [one, other] = documentNames([run("0:a", "1:b", "2:a"), run("2:a", "1:b", "0:a")]) as [string[], string[]];
    expect(new Set(one).size).toBe(3);
    expect(other).toEqual(one.toReversed());
  });

  test("by the id where a log doesn't hold them: of the content that another has under it", () => {
    const [one, other, third] = documentNames([run("0:a", "1:b"), run("1", "2"), run("2", "0")]) as [
      string[],
      string[],
      string[],
    ];
    expect(other[0]).toBe(one[1]);
    expect(third).toEqual([other[1], one[0]]);
  });
});

describe("runs number their documents", () => {
  test.each<[string, boolean, ReturnType<typeof run>[]]>([
    ["alike where nothing tells else", true, [run("0:a", "1:b"), run("2:c"), run("3")]],
    ["alike with a content that a task has twice", true, [run(..."abcdefghijk".split("").map((c, k) => `${k}:${c}`)), run(..."lmnopqrstua".split("").map((c, k) => `${k + 11}:${c}`))]], // prettier-ignore
    ["otherwise where an id has two contents", false, [run("0:a", "1:b"), run("1:c")]],
    ["otherwise where the contents have other ids", false, [run("0:a", "1:b"), run("x:a", "y:b")]],
    ["alike where a log doesn't hold them", true, [run("0:a", "1:b"), run("0", "1")]],
  ])("%s", (_, alike, runs) => {
    expect(isNumberedAlike(runs)).toBe(alike);
    expect(isNumberedAlike(runs.toReversed())).toBe(alike);
  });
});
