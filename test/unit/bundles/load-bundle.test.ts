import { loadBundle } from "anchoreval";
import { encodeBundle, type BundleSource } from "anchoreval/bundle";
import { sha256Text } from "anchoreval/internal/core/bundle/digest";
import type { AnchorFactors } from "anchoreval/internal/core/estimators/types";
import { afterEach, describe, expect, test, vi } from "vitest";
import { memorySource } from "../../support/memory-source.ts";
import { expectRefusal, rejection } from "../../support/refusal.ts";
import { sampleBundle, sampleContent } from "../../support/sample-bundle.ts";
import { flipped, withFile, withManifest } from "../../support/tamper.ts";

const files = sampleBundle();

describe("reads only what it needs", () => {
  /** As many factors as a fit keeps at most. */
  const ofRank = ({ total, ...factors }: AnchorFactors, rank: number): AnchorFactors => ({
    ...factors,
    rank,
    loadings: new Float32Array(factors.mean.length * rank),
    total: { ...total, loadings: new Float64Array(rank) },
  });

  /** MMLU's size in 2 dimensions, among five other scenarios, 100 anchors each. */
  function sixScenarios(): ReturnType<typeof encodeBundle> {
    const { manifest, scenarios } = sampleContent({ items: [14_042, 3000], sizes: [50, 100] });
    const ids = ["mmlu", "b", "c", "d", "e", "f"];
    const rename = (id: string, of: number): string => (of === 0 ? "mmlu" : id);
    return encodeBundle({
      manifest: {
        ...manifest,
        scenarios: ids.map((id, s) => ({ ...manifest.scenarios[Math.min(s, 1)]!, id })),
        banks: ids.map((id, s) => ({ ...manifest.banks[Math.min(s, 1)]!, id, scenarios: [id] })),
        forms: manifest.forms.map((form) => ({
          ...form,
          scenarios: Object.fromEntries(ids.map((id) => [id, form.scenarios["alpha"]!])),
        })),
      },
      scenarios: ids.map((id, s) => {
        const scenario = scenarios[Math.min(s, 1)]!;
        const named = <T extends { item_id: string }>(record: T): T => ({
          ...record,
          scenario: rename(id, s),
          item_id: `${id}/${record.item_id}`,
        });
        return {
          ...scenario,
          factors: ofRank(scenario.factors, 48),
          answerFactors: ofRank(scenario.answerFactors, 48),
          anchors: scenario.anchors.map(named),
          items: scenario.items.map(named),
        };
      }),
    });
  }

  test("one scenario of 14 042 items in 2 dimensions with 100 anchors costs at most 300 kB of a bundle of six", async () => {
    const large = sixScenarios();
    const whole = [...large.values()].reduce((sum, { length }) => sum + length, 0);
    const source = memorySource(large);
    const bundle = await loadBundle(source, { scenarios: ["mmlu"], form: "100" });
    expect([...bundle.scenarios.keys()]).toEqual(["mmlu"]);
    expect(bundle.scenarios.get("mmlu")!.bank.count).toBe(14_042);
    expect(source.bytesRead).toBeLessThanOrEqual(300_000);
    // The discriminations and intercepts alone are 168 kB of it; the rest of the bundle is several times that.
    expect(source.bytesRead).toBeGreaterThan(14_042 * 12);
    expect(whole).toBeGreaterThan(1_500_000);
  });

  test("never items.jsonl or the report", async () => {
    const read: string[] = [];
    const inner = memorySource(sampleBundle({ report: true }));
    const source: BundleSource = { name: "spy", read: (file, options) => (read.push(file), inner.read(file, options)) };
    await loadBundle(source);
    expect(read).toEqual(["manifest.json", "parameters.safetensors", "anchors.jsonl"]);
  });

  test("neighbouring segments come in one request, others in one each", async () => {
    const ranges: string[] = [];
    const inner = memorySource(files);
    const source: BundleSource = {
      name: "spy",
      read: (file, options = {}) => {
        ranges.push(`${file} ${options.range ? "part" : "whole"}`);
        return inner.read(file, options);
      },
    };
    await loadBundle(source, { scenarios: ["beta/γ"] });
    expect(ranges.sort()).toEqual([
      "anchors.jsonl part",
      "manifest.json whole",
      "parameters.safetensors part",
      "parameters.safetensors part",
    ]);
  });
});

