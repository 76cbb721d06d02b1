import { type AnchorEvalErrorCode, loadBundle } from "anchoreval";
import { type ItemPool, itemPool } from "anchoreval/internal/features/adaptive/sdk/item-pool";
import { loadItemLines } from "anchoreval/internal/bundles/read-file";
import { type Race, raceFromPool, type RaceOptions } from "anchoreval/internal/features/adaptive/sdk/race";
import type { RaceCandidate } from "anchoreval/internal/features/adaptive/sdk/race-answers";
import { raceOrder, roundItems, roundSample, raceField } from "anchoreval/internal/features/adaptive/sdk/race-rounds";
import { eliminate, raceQuantile } from "anchoreval/internal/features/adaptive/core/elimination";
import { itemResponses } from "anchoreval/internal/core/irt/response";
import { createRandom } from "anchoreval/internal/core/numeric/random";
import { describe, expect, test } from "vitest";
import { memorySource } from "../../../../support/memory-source.ts";
import { expectRefusal, refusal } from "../../../../support/refusal.ts";
import { sampleBundle } from "../../../../support/sample-bundle.ts";

const source = memorySource(sampleBundle({ items: [160, 240] }));
const bundle = await loadBundle(source);
const pool = itemPool(bundle, await loadItemLines(source, bundle.manifest));
const population = pool.population(pool.scenarios.map(({ id }) => id));
const ids = Array.from(population.lines, (line) => pool.item(line).item_id);

type Answers = Record<string, number | null>;

/** A model's answers to all items, by ability; `foreign` ones answer as no response model of the bundle says. */
function answersOf(ability: number, seed: string, foreign = false): Answers {
  const random = createRandom(seed);
  const theta = Float64Array.of(ability, ability);
  const chances = population.scenarios.flatMap(({ bank }) => {
    const own = itemResponses(theta, bank);
    return [...(foreign ? own.reverse() : own)];
  });
  return Object.fromEntries(ids.map((id, i) => [id, random.next() < chances[i]! ? 1 : 0]));
}

const fullScore = (answers: Answers): number =>
  ids.reduce((sum, id, i) => sum + population.weights[i]! * answers[id]!, 0);

/** Asks what the race says until it ends. */
function play(models: readonly Answers[], options: RaceOptions = {}, among: ItemPool = pool) {
  const given = models.map((): Answers => ({}));
  for (const looks: Race[] = []; ;) {
    const candidates = given.map((responses, k) => ({ name: `m${k}`, responses }));
    const race = raceFromPool(among, candidates, options);
    looks.push(race);
    if (race.calls.next === 0) return { race, looks, given };
    for (const { index, next } of race.candidates) for (const id of next) given[index]![id] = models[index]![id]!;
  }
}

describe("the order", () => {
  const order = raceOrder(population, createRandom(1));

  test("asks every item once, in rounds that grow by about 1.4", () => {
    const rounds = order.rounds.map((_, round) => roundItems(order, round));
    expect(rounds.flat().sort((a, b) => a - b)).toEqual(ids.map((_, i) => i));
    expect(rounds[0]).toHaveLength(60);
    const totals = order.rounds.map(({ counts }) => counts[0]! + counts[1]!);
    for (let round = 1; round < totals.length - 2; round++)
      expect(totals[round]! / totals[round - 1]!).toBeCloseTo(1.4, 1);
    expect(order.rounds.at(-1)!.information).toBe(Infinity);
  });

  test("has at most 16 rounds, whatever there is to ask", () => {
    const weights = new Float64Array(20_000).fill(1 / 20_000);
    const large = { scenarios: [{ ...population.scenarios[0]!, begin: 0, bank: { ...population.scenarios[0]!.bank, count: 20_000 } }], weights }; // prettier-ignore
    expect(raceOrder(large, createRandom(1)).rounds.length).toBeLessThanOrEqual(16);
  });

  test("has every item in a round's sample as often as its inclusion probability says", () => {
    const draws = 500;
    const [round, scenario] = [2, 1];
    const often = new Float64Array(240);
    const inclusion = new Float64Array(240);
    for (let seed = 0; seed < draws; seed++) {
      const sample = roundSample(raceOrder(population, createRandom(`draw ${seed}`)), scenario, round);
      sample.items.forEach((item, j) => {
        often[item]! += 1 / draws;
        inclusion[item] = sample.inclusion![j]!;
      });
    }
    // Items of the two subscenarios weigh differently; 4.5 standard deviations of 500 draws are at most .1.
    expect(new Set(inclusion.map((chance) => Math.round(1e9 * chance))).size).toBe(2);
    often.forEach((share, item) => {
      expect(Math.abs(share - inclusion[item]!)).toBeLessThan(0.101);
    });
  });
});

