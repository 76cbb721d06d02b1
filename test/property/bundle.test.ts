import { loadBundle } from "anchoreval";
import { contentHash, encodeBundle, parseManifest, type BundleContent } from "anchoreval/bundle";
import { formDigest, sha256Hex } from "anchoreval/internal/core/bundle/digest";
import { compareVersions, VERSION } from "anchoreval/internal/core/bundle/names";
import {
  decodeSafetensorsHeader,
  encodeSafetensors,
  tensorData,
  type Tensor,
} from "anchoreval/internal/core/bundle/safetensors";
import fc from "fast-check";
import { createHash } from "node:crypto";
import { describe, expect, test } from "vitest";
import "../support/arbitraries.ts";
import { memorySource } from "../support/memory-source.ts";
import { sampleContent } from "../support/sample-bundle.ts";
import { flipped, withFile } from "../support/tamper.ts";
import { rejection } from "../support/refusal.ts";
import { WHOLE } from "../support/whole.ts";

/** Any id that the format allows. */
const arbId = fc
  .string({ minLength: 1, maxLength: 40, unit: "grapheme" })
  .map((id) => id.normalize("NFC").replace(/[\p{Cc}\p{Cs}]/gu, "·"));

const arbTensors: fc.Arbitrary<Tensor[]> = fc
  .uniqueArray(
    fc.record({
      name: fc.string({ minLength: 1, maxLength: 12 }).filter((name) => !["__metadata__", "__proto__"].includes(name)),
      kind: fc.constantFrom("F64", "F32", "U32"),
      values: fc.array(fc.double({ noNaN: true, min: 0, max: 4e9 }), { maxLength: 9 }),
    }),
    { selector: ({ name }) => name, maxLength: 6 },
  )
  .map((parts) =>
    // Wider elements first, as the format asks.
    parts
      .sort((x, y) => Number(y.kind === "F64") - Number(x.kind === "F64"))
      .map(({ name, kind, values }) => ({
        name,
        shape: [values.length],
        data:
          kind === "F64"
            ? Float64Array.from(values)
            : kind === "F32"
              ? Float32Array.from(values)
              : Uint32Array.from(values),
      })),
  );

describe("safetensors", () => {
  test("what is written is read, aligned, wherever the bytes lie", () => {
    fc.assert(
      fc.property(arbTensors, fc.nat({ max: 7 }), (tensors, shift) => {
        const bytes = encodeSafetensors(tensors);
        const moved = new Uint8Array(bytes.length + shift);
        moved.set(bytes, shift);
        const part = moved.subarray(shift);
        const { headerBytes, tensors: found } = decodeSafetensorsHeader(part, part.length);
        expect(headerBytes % 8).toBe(0);
        expect(found.size).toBe(tensors.length);
        for (const { name, shape, data } of tensors) {
          const entry = found.get(name)!;
          expect(entry.begin % data.BYTES_PER_ELEMENT).toBe(0);
          expect(entry.shape).toEqual(shape);
          expect(tensorData(entry, part, 0)).toEqual(data);
        }
      }),
    );
  });

  test("any bytes are read or refused by name, never a crash", () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 200 }), (bytes) => {
        try {
          decodeSafetensorsHeader(bytes, bytes.length);
        } catch (error) {
          expect(error).toMatchObject({ name: "AnchorEvalError", code: "bundle_invalid" });
        }
      }),
    );
  });
});

/** Contents with any ids, dimensions, sizes and optional parts. */
const arbContent: fc.Arbitrary<BundleContent> = fc
  .record({
    seed: fc.nat(),
    dims: fc.integer({ min: 1, max: 4 }),
    items: fc.tuple(fc.integer({ min: 3, max: 30 }), fc.integer({ min: 6, max: 30 })),
    small: fc.integer({ min: 1, max: 2 }),
    purposive: fc.boolean(),
    report: fc.boolean(),
    ids: fc.uniqueArray(arbId, { minLength: 2, maxLength: 2 }),
    hashes: fc.boolean(),
    upper: fc.boolean(),
  })
  .map(({ ids, hashes, upper, small, ...rest }) => {
    const content = sampleContent({ ...rest, sizes: [small, 3] });
    const old = content.manifest.scenarios.map(({ id }) => id);
    const rename = (id: string): string => ids[old.indexOf(id)]!;
    return {
      ...content,
      manifest: {
        ...content.manifest,
        scenarios: content.manifest.scenarios.map((scenario) => ({ ...scenario, id: rename(scenario.id) })),
        banks: content.manifest.banks.map((bank) => ({ ...bank, scenarios: bank.scenarios.map(rename) })),
        forms: content.manifest.forms.map((form) => ({
          ...form,
          scenarios: Object.fromEntries(Object.entries(form.scenarios).map(([id, entry]) => [rename(id), entry])),
        })),
      },
      scenarios: content.scenarios.map((scenario) => ({
        ...scenario,
        bank: { ...scenario.bank, upper: upper ? new Float32Array(scenario.bank.count).fill(0.9) : null },
        anchors: scenario.anchors.map((anchor) => ({
          ...anchor,
          scenario: rename(anchor.scenario),
          ...(hashes && { hash: contentHash({ input: anchor.item_id, target: 0 }) }),
        })),
        items: scenario.items.map((item) => ({ ...item, scenario: rename(item.scenario) })),
      })),
    };
  });

