import { encodeBundle, type BundleFileName } from "anchoreval/bundle";
import { createRandom } from "anchoreval/internal/core/numeric/random";
import { beforeAll, describe, expect, test } from "vitest";
import { looksLevel } from "anchoreval/internal/features/adaptive/core/looks-level";
import {
  adaptiveEvaluation,
  localAdaptive,
  type AdaptiveSource,
} from "anchoreval/internal/features/adaptive/sdk/adaptive-session";
import { adaptivePlan } from "anchoreval/internal/features/adaptive/sdk/adaptive-plan";
import { type ItemPool, loadAdaptive } from "anchoreval/internal/features/adaptive/sdk/item-pool";
import type { AdaptiveOptions, AdaptiveStep } from "anchoreval/internal/features/adaptive/sdk/types";
import { raceFromPool } from "anchoreval/internal/features/adaptive/sdk/race";
import { memorySource } from "../../../../support/memory-source.ts";
import { expectRefusal, rejection } from "../../../../support/refusal.ts";
import { sampleContent } from "../../../../support/sample-bundle.ts";

const files: Map<BundleFileName, Uint8Array> = encodeBundle(sampleContent());
let pool: ItemPool;
let names: string[];

beforeAll(async () => {
  pool = await loadAdaptive(memorySource(files));
  names = Array.from({ length: 100 }, (_, i) => pool.item(i).item_id);
});

/** Right with some probability, the same for the same item. */
function answerer(share: number, seed: string): (id: string) => number {
  const random = createRandom(seed);
  const scores = new Map(names.map((id) => [id, random.next() < share ? 1 : 0]));
  return (id) => scores.get(id)!;
}

const answersTo = (ids: readonly { item_id: string }[], answer: (id: string) => number | null) =>
  Object.fromEntries(ids.map(({ item_id }) => [item_id, answer(item_id)]));

/** Runs an evaluation of one model to its end. */
async function evaluate(options: AdaptiveOptions, answer: (id: string) => number | null, seed = "seed") {
  const evaluation = adaptiveEvaluation(localAdaptive(pool, seed), options);
  const asked: string[][] = [];
  for await (const items of evaluation) {
    asked.push(items.map(({ item_id }) => item_id));
    evaluation.answer(answersTo(items, answer));
  }
  return { step: evaluation.step!, asked };
}

test("an evaluation and a race of a version that was taken back say so", async () => {
  const readYank = () => Promise.resolve({ yanked: true, reason: "wrong keys" } as const);
  const yanked = await loadAdaptive({ ...memorySource(files), readYank });
  expect(yanked.yanked).toBe("wrong keys");
  const warning = { code: "yanked_version", message: "version 1.0.0 was yanked by its publisher: wrong keys" };
  const step = await localAdaptive(yanked, "seed").begin({});
  expect(step.warnings).toContainEqual(warning);
  const candidates = ["a", "b"].map((name) => ({ name, responses: {} }));
  expect(raceFromPool(yanked, candidates).warnings).toEqual([warning]);
});

