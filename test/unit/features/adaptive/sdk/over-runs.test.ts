import { loadBundle } from "anchoreval";
import { encodeBundle } from "anchoreval/bundle";
import { predictAnswers } from "anchoreval/internal/features/adaptive/core/population";
import { itemResponses } from "anchoreval/internal/core/irt/response";
import { createRandom } from "anchoreval/internal/core/numeric/random";
import { planTrials } from "anchoreval/internal/features/trials/sdk/plan-trials";
import { describe, expect, test } from "vitest";
import { localAdaptive } from "anchoreval/internal/features/adaptive/sdk/adaptive-session";
import { type ItemPool, loadAdaptive } from "anchoreval/internal/features/adaptive/sdk/item-pool";
import { itemsPrice, withinBudget } from "anchoreval/internal/features/adaptive/sdk/priced";
import type { AdaptiveOptions, TrialItem } from "anchoreval/internal/features/adaptive/sdk/types";
import { trialsWorth } from "anchoreval/internal/features/trials/sdk/components";
import type { VarianceComponents } from "anchoreval/internal/features/trials/core";
import { overRuns, type OverRunsSource, type OverRunsTurn } from "anchoreval/internal/features/adaptive/sdk/over-runs";
import { memorySource } from "../../../../support/memory-source.ts";
import { expectRefusal, refusal, rejection } from "../../../../support/refusal.ts";
import { sampleContent } from "../../../../support/sample-bundle.ts";

const own = { model: 0.02, item: 0.04, modelItem: 0.06, trial: 0.12, trials: 3, repeated: 900 };
const noted = (components: Partial<VarianceComponents> | null) => {
  const content = sampleContent();
  const each = { ...own, ...components };
  const fit = components === null ? {} : { varianceComponents: { alpha: each, "beta/γ": each } };
  return memorySource(encodeBundle({ ...content, manifest: { ...content.manifest, fit } }));
};
const pool = await loadAdaptive(noted({}));
const scenarios = pool.scenarios.map(({ id }) => id);
const { lines, weights, ...population } = pool.population(scenarios);
const ids = Array.from(lines, (line) => pool.item(line).item_id);

/** Chances of a model of some ability, by the bank's own curves. */
function chancesAt(ability: number): Map<string, number> {
  const all = population.scenarios.flatMap(({ bank }) =>
    Array.from(
      itemResponses(
        Float64Array.from({ length: bank.dims }, () => ability),
        bank,
      ),
    ),
  );
  return new Map(ids.map((id, i) => [id, all[i]!]));
}

/** Plays an evaluation to its end. @param answer - of an item */
async function play(
  source: OverRunsSource,
  options: AdaptiveOptions,
  answer: (item: TrialItem) => number | null,
): Promise<{ turn: OverRunsTurn; asked: TrialItem[] }> {
  let turn = await source.begin(options);
  const asked: TrialItem[] = [];
  while (turn.state !== null) {
    asked.push(...turn.items);
    const responses = Object.fromEntries(turn.items.map((item) => [item.item_id, answer(item)]));
    turn = await source.next(turn.state, { responses });
  }
  return { turn, asked };
}

const sourceOf = (of: ItemPool, seed = "seed", prices?: Parameters<typeof overRuns>[2]): OverRunsSource =>
  overRuns(localAdaptive(of, seed), of, prices);
const coin = (name: string) => {
  const random = createRandom(name);
  return () => Number(random.next() < 0.5);
};

