import { scaledPrior } from "anchoreval/internal/core/ability/prior";
import { itemBank } from "anchoreval/internal/core/irt/item-bank";
import { itemInformation, testInformation } from "anchoreval/internal/core/irt/response";
import { createRandom } from "anchoreval/internal/core/numeric/random";
import { describe, expect, test } from "vitest";
import {
  chooseInformative,
  drawBatch,
  UNIFORM_SHARE,
  type Population,
  populationAbilities,
  predictAnswers,
} from "anchoreval/internal/features/adaptive/core/population";
import { batchTotal } from "anchoreval/internal/features/adaptive/core/running-total";
import { expectBinomial } from "../../../../support/binomial.ts";
import { simulatedPopulation } from "./simulated-population.ts";

const population = simulatedPopulation();
const expected = predictAnswers(population, { items: [3, 50], scores: [1, 0] });

const variance = (item: number): number => expected[item]! * (1 - expected[item]!);

describe("a batch", () => {
  test("is drawn with the probabilities that it states, among the items not asked", () => {
    const draws = 20_000;
    const counts = new Map<number, { times: number; inclusion: number }>();
    const random = createRandom("draws");
    for (let k = 0; k < draws; k++) {
      const { items, inclusion } = drawBatch(population, [3, 50], [expected], 12, random);
      expect(new Set(items).size).toBe(12);
      items.forEach((item, j) => {
        const times = (counts.get(item)?.times ?? 0) + 1;
        counts.set(item, { times, inclusion: inclusion[j]! });
      });
    }
    expect(counts.has(3) || counts.has(50)).toBe(false);
    expect(counts.size).toBe(118);
    for (const { times, inclusion } of counts.values()) expectBinomial(times, draws, inclusion);
  });

  test("leaves no item without a chance: its share by weight alone, at least", () => {
    const certain = new Float64Array(120).fill(1 - 1e-12);
    certain[7] = 0.5; // all of the uncertainty is here
    const random = createRandom("sure");
    for (let k = 0; k < 200; k++) {
      const { items, inclusion } = drawBatch(population, [], [certain], 12, random);
      items.forEach((item, j) => {
        const plain = 11 * population.weights[item]!; // one of the twelve is taken for sure
        expect(inclusion[j]).toBeGreaterThan(UNIFORM_SHARE * plain * 0.9);
      });
    }
  });

  test("prefers what the model is unsure about, by weight", () => {
    const chances = new Map<number, number>();
    const random = createRandom("most");
    for (let k = 0; k < 100; k++) {
      const { items, inclusion } = drawBatch(population, [], [expected], 10, random);
      items.forEach((item, j) => chances.set(item, inclusion[j]! / population.weights[item]!));
    }
    const unsure = [...chances].sort(([x], [y]) => variance(x) - variance(y)).map(([, chance]) => chance);
    expect(unsure).toEqual(unsure.toSorted((x, y) => x - y));
    expect(unsure.at(-1)! / unsure[0]!).toBeGreaterThan(1.5);
  });

  test("a factor lowers an item's probability in its measure", () => {
    const half = new Float64Array(120).fill(1);
    half[60] = 0.5;
    const limited = { ...population, factors: half };
    const chance = (of: typeof population): number => {
      const random = createRandom("exposed");
      for (;;) {
        const { items, inclusion } = drawBatch(of, [], [expected], 6, random);
        const at = items.indexOf(60);
        if (at >= 0) return inclusion[at]!;
      }
    };
    expect(chance(limited) / chance(population)).toBeCloseTo(0.5, 1);
  });
});

