import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";
import {
  checkFromAnchors,
  compareFromAnchors,
  loadBundle,
  raceFromPool,
  rankFromAnchors,
  type Bundle,
} from "anchoreval";
import type { Over } from "anchoreval/internal/features/compare/sdk/types";
import type { AnyResponses } from "anchoreval/internal/tables/item-trials";
import { itemPool } from "anchoreval/internal/features/adaptive/sdk/item-pool";
import { loadItemLines } from "anchoreval/internal/bundles/read-file";
import type { AnsweredSample } from "anchoreval/internal/core/estimators/types";
import {
  discordance,
  midPMcNemar,
  oneSidedConfidence,
  pairedInterval,
  taskSampling,
} from "anchoreval/internal/core/inference/paired-difference";
import { createRandom, type RandomSource } from "anchoreval/internal/core/numeric/random";
import { bundleFiles, fit, readResponses, resolveBackend, scoreAt, submatrix } from "anchoreval-trainer";
import { describe, expect, test } from "vitest";
import { memorySource } from "../../../../support/memory-source.ts";
import { expectRefusal, refusal } from "../../../../support/refusal.ts";
import { sampleBundle } from "../../../../support/sample-bundle.ts";

const EVERYWHERE = { low: -1, high: 1 };

/** Answers to all items of a scenario, all weighing the same. */
function answeredAll(scores: Float64Array): AnsweredSample {
  const items = Uint32Array.from(scores, (_, i) => i);
  const even = new Float64Array(scores.length).fill(1 / scores.length);
  return { items, positions: items, scores, mass: even, inclusion: even.map(() => 1), share: 1 };
}

/** The models' difference over tasks, of two runs on all items. */
function differenceOf(a: Float64Array, b: Float64Array) {
  const [left, right] = [answeredAll(a), answeredAll(b)];
  const difference = b.reduce((sum, score, i) => sum + (score - a[i]!) / b.length, 0);
  return { difference, bounds: EVERYWHERE, sampling: taskSampling(left.mass, left, right) };
}

const isTold = (a: Float64Array, b: Float64Array): boolean => {
  const { low, high } = pairedInterval(differenceOf(a, b), 0.95);
  return low > 0 || high < 0;
};

const drawn = (chances: readonly number[], random: RandomSource): Float64Array =>
  Float64Array.from(chances, (chance) => Number(random.next() < chance));

describe("two runs of one model on all items", () => {
  // 500 replays of each: 5 % and four standard errors of it are 8.9 %.
  test.each([20, 80, 300])("are told apart in no more than 5 % of %i items, however hard", (items) => {
    for (const accuracy of [0.05, 0.3, 0.5, 0.95]) {
      const random = createRandom(`${items} ${accuracy}`);
      let told = 0;
      for (let replay = 0; replay < 500; replay++) {
        // Some items flip, some don't: chances about the accuracy.
        const chances = Array.from({ length: items }, (_, i) =>
          i % 3 === 0 ? accuracy : Number(i % 7 < 7 * accuracy),
        );
        if (isTold(drawn(chances, random), drawn(chances, random))) told++;
      }
      expect(told / 500).toBeLessThan(0.089);
    }
  });

  test("are told apart where McNemar's test says so: never above a mid-p of .05, always below .01", () => {
    for (const items of [30, 80, 400])
      for (let ahead = 0; ahead <= 25; ahead++)
        for (let behind = 0; behind <= ahead && ahead + behind <= items; behind++) {
          const a = Float64Array.from({ length: items }, (_, i) => Number(i < behind));
          const b = Float64Array.from({ length: items }, (_, i) => Number(i >= behind && i < behind + ahead));
          const { aHigher, bHigher } = discordance(a, b);
          const p = midPMcNemar(aHigher, bHigher);
          if (p > 0.05) expect({ items, ahead, behind, told: isTold(a, b) }).toMatchObject({ told: false });
          if (p < 0.01) expect({ items, ahead, behind, told: isTold(a, b) }).toMatchObject({ told: true });
        }
  });

  test("that answer alike are not known to be equal: they may differ in about three of n items", () => {
    const same = Float64Array.from({ length: 100 }, (_, i) => i % 2);
    const { low, high } = pairedInterval(differenceOf(same, same), 0.95);
    expect(high).toBeGreaterThan(0.02);
    expect(high).toBeLessThan(0.08);
    expect(low).toBe(-high);
  });

  test("the confidence is that at which the interval just excludes 0", () => {
    const random = createRandom("confidence");
    for (let k = 0; k < 50; k++) {
      const found = differenceOf(drawn(Array(60).fill(0.4) as number[], random), drawn(Array(60).fill(0.6) as number[], random)); // prettier-ignore
      const confidence = oneSidedConfidence(found);
      if (confidence <= 0.5) continue;
      expect(pairedInterval(found, 2 * confidence - 1).low).toBeCloseTo(0, 8);
    }
  });
});