describe("another item or another trial", () => {
  test("asks nothing twice until all items are asked, then the noisiest by weight, whatever the answers are", async () => {
    const again = await Promise.all(
      ["a", "b"].map(async (name) => {
        const { asked, turn } = await play(sourceOf(pool), { budget: 140 }, coin(name));
        expect(turn.stopped).toMatchObject({ rule: "budget", message: "the budget of 140 answers is spent" });
        expect(turn.trials).toMatchObject({ answers: 140, basis: "trials" });
        expect(new Set(asked.slice(0, 100).map(({ item_id: id }) => id)).size).toBe(100);
        expect(asked.slice(0, 100).every(({ trial }) => trial === undefined)).toBe(true);
        expect(asked.slice(100).every(({ trial }) => trial === 2)).toBe(true);
        return asked.slice(100).map(({ item_id: id }) => id);
      }),
    );
    expect(again[0]).toEqual(again[1]);
    const predicted = predictAnswers(pool.population(scenarios), { items: [], scores: [] });
    const gains = new Map(ids.map((id, i) => [id, weights[i]! ** 2 * predicted[i]! * (1 - predicted[i]!)]));
    const order = [...gains].sort(([, x], [, y]) => y - x).slice(0, 40);
    expect(again[0]!.map((id) => gains.get(id))).toEqual(order.map(([, gain]) => gain));
  });

  test("never repeats where no trial differs from another", async () => {
    const quiet = await loadAdaptive(noted({ trial: 0 }));
    const { asked, turn } = await play(sourceOf(quiet), { budget: 400 }, coin("quiet"));
    expect(asked).toHaveLength(100);
    expect(turn.stopped!.rule).toBe("all-items");
    expect(turn.model!.interval).toMatchObject({ low: turn.model!.score, high: turn.model!.score, method: "exact" });
  });

  test("asks each item as often as its further trials' price says, a batch at a time", async () => {
    const prices = { unit: "usd", items: new Map(ids.map((id) => [id, 2])), repeat: 0.1 };
    expect(trialsWorth(own, 0.1)).toBe(4);
    const source = withinBudget(sourceOf(pool, "seed", prices), prices, 100) as OverRunsSource;
    const { asked, turn } = await play(source, { budget: 1000, batch: 5 }, coin("cheap"));
    const counts = new Map<string, number>();
    for (const { item_id: id, trial = 1 } of asked) {
      expect(trial).toBe((counts.get(id) ?? 0) + 1);
      counts.set(id, trial);
    }
    // 5 items cost 5·2·(1 + 3·.1) = 13: seven batches, and what is left buys no whole turn that starts another
    expect(itemsPrice(prices, asked)).toBeLessThanOrEqual(100);
    expect([...counts.values()].filter((count) => count === 4)).toHaveLength(35);
    expect(turn.stopped!.message).toContain("usd are spent");
    const few = await play(sourceOf(pool, "seed", prices), { budget: 90 }, coin("few"));
    expect(few.asked).toHaveLength(80); // another batch of ten takes forty
  });

  test("is the same again by its seed, and by the same state and answers", async () => {
    const first = await play(sourceOf(pool), { budget: 120 }, coin("same"));
    expect(await play(sourceOf(pool), { budget: 120 }, coin("same"))).toEqual(first);
    expect((await play(sourceOf(pool, "other"), { budget: 120 }, coin("same"))).asked).not.toEqual(first.asked);
    const source = sourceOf(pool);
    const turn = await source.begin({});
    const responses = Object.fromEntries(turn.items.map(({ item_id: id }) => [id, 1]));
    expect(await source.next(turn.state!, { responses })).toEqual(await source.next(turn.state!, { responses }));
  });

  test("leaves out what has no answer, and says so", async () => {
    const { asked, turn } = await play(sourceOf(pool), { budget: 150 }, ({ item_id: id }) =>
      id === ids[3] ? null : 1,
    );
    expect(asked.filter(({ item_id: id }) => id === ids[3])).toHaveLength(1);
    expect(turn.warnings.map(({ code }) => code)).toContain("missing_answers");
    expect(turn.model!.answered).toBe(99);
  });

  test("takes noise for as large as it can be where nothing is known, until trials tell", async () => {
    const unknown = await loadAdaptive(noted(null));
    const source = sourceOf(unknown);
    const { turn } = await play(source, { budget: 100 }, coin("unknown"));
    expect(turn.trials.basis).toBe("bound");
    const known = await play(sourceOf(pool), { budget: 100 }, coin("unknown"));
    expect(known.turn.trials.runDeviation / turn.trials.runDeviation).toBeCloseTo(Math.sqrt(0.12 / 0.18), 6);
    const first = new Map<string, number>();
    const steady = coin("steady");
    const told = await play(source, { budget: 300 }, ({ item_id: id }) => first.get(id) ?? (first.set(id, steady()), first.get(id)!)); // prettier-ignore
    expect(told.turn.trials.basis).toBe("trials");
    expect(told.turn.trials.runDeviation).toBeLessThan(turn.trials.runDeviation / 2);
  });

  test("is unbiased, scenario by scenario too, and its intervals hold where they stop it", async () => {
    const stops = [0.16, 0.08];
    for (const halfWidth of stops) {
      const errors: number[][] = [[], [], []];
      let held = 0;
      const runs = 40;
      for (let run = 0; run < runs; run++) {
        const chances = chancesAt((run % 4) - 1.5);
        const random = createRandom(`run ${run}`);
        const answer = ({ item_id: id }: TrialItem): number => Number(random.next() < chances.get(id)!);
        const { turn } = await play(
          sourceOf(pool, `run ${run}`),
          { budget: 600, batch: 20, stop: { halfWidth } },
          answer,
        );
        expect(turn.stopped!.rule).toBe("half-width");
        const { score, interval, scenarios: parts } = turn.model!;
        const mean = (from: number, to: number): number => {
          let [sum, all] = [0, 0];
          for (let i = from; i < to; i++) {
            sum += weights[i]! * chances.get(ids[i]!)!;
            all += weights[i]!;
          }
          return sum / all;
        };
        const truth = mean(0, ids.length);
        errors[0]!.push(score! - truth);
        population.scenarios.forEach(({ id, begin, bank: { count } }, s) =>
          errors[s + 1]!.push(parts[id]!.score! - mean(begin, begin + count)),
        );
        if (truth >= interval!.low && truth <= interval!.high) held++;
        expect((interval!.high - interval!.low) / 2).toBeLessThanOrEqual(halfWidth);
      }
      expect(held / runs).toBeGreaterThan(0.84); // three standard errors below .95
      for (const own of errors) {
        const mean = own.reduce((sum, error) => sum + error, 0) / runs;
        const deviation = Math.sqrt(own.reduce((sum, error) => sum + (error - mean) ** 2, 0) / runs);
        expect(Math.abs(mean)).toBeLessThan((4 * deviation) / Math.sqrt(runs));
      }
    }
  });

  test("does what a plan says: one trial of each item, or as many as their price says, then all items again", async () => {
    const bundle = await loadBundle(noted({}));
    const [wide] = planTrials(bundle, { trials: [1, 2, 3, 4, 5], halfWidth: 0.2 }).enough;
    expect(wide!.trials).toBe(1);
    const [cheap] = planTrials(bundle, { trials: [1, 2, 3, 4, 5, 6], halfWidth: 0.2, repeat: 0.1 }).enough;
    expect(cheap!.trials).toBe(trialsWorth(own, 0.1));
    const [narrow] = planTrials(bundle, { trials: [1, 2, 3, 5], halfWidth: 0.05 }).enough;
    expect(narrow!.items).toBe(100);
    expect(narrow!.trials).toBeGreaterThan(1);
    const chances = chancesAt(0);
    let answers = 0;
    for (let run = 0; run < 3; run++) {
      const random = createRandom(`plan ${run}`);
      const answer = ({ item_id: id }: TrialItem): number => Number(random.next() < chances.get(id)!);
      const options = { budget: 2000, batch: 20, stop: { halfWidth: 0.05 } };
      answers += (await play(sourceOf(pool, `run ${run}`), options, answer)).turn.trials.answers / 3;
    }
    expect(answers).toBeGreaterThan(100);
    // The bank's own chances have a noise of their own, p(1 − p), in place of the components'.
    const noise = ids.reduce((sum, id, i) => sum + weights[i]! ** 2 * chances.get(id)! * (1 - chances.get(id)!), 0);
    const planned = ids.reduce((sum, _, i) => sum + weights[i]! ** 2 * own.trial, 0);
    expect(answers / (narrow!.answers * (noise / planned))).toBeGreaterThan(0.75);
    expect(answers / (narrow!.answers * (noise / planned))).toBeLessThan(1.2);
  });

  test.each<[AdaptiveOptions, string]>([
    [{ models: 2 }, "over runs the score of one model"],
    [{ goal: "ability" }, "over runs the score of one model"],
    [{ stop: { threshold: 0.5 } }, "stop.halfWidth is its only rule"],
    [{ stop: { better: true } }, "stop.halfWidth is its only rule"],
    [{ stop: { halfWidth: 0.1, standardError: 0.2 } }, "stop.halfWidth is its only rule"],
    [{ stop: { halfWidth: 1.5 } }, "stop.halfWidth must be"],
    [{ budget: 1 }, "budget must be a whole number of answers"],
    [{ budget: 99.5 }, "budget must be a whole number of answers"],
    [{ batch: 1 }, "batch must be"],
    [{ scenarios: ["none"] }, "there is no scenario none"],
  ])("%j is refused", async (options, message) => {
    expect((await rejection(sourceOf(pool).begin(options))).message).toContain(message);
  });

  test("refuses a price that is no share, and answers that aren't what was asked", async () => {
    for (const repeat of [-0.1, 1.5, NaN])
      expectRefusal(
        refusal(() => sourceOf(pool, "seed", { repeat })),
        "invalid_option",
        "a further trial costs a share",
      );
    const source = sourceOf(pool);
    const { state, items } = await source.begin({ batch: 5 });
    const responses = Object.fromEntries(items.map(({ item_id: id }) => [id, 2]));
    expectRefusal(await rejection(source.next(state!, { responses })), "invalid_answers", items[0]!.item_id);
    expectRefusal(await rejection(source.next(state!, { responses: { other: 1 } })), "invalid_answers", "other");
  });
});