describe("an evaluation of one model", () => {
  test("asks each item once, within the budget, and says how it ended", async () => {
    const { step, asked } = await evaluate({ batch: 8, budget: 44 }, answerer(0.6, "half"));
    const flat = asked.flat();
    expect(new Set(flat).size).toBe(44);
    expect(asked.map(({ length }) => length)).toEqual([8, 8, 8, 8, 8, 4]);
    expect(flat.every((id) => names.includes(id))).toBe(true);
    expect(step.stopped).toMatchObject({ rule: "budget", verdict: null });
    expect(step.items).toEqual([]);
    expect(step.asked).toBe(44);
    expect(step.model).toMatchObject({ answered: 44, reason: null, interval: { method: "design-based", level: 0.95 } });
    const { score, interval } = step.model!;
    expect(interval!.low).toBeLessThan(score!);
    expect(interval!.high).toBeGreaterThan(score!);
    const parts = Object.values(step.model!.scenarios);
    expect(parts.reduce((sum, { answered }) => sum + answered, 0)).toBe(44);
    expect((parts[0]!.score! + parts[1]!.score!) / 2).toBeCloseTo(score!, 1); // each may be brought into its bounds
  });

  test("never leaves one item alone for the last batch", async () => {
    const { asked } = await evaluate({ batch: 10, budget: 31 }, answerer(0.6, "half"));
    expect(asked.map(({ length }) => length)).toEqual([10, 10, 11]);
  });

  test("knows the score when all items have been asked", async () => {
    const answer = answerer(0.6, "half");
    const { step } = await evaluate({ batch: 25, budget: 100 }, answer);
    const mean = (of: string[]): number => of.reduce((sum, id) => sum + answer(id), 0) / of.length;
    expect(step.stopped!.rule).toBe("all-items");
    expect(step.model!.scenarios["alpha"]).toMatchObject({ answered: 40, interval: { method: "exact" } });
    expect(step.model!.scenarios["alpha"]!.score).toBeCloseTo(mean(names.slice(0, 40)), 10);
    expect(step.model!.interval!.method).toBe("exact");
  });

  test("of one scenario asks that one's items", async () => {
    const { step, asked } = await evaluate({ scenarios: ["beta/γ"], budget: 30 }, answerer(0.6, "half"));
    expect(asked.flat().every((id) => id.startsWith("beta/γ/"))).toBe(true);
    expect(step.model!.scenarios["beta/γ"]).toMatchObject({ score: step.model!.score, interval: step.model!.interval });
    expect(step.plan.scenarios).toEqual(["beta/γ"]);
  });

  test("is the same again with the same seed and answers, and another with another seed", async () => {
    const first = await evaluate({ budget: 40 }, answerer(0.6, "half"));
    expect(await evaluate({ budget: 40 }, answerer(0.6, "half"))).toEqual(first);
    const { asked } = await evaluate({ budget: 40 }, answerer(0.6, "half"), "another");
    expect(asked).not.toEqual(first.asked);
  });

  test("counts items without an answer as missing, never as wrong, and says so", async () => {
    const answer = answerer(1, "all right");
    const { step } = await evaluate({ budget: 60, batch: 12 }, (id) => (id.endsWith("3") ? null : answer(id)));
    expect(step.model!.answered).toBeLessThan(60);
    expect(step.model!.score).toBeGreaterThan(0.95);
    expect(step.warnings).toMatchObject([{ code: "missing_answers" }]);
  });
});

