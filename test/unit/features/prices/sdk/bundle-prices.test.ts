import { loadBundle } from "anchoreval";
import { type BundleContent, encodeBundle } from "anchoreval/bundle";
import {
  answerCost,
  bundlePrices,
  costWords,
  formPrices,
  knownPrices,
  notedPrices,
  wholePrice,
} from "anchoreval/internal/features/prices/sdk/bundle-prices";
import { describe, expect, test } from "vitest";
import { memorySource } from "../../../../support/memory-source.ts";
import { sampleContent } from "../../../../support/sample-bundle.ts";

const content = sampleContent();
const items = content.scenarios.flatMap((own) => own.items);
const prices = { unit: "usd", items: new Map(items.map(({ item_id: id }, k) => [id, 1 + (k % 7) / 3])) };
const withNotes = (notes: unknown): BundleContent => ({
  ...content,
  manifest: { ...content.manifest, fit: { ...content.manifest.fit, prices: notes } },
});
const load = (own: BundleContent) => loadBundle(memorySource(encodeBundle(own)));
const bundle = await load(content);
const priced = bundlePrices(bundle, prices, items);

test("a bundle that was fitted by prices knows them as given, to six digits", async () => {
  const known = knownPrices(await load(withNotes(notedPrices(content, prices))))!;
  expect(known.unit).toBe("usd");
  expect([...known.anchors.keys()]).toEqual([...priced.anchors.keys()]);
  for (const [id, price] of known.anchors) expect(price / priced.anchors.get(id)!).toBeCloseTo(1, 5);
  for (const [id, price] of known.whole) expect(price / priced.whole.get(id)!).toBeCloseTo(1, 5);
  expect(knownPrices(bundle)).toBeNull();
});

test.each<[string, (notes: ReturnType<typeof notedPrices>) => unknown]>([
  ["no object", () => 3],
  ["a scenario less", ({ whole, ...rest }) => ({ ...rest, whole: Object.fromEntries(Object.entries(whole).slice(1)) })],
  ["a negative price", ({ whole, ...rest }) => ({ ...rest, whole: { ...whole, alpha: -1 } })],
  [
    "an anchor less",
    ({ anchors, ...rest }) => ({ ...rest, anchors: { ...anchors, alpha: anchors["alpha"]!.slice(1) } }),
  ],
  ["no forms", ({ unit, whole, anchors }) => ({ unit, whole, anchors })],
])("notes with %s are refused", async (_, change) => {
  const read = async () => knownPrices(await load(withNotes(change(notedPrices(content, prices)))));
  await expect(read()).rejects.toThrow(expect.objectContaining({ code: "bundle_invalid" }));
});

test("a form costs its anchors, all items cost the whole", () => {
  const { itemIds } = bundle.scenarios.get("alpha")!.forms.get("8")!;
  const expected = itemIds.reduce((sum, id) => sum + prices.items.get(id)!, 0);
  expect(formPrices(bundle, priced, "8").get("alpha")).toBeCloseTo(expected, 12);
  expect(wholePrice(priced)).toBeCloseTo(
    [...prices.items.values()].reduce((sum, own) => sum + own, 0),
    9,
  );
});

test("answers cost what was answered of the anchors: no answer costs nothing, another item doesn't count", () => {
  const [first, second] = bundle.scenarios.get("alpha")!.forms.get("8")!.itemIds as [string, string];
  const cost = answerCost(bundle, new Map([[first, 0], [second, null], ["elsewhere", 1]]), priced); // prettier-ignore
  expect(cost).toMatchObject({ unit: "usd", answered: 1, items: items.length });
  expect(cost?.cost).toBe(prices.items.get(first));
  expect(cost?.whole).toBe(wholePrice(priced));
});

test("every trial of an item has its price, and the whole costs as many an item", () => {
  const [first, second] = bundle.scenarios.get("alpha")!.forms.get("8")!.itemIds as [string, string];
  const cost = answerCost(bundle, { [first]: [1, null, 0], [second]: { passed: 3, of: 6 } }, priced);
  expect(cost?.answered).toBe(2);
  expect(cost?.cost).toBeCloseTo(2 * prices.items.get(first)! + 6 * prices.items.get(second)!, 12);
  expect(cost?.whole).toBeCloseTo(4 * wholePrice(priced), 9);
  expect(answerCost(bundle, { [first]: 1 })).toBeNull();
});

test("in words", () => {
  expect(costWords({ unit: "usd", answered: 50, cost: 1.2, items: 1319, whole: 31.534 })).toBe(
    "The 50 items answered cost 1.2 usd; all 1\u202f319 would have cost 31.5 usd.",
  );
  const beside = [{ unit: "seconds", cost: 2400, whole: 25_200 }];
  expect(costWords({ unit: "usd", answered: 50, cost: 31, items: 500, whole: 310, beside })).toBe(
    "The 50 items answered cost 31 usd and 40 minutes; all 500 would have cost 310 usd and 7 hours.",
  );
});

describe("a measure beside", () => {
  const seconds = { unit: "seconds", items: new Map(items.map(({ item_id: id }, k) => [id, 60 * (k % 5)])) };
  const both = { ...prices, beside: [seconds] };

  test("is noted as prices are, and changes nothing of them", async () => {
    const { beside, ...notes } = notedPrices(content, both);
    expect(notes).toEqual(notedPrices(content, prices));
    expect(beside).toEqual([notedPrices(content, seconds)]);
    const { beside: known, ...first } = knownPrices(await load(withNotes(notedPrices(content, both))))!;
    expect(first).toEqual(knownPrices(await load(withNotes(notedPrices(content, prices)))));
    expect(known).toEqual([knownPrices(await load(withNotes(notedPrices(content, seconds))))]);
  });

  test("has the cost of every trial, and of the whole, as its own prices alone", async () => {
    const noted = await load(withNotes(notedPrices(content, both)));
    const [first, second] = bundle.scenarios.get("alpha")!.forms.get("8")!.itemIds as [string, string];
    const answers = { [first]: [1, null, 0], [second]: { passed: 3, of: 6 } };
    const { unit, cost, whole } = answerCost(bundle, answers, bundlePrices(bundle, seconds, items))!;
    expect(answerCost(bundle, answers, bundlePrices(bundle, both, items))).toEqual({
      ...answerCost(bundle, answers, priced)!,
      beside: [{ unit, cost, whole }],
    });
    expect(answerCost(noted, answers)?.beside).toEqual([{ unit: "seconds", cost, whole }]);
  });

  test.each<[string, (notes: ReturnType<typeof notedPrices>) => unknown]>([
    ["a scenario", ({ whole, ...rest }) => ({ ...rest, whole: Object.fromEntries(Object.entries(whole).slice(1)) })],
    ["an anchor", ({ anchors, ...rest }) => ({ ...rest, anchors: { ...anchors, alpha: [] } })],
  ])("that lacks %s is refused", async (_, change) => {
    const beside = [change(notedPrices(content, seconds))];
    const read = async () => knownPrices(await load(withNotes({ ...notedPrices(content, prices), beside })));
    await expect(read()).rejects.toThrow(expect.objectContaining({ code: "bundle_invalid" }));
  });
});
