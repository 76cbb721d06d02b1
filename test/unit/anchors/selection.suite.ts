import { createRandom, itemBank } from "anchoreval/core";
import { describe, expect, test } from "vitest";
import { selectAnchors } from "../../../offline-trainer/src/anchors/select-anchors.ts";
import { byAccuracy } from "../../../offline-trainer/src/anchors/anchor-method.ts";
import { type Selection, type SelectionInput } from "../../../offline-trainer/src/anchors/types.ts";

/** A contract that a selection doesn't keep, and why it needn't. */
export interface Skip {
  readonly test: string;
  readonly reason: string;
}

const MODELS = 9;

/** A scenario of distinct items with unequal weights; one of them was answered by nobody. */
export function selectionInput({
  items = 40,
  sizes = [5, 10, 20],
  seed = 1,
}: { items?: number; sizes?: readonly number[]; seed?: number | string } = {}): SelectionInput {
  const random = createRandom(`selection input ${items}`);
  const raw = Float64Array.from({ length: items }, () => 0.2 + random.next());
  const total = raw.reduce((sum, value) => sum + value, 0);
  const a = Float64Array.from({ length: 2 * items }, () => random.normal());
  const b = Float64Array.from({ length: items }, () => random.normal());
  const columns = Array.from({ length: items }, () => Float64Array.from({ length: MODELS }, () => random.next()));
  return {
    weights: raw.map((value) => value / total),
    accuracy: Float64Array.from({ length: items }, (_, i) => (i === 3 ? NaN : random.next())),
    bank: itemBank(a, b),
    abilities: Float64Array.from({ length: 2 * MODELS }, () => random.normal()),
    column: (item) => columns[item]!,
    sizes,
    random: createRandom(seed),
    generations: 5,
    candidates: 24,
  };
}

/** What every selection must keep. Called once each. */
export function describeSelection(selection: Selection, skips: readonly Skip[] = []): void {
  const names: string[] = [];
  const contract = (name: string, run: () => Promise<void>): void => {
    names.push(name);
    const skip = skips.find((candidate) => candidate.test === name);
    if (skip) test.skip(`${name} (${skip.reason})`, run);
    else test(name, run);
  };

  describe(`${selection} conforms`, () => {
    contract("gives each size its anchors: as many as asked, within the scenario, none twice", async () => {
      for (let seed = 0; seed < 20; seed++) {
        const { sets } = await selectAnchors(selection, selectionInput({ seed }));
        expect([...sets.keys()].toSorted((x, y) => x - y)).toEqual([5, 10, 20]);
        for (const [size, { items, mass, inclusion }] of sets) {
          expect(items.length).toBe(size);
          expect(new Set(items).size).toBe(size);
          expect(Math.max(...items)).toBeLessThan(40);
          expect(mass.length).toBe(size);
          expect(mass.every((value) => value > 0 && Number.isFinite(value))).toBe(true);
          if (inclusion) expect(inclusion.every((value) => value > 0 && value <= 1)).toBe(true);
        }
      }
    });

    contract("lists anchors from hard to easy for the source models", async () => {
      const input = selectionInput();
      const rank = byAccuracy(input.accuracy);
      for (const { items } of (await selectAnchors(selection, input)).sets.values()) {
        const places = Array.from(items, (item) => rank.indexOf(item));
        expect(places).toEqual(places.toSorted((x, y) => x - y));
      }
    });

    contract("takes a scenario whole where as many items are asked as it has, or more", async () => {
      const input = selectionInput({ sizes: [10, 40, 100] });
      const { sets } = await selectAnchors(selection, input);
      for (const size of [40, 100]) {
        const { items, mass, inclusion } = sets.get(size)!;
        expect(Array.from(items)).toEqual(byAccuracy(input.accuracy));
        expect(Array.from(mass)).toEqual(Array.from(items, (item) => input.weights[item]!));
        expect(Array.from(inclusion!)).toEqual(new Array(40).fill(1));
      }
      expect(sets.get(10)!.items.length).toBe(10);
      // Whole or not, the other sizes are drawn as without.
      expect(sets.get(10)).toEqual((await selectAnchors(selection, selectionInput({ sizes: [10] }))).sets.get(10));
    });

    contract("can leave out a single item, or take a single one", async () => {
      for (let seed = 0; seed < 20; seed++) {
        const { sets } = await selectAnchors(selection, selectionInput({ items: 12, sizes: [1, 11], seed }));
        for (const size of [1, 11]) expect(new Set(sets.get(size)!.items).size).toBe(size);
      }
    });

    contract("is the same with the same seed, another one with another seed", async () => {
      const { sets } = await selectAnchors(selection, selectionInput({ seed: 1 }));
      expect((await selectAnchors(selection, selectionInput({ seed: 1 }))).sets).toEqual(sets);
      const others: string[] = [];
      for (let seed = 2; seed < 7; seed++)
        others.push((await selectAnchors(selection, selectionInput({ seed }))).sets.get(10)!.items.join());
      expect(others.some((items) => items !== sets.get(10)!.items.join())).toBe(true);
    });

    contract("does not depend on the order of the sizes, nor on sizes given twice", async () => {
      const { sets } = await selectAnchors(selection, selectionInput({ sizes: [5, 10, 20] }));
      const turned = (await selectAnchors(selection, selectionInput({ sizes: [20, 5, 10, 5] }))).sets;
      for (const size of [5, 10, 20]) expect(turned.get(size)).toEqual(sets.get(size));
    });

    contract("leaves what it is given as it was", async () => {
      const input = selectionInput();
      const before = structuredClone({ ...input, column: null, random: null, backend: null });
      const columns = Array.from({ length: 40 }, (_, i) => input.column(i).slice());
      await selectAnchors(selection, input);
      expect({ ...input, column: null, random: null, backend: null }).toEqual(before);
      expect(Array.from({ length: 40 }, (_, i) => input.column(i))).toEqual(columns);
    });

    contract("puts the smaller sizes into the larger", async () => {
      for (let seed = 0; seed < 20; seed++) {
        const { sets, nested } = await selectAnchors(selection, selectionInput({ seed }));
        expect(nested).toBe(true);
        for (const [small, large] of [
          [5, 10],
          [10, 20],
        ] as const) {
          const all = new Set(sets.get(large)!.items);
          expect(Array.from(sets.get(small)!.items).filter((item) => !all.has(item))).toEqual([]);
        }
      }
    });

    contract("states inclusion probabilities, and the weight over them as mass", async () => {
      const input = selectionInput();
      for (const [size, { items, mass, inclusion }] of (await selectAnchors(selection, input)).sets) {
        expect(inclusion).not.toBeNull();
        items.forEach((item, j) => {
          expect(inclusion![j]).toBeCloseTo(Math.min(1, size * input.weights[item]!), 12); // none is certain here
          expect(mass[j]).toBeCloseTo(input.weights[item]! / inclusion![j]!, 12);
        });
      }
    });

    contract("gives each item's weight to one anchor: the masses sum to the weight", async () => {
      for (let seed = 0; seed < 20; seed++)
        for (const { mass, inclusion } of (await selectAnchors(selection, selectionInput({ seed }))).sets.values()) {
          expect(mass.reduce((sum, value) => sum + value, 0)).toBeCloseTo(1, 12);
          expect(inclusion).toBeNull();
        }
    });

    test("states a reason for every contract that it doesn't keep, and only for those that there are", () => {
      expect(skips.filter(({ test: name }) => !names.includes(name))).toEqual([]);
      for (const { reason } of skips) expect(reason.length).toBeGreaterThan(10);
    });
  });
}