describe("trialsWorth", () => {
  test("is the number of trials that knows most for its price", () => {
    for (const modelItem of [0.02, 0.05, 0.2])
      for (const trial of [0.01, 0.1, 0.3])
        for (const repeat of [0.02, 0.1, 0.3, 0.8, 1]) {
          const share = trial / (modelItem + trial);
          const cost = (trials: number): number => (modelItem + trial / trials) * (1 + (trials - 1) * repeat);
          const found = trialsWorth({ ...own, modelItem, trial }, repeat);
          for (let trials = 1; trials <= 10; trials++) expect(cost(found)).toBeLessThanOrEqual(cost(trials) + 1e-12);
          expect(found > 1).toBe(repeat < share / (2 - share) - 1e-9);
        }
  });

  test("is 1 at one price, without noise and where nothing is known; with noise only, as many as there may be", () => {
    expect(trialsWorth(own, 1)).toBe(1);
    expect(trialsWorth({ ...own, trial: 0 }, 0.01)).toBe(1);
    expect(trialsWorth({ ...own, trial: 0, modelItem: 0 }, 0.01)).toBe(1);
    expect(trialsWorth(undefined, 0.01)).toBe(1);
    expect(trialsWorth({ ...own, modelItem: 0 }, 0.5)).toBe(10);
    expect(trialsWorth({ ...own, modelItem: 0 }, 1)).toBe(1);
  });
});
