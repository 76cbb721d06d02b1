import { createRandom } from "anchoreval/internal/core/numeric/random";
import { inclusionProbabilities } from "anchoreval/internal/core/numeric/sampling";
import { describe, expect, test } from "vitest";
import {
  type AnchorInput,
  type AnchorMethod,
  byAccuracy,
  prepareAnchors,
} from "../../../offline-trainer/src/anchors/anchor-method.ts";
import { unsureChances } from "../../../offline-trainer/src/anchors/screened.ts";
import { stratified } from "../../../offline-trainer/src/anchors/stratified.ts";
import { randomItems } from "../../../offline-trainer/src/methods/random-items.ts";
import {
  ANCHOR_METHOD_NAMES,
  type AnchorMethodName,
  loadAnchorMethod,
} from "../../../offline-trainer/src/methods/index.ts";
import { anchorInput, selectAnchors } from "../../support/select-anchors.ts";

/** A contract that a method doesn't keep, and why it needn't. */
interface Skip {
  readonly test: string;
  readonly reason: string;
}

/** What a drawn method's probabilities are in proportion to. */
type Chances = (input: AnchorInput) => Float64Array;

/** What every way to choose anchors must keep. Called once each. */
function describeMethod(method: AnchorMethod, skips: readonly Skip[], chances: Chances): void {
  const names: string[] = [];
  const contract = (name: string, run: () => Promise<void>): void => {
    names.push(name);
    const skip = skips.find((candidate) => candidate.test === name);
    if (skip) test.skip(`${name} (${skip.reason})`, run);
    else test(name, run);
  };

  describe(`${method.name} conforms`, () => {
    contract("gives each size its anchors: as many as asked, within the scenario, none twice", async () => {
      for (let seed = 0; seed < 20; seed++) {
        const { sets } = await selectAnchors(method, anchorInput({ seed }));
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
      const input = anchorInput();
      const rank = byAccuracy(input.accuracy);
      for (const { items } of (await selectAnchors(method, input)).sets.values()) {
        const places = Array.from(items, (item) => rank.indexOf(item));
        expect(places).toEqual(places.toSorted((x, y) => x - y));
      }
    });

    contract("takes a scenario whole where as many items are asked as it has, or more", async () => {
      const input = anchorInput({ sizes: [10, 40, 100] });
      const { sets } = await selectAnchors(method, input);
      for (const size of [40, 100]) {
        const { items, mass, inclusion } = sets.get(size)!;
        expect(Array.from(items)).toEqual(byAccuracy(input.accuracy));
        expect(Array.from(mass)).toEqual(Array.from(items, (item) => input.weights[item]!));
        expect(Array.from(inclusion!)).toEqual(new Array(40).fill(1));
      }
      expect(sets.get(10)!.items.length).toBe(10);
      // Whole or not, the other sizes are drawn as without.
      expect(sets.get(10)).toEqual((await selectAnchors(method, anchorInput({ sizes: [10] }))).sets.get(10));
    });

    contract("can leave out a single item, or take a single one", async () => {
      for (let seed = 0; seed < 20; seed++) {
        const { sets } = await selectAnchors(method, anchorInput({ items: 12, sizes: [1, 11], seed }));
        for (const size of [1, 11]) expect(new Set(sets.get(size)!.items).size).toBe(size);
      }
    });

    contract("is the same with the same seed, another one with another seed", async () => {
      const { sets } = await selectAnchors(method, anchorInput({ seed: 1 }));
      expect((await selectAnchors(method, anchorInput({ seed: 1 }))).sets).toEqual(sets);
      const others: string[] = [];
      for (let seed = 2; seed < 7; seed++)
        others.push((await selectAnchors(method, anchorInput({ seed }))).sets.get(10)!.items.join());
      expect(others.some((items) => items !== sets.get(10)!.items.join())).toBe(true);
    });

    contract("does not depend on the order of the sizes, nor on sizes given twice", async () => {
      const { sets } = await selectAnchors(method, anchorInput({ sizes: [5, 10, 20] }));
      const turned = (await selectAnchors(method, anchorInput({ sizes: [20, 5, 10, 5] }))).sets;
      for (const size of [5, 10, 20]) expect(turned.get(size)).toEqual(sets.get(size));
    });

    contract("leaves what it is given as it was", async () => {
      const input = anchorInput();
      const before = structuredClone({ ...input, column: null, random: null, backend: null });
      const columns = Array.from({ length: 40 }, (_, i) => input.column(i).slice());
      await selectAnchors(method, input);
      expect({ ...input, column: null, random: null, backend: null }).toEqual(before);
      expect(Array.from({ length: 40 }, (_, i) => input.column(i))).toEqual(columns);
    });

    contract("puts the smaller sizes into the larger", async () => {
      for (let seed = 0; seed < 20; seed++) {
        const { sets, nested } = await selectAnchors(method, anchorInput({ seed }));
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
      const input = anchorInput();
      for (const [size, { items, mass, inclusion }] of (await selectAnchors(method, input)).sets) {
        expect(inclusion).not.toBeNull();
        const probabilities = inclusionProbabilities(chances(input), size);
        items.forEach((item, j) => {
          expect(inclusion![j]).toBeCloseTo(probabilities[item]!, 12);
          expect(mass[j]).toBeCloseTo(input.weights[item]! / inclusion![j]!, 12);
        });
      }
    });

    contract("gives each item's weight to one anchor: the masses sum to the weight", async () => {
      for (let seed = 0; seed < 20; seed++)
        for (const { mass, inclusion } of (await selectAnchors(method, anchorInput({ seed }))).sets.values()) {
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

const drawn: Skip[] = [
  {
    test: "gives each item's weight to one anchor: the masses sum to the weight",
    reason: "a sample's masses sum to the weight on average over the draw, and the estimators normalise them",
  },
];
const clustered: Skip[] = [
  { test: "puts the smaller sizes into the larger", reason: "each size has clusters of its own" },
  {
    test: "states inclusion probabilities, and the weight over them as mass",
    reason: "medoids are a purposive choice: they have no probabilities",
  },
];

const put: string[] = [];
const call = async (
  name: AnchorMethodName,
  skips: readonly Skip[],
  chances: Chances = ({ weights }) => weights,
): Promise<void> => {
  put.push(name);
  const method = await loadAnchorMethod(name);
  test(`${name} is the name of its method`, () => expect(method.name).toBe(name));
  describeMethod(method, skips, chances);
};
await call("stratified", drawn);
await call("random", drawn);
await call("screened", drawn, unsureChances);
await call("greedy-variance", [
  {
    test: "states inclusion probabilities, and the weight over them as mass",
    reason: "items are chosen on purpose: they have no probabilities",
  },
  {
    test: "is the same with the same seed, another one with another seed",
    reason: "nothing is drawn: every seed has the same anchors",
  },
]);
await call("essence", [
  { test: "puts the smaller sizes into the larger", reason: "each size has a search of its own" },
  {
    test: "states inclusion probabilities, and the weight over them as mass",
    reason: "items are chosen on purpose: they have no probabilities",
  },
]);
await call("fisher-information", [
  { test: "puts the smaller sizes into the larger", reason: "a size has bins of its own" },
  {
    test: "states inclusion probabilities, and the weight over them as mass",
    reason: "items are chosen on purpose: they have no probabilities",
  },
  {
    test: "is the same with the same seed, another one with another seed",
    reason: "of 40 items none is left out by a draw",
  },
]);
await call("sublime", [
  { test: "puts the smaller sizes into the larger", reason: "each size has candidates of its own" },
  {
    test: "states inclusion probabilities, and the weight over them as mass",
    reason: "items are chosen on purpose: they have no probabilities",
  },
]);
await call("irt-kmeans", clustered);
await call("correctness-kmeans", clustered);

test("every way to choose anchors is put to the suite once", () => {
  expect(put.toSorted()).toEqual([...ANCHOR_METHOD_NAMES].sort());
});

test("what is prepared once draws as what is prepared each time", async () => {
  for (const method of [stratified, randomItems]) {
    const design = createRandom("one").fork("design");
    const once = prepareAnchors(method, { ...anchorInput(), random: design });
    for (let seed = 0; seed < 3; seed++) {
      const again = prepareAnchors(method, { ...anchorInput(), random: createRandom("one").fork("design") });
      expect(await once.draw(createRandom(seed))).toEqual(await again.draw(createRandom(seed)));
    }
    expect(await prepareAnchors(method, { ...anchorInput(), random: design }).draw(createRandom("one"))).toEqual(
      await selectAnchors(method, anchorInput({ seed: "one" })),
    );
  }
});
