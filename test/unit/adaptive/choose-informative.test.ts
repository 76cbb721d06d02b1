import { createRandom, itemBank, itemInformation, scaledPrior, testInformation } from "anchoreval/core";
import { describe, expect, test } from "vitest";
import { chooseInformative } from "../../../sdk/core/adaptive/choose-items.ts";
import { type Population, populationAbilities } from "../../../sdk/core/adaptive/population.ts";

function populationOf(dims: number, count: number, exposure: Float64Array | null = null): Population {
  const random = createRandom(`bank ${dims}`);
  const bank = itemBank(
    Float32Array.from({ length: count * dims }, () => 0.3 + Math.abs(random.normal())),
    Float32Array.from({ length: count }, () => random.normal()),
  );
  const identity = Float64Array.from({ length: dims * dims }, (_, k) => (k % (dims + 1) === 0 ? 1 : 0));
  return {
    scenarios: [{ id: "s", begin: 0, bank, scoreMap: null }],
    banks: [{ scenarios: [0], prior: scaledPrior(new Float64Array(dims), identity, 2) }],
    count,
    weights: new Float64Array(count).fill(1 / count),
    exposure,
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
    const { prior } = population.banks[0]!;
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

  test("are passed over as often as their exposure factor says, and asked where nothing else is left", () => {
    const open = populationOf(1, 30);
    const abilities = populationAbilities(open, { items: [], scores: [] });
    const [first] = chooseInformative(open, abilities, [], 1, createRandom(1));
    const rare = new Float64Array(30).fill(1);
    rare[first!] = 0.3;
    const limited = { ...open, exposure: rare };
    const random = createRandom("exposure");
    let times = 0;
    for (let k = 0; k < 2000; k++) if (chooseInformative(limited, abilities, [], 1, random)[0] === first) times++;
    expect(times / 2000).toBeCloseTo(0.3, 1);
    expect(chooseInformative(limited, abilities, [], 30, random)).toHaveLength(30);
    expect(chooseInformative(limited, abilities, [], 40, random)).toHaveLength(30);
  });
});