describe("a batch's total", () => {
  test("by hand", () => {
    const forecast = { score: 0.5, expected: [0.2, 0.6, 0.9] };
    const found = batchTotal(forecast, [0.1, 0.1, 0.2], [0.5, 0.25, 0.8], [1, 0, 1])!;
    // residuals .8, −.6, .1; masses .2, .4, .25
    expect(found.total).toBeCloseTo(0.5 + 0.2 * 0.8 - 0.4 * 0.6 + 0.25 * 0.1, 12);
    const z = [0.2 * 0.8 * Math.sqrt(0.5), -0.4 * 0.6 * Math.sqrt(0.75), 0.25 * 0.1 * Math.sqrt(0.2)];
    expect(found.variance).toBeCloseTo((3 / 4) * ((z[0]! - z[1]!) ** 2 + (z[1]! - z[2]!) ** 2), 12);
    expect(found.unit).toBeCloseTo(0.04 * 0.5 + 0.16 * 0.75 + 0.0625 * 0.2, 12);
    expect(found.degrees).toBeCloseTo(8 / 5, 12);
  });

  test("without an answer there is none; with one alone its variance is at its bound", () => {
    const forecast = { score: 0.5, expected: [0.5, 0.5] };
    expect(batchTotal(forecast, [0.5, 0.5], [0.5, 0.5], [NaN, NaN])).toBeNull();
    const found = batchTotal(forecast, [0.5, 0.5], [0.5, 0.5], [NaN, 1])!;
    expect(found).toMatchObject({ variance: found.unit, degrees: 1 });
    expect(found.unit).toBeCloseTo(4 * 0.75, 12); // reached with π/2 = ¼
  });

  test("of items that were sure to be asked is what it is", () => {
    expect(batchTotal({ score: 0.4, expected: [0.5] }, [0.1], [1], [1])).toMatchObject({ total: 0.45, variance: 0 });
  });
});

function populationOf(dims: number, count: number, factors: Float64Array | null = null): Population {
  const random = createRandom(`bank ${dims}`);
  const bank = itemBank(
    Float32Array.from({ length: count * dims }, () => 0.3 + Math.abs(random.normal())),
    Float32Array.from({ length: count }, () => random.normal()),
  );
  const identity = Float64Array.from({ length: dims * dims }, (_, k) => (k % (dims + 1) === 0 ? 1 : 0));
  return {
    scenarios: [{ id: "s", begin: 0, bank, scoreMap: null, prior: scaledPrior(new Float64Array(dims), identity, 2) }],
    count,
    weights: new Float64Array(count).fill(1 / count),
    factors,
  };
}

const determinant = (m: ArrayLike<number>): number => m[0]! * m[3]! - m[1]! * m[2]!;

describe("the most informative items", () => {
  test("in one dimension are those of most Fisher information at the ability", () => {
    const population = populationOf(1, 30);
    const asked = { items: [2, 9], scores: [1, 0] };
    const abilities = populationAbilities(population, asked);
    const chosen = chooseInformative(population, abilities, asked.items, 5, createRandom(1));
    const { bank } = population.scenarios[0]!;
    const ranked = Array.from({ length: 30 }, (_, i) => i)
      .filter((i) => !asked.items.includes(i))
      .sort((x, y) => itemInformation(abilities[0]!.theta, bank, y) - itemInformation(abilities[0]!.theta, bank, x));
    expect(chosen).toEqual(ranked.slice(0, 5));
  });

  test("in two raise the determinant of the information most, one after another", () => {
    const population = populationOf(2, 25);
    const { bank } = population.scenarios[0]!;
    const { prior } = population.scenarios[0]!;
    const abilities = populationAbilities(population, { items: [], scores: [] });
    const chosen = chooseInformative(population, abilities, [], 4, createRandom(1));
    for (let k = 0; k < 4; k++) {
      const before = chosen.slice(0, k);
      const gain = (item: number): number =>
        determinant(
          testInformation(abilities[0]!.theta, bank, [...before, item]).map((own, d) => own + prior.precision[d]!),
        );
      const best = Array.from({ length: 25 }, (_, i) => i)
        .filter((i) => !before.includes(i))
        .reduce((top, i) => (gain(i) > gain(top) ? i : top));
      expect(chosen[k]).toBe(best);
    }
  });

  test("are passed over as often as their factor says, and asked where nothing else is left", () => {
    const open = populationOf(1, 30);
    const abilities = populationAbilities(open, { items: [], scores: [] });
    const [first] = chooseInformative(open, abilities, [], 1, createRandom(1));
    const rare = new Float64Array(30).fill(1);
    rare[first!] = 0.3;
    const limited = { ...open, factors: rare };
    const random = createRandom("exposure");
    let times = 0;
    for (let k = 0; k < 2000; k++) if (chooseInformative(limited, abilities, [], 1, random)[0] === first) times++;
    expect(times / 2000).toBeCloseTo(0.3, 1);
    expect(chooseInformative(limited, abilities, [], 30, random)).toHaveLength(30);
    expect(chooseInformative(limited, abilities, [], 40, random)).toHaveLength(30);
  });
});