describe("it stops", () => {
  test.each<[string, AdaptiveOptions["stop"] & object, number, Partial<NonNullable<AdaptiveStep["stopped"]>>]>([
    ["above a threshold", { threshold: 0.2 }, 0.9, { rule: "threshold", verdict: "above" }],
    ["below a threshold", { threshold: 0.8 }, 0.1, { rule: "threshold", verdict: "below" }],
    ["when the interval is narrow", { halfWidth: 0.2 }, 0.9, { rule: "half-width", verdict: null }],
    ["whichever comes first", { halfWidth: 0.2, threshold: 0.9 }, 0.9, { rule: "half-width", verdict: null }],
  ])("%s, at a level for all looks where a rule looks at the score", async (_, stop, share, stopped) => {
    const { step } = await evaluate({ stop, batch: 10, budget: 100 }, answerer(share, "sure"));
    expect(step.stopped).toMatchObject(stopped);
    expect(step.asked).toBeLessThan(100);
    expect(step.asked).toBeGreaterThanOrEqual(20);
    const peeks = stop.threshold !== undefined;
    const looks = [2, 3, 4, 5, 6, 7, 8, 9, 10];
    expect(step.plan.lookLevel).toBe(peeks ? looksLevel(0.95, looks) : 0.95);
    expect(step.model!.interval).toMatchObject({ level: 0.95, method: peeks ? "sequential" : "design-based" });
  });

  test("by width in batches of ten, however many they are; by the score at twenty looks at most", () => {
    const big = { scenarios: [{ id: "a", items: 900 }] };
    const plan = (stop: AdaptiveOptions["stop"] & object, more: AdaptiveOptions = {}) =>
      adaptivePlan(big, { budget: 900, stop, ...more });
    expect(plan({ halfWidth: 0.02 })).toMatchObject({ batch: 10, lookLevel: 0.95 });
    expect(plan({ halfWidth: 0.02, threshold: 0.5 }).batch).toBe(45);
    expect(plan({ halfWidth: 0.02, better: true }, { models: 2 }).lookLevel).toBeGreaterThan(0.98);
    expect(plan({ halfWidth: 0.02, better: false }, { models: 2 })).toMatchObject({ batch: 10, lookLevel: 0.95 });
  });

  test("at nothing before twenty answers", async () => {
    const { asked } = await evaluate({ stop: { threshold: 0.001 }, batch: 6, budget: 60 }, answerer(1, "sure"));
    expect(asked.flat().length).toBeGreaterThanOrEqual(20);
  });

  test("at a standard error, where abilities are looked for: no score then", async () => {
    const { step } = await evaluate({ goal: "ability", stop: { standardError: 0.9 }, batch: 1 }, answerer(0.5, "half"));
    expect(step.stopped!.rule).toBe("standard-error");
    expect(step.model).toMatchObject({ score: null, interval: null });
    const errors = Object.values(step.model!.abilities).flatMap(({ standardError }) => standardError);
    expect(Math.max(...errors)).toBeLessThanOrEqual(0.9);
    expect(step.asked).toBeLessThan(100);
  });
});

describe("two models", () => {
  async function duel(a: (id: string) => number, b: (id: string) => number) {
    const evaluation = adaptiveEvaluation(localAdaptive(pool, "duel"), {
      models: 2,
      batch: 10,
      budget: 100,
      stop: { better: true },
    });
    for await (const items of evaluation) evaluation.answer(answersTo(items, a), answersTo(items, b));
    return evaluation.step!;
  }

  test("are asked the same items until one is surely better", async () => {
    const step = await duel(answerer(0.2, "weak"), answerer(0.9, "strong"));
    expect(step.stopped).toMatchObject({ rule: "better", verdict: "b-better" });
    expect(step.pair!.difference).toBeGreaterThan(0);
    expect(step.pair!.interval!.low).toBeGreaterThan(0);
    expect(step.model).toBeNull();
    expect(step.pair!.a.answered).toBe(step.asked);
    expect((await duel(answerer(0.9, "strong"), answerer(0.2, "weak"))).stopped!.verdict).toBe("a-better");
  });

  test("that answer alike are never called different", async () => {
    const same = answerer(0.6, "same");
    const step = await duel(same, same);
    expect(step.stopped!.rule).toBe("all-items");
    expect(step.pair!.difference).toBe(0);
  });
});