describe("what is said", () => {
  const source = memorySource(sampleBundle({ items: [40, 40], sizes: [20, 40] }));
  const random = createRandom("said");
  const load = (): Promise<Bundle> => loadBundle(source);
  const run = (bundle: Bundle, chance: number, times = 1): AnyResponses =>
    new Map(
      [...bundle.scenarios.values()]
        .flatMap((scenario) => scenario.forms.get("40")!.itemIds)
        .map((id) => {
          const scores = Array.from({ length: times }, () => Number(random.next() < chance));
          return [id, times === 1 ? scores[0]! : scores];
        }),
    );
  const overOf = (bundle: Bundle, a: AnyResponses, b: AnyResponses, over?: Over): Over =>
    compareFromAnchors(bundle, { responses: a }, { responses: b }, { form: "40", ...(over && { over }) }).over;

  test("is of tasks; of runs where the trials of either model tell of them; and what is asked for", async () => {
    const bundle = await load();
    const [once, often] = [run(bundle, 0.5), run(bundle, 0.5, 3)];
    expect(overOf(bundle, once, once)).toBe("tasks");
    expect(overOf(bundle, once, often)).toBe("runs");
    expect(overOf(bundle, often, once, "tasks")).toBe("tasks");
    expect(overOf(bundle, often, often, "these-answers")).toBe("these-answers");
    const few = new Map(once as ReadonlyMap<string, number>) as Map<string, number | number[]>;
    for (const id of [...few.keys()].slice(0, 30)) few.set(id, [0, 1]);
    expect(overOf(bundle, few, once)).toBe("tasks");
    const models = [once, often].map((responses, k) => ({ name: `${k}`, responses, form: "40" }));
    expect(rankFromAnchors(bundle, models).over).toBe("runs");
  });

  test("is refused where nothing tells of runs, and for other words", async () => {
    const bundle = await load();
    const once = { responses: run(bundle, 0.5), form: "40" };
    const compared = (over: string) => refusal(() => compareFromAnchors(bundle, once, once, { over: over as Over }));
    expectRefusal(compared("runs"), "invalid_option", "trials of half of its items or more");
    expectRefusal(compared("models"), "invalid_option", "over must be runs, tasks or these-answers");
  });

  test("trials count by their means; runs are known better than tasks, these answers exactly", async () => {
    const bundle = await load();
    const [a, b] = [run(bundle, 0.5, 5), run(bundle, 0.6, 5)].map((responses) => ({ responses, form: "40" }));
    const width = (over: Over): number => {
      const { low, high } = compareFromAnchors(bundle, a!, b!, { over }).interval!;
      return high - low;
    };
    expect(width("these-answers")).toBe(0);
    expect(width("runs")).toBeGreaterThan(0);
    expect(width("runs")).toBeLessThan(width("tasks"));
    const counts = new Map(
      [...(a!.responses as ReadonlyMap<string, number[]>)].map(([id, scores]) => [
        id,
        { passed: scores.reduce((sum, score) => sum + score, 0), of: 5 },
      ]),
    );
    const [listed, counted] = [a!, { ...a!, responses: counts }].map((own) => compareFromAnchors(bundle, own, b!));
    expect(counted!.difference).toBeCloseTo(listed!.difference!, 12);
    expect(counted!.interval!.low).toBeCloseTo(listed!.interval!.low, 12);
  });

  test("two models in two to five runs are told apart in no more than 5 % where they are one", async () => {
    const bundle = await load();
    let told = 0;
    for (let replay = 0; replay < 200; replay++) {
      const times = 2 + (replay % 4);
      const [a, b] = [run(bundle, 0.5, times), run(bundle, 0.5, times)].map((responses) => ({ responses, form: "40" }));
      if (compareFromAnchors(bundle, a!, b!).verdict !== "undecided") told++;
    }
    expect(told).toBeLessThan(23); // 10, and four standard errors of 5 %
  });

  test("all surfaces say the same of whole runs", async () => {
    const bundle = await load();
    const pool = itemPool(bundle, await loadItemLines(source, bundle.manifest));
    let both = 0;
    for (let k = 0; k < 40; k++) {
      const [a, b] = [0.4, 0.4 + 0.01 * k].map((chance, side) => ({ name: "ab"[side]!, responses: run(bundle, chance) as ReadonlyMap<string, number>, form: "40" })); // prettier-ignore
      const { verdict } = compareFromAnchors(bundle, a!, b!);
      const best = verdict === "a-better" ? "a" : verdict === "b-better" ? "b" : null;
      const [first] = rankFromAnchors(bundle, [a!, b!]).models;
      expect(first!.rankInterval!.high === 1 ? first!.name : null).toBe(best);
      const checked = checkFromAnchors(bundle, a!, {
        baselines: [b!],
        maxDrop: 0,
        alarmsPerYear: 25,
        runsPerYear: 1000,
      });
      expect(checked.verdict === "regressed").toBe(best === "b");
      const race = raceFromPool(pool, [a!, b!], { margin: 0 });
      const out = race.candidates.find(({ state }) => state === "out");
      if (best !== null) both++;
      if (best !== null && out) expect(out.name).not.toBe(best);
    }
    expect(both).toBeGreaterThan(5);
    expect(both).toBeLessThan(35);
  });
});

