import { contentHash, type AnchorRecord } from "anchoreval/bundle";
import { textHash } from "anchoreval/internal/core/bundle/digest";
import { describe, expect, test } from "vitest";
import { sameItems } from "../../../../cli/src/run/same-items.ts";
import { expectRefusal, refusal } from "../../../support/refusal.ts";

const hashOf = (k: number): string => contentHash({ input: `Question ${k}?`, target: "yes" });
const anchor = (k: number, more: Partial<AnchorRecord> = {}): AnchorRecord => ({
  ...{ item_id: `quiz/${k}`, scenario: "quiz", index: k, task: "quiz", doc_id: k, forms: ["3"], hash: hashOf(k) },
  ...more,
});
const anchors = [0, 1, 2].map((k) => anchor(k));
/** An item of the task that has the content of another. */
const item = (doc_id: number | string, of: number) => ({
  task: "quiz",
  doc_id,
  hash: hashOf(of),
  text: `Question ${of}?`,
});
const options = { harness: "inspect", fitted: "inspect", dropChanged: false };
const placesOf = ({ anchors: own }: { anchors: readonly AnchorRecord[] }) => own.map(({ item_id, doc_id }) => [item_id, doc_id]); // prettier-ignore

describe("anchors in a harness's tasks", () => {
  test("are found by content, of the item or of its text alone, wherever they lie; without a hash by id", () => {
    const items = [0, 1, 2].map((k) => item(k + 1, k));
    const found = sameItems([anchor(0), anchor(1, { hash: textHash("Question  1?") })], items, options);
    expect([placesOf(found), found.remarks]).toEqual([[["quiz/0", 1], ["quiz/1", 2]], []]); // prettier-ignore
    const plain = anchor(2);
    delete (plain as { hash?: string }).hash;
    expect(placesOf(sameItems([plain], items, options))).toEqual([["quiz/2", 2]]);
    // The harness may be told a place, which isn't the id.
    expect(placesOf(sameItems([anchor(1)], [{ ...item("b", 1), place: 7 }], options))).toEqual([["quiz/1", 7]]);
  });

  test("that aren't there, or have changed, are refused, or count as missing where that is asked for", () => {
    const items = [item(0, 0), item(1, 9)];
    const words = `1 of 3 anchors aren't in the harness's tasks: "quiz/2"; 1 of 3 anchors have other content in the harness's tasks: "quiz/1"; take the bundle`;
    expectRefusal(refusal(() => sameItems(anchors, items, options)), "item_changed", words); // prettier-ignore
    const dropped = sameItems(anchors, items, { ...options, dropChanged: true });
    expect(placesOf(dropped)).toEqual([["quiz/0", 0], ["quiz/1", 1]]); // prettier-ignore
    expect(dropped.remarks).toEqual([
      `1 of 3 anchors aren't in the harness's tasks: "quiz/2"; they count as missing`,
      `1 of 3 anchors have other content in the harness's tasks: "quiz/1"; they count as missing`,
    ]);
  });

  test("are refused where none is as the bundle has it, whatever is asked for", () => {
    const items = [0, 1, 2].map((k) => item(k, k + 10));
    const drop = { ...options, dropChanged: true };
    expectRefusal(refusal(() => sameItems(anchors, items, drop)), "item_changed", "3 of 3 anchors have other content"); // prettier-ignore
    expectRefusal(refusal(() => sameItems(anchors, [], drop)), "item_changed", "3 of 3 anchors aren't in the harness's tasks"); // prettier-ignore
    expectRefusal(
      refusal(() => sameItems(anchors, items, { ...drop, fitted: "lm-eval" })),
      "item_changed",
      "hashes are of items as lm-eval writes them: run lm-eval, or a bundle fitted on logs of inspect",
    );
  });
});
