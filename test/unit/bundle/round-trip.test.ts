import { createHash } from "node:crypto";
import { loadBundle } from "anchoreval";
import { encodeBundle, parseManifest } from "anchoreval/bundle";
import { formDigest, sha256Hex } from "anchoreval/internal/core/bundle/digest";
import { describe, expect, test } from "vitest";
import { memorySource } from "../../support/memory-source.ts";
import { sampleBundle, sampleContent } from "../../support/sample-bundle.ts";

const content = sampleContent({ dims: 3, report: true });
const files = encodeBundle(content);
const manifest = parseManifest(files.get("manifest.json")!);
const bundle = await loadBundle(memorySource(files));

test("the same content gives the same bytes", () => {
  expect([...sampleBundle({ dims: 3, report: true })]).toEqual([...files]);
});

test("files come in the order in which they are written, the manifest last: it commits the others", () => {
  expect([...files.keys()]).toEqual([
    "parameters.safetensors",
    "anchors.jsonl",
    "items.jsonl",
    "report.html",
    "manifest.json",
  ]);
  expect([...sampleBundle().keys()]).not.toContain("report.html");
});

describe("the manifest", () => {
  test("is what was given, plus digests and sizes", () => {
    const { files: described, checksum, ...rest } = manifest;
    const forms = content.manifest.forms.map((form, f) => ({ ...form, digest: manifest.forms[f]!.digest }));
    expect(rest).toEqual({ ...content.manifest, forms });
    const whole = files.get("manifest.json")!;
    expect(new TextDecoder().decode(whole.subarray(0, 79))).toBe(`{"checksum":"${checksum}",`);
    expect(checksum).toBe(createHash("sha256").update(whole.subarray(79)).digest("hex"));
    for (const { name, bytes, sha256 } of described) {
      const file = files.get(name as "items.jsonl")!;
      expect(bytes).toBe(file.length);
      expect(sha256).toBe(createHash("sha256").update(file).digest("hex"));
    }
  });

  test("has segments that cover their files, each with its digest", () => {
    for (const name of ["parameters.safetensors", "anchors.jsonl"] as const) {
      const { segments, bytes } = manifest.files.find((file) => file.name === name)!;
      let end = 0;
      for (const segment of segments!) {
        expect(segment.begin).toBe(end);
        expect(segment.sha256).toBe(sha256Hex(files.get(name)!.subarray(segment.begin, segment.end)));
        end = segment.end;
      }
      expect(end).toBe(bytes);
    }
    expect(manifest.files[0]!.segments!.map(({ scenario }) => scenario)).toEqual([null, "alpha", "beta/γ"]);
    expect(manifest.files[1]!.segments!.map(({ scenario }) => scenario)).toEqual(["alpha", "beta/γ"]);
  });

  test("has form digests of the items in the order in which they are asked", () => {
    for (const form of manifest.forms)
      expect(form.digest).toBe(
        formDigest(
          content.scenarios.map(({ anchors }, s) => [
            ["alpha", "beta/γ"][s]!,
            anchors.filter(({ forms }) => forms.includes(form.id)).map(({ item_id }) => item_id),
          ]),
        ),
      );
  });
});

describe("a decoded bundle", () => {
  test("is named by the digest of its manifest", () => {
    expect(bundle.digest).toBe(`sha256:${sha256Hex(files.get("manifest.json")!)}`);
    expect(bundle.manifest).toEqual(manifest);
    expect([...bundle.scenarios.keys()]).toEqual(["alpha", "beta/γ"]);
  });

  test.each([0, 1])("has the arrays of scenario %i, as float32 where the format says so", (s) => {
    const written = content.scenarios[s]!;
    const read = [...bundle.scenarios.values()][s]!;
    expect(read.bank).toEqual(written.bank);
    expect(read.sourceScores).toEqual(Float32Array.from(written.sourceScores).sort());
    expect([...read.anchors.values()]).toEqual(written.anchors);
    for (const [form, set] of written.forms) {
      expect(read.forms.get(form)!.anchors).toEqual(set);
      expect(read.forms.get(form)!.itemIds).toEqual(Array.from(set.items, (i) => `${read.id}/${i}`));
    }
  });

  test("weighs each subscenario the same", () => {
    const { weights } = bundle.scenarios.get("beta/γ")!;
    expect(weights.subarray(0, 20).reduce((sum, weight) => sum + weight, 0)).toBeCloseTo(0.5, 14);
    expect(weights.reduce((sum, weight) => sum + weight, 0)).toBeCloseTo(1, 14);
  });

  test("says about how many bytes it holds", () => {
    const arrays = manifest.files.find(({ name }) => name === "parameters.safetensors")!.bytes;
    expect(bundle.byteLength).toBeGreaterThan(arrays);
    expect(bundle.byteLength).toBeLessThan(arrays + 3 * files.get("anchors.jsonl")!.length + 8 * 100 + 1);
  });
});

test("optional parts come back: asymptotes, purposive forms, score maps, anchor fields", async () => {
  const base = sampleContent({ purposive: true });
  const [first, second] = base.scenarios;
  const map = { x: [0.1, 0.9], y: [0.2, 0.8] };
  const edited = {
    ...base,
    manifest: {
      ...base.manifest,
      scenarios: base.manifest.scenarios.map((scenario, s) =>
        s === 0 ? { ...scenario, threshold: 0.5, scoreMap: map } : scenario,
      ),
    },
    scenarios: [
      {
        ...first!,
        bank: { ...first!.bank, lower: new Float32Array(40).fill(0.25), upper: new Float32Array(40).fill(0.875) },
        anchors: first!.anchors.map((anchor, k) => ({
          ...anchor,
          hash: "0f".repeat(32),
          task: "task",
          doc_id: k % 2 === 0 ? k : `doc ${k}`,
          text: "Frage?\n\u2028",
        })),
      },
      second!,
    ],
  };
  const read = (await loadBundle(memorySource(encodeBundle(edited)))).scenarios.get("alpha")!;
  expect(read.bank.lower).toEqual(new Float32Array(40).fill(0.25));
  expect(read.bank.upper).toEqual(new Float32Array(40).fill(0.875));
  expect(read.scoreMap).toEqual({ x: Float64Array.of(0.1, 0.9), y: Float64Array.of(0.2, 0.8) });
  expect(read.forms.get("8")!.anchors.inclusion).toBeNull();
  expect([...read.anchors.values()]).toEqual(edited.scenarios[0]!.anchors);
});

test("every item is in items.jsonl, in parameter order", () => {
  const lines = new TextDecoder().decode(files.get("items.jsonl")).trimEnd().split("\n");
  expect(lines.map((line) => JSON.parse(line) as unknown)).toEqual(content.scenarios.flatMap(({ items }) => items));
});