const AGENTS = fileURLToPath(new URL("../../../../../../shared/data/terminal-bench-core/", import.meta.url));

describe.skipIf(!existsSync(AGENTS))("eleven agents' single trials (skipped without ../shared/data)", () => {
  test.each(["40", "80"])(
    "on %s of 80 tasks one in twenty of 110 pairs of one agent is called better, at most",
    async (form) => {
      const { matrix, trials } = await readResponses(`${AGENTS}trials.csv.gz`, { items: `${AGENTS}items.jsonl.gz` });
      const { backend } = await resolveBackend("typescript");
      const facts = { benchmark: "tb", version: "1.0.0", created: "2026-01-01T00:00:00Z" };
      const { content } = await fit(matrix, { ...facts, backend, sizes: [40, 80], seed: 1 });
      const bundle = await loadBundle(memorySource(bundleFiles({ content })));
      const ids = [...bundle.scenarios.values()].flatMap((scenario) => scenario.forms.get(form)!.itemIds);
      const runs = new Map<string, Map<string, number | null>[]>();
      for (const { model, item, scores } of trials!) {
        const own = runs.get(model) ?? Array.from({ length: 5 }, () => new Map<string, number | null>());
        runs.set(model, own);
        own.forEach((answers, t) => {
          if (ids.includes(item)) answers.set(item, scores[t] ?? null);
        });
      }
      let [pairs, told] = [0, 0];
      for (const own of runs.values())
        for (let j = 1; j < own.length; j++)
          for (let i = 0; i < j; i++) {
            const [a, b] = [own[i]!, own[j]!].map((responses) => ({ responses, form }));
            pairs++;
            if (/better/.test(compareFromAnchors(bundle, a!, b!).verdict!)) told++;
          }
      expect(pairs).toBe(110);
      expect(told / pairs).toBeLessThanOrEqual(0.05);
    },
  );
});

const SWEBENCH = fileURLToPath(new URL("../../../../../../shared/data/swebench-lite/", import.meta.url));

test.skipIf(!existsSync(SWEBENCH))(
  "60.3 against 60.0 on all of SWE-bench Lite is no difference between agents (skipped without ../shared/data)",
  async () => {
    const { matrix } = await readResponses(`${SWEBENCH}responses.csv.gz`, { items: `${SWEBENCH}items.jsonl.gz` });
    // A fit of few agents: what is compared here is answers to all tasks, which no estimate is in.
    const few = submatrix(matrix, [0, 8, 16, 24, 32, 40, 48], [...matrix.items.keys()]);
    const { backend } = await resolveBackend("typescript");
    const facts = { benchmark: "swe", version: "1.0.0", created: "2026-01-01T00:00:00Z" };
    const { content } = await fit(few, { ...facts, backend, sizes: [300], seed: 1 });
    const bundle = await loadBundle(memorySource(bundleFiles({ content })));
    const scores = matrix.subjects.map((_, m) => matrix.items.reduce((sum, _, i) => sum + scoreAt(matrix, m, i), 0));
    const [a, b] = [181, 180].map((right) => {
      const m = scores.indexOf(right);
      return { name: matrix.subjects[m]!, responses: new Map(matrix.items.map(({ item_id }, i) => [item_id, scoreAt(matrix, m, i)])) }; // prettier-ignore
    });
    const found = compareFromAnchors(bundle, a!, b!);
    expect(found).toMatchObject({ over: "tasks", verdict: "undecided", mcnemar: { aHigher: 24, bHigher: 23 } });
    expect(found.oneSidedConfidence).toBeGreaterThan(0.4);
    for (const { rankInterval } of rankFromAnchors(bundle, [a!, b!]).models) expect(rankInterval).toEqual({ low: 1, high: 2 }); // prettier-ignore
    expect(checkFromAnchors(bundle, b!, { baselines: [a!], maxDrop: 0 }).verdict).toBe("undecided");
    expect(compareFromAnchors(bundle, a!, b!, { over: "these-answers" }).verdict).toBe("a-better");
  },
);