describe("a race", () => {
  const models = [-1.5, 0.2, 1, -0.4, 0.9].map((ability, k) => answersOf(ability, `model ${k}`));
  const { race, looks } = play(models);

  test("finds the best one with fewer calls than all items of all", () => {
    expect(race.winner).toBe("m2");
    expect(race.leader).toBe("m2");
    expect(race.calls.all).toBe(5 * 400);
    expect(race.calls.made).toBeLessThan(1000);
    expect(race.within).toBeLessThanOrEqual(0.005);
    expect(race.candidates.at(-1)).toMatchObject({ name: "m0", state: "out", most: null, next: [] });
  });

  test("begins with the same items for all, and without an estimate", () => {
    const [first] = looks;
    expect(first).toMatchObject({ winner: null, within: null, calls: { made: 0, next: 300, all: 2000 } });
    for (const { score, state, next } of first!.candidates) {
      expect(score).toBeNull();
      expect(["leader", "in"]).toContain(state);
      expect(next).toEqual(first!.candidates[0]!.next);
    }
  });

  test("once out is out, in the same round and behind the same one", () => {
    for (const [k, { candidates }] of looks.entries())
      for (const { name, out } of candidates)
        if (out !== null)
          for (const later of looks.slice(k))
            expect(later.candidates.find((own) => own.name === name)!.out).toEqual(out);
  });

  test("is the same in another order of candidates, and looked at once or after every round", () => {
    const { given } = play(models);
    const named = given.map((responses, k) => ({ name: `m${k}`, responses }));
    const turned = raceFromPool(pool, [...named].reverse());
    const bare = (of: Race) => ({ ...of, candidates: of.candidates.map((own) => ({ ...own, index: 0 })) });
    expect(bare(turned)).toEqual(bare(race));
  });

  test("knows the scores exactly once all items are asked", () => {
    const twins = [models[2]!, { ...models[2]! }];
    const found = play(twins, { margin: 0, over: "these-answers" });
    expect(found.race).toMatchObject({ winner: "m0", within: 0, calls: { made: 800, next: 0, all: 800 } });
    for (const { score } of found.race.candidates) expect(score).toBeCloseTo(fullScore(models[2]!), 12);
  });

  test("of models, not of runs, ends without a winner among twins, and says how far one may be ahead", () => {
    const { race: ended } = play([models[2]!, { ...models[2]! }], { margin: 0 });
    expect(ended).toMatchObject({ over: "tasks", winner: null, calls: { made: 800, next: 0 } });
    expect(ended.within).toBeGreaterThan(0);
  });

  test("counts a round once all of its items are there, and asks for the rest of it", () => {
    const started = looks[0]!.candidates[0]!.next;
    const part = Object.fromEntries(started.slice(0, 50).map((id) => [id, models[0]![id]!]));
    const again = raceFromPool(pool, [
      { name: "a", responses: part },
      { name: "b", responses: {} },
    ]);
    expect(again.candidates.find(({ name }) => name === "a")).toMatchObject({ rounds: 0, next: started.slice(50) });
    expect(again.calls).toMatchObject({ made: 0, next: 70 });
  });

  test("takes items that a candidate gave no answer to from all, and says so", () => {
    const { given } = play(models.slice(1, 3));
    const id = Object.keys(given[0]!)[0]!;
    const candidates = [
      { name: "a", responses: { ...given[0]!, [id]: null } },
      { name: "b", responses: given[1]! },
    ];
    const { warnings } = raceFromPool(pool, candidates);
    expect(warnings).toEqual([
      { code: "missing_answers", message: expect.stringMatching(/^a: 1 items? ha/) as string },
    ]);
    const moved = raceFromPool(pool, [candidates[0]!, { name: "b", responses: { ...given[1]!, [id]: 1 } }]);
    const other = raceFromPool(pool, [candidates[0]!, { name: "b", responses: { ...given[1]!, [id]: 0 } }]);
    expect(moved).toEqual(other);
  });

  test("says who is best in a scenario where that is sure of all of them together", () => {
    const { race: clear } = play([answersOf(-2, "low"), answersOf(2, "high")]);
    expect(Object.values(clear.scenarios)).toContain("m1");
    const { race: tied } = play([models[2]!, { ...models[2]! }]);
    expect(Object.values(tied.scenarios)).toEqual([null, null]);
  });
});

