import { writeFileSync } from "node:fs";
import {
  type Bundle,
  checkFromAnchors,
  compareFromAnchors,
  type Estimate,
  estimateFromAnchors,
  estimateTrials,
  loadBundle,
  rankFromAnchors,
} from "anchoreval";
import { encodeBundle } from "anchoreval/bundle";
import { itemWeights } from "anchoreval/internal/core/bundle/bundle";
import { bundleItems } from "anchoreval/internal/core/bundle/item-lines";
import { createRandom } from "anchoreval/internal/core/numeric/random";
import { folderSource } from "anchoreval/node";
import { describe, expect, test } from "vitest";
import { writeBundle } from "../../support/logged-bundle.ts";
import { memorySource } from "../../support/memory-source.ts";
import { expectRefusal, refusal } from "../../support/refusal.ts";
import { runCommand } from "../../support/run-command.ts";
import { sampleContent } from "../../support/sample-bundle.ts";
import { tempFolder } from "../../support/temp-folder.ts";

const folder = tempFolder();

/** A bundle of one seed, and a run of a whole benchmark: right or wrong, or graded. */
async function whole(seed: number, graded = false) {
  const content = sampleContent({ seed, items: [40 + seed, 60], sizes: [8, 20] });
  const bundle = await loadBundle(memorySource(encodeBundle(content)), { items: true });
  const random = createRandom(seed);
  const ids = content.scenarios.flatMap(({ items }) => items);
  const run = new Map(ids.map(({ item_id }) => [item_id, graded ? random.next() : Number(random.next() < 0.6)]));
  return { content, bundle, ids, run };
}

/** Σwy over all items of a scenario. */
function fullScore({ manifest }: Bundle, ids: readonly string[], run: ReadonlyMap<string, number>, scenario: string) {
  const weights = itemWeights(
    manifest.scenarios.find(({ id }) => id === scenario)!,
    manifest.weighting,
  );
  return ids.reduce((sum, id, i) => sum + weights[i]! * run.get(id)!, 0);
}

const subsets: readonly (readonly string[])[] = [["alpha"], ["beta/γ"], ["alpha", "beta/γ"]];

describe.each([1, 2, 3, 4])("seed %i", (seed) => {
  test.each(subsets.map((own) => [own.join(" and "), own] as const))(
    "%s whole: exact, and nothing else moves",
    async (_, exact) => {
      // prettier-ignore
      const { bundle, ids, run } = await whole(seed, seed > 2);
      const asked = new Set([...bundle.scenarios.values()].flatMap(({ forms }) => forms.get("20")!.itemIds));
      const random = createRandom(seed);
      const inHand = ids.filter(({ item_id, scenario }) => asked.has(item_id) || exact.includes(scenario));
      const responses = new Map(random.shuffle(inHand).map(({ item_id }) => [item_id, run.get(item_id)!]));
      const anchorsOnly = new Map([...responses].filter(([id]) => asked.has(id)));
      const [estimate, before] = [responses, anchorsOnly].map((own) => estimateFromAnchors(bundle, own)) as [Estimate, Estimate]; // prettier-ignore
      expect(estimate.form).toBe("20");
      expect(estimate.warnings.map(({ code }) => code)).not.toContain("other_items");
      for (const [id, result] of Object.entries(estimate.scenarios)) {
        if (!exact.includes(id)) {
          expect(result).toEqual(before.scenarios[id]);
          continue;
        }
        const own = ids.filter(({ scenario }) => scenario === id).map(({ item_id }) => item_id);
        expect(result.score).toBeCloseTo(fullScore(bundle, own, run, id), 12);
        expect(result).toMatchObject({
          exact: true,
          answered: own.length,
          of: own.length,
          answeredShare: 1,
          interval: { low: result.score, high: result.score, method: "exact" },
        });
        for (const score of Object.values(result.details!.estimators)) expect(score).toBeCloseTo(result.score!, 12);
      }
      expect(estimate.interval!.method === "exact").toBe(exact.length === 2);
      const trials = estimateTrials(bundle, responses);
      expect(trials.score).toBeCloseTo(estimate.score!, 12);
      if (exact.length === 2) {
        expect(estimate.score).toBeCloseTo((estimate.scenarios["alpha"]!.score! + estimate.scenarios["beta/γ"]!.score!) / 2, 12); // prettier-ignore
        expect(trials.trials.overall.run).toMatchObject({ method: "exact" });
        expect(trials.trials.overall.expected!.high - trials.trials.overall.expected!.low).toBeGreaterThan(0.01);
      }
    },
  );

  test("differences of whole runs are those of their scores", async () => {
    const { bundle, run } = await whole(seed);
    const other = new Map([...run].map(([id, score], i) => [id, i % 3 === 0 ? 1 : score]));
    const [a, b] = [run, other].map((responses) => estimateFromAnchors(bundle, responses).score!);
    const compared = compareFromAnchors(bundle, { responses: run }, { responses: other });
    expect(compared.difference).toBeCloseTo(b! - a!, 12);
    expect(compared).toMatchObject({ answered: run.size, of: run.size });
    const ranked = rankFromAnchors(bundle, [{ responses: run }, { responses: other }]);
    expect(ranked.models.map(({ score }) => score)).toEqual([b, a]);
    const checked = checkFromAnchors(bundle, { responses: other }, { baselines: [{ responses: run }], minScore: b! });
    expect(checked.drop!.drop).toBeCloseTo(a! - b!, 12);
    expect(checked.minimum).toMatchObject({ score: b, low: b, high: b, verdict: "passed" });
    // Who has only the anchors is compared on these.
    const asked = [...bundle.scenarios.values()].flatMap(({ forms }) => forms.get("20")!.itemIds);
    const anchors = new Map(asked.map((id) => [id, run.get(id)!]));
    expect(compareFromAnchors(bundle, { responses: anchors }, { responses: other })).toMatchObject({ answered: 40, of: 40 }); // prettier-ignore
  });
});

