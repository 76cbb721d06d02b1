import type { AnchorRecord } from "anchoreval/bundle";
import { textHash } from "anchoreval/internal/core/bundle/digest";
import { countAttempts } from "anchoreval/internal/logs/attempts";
import { matchAnchors } from "anchoreval/internal/logs/match-anchors";
import type { LoggedSample } from "anchoreval/internal/logs/run-log";
import { describe, expect, it } from "vitest";
import { countedSample } from "../../support/counted-sample.ts";

const H = (letter: string): string => letter.repeat(64);

function anchor(doc_id: number, hash?: string, task: string | undefined = "t"): AnchorRecord {
  const place = { task, doc_id };
  return {
    item_id: `${task}/${doc_id}`,
    scenario: "s",
    index: doc_id,
    forms: ["50"],
    ...place,
    ...(hash !== undefined && { hash }),
  };
}

function sample(doc_id: number, hash: string | null, more: Partial<LoggedSample> = {}): LoggedSample {
  return { task: "t", doc_id, attempts: [{ score: doc_id % 2 }], hash, text: null, ...more };
}

function matched(anchors: AnchorRecord[], samples: LoggedSample[]): Record<string, number | null> {
  return scoresOf(matchAnchors(anchors, samples));
}

/** Scores by anchor. */
function scoresOf({ matches }: ReturnType<typeof matchAnchors<LoggedSample>>): Record<string, number | null> {
  return Object.fromEntries(Array.from(matches, ([id, own]) => [id, countedSample(own).score]));
}

describe("matchAnchors", () => {
  it("matches by task and document, and counts what is no anchor", () => {
    const found = matchAnchors(
      [anchor(1, H("a")), anchor(2)],
      [sample(1, H("a")), sample(2, H("b")), sample(3, H("c")), sample(1, H("a"), { task: "u" })],
    );
    expect(scoresOf(found)).toEqual({ "t/1": 1, "t/2": 0 });
    expect(Object.fromEntries(found.hashes)).toEqual({ "t/1": H("a"), "t/2": H("b") });
    expect(found.ignored).toBe(2);
  });

  it("matches by content first: a harness may number a subset's documents wrongly", () => {
    const anchors = [anchor(4, H("d")), anchor(1, H("a"))];
    expect(matched(anchors, [sample(4, H("a")), sample(1, H("d"))])).toEqual({ "t/1": 0, "t/4": 1 });
    expect(matched([anchor(4, H("d"))], [sample(4, H("a")), sample(1, H("d"))])).toEqual({ "t/4": 1 });
  });

  it("gives a changed document to the anchor of its id, with its own hash", () => {
    const found = matchAnchors([anchor(1, H("a"))], [sample(1, H("x"))]);
    expect(Object.fromEntries(found.hashes)).toEqual({ "t/1": H("x") });
  });

  it("keeps documents apart that are in a task twice", () => {
    const anchors = [anchor(1, H("a")), anchor(2, H("a"))];
    expect(matched(anchors, [sample(2, H("a")), sample(1, H("a")), sample(3, H("a"))])).toEqual({ "t/1": 1, "t/2": 0 });
  });

  it("matches by the text alone where the bundle tells nothing of targets, whatever the harness calls the document", () => {
    const anchors = [anchor(1, textHash("How many?")), anchor(2, textHash("Why?"))];
    const found = matchAnchors(anchors, [
      sample(7, H("x"), { text: " How\n many? " }),
      sample(2, H("y"), { text: "Why not?" }),
    ]);
    expect(scoresOf(found)).toEqual({ "t/1": 1, "t/2": 0 });
    expect(found.hashes.get("t/1")).toBe(anchors[0]!.hash);
    expect(found.hashes.get("t/2")).toBe(H("y")); // another text: the estimate says so
  });

  it("finds anchors without task by their id or their content", () => {
    const bare = ({ item_id, scenario, index, forms, hash }: AnchorRecord): AnchorRecord =>
      hash === undefined ? { item_id, scenario, index, forms } : { item_id, scenario, index, forms, hash };
    expect(matched([bare(anchor(3))], [sample(3, null)])).toEqual({ "t/3": 1 });
    expect(matched([{ ...bare(anchor(3, H("c"))), item_id: "mine" }], [sample(9, H("c"))])).toEqual({ mine: 1 });
  });

  it("finds anchors without an answer or a score as any, their attempts as they are", () => {
    const samples = [
      sample(1, null, { attempts: [{ score: 0, failure: "timeout" }] }),
      sample(2, null, { attempts: [{ score: null }] }),
      sample(3, null),
    ];
    const matches = matchAnchors([anchor(1), anchor(2), anchor(3)], samples);
    expect([...matches.matches]).toEqual(samples.map((own) => [`t/${own.doc_id}`, own]));
    expect(matches.ignored).toBe(0);
    expect(scoresOf(matches)).toEqual({ "t/1": 0, "t/2": null, "t/3": 1 });
    const reasons = new Map([["timeout", 1]]);
    expect(countAttempts(matches.matches.values())).toEqual({ scored: 1, failed: 1, missing: 1, reasons });
  });
});