// 30 races of four: an error of 20 % is 6, 4.5 standard deviations more are 16.
test.each([
  ["like models", false],
  ["models that the response model doesn't fit", true],
])("the best one is out no more often than stated, looked at after every round: %s", (name, foreign) => {
  let lost = 0;
  for (let run = 0; run < 30; run++) {
    const models = [0.5, 0.52, 0.54, 0.56].map((ability, k) => answersOf(ability, `${name} ${run} ${k}`, foreign));
    const order = raceOrder(population, createRandom(`${name} ${run}`));
    const answers = models.map((own) => Float64Array.from(ids, (id) => own[id]!));
    const times = order.rounds.map(({ information }) => information).filter(Number.isFinite);
    const completed = models.map(() => times.length);
    const z = raceQuantile(0.8, 4, times);
    const { out } = eliminate({ ...raceField(population, order, answers), completed }, z, 0, times.length);
    const scores = models.map(fullScore);
    const best = Math.max(...scores);
    if (scores.every((score, k) => out[k] !== null || score < best - 1e-9)) lost++;
  }
  expect(lost).toBeLessThan(16);
});

describe("refuses", () => {
  const own = answersOf(0, "own");
  const order = raceOrder(population, createRandom(pool.digest).fork("race"));
  const firsts = (rounds: number, skip = ""): Answers =>
    Object.fromEntries(
      Array.from({ length: rounds }, (_, round) => roundItems(order, round))
        .flat()
        .map((item) => ids[item]!)
        .filter((id) => id !== skip)
        .map((id) => [id, own[id]!]),
    );
  const [early] = Object.keys(firsts(1));
  const good: RaceCandidate = { name: "good", responses: firsts(2) };
  const bad = (responses: RaceCandidate["responses"]): RaceCandidate => ({ name: "bad", responses });
  const cases: [string, RaceCandidate[], RaceOptions, AnchorEvalErrorCode, string][] = [
    ["one candidate", [good], {}, "invalid_option", "two candidates or more"],
    ["two of one name", [good, good], {}, "invalid_option", "two candidates are called good"],
    ["a level below a half", [good, bad({})], { level: 0.4 }, "invalid_option", "[0.5,1)"],
    ["a level of 1", [good, bad({})], { level: 1 }, "invalid_option", "level"],
    ["a margin in points", [good, bad({})], { margin: 1 }, "invalid_option", "margin"],
    ["answers to other items", [good, bad({ nope: 1 })], {}, "invalid_answers", "bad: none of its 1 answers"],
    ["a score above 1", [good, bad({ [early!]: 2 })], {}, "invalid_answers", `bad: 1 answer can't be scored: ${early!}`],
    ["an item left out", [good, bad(firsts(2, early))], {}, "invalid_answers", `bad: 1 of the 60 items of round 1 are left out (${early!})`],
    [
      "hardly any answer",
      [good, bad(Object.fromEntries(Object.keys(firsts(1)).map((id, j) => [id, j % 2 ? 1 : null])))],
      {},
      "invalid_answers",
      "bad lacks",
    ],
  ]; // prettier-ignore
  test.each(cases)("%s", (_, candidates, options, code, words) => {
    expectRefusal(
      refusal(() => raceFromPool(pool, candidates, options)),
      code,
      words,
    );
  });
});
