/* eslint-disable @typescript-eslint/no-unsafe-member-access -- manifests are broken on purpose, as loose JSON */
import { loadBundle } from "anchoreval";
import { parseManifest } from "anchoreval/bundle";
import { describe, expect, test } from "vitest";
import { memorySource } from "../../support/memory-source.ts";
import { expectRefusal, rejection } from "../../support/refusal.ts";
import { SAMPLE_EXPOSURE, sampleBundle } from "../../support/sample-bundle.ts";
import { withManifest, withTensor, withTensors, type BundleFiles, type Loose } from "../../support/tamper.ts";

const factors = Float32Array.from({ length: 100 }, (_, i) => 1 - (i % 4) / 8);
const files: BundleFiles = sampleBundle({ exposure: factors });
const load = (from: BundleFiles): ReturnType<typeof loadBundle> => loadBundle(memorySource(from));
const NAME = "scenario.1.exposure";
const factorOf = (value: number) => (): BundleFiles =>
  withTensor(files, NAME, (own) => ({ ...own, data: Float32Array.from(own.data).fill(value, 3, 4) }));

describe("exposure limits in a bundle", () => {
  test("are read as they were written, of each scenario alone too", async () => {
    const { manifest, scenarios } = await load(files);
    expect(manifest.exposure).toEqual(SAMPLE_EXPOSURE);
    expect(scenarios.get("alpha")!.exposure).toEqual(factors.slice(0, 40));
    expect(scenarios.get("beta/γ")!.exposure).toEqual(factors.slice(40));
    const one = await loadBundle(memorySource(files), { scenarios: ["beta/γ"] });
    expect(one.scenarios.get("beta/γ")!.exposure).toEqual(factors.slice(40));
  });

  test("a bundle without them has none", async () => {
    const plain = sampleBundle();
    expect(parseManifest(plain.get("manifest.json")!)).not.toHaveProperty("exposure");
    for (const { exposure } of (await load(plain)).scenarios.values()) expect(exposure).toBeNull();
  });

  test.each<[string, () => BundleFiles, string]>([
    [
      "a tensor that is missing",
      () => withTensors(files, (all) => all.filter(({ name }) => name !== NAME)),
      `tensor ${NAME} is missing`,
    ],
    [
      "a factor too few",
      () => withTensor(files, NAME, (own) => ({ ...own, shape: [59], data: own.data.slice(1) })),
      `tensor ${NAME} has the shape 59, expected 60`,
    ],
    ["a factor of 0", factorOf(0), "an exposure factor of beta/γ is not in (0,1]"],
    ["a factor above 1", factorOf(1.25), "an exposure factor of beta/γ is not in (0,1]"],
    ["a factor that is no number", factorOf(NaN), "not a number"],
    [
      "factors that the manifest doesn't know",
      () => withManifest(files, (manifest: Loose) => delete manifest.exposure),
      "says nothing of a limit",
    ],
  ])("%s is refused", async (_, broken, message) => {
    expectRefusal(await rejection(load(broken())), "bundle_invalid", message);
  });

  test.each<[string, (exposure: Loose) => unknown, string]>([
    ["a limit of 0", (own) => (own.limit = 0), "exposure.limit"],
    ["a limit above 1", (own) => (own.limit = 1.5), "exposure.limit"],
    ["a share above 1", (own) => (own.reached = 2), "exposure.reached"],
    ["no share without limits", (own) => delete own.unlimited, "unlimited is missing"],
    ["no settings", (own) => delete own.simulated, "simulated is missing"],
    ["half an item", (own) => (own.simulated.budget = 44.5), "whole number"],
    ["more items than there are", (own) => (own.simulated.budget = 101), "101 of 100 items"],
    ["a batch above the budget", (own) => (own.simulated.batch = 45), "batches of 45, 44 of 100 items"],
  ])("%s is refused", async (_, edit, message) => {
    const broken = withManifest(files, (manifest: Loose) => void edit(manifest.exposure));
    expectRefusal(await rejection(load(broken)), "bundle_invalid", message);
  });
});