describe("the state between two steps", () => {
  let source: AdaptiveSource;
  beforeAll(() => (source = localAdaptive(pool, "repeat")));

  test("with the same answers gives the same step again", async () => {
    const first = await source.begin({ budget: 40 });
    const answers = { responses: answersTo(first.items, () => 1) };
    const second = await source.next(first.state!, answers);
    expect(await source.next(first.state!, answers)).toEqual(second);
    expect(second.items.some(({ item_id }) => item_id in answers.responses)).toBe(false);
  });

  test.each<[string, (asked: string[]) => unknown, string]>([
    ["an item left out", ([, ...rest]) => ({ responses: Object.fromEntries(rest.map((id) => [id, 1])) }), "or null"],
    [
      "an item that wasn't asked",
      (ids) => ({ responses: { ...Object.fromEntries(ids.map((id) => [id, 1])), x: 1 } }),
      "wasn't asked",
    ],
    [
      "a score above 1",
      ([id, ...rest]) => ({ responses: { ...Object.fromEntries(rest.map((own) => [own, 1])), [id!]: 2 } }),
      "in [0,1]",
    ],
    [
      "a score that is text",
      ([id, ...rest]) => ({ responses: { ...Object.fromEntries(rest.map((own) => [own, 1])), [id!]: "1" } }),
      "in [0,1], got string",
    ],
    ["an array of another length", () => ({ responses: [1, 0] }), "were asked"],
    [
      "two models' answers",
      (ids) => {
        const responses = Object.fromEntries(ids.map((id) => [id, 1]));
        return { a: { responses }, b: { responses } };
      },
      "one model",
    ],
  ])("refuses %s", async (_, answers, message) => {
    const first = await source.begin({ budget: 40 });
    const ids = first.items.map(({ item_id }) => item_id);
    expectRefusal(await rejection(source.next(first.state!, answers(ids) as never)), "invalid_answers", message);
  });

  test("belongs to its bundle", async () => {
    const first = await source.begin({});
    const other = await loadAdaptive(memorySource(encodeBundle(sampleContent({ seed: 8 }))));
    const answers = { responses: answersTo(first.items, () => 1) };
    expectRefusal(
      await rejection(localAdaptive(other, "repeat").next(first.state!, answers)),
      "digest_mismatch",
      "belongs to bundle",
    );
  });

  test("an iteration without answers is refused", async () => {
    const evaluation = adaptiveEvaluation(source, {});
    const run = async (): Promise<void> => {
      for await (const items of evaluation) expect(items).not.toHaveLength(0);
    };
    expectRefusal(await rejection(run()), "invalid_answers", "call answer(…)");
  });
});

describe("options that can't be", () => {
  test.each<[string, unknown, string]>([
    ["a scenario that isn't there", { scenarios: ["gamma"] }, "no scenario gamma"],
    ["no scenario", { scenarios: [] }, "empty"],
    ["three models", { models: 3 }, "1 or 2"],
    ["another goal", { goal: "fame" }, "score or ability"],
    ["two abilities", { goal: "ability", models: 2 }, "one model"],
    ["a budget above all items", { budget: 101 }, "from 2 to 100"],
    ["a budget of one", { budget: 1 }, "from 2 to 100"],
    ["half an item", { budget: 10.5 }, "whole number"],
    ["a batch above the budget", { budget: 20, batch: 21 }, "batch"],
    ["a batch of one for a score", { batch: 1 }, "batch"],
    ["too many looks", { batch: 2, budget: 100, stop: { halfWidth: 0.1, threshold: 0.5 } }, "50 looks"],
    ["a level of 1", { level: 1 }, "level must be in (0,1)"],
    ["a threshold for two", { models: 2, stop: { threshold: 0.5 } }, "one model"],
    ["better for one", { stop: { better: true } }, "two models"],
    ["a half-width of abilities", { goal: "ability", stop: { halfWidth: 0.1 } }, "goal score"],
    ["a standard error of scores", { stop: { standardError: 0.1 } }, "goal ability"],
    ["a half-width of 0", { stop: { halfWidth: 0 } }, "(0,1)"],
    ["a threshold of 1", { stop: { threshold: 1 } }, "(0,1)"],
    ["a negative standard error", { goal: "ability", stop: { standardError: -1 } }, "positive"],
  ])("%s", async (_, options, message) => {
    const code = message.startsWith("no scenario") ? "unknown_scenario" : "invalid_option";
    expectRefusal(await rejection(localAdaptive(pool).begin(options as AdaptiveOptions)), code, message);
  });
});

describe("items.jsonl", () => {
  test("that has another number of lines than the manifest items is refused", async () => {
    const cut = new Map(files);
    const lines = cut.get("items.jsonl")!;
    cut.set("items.jsonl", lines.subarray(0, lines.length - 3));
    expectRefusal(await rejection(loadAdaptive(memorySource(cut))), "bundle_corrupt", "items.jsonl");
  });
});
