import { loadBundle, estimate } from "anchoreval";
import { encodeBundle } from "anchoreval/bundle";
import { text } from "anchoreval/internal/core/bundle/schema";
import { type BundlePart, checkParts, partOf } from "anchoreval/internal/core/bundle/part";
import { PARTS } from "anchoreval/internal/features/core";
import { describe, expect, test } from "vitest";
import { memorySource } from "../../support/memory-source.ts";
import { expectRefusal, rejection } from "../../support/refusal.ts";
import { sampleAnswers } from "../../support/sample-answers.ts";
import { SAMPLE_SUBSCORES, sampleBundle, sampleContent } from "../../support/sample-bundle.ts";

const content = sampleContent();
const { fit } = (await loadBundle(memorySource(sampleBundle({ repeated: true })))).manifest;

/** The bundle, loaded, with another note of its fit, or other parts. */
const loaded = (notes: object, parts?: object) =>
  loadBundle(
    memorySource(
      encodeBundle({
        ...content,
        manifest: {
          ...content.manifest,
          fit: { ...content.manifest.fit, ...notes },
          ...(parts && { parts: parts as never }),
        },
      }),
    ),
  );

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
  subscores: SAMPLE_SUBSCORES,
};

describe.each(PARTS.map((part) => [part.key, part] as const))("%s", (key, part) => {
  const noted = (value: unknown) =>
    part.at === "fit" ? loaded({ [key]: value }) : loaded({}, { [key]: { bears: part.bears, value } });

  test("is read as it was written", async () => {
    const { manifest } = await noted(NOTES[key]);
    expect(partOf(manifest, part)).toEqual(NOTES[key]);
    expect(partOf({ fit: {} }, part)).toBeNull();
  });

  test("damaged in any place it is refused by name, or means another part that is whole", async () => {
    let refused = 0;
    for (const damaged of damages(NOTES[key])) {
      const found = await noted(damaged).then(
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
    const error = await rejection(loaded({}, { curve: { bears: "score", value: 1 } }));
    expectRefusal(error, "bundle_newer", "curve");
  });

  test("is left alone and said where none does", async () => {
    const parts = { colours: { bears: "beside", value: { any: ["thing"] } } };
    const [other, plain] = await Promise.all([loaded({}, parts), loaded({})]);
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
    expect(checkParts(manifest, [part])).toEqual([]);
    expect(() => checkParts(manifest, [])).toThrow("update anchoreval");
  });
});