describe("a bundle", () => {
  test("decodes to what was encoded, bit for bit, and encodes to the same bytes again", async () => {
    await fc.assert(
      fc.asyncProperty(arbContent, async (content) => {
        const files = encodeBundle(content);
        expect([...encodeBundle(content)]).toEqual([...files]);
        const bundle = await loadBundle(memorySource(files));
        expect(bundle.digest).toBe(`sha256:${sha256Hex(files.get("manifest.json")!)}`);
        expect([...bundle.scenarios.keys()]).toEqual(content.manifest.scenarios.map(({ id }) => id));
        [...bundle.scenarios.values()].forEach((read, s) => {
          const written = content.scenarios[s]!;
          expect(read.bank).toEqual(written.bank);
          expect(read.sourceScores).toEqual(Float32Array.from(written.sourceScores).sort());
          expect([...read.anchors.values()]).toEqual(written.anchors);
          for (const [form, anchors] of written.forms) expect(read.forms.get(form)!.anchors).toEqual(anchors);
        });
      }),
      { numRuns: WHOLE ? 40 : 15 },
    );
  });

  test("with any one bit of parameters or anchors flipped is refused, never read otherwise", async () => {
    const files = encodeBundle(sampleContent({ items: [10, 12], sizes: [3, 6] }));
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom("parameters.safetensors", "anchors.jsonl"),
        fc.nat(),
        fc.nat({ max: 7 }),
        async (name, at, bit) => {
          const content = files.get(name)!.slice();
          content[at % content.length]! ^= 1 << bit;
          const error = await rejection(loadBundle(memorySource(withFile(files, name, content))));
          expect(error.code).toBe("bundle_corrupt");
        },
      ),
      { numRuns: WHOLE ? 60 : 25 },
    );
  });

  test("with any byte of its manifest flipped is another bundle, or none", async () => {
    const files = encodeBundle(sampleContent({ items: [10, 12], sizes: [3, 6] }));
    const { digest } = await loadBundle(memorySource(files));
    const manifest = files.get("manifest.json")!;
    await fc.assert(
      fc.asyncProperty(fc.nat({ max: manifest.length - 1 }), async (at) => {
        const other = withFile(files, "manifest.json", flipped(manifest, at));
        try {
          expect((await loadBundle(memorySource(other))).digest).not.toBe(digest);
        } catch (error) {
          expect(error).toMatchObject({ name: "AnchorEvalError" });
        }
      }),
      { numRuns: WHOLE ? 60 : 25 },
    );
  });

  test("any JSON in place of the manifest is refused by name, never a crash", () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        try {
          parseManifest(new TextEncoder().encode(JSON.stringify(value)));
          expect.unreachable("arbitrary JSON is no manifest");
        } catch (error) {
          expect(error).toMatchObject({ name: "AnchorEvalError" });
        }
      }),
    );
  });

  test("a manifest with any part of it replaced is read or refused by name, never a crash", () => {
    const whole: unknown = JSON.parse(
      new TextDecoder().decode(encodeBundle(sampleContent({ items: [10, 12], sizes: [3, 6] })).get("manifest.json")),
    );
    const paths: (string | number)[][] = [];
    const walk = (value: unknown, path: (string | number)[]): void => {
      if (path.length > 0) paths.push(path);
      if (Array.isArray(value)) value.forEach((entry, i) => walk(entry, [...path, i]));
      else if (typeof value === "object" && value !== null)
        for (const [key, entry] of Object.entries(value)) walk(entry, [...path, key]);
    };
    walk(whole, []);
    fc.assert(
      fc.property(fc.constantFrom(...paths), fc.jsonValue({ maxDepth: 1 }), (path, value) => {
        const copy = structuredClone(whole) as Record<string | number, unknown>;
        let at = copy;
        for (const key of path.slice(0, -1)) at = at[key] as typeof copy;
        at[path.at(-1)!] = value;
        try {
          parseManifest(new TextEncoder().encode(JSON.stringify(copy)));
        } catch (error) {
          expect(error).toMatchObject({ name: "AnchorEvalError" });
        }
      }),
      { numRuns: WHOLE ? 1000 : 400 },
    );
  });
});

test("SHA-256 agrees with the platform's on any bytes", () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 300 }), (bytes) => {
      expect(sha256Hex(bytes)).toBe(createHash("sha256").update(bytes).digest("hex"));
    }),
  );
});

test("a form's digest tells any two lists apart", () => {
  const arbForm = fc.array(fc.tuple(fc.string(), fc.array(fc.string(), { maxLength: 3 })), { maxLength: 3 });
  fc.assert(
    fc.property(arbForm, arbForm, (one, other) => {
      expect(formDigest(one) === formDigest(other)).toBe(JSON.stringify(one) === JSON.stringify(other));
    }),
  );
});

test("versions are totally ordered", () => {
  const arbPart = fc.oneof(fc.nat({ max: 30 }).map(String), fc.constantFrom("alpha", "rc", "x-1", "-", "A"));
  const arbVersion = fc
    .tuple(fc.array(fc.nat({ max: 3 }), { minLength: 3, maxLength: 3 }), fc.array(arbPart, { maxLength: 3 }))
    .map(([core, tags]) => core.join(".") + (tags.length > 0 ? `-${tags.join(".")}` : ""));
  fc.assert(
    fc.property(arbVersion, arbVersion, arbVersion, (a, b, c) => {
      expect(a).toMatch(VERSION);
      expect(Math.sign(compareVersions(a, b)) + Math.sign(compareVersions(b, a))).toBe(0);
      expect(compareVersions(a, b) === 0).toBe(a === b);
      if (compareVersions(a, b) <= 0 && compareVersions(b, c) <= 0)
        expect(compareVersions(a, c)).toBeLessThanOrEqual(0);
    }),
    { numRuns: WHOLE ? 1000 : 400 },
  );
});
