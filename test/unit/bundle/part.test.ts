import { loadBundle, estimate } from "anchoreval";
import { encodeBundle } from "anchoreval/bundle";
import { text } from "anchoreval/internal/core/bundle/schema";
import { type BundlePart, otherParts, partOf, withPart } from "anchoreval/internal/core/bundle/part";
import { PARTS } from "anchoreval/internal/features/core";
import { describe, expect, test } from "vitest";
import { memorySource } from "../../support/memory-source.ts";
import { expectRefusal, rejection } from "../../support/refusal.ts";
import { sampleAnswers } from "../../support/sample-answers.ts";
import { SAMPLE_SUBSCORES, SAMPLE_UNASKED, sampleBundle, sampleContent } from "../../support/sample-bundle.ts";

const content = sampleContent();
const { fit } = (await loadBundle(memorySource(sampleBundle({ repeated: true })))).manifest;

/** The bundle, loaded, with something else in its manifest. */
const loaded = (change: (manifest: typeof content.manifest) => typeof content.manifest) =>
  loadBundle(memorySource(encodeBundle({ ...content, manifest: change(content.manifest) })));

/** The bundle, loaded, with parts that may be of any kind. */
const withParts = (parts?: object) => loaded((manifest) => ({ ...manifest, ...(parts && { parts: parts as never }) }));

/** Every change of one value inside another to one that no part means: text, null, a list, a number below 0. */
function* damages(value: unknown): Generator {
  for (const other of ["text", null, [[]], -1, true]) if (other !== value) yield other;
  if (typeof value !== "object" || value === null) return;
  if (Array.isArray(value)) {
    yield value.slice(1);
    for (const [k, entry] of value.slice(0, 2).entries())
      for (const damaged of damages(entry)) yield value.with(k, damaged);
    return;
  }
  for (const [key, entry] of Object.entries(value)) {
    yield Object.fromEntries(Object.entries(value).filter(([name]) => name !== key));
    for (const damaged of damages(entry)) yield { ...value, [key]: damaged };
  }
}

/** What the sample's notes have of each part. */
const NOTES: Readonly<Record<string, unknown>> = {
  prices: fit["prices"],
  varianceComponents: fit["varianceComponents"],
  trialMetric: "pass@2",
  gateForms: { alpha: { by: "repeats", flips: 0.1, variance: 0.5 } },
  coldStart: {
    ...{ features: "tf-idf", width: 3, items: 1 },
    scenarios: {
      alpha: {
        ...{ questions: 40, method: "ridge", single: 2 },
        leftOut: { questions: 40, brier: 0.2, logLoss: 0.6, calibrationError: 0.02, right: 0.64, singleRight: 0.6 },
      },
    },
    neighbours: { k: 3, weighted: false },
  },
  base: {
    ...{ benchmark: "sample", version: "0.9.0", digest: `sha256:${"0".repeat(64)}` },
    ...{
      items: { standing: 90, placed: 10 },
      rerun: 3,
      drawn: 0.5,
      texts: false,
      anchors: { 20: { kept: 9, of: 20 } },
    },
    bridge: { overall: { models: 30, slope: 0.9, intercept: 0.1, error: 0.01 }, scenarios: { alpha: null } },
  },
  unasked: SAMPLE_UNASKED,
  subscores: SAMPLE_SUBSCORES,
  knownScores: {
    elsewhere: {
      overall: null,
      scenarios: { alpha: { models: 9, intercept: 0.1, slope: 0.8, deviation: 0.3, mean: -0.2, spread: 4 } },
    },
  },
};

/** Those that may be damaged: limits of adaptive evaluations are refused whatever they are. */
const DAMAGEABLE = PARTS.filter(({ schema }) => schema.kind !== "anything");

describe.each(DAMAGEABLE.map((part) => [part.key, part] as const))("%s", (key, part) => {
  test("is read as it was written", async () => {
    const { manifest } = await loaded((before) => withPart(before, part, NOTES[key]));
    expect(partOf(manifest, part)).toEqual(NOTES[key]);
    expect(partOf({ fit: {} }, part)).toBeNull();
  });

  test("damaged in any place it is refused by name, or means another part that is whole", async () => {
    let refused = 0;
    for (const damaged of damages(NOTES[key])) {
      const found = await loaded((before) => withPart(before, part, damaged)).then(
        ({ manifest }) => partOf(manifest, part),
        (error: unknown) => error,
      );
      if (!(found instanceof Error)) {
        expect(found).toEqual(damaged);
        continue;
      }
      refused++;
      expect(found).toMatchObject({ code: "bundle_invalid" });
      expect(found.message).toContain(key);
    }
    expect(refused).toBeGreaterThan(4);
  });
});

describe("a part that this version doesn't know", () => {
  test("is refused where scores bear on it", async () => {
    const error = await rejection(withParts({ curve: { bears: "score", value: 1 } }));
    expectRefusal(error, "bundle_newer", "curve");
  });

  test("is left alone and said where none does", async () => {
    const parts = { colours: { bears: "beside", value: { any: ["thing"] } } };
    const [other, plain] = await Promise.all([withParts(parts), withParts()]);
    const answers = sampleAnswers("20");
    const [said, silent] = [other, plain].map((bundle) => estimate(bundle, answers));
    expect(said!.warnings.filter(({ code }) => code === "unknown_part").map(({ message }) => message)).toEqual([
      expect.stringContaining("colours"),
    ]);
    expect(silent!.warnings.filter(({ code }) => code === "unknown_part")).toEqual([]);
    expect(said!.score).toBe(silent!.score);
  });

  test("is read once a version knows it", () => {
    const part: BundlePart<string> = { key: "curve", at: "parts", bears: "score", schema: text() };
    const manifest = { fit: {}, parts: { curve: { bears: "score", value: "steep" } } } as const;
    expect(partOf(manifest, part)).toBe("steep");
    expect(otherParts(manifest, [part])).toEqual([]);
    expect(() => otherParts(manifest, [])).toThrow("update anchoreval");
  });
});
