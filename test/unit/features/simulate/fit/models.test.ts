import { createRandom } from "anchoreval/internal/core/numeric/random";
import { expect, test } from "vitest";
import { drawFamilies, type SimulatedModel } from "../../../../../features/simulate/fit/models.ts";
import { SIMULATE_DEFAULTS, type SimulateOptions } from "../../../../../features/simulate/fit/settings.ts";

function draw(options: Partial<SimulateOptions> = {}): SimulatedModel[] {
  return drawFamilies({ ...SIMULATE_DEFAULTS, ...options }, createRandom("families"));
}

test("as many models as asked for, with different names, oldest first, within the years", () => {
  const models = draw({ years: 2 });
  expect(models).toHaveLength(SIMULATE_DEFAULTS.models);
  expect(new Set(models.map(({ name }) => name)).size).toBe(models.length);
  models.forEach(({ time, date }, m) => {
    expect(time).toBeGreaterThanOrEqual(models[m - 1]?.time ?? 0);
    expect(time).toBeLessThanOrEqual(2);
    expect(date >= "2022-01-01" && date <= "2024-01-01").toBe(true);
  });
});

test("names tell the family, and variants are lettered by age", () => {
  const models = draw({ familySize: 100, models: 100, replicateShare: 0 });
  expect(models.map(({ name }) => name).slice(0, 2)).toEqual(["family-1/variant-a", "family-1/variant-b"]);
  expect(models.at(-1)!.name).toBe("family-1/variant-cv");
});

test("families have the mean size asked for, and unequal sizes", () => {
  const sizes = new Map<number, number>();
  for (const { family, replicateOf } of draw({ models: 400, familySize: 8, replicateShare: 0 }))
    if (replicateOf === null) sizes.set(family, (sizes.get(family) ?? 0) + 1);
  expect(sizes.size).toBe(50);
  expect(Math.max(...sizes.values())).toBeGreaterThan(2 * Math.min(...sizes.values()));
});

test("a replicate is of the family of an older original", () => {
  const models = draw({ replicateShare: 0.25, models: 200 });
  const replicates = models.filter(({ replicateOf }) => replicateOf !== null);
  expect(replicates).toHaveLength(50);
  for (const replicate of replicates) {
    const original = models[replicate.replicateOf!]!;
    expect(replicate.name).toBe(`${original.name}@host-2`);
    expect(replicate.family).toBe(original.family);
    expect(original.replicateOf).toBeNull();
    expect(models.indexOf(original)).toBeLessThan(models.indexOf(replicate));
  }
});
