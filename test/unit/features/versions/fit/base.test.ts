import { lookUp } from "anchoreval/internal/core/bundle/names";
import { type BundleContent, encodeBundle } from "anchoreval/bundle";
import { expect, test } from "vitest";
import type { AnchorInput, AnchorMethod } from "../../../../../offline-trainer/src/anchors/anchor-method.ts";
import { readBase, withBase, type BaseRecord } from "../../../../../features/versions/fit/base.ts";
import { keepAnchors } from "../../../../../features/versions/fit/keep-anchors.ts";
import { memorySource } from "../../../../support/memory-source.ts";
import { expectRefusal, rejection } from "../../../../support/refusal.ts";
import { sampleContent } from "../../../../support/sample-bundle.ts";

const items = ["a", "b", "c", "new"].map((item_id) => ({ item_id, scenario: "s" }));
const earlier = {
  anchors: new Map([["s", new Map([["2", { kept: new Set(["b"]), of: 2 }]])]]),
  fresh: new Set(["new"]),
};
const record = { benchmark: "quiz", version: "1.0.0" } as BaseRecord;

test("a manifest's base counts the anchors that were kept, and stands before the protocol", () => {
  const set = (...chosen: number[]) => ({ items: Uint32Array.from(chosen) });
  const content = {
    manifest: { scenarios: [{ id: "s" }], sources: {}, protocol: {}, fit: {} },
    scenarios: [
      {
        items,
        forms: new Map([
          ["2", set(1, 3)],
          ["3", set(0, 1, 2)],
        ]),
      },
    ],
  } as unknown as BundleContent;
  const { manifest } = withBase(content, record, earlier);
  expect(lookUp(manifest as object as Record<string, unknown>, "base")).toEqual({
    ...record,
    anchors: { "2": { kept: 1, of: 2 }, "3": { kept: 1, of: 3 } },
  });
  expect(Object.keys(manifest)).toEqual(["scenarios", "sources", "base", "protocol", "fit"]);
});

test("a method that keeps earlier anchors draws a bundle's forms, not a fold's, with probabilities that hold them", () => {
  let given: AnchorInput | undefined;
  const method = {
    name: "drawn",
    prepare: (input: AnchorInput) => ((given = input), { draw: () => ({ sets: new Map(), nested: true }) }),
  } as unknown as AnchorMethod;
  const prepare = (final: boolean): void => {
    keepAnchors(method, earlier).prepare({ scenario: "s", items, final } as unknown as AnchorInput);
  };
  prepare(false);
  expect(given!.coordination).toBeUndefined();
  prepare(true);
  const { sizes, begin } = given!.coordination!;
  expect(sizes).toEqual([2]);
  const probabilities = begin()([0, 1, 2, 3], new Float64Array(4).fill(0.5), 2);
  expect(Array.from(probabilities).map((p) => Math.round(100 * p) / 100)).toEqual([0, 1, 0.5, 0.5]);
  expect(begin()([0, 1, 2, 3], new Float64Array(4).fill(0.25), 1)).toEqual(new Float64Array(4).fill(0.25));
});

test("a base whose graded scores were calibrated as they are, by an earlier trainer, is refused", async () => {
  const content = sampleContent();
  const read = (link: string) => {
    const links = Object.fromEntries(content.manifest.banks.map(({ id }) => [id, link]));
    const manifest = { ...content.manifest, fit: { ...content.manifest.fit, links } };
    return readBase(memorySource(encodeBundle({ ...content, manifest })));
  };
  await expect(read("binarize")).resolves.toHaveProperty("items");
  expectRefusal(await rejection(read("bernoulli")), "unsupported", "were calibrated as they are (link bernoulli)");
});
