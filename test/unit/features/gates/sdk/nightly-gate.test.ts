import { CHANCES } from "anchoreval/internal/features/gates/sdk/item-chances";
import {
  type ChanceModel,
  chanceModel,
  itemEvidence,
  nightlyGate,
} from "anchoreval/internal/features/gates/sdk/nightly-gate";
import { createRandom } from "anchoreval/internal/core/numeric/random";
import { describe, expect, test } from "vitest";

const counts = [
  { right: 3, wrong: 0 },
  { right: 1, wrong: 2 },
];
const model = chanceModel(counts);
const evidence = itemEvidence(model);
const statistics = (nights: readonly (readonly number[])[], window?: number): number[] => {
  const gate = nightlyGate(model, evidence, counts, { stride: 1, ...(window !== undefined && { window }) });
  return nights.map((night) => Math.exp(gate.add(Float64Array.from(night)).statistic));
};

/** P(the nights | spread, chances before and from night `from` on), times the baseline's, by a sum over all chances. */
function probability(
  own: ChanceModel,
  nights: readonly (readonly number[])[],
  change: (p: number) => number,
  from: number,
): number[] {
  return own.spreads.map((spread) =>
    counts.reduce((product, { right, wrong }, i) => {
      const ofChance = (p: number): number =>
        nights.reduce(
          (all, night, t) => {
            const now = t >= from ? change(p) : p;
            return all * (Number.isNaN(night[i]!) ? 1 : night[i] === 1 ? now : 1 - now);
          },
          p ** right * (1 - p) ** wrong,
        );
      return product * spread.reduce((sum, weight, g) => sum + weight * ofChance(CHANCES[g]!), 0);
    }, 1),
  );
}

const sum = (values: readonly number[]): number => values.reduce((total, own) => total + own, 0);
const same = (p: number): number => p;
/** All answers that two items may give in some nights. */
const allNights = (count: number): number[][][] =>
  count === 0 ? [[]] : allNights(count - 1).flatMap((before) => [0, 1, 2, 3].map((k) => [...before, [k & 1, k >> 1]]));

/** The statistic by its definition. */
function reference(nights: readonly (readonly number[])[]): number {
  const none = sum(probability(model, nights, same, 0));
  const ratio = (from: number): number => {
    const shifts = [0.2, 0.5, 1.2].map(
      (s) => sum(probability(model, nights, (p) => 1 / (1 + ((1 - p) / p) * Math.exp(s)), from)) / none,
    );
    const broken = [0.02, 0.05, 0.1, 0.15].map((share) => {
      const total = model.spreads.map((_, h) => {
        const one: ChanceModel = { spreads: [model.spreads[h]!], weights: [0] };
        // each item broken or not: the mixture of two probabilities, item by item
        return counts.reduce((product, own, i) => {
          const alone = (change: (p: number) => number): number =>
            CHANCES.reduce((all, p, g) => {
              const likelihood = nights.reduce(
                (l, night, t) => {
                  const now = t >= from ? change(p) : p;
                  return Number.isNaN(night[i]!) ? l : l * (night[i] === 1 ? now : 1 - now);
                },
                p ** own.right * (1 - p) ** own.wrong,
              );
              return all + one.spreads[0]![g]! * likelihood;
            }, 0);
          return product * ((1 - share) * alone(same) + (share / 2) * (alone(() => 0.02) + alone(() => 0.25)));
        }, 1);
      });
      return sum(total) / none;
    });
    return (sum(shifts) + sum(broken)) / 7;
  };
  return sum(nights.map((_, from) => ratio(from)));
}

describe("the statistic", () => {
  test.each([
    ["all right", [[1, 1], [1, 1]]], // prettier-ignore
    ["some wrong", [[1, 0], [0, 0], [0, 1]]], // prettier-ignore
    ["no answers", [[1, NaN], [NaN, NaN], [0, 0]]], // prettier-ignore
  ])("is the sum over changes of ratios of probabilities: %s", (_, nights) => {
    expect(statistics(nights).at(-1)).toBeCloseTo(reference(nights), 9);
  });

  test("is on average the number of nights where nothing changed: by all answers that there are", () => {
    for (const count of [1, 2, 3]) {
      const all = allNights(count);
      const chances = all.map((nights) => sum(probability(model, nights, same, 0)));
      expect(sum(all.map((nights, k) => (chances[k]! / sum(chances)) * statistics(nights).at(-1)!))).toBeCloseTo(count, 9); // prettier-ignore
    }
  });

  test("and its expectation tomorrow is tonight's and one, whatever happened", () => {
    const past = [[1, 0], [0, 0]]; // prettier-ignore
    const next = allNights(1).map(([night]) => [...past, night!]);
    const chances = next.map((nights) => sum(probability(model, nights, same, 0)));
    const mean = sum(next.map((nights, k) => (chances[k]! / sum(chances)) * statistics(nights).at(-1)!));
    expect(mean).toBeCloseTo(statistics(past).at(-1)! + 1, 9);
  });

  test("grows with a wrong answer in place of a right one", () => {
    for (const past of allNights(2)) {
      expect(statistics([...past, [0, 1]]).at(-1)!).toBeGreaterThan(statistics([...past, [1, 1]]).at(-1)!);
      expect(statistics([...past, [1, 0]]).at(-1)!).toBeGreaterThan(statistics([...past, [1, 1]]).at(-1)!);
    }
  });

  test("looks back over its window alone, and never counts more than without one", () => {
    const nights = Array.from({ length: 8 }, (_, k) => [k % 2, (k + 1) % 2]);
    const [all, windowed] = [statistics(nights), statistics(nights, 3)];
    expect(windowed.slice(0, 3)).toEqual(all.slice(0, 3));
    windowed.slice(3).forEach((own, k) => expect(own).toBeLessThan(all[k + 3]!));
  });

  test("names the night of a collapse", () => {
    const many = Array.from({ length: 40 }, (_, k) => ({ right: 3 - Number(k % 5 === 0), wrong: Number(k % 5 === 0) }));
    const own = chanceModel(many);
    const gate = nightlyGate(own, itemEvidence(own), many);
    const random = createRandom(1);
    let told = { since: NaN, statistic: NaN };
    for (let night = 0; night < 15; night++)
      told = gate.add(Float64Array.from(many, () => Number(random.next() < (night < 9 ? 0.95 : 0.4))));
    expect(told.since).toBe(9);
    expect(told.statistic).toBeGreaterThan(Math.log(365));
  });
});