test("one item short of whole: an estimate, the others are counted", async () => {
  const { bundle, ids, run } = await whole(1);
  const asked = new Set([...bundle.scenarios.values()].flatMap(({ forms }) => forms.get("20")!.itemIds));
  const idle = ids.find(({ item_id, scenario }) => scenario === "alpha" && !asked.has(item_id))!.item_id;
  const { scenarios, warnings } = estimateFromAnchors(bundle, new Map([...run].filter(([id]) => id !== idle)));
  expect(scenarios["alpha"]).toMatchObject({ exact: false, answered: 20, of: 20 });
  expect(scenarios["beta/γ"]).toMatchObject({ exact: true, answered: 60 });
  expect(warnings[0]).toEqual({
    code: "other_items",
    count: 20,
    message: "20 answers are to items of the bundle that aren't anchors of form 20: they don't count yet.",
  });
});

test("what is no item is called so, and only that", async () => {
  const { bundle, run } = await whole(2);
  const { warnings } = estimateFromAnchors(bundle, new Map([...run, ["alfa/1", 1], ["nobody", 0]]));
  expect(warnings).toEqual([
    {
      code: "unknown_items",
      count: 2,
      message: '2 answers are to no item of the bundle ("alfa/1", "nobody"): they don\'t count; are ids misspelt?',
    },
  ]);
});

test("a bundle that doesn't know its items refuses what it can't tell, and says how it could", async () => {
  const { content, run } = await whole(3);
  const bundle = await loadBundle(memorySource(encodeBundle(content)));
  expect(bundleItems(bundle)).toBeNull();
  expectRefusal(refusal(() => estimateFromAnchors(bundle, run)), "invalid_answers", "load the bundle with the names of all its items (items: true)"); // prettier-ignore
});

test("a changed item keeps a scenario from being whole", async () => {
  const content = sampleContent();
  const hashed = {
    ...content,
    scenarios: content.scenarios.map((own) => ({ ...own, items: own.items.map((item) => ({ ...item, hash: "0".repeat(64) })) })), // prettier-ignore
  };
  const bundle = await loadBundle(memorySource(encodeBundle(hashed)), { items: true });
  const asked = new Set([...bundle.scenarios.values()].flatMap(({ forms }) => forms.get("20")!.itemIds));
  const items = content.scenarios[0]!.items.map(({ item_id }) => item_id);
  const run = Object.fromEntries([...items, ...asked].map((id) => [id, 1]));
  const idle = items.find((id) => !asked.has(id))!;
  const hashes = { [idle]: "1".repeat(64) };
  expectRefusal(
    refusal(() => estimateFromAnchors(bundle, run, { hashes })),
    "item_changed",
    idle,
  );
  const { scenarios, warnings } = estimateFromAnchors(bundle, run, { hashes, onChangedItem: "drop" });
  expect(scenarios["alpha"]).toMatchObject({ exact: false, answered: 20 });
  expect(warnings.slice(0, 2).map(({ code, count }) => [code, count])).toEqual([
    ["changed_items_dropped", undefined],
    ["other_items", 19],
  ]);
});

test("a folder's items are read where they are needed; the program says the same", async () => {
  const { content, bundle, run } = await whole(4);
  const place = writeBundle(folder.path("bundle"), content);
  const read = await loadBundle(folderSource(place));
  const expected = estimateFromAnchors(bundle, run);
  expect(estimateFromAnchors(read, run)).toEqual(expected);
  const file = folder.write("run.json", JSON.stringify(Object.fromEntries(run)));
  const { out } = await runCommand("estimate", "--bundle", place, "--responses", file, "--json");
  expect(JSON.parse(out)).toEqual(JSON.parse(JSON.stringify(expected)));
  writeFileSync(`${place}/items.jsonl`, "damaged");
  const damaged = await loadBundle(folderSource(place));
  expectRefusal(
    refusal(() => estimateFromAnchors(damaged, run)),
    "bundle_corrupt",
    "items.jsonl is damaged",
  );
  const anchors = [...read.scenarios.values()].flatMap(({ forms }) => forms.get("20")!.itemIds);
  expect(estimateFromAnchors(damaged, new Map(anchors.map((id) => [id, run.get(id)!]))).answered).toBe(40);
});