describe("options", () => {
  test("scenarios are kept in the manifest's order, whatever was asked", async () => {
    const bundle = await loadBundle(memorySource(files), { scenarios: ["beta/γ", "alpha", "alpha"] });
    expect([...bundle.scenarios.keys()]).toEqual(["alpha", "beta/γ"]);
  });

  test("a scenario that isn't there is named, with those that are", async () => {
    const error = await rejection(loadBundle(memorySource(files), { scenarios: ["alpha", "gsm"] }));
    expectRefusal(error, "unknown_scenario", "no scenario gsm: it has alpha, beta/γ");
  });

  test("a form that isn't there is named, with those that are", async () => {
    const error = await rejection(loadBundle(memorySource(files), { form: "50" }));
    expectRefusal(error, "unknown_form", "no form 50: it has 8, 20");
  });

  test("another digest than expected is refused before anything else is read", async () => {
    const source = memorySource(files);
    const error = await rejection(loadBundle(source, { digest: `sha256:${"0".repeat(64)}` }));
    expectRefusal(error, "digest_mismatch", `expected sha256:${"0".repeat(64)}`);
    expect(source.bytesRead).toBe(files.get("manifest.json")!.length);
  });

  test("the signal reaches every read", async () => {
    const { signal } = new AbortController();
    const seen: (AbortSignal | undefined)[] = [];
    const inner = memorySource(files);
    await loadBundle(
      { name: "spy", read: (file, options) => (seen.push(options?.signal), inner.read(file, options)) },
      { signal },
    );
    expect(seen).toEqual([signal, signal, signal]);
  });

  test("an error of the source comes through as it is", async () => {
    const failure = new Error("the disk is on fire");
    await expect(loadBundle({ name: "broken", read: () => Promise.reject(failure) })).rejects.toBe(failure);
  });

  test("text that is no URL is refused with a hint", async () => {
    expectRefusal(await rejection(loadBundle("out/helm-lite")), "invalid_option", "folderSource");
  });
});

describe("digests are checked", () => {
  afterEach(() => vi.unstubAllGlobals());

  const broken = withFile(files, "anchors.jsonl", flipped(files.get("anchors.jsonl")!, 10));

  test.each<[string, () => void]>([
    ["with the platform's SHA-256", () => undefined],
    ["without crypto.subtle, as on pages without TLS", () => vi.stubGlobal("crypto", {})],
    ["without crypto", () => vi.stubGlobal("crypto", undefined)],
  ])("%s", async (_, arrange) => {
    arrange();
    const bundle = await loadBundle(memorySource(files));
    expect(bundle.digest).toMatch(/^sha256:[0-9a-f]{64}$/);
    expectRefusal(await rejection(loadBundle(memorySource(broken))), "bundle_corrupt", "SHA-256");
  });

  test("the platform's and core's agree", async () => {
    const platform = (await loadBundle(memorySource(files))).digest;
    vi.stubGlobal("crypto", undefined);
    expect((await loadBundle(memorySource(files))).digest).toBe(platform);
  });
});

test("a source that gives fewer bytes than asked is damage, not a crash", async () => {
  const inner = memorySource(files);
  const short: BundleSource = {
    name: "short",
    read: async (file, options) => (await inner.read(file, options))?.subarray(0, 100) ?? null,
  };
  const source: BundleSource = {
    name: "short",
    read: (file, options) => (file === "manifest.json" ? inner.read(file, options) : short.read(file, options)),
  };
  expectRefusal(await rejection(loadBundle(source)), "bundle_corrupt", "short: parameters.safetensors is damaged");
});

test("a segment of no bytes is not asked for", async () => {
  const ranges: unknown[] = [];
  const empty = withManifest(files, (manifest: { files: { segments: object[] }[] }) =>
    manifest.files[1]!.segments.unshift({ begin: 0, end: 0, sha256: sha256Text(""), scenario: null }),
  );
  const inner = memorySource(empty);
  await loadBundle({
    name: "spy",
    read: (file, options = {}) => {
      if (options.range) ranges.push(options.range);
      return inner.read(file, options);
    },
  });
  expect(ranges).toEqual([]);
});
