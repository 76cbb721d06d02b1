import type { Bundle } from "../../../sdk/core/bundle/bundle.ts";
import { bundleItems } from "../../../sdk/core/bundle/item-lines.ts";
import type { Manifest } from "../../../sdk/core/bundle/manifest.ts";
import { partOf } from "../../../sdk/core/bundle/part.ts";
import { AnchorEvalError } from "../../../sdk/core/errors.ts";
import type { Remark } from "../../../sdk/estimate/door.ts";
import type { Integer } from "../../../sdk/estimate/types.ts";
import { type ItemTrials, summariseTrials, type TrialResponses } from "../../../sdk/tables/item-trials.ts";
import type { BundleFact } from "../../../sdk/words/bundle-words.ts";
import { count, counted, listed, priceWords } from "../../../sdk/words/figures.ts";
import { type NotedPrices, pricesPart } from "../core.ts";
import type { ItemPrices, PricedItem } from "./parse-prices.ts";
import { lookUp } from "../../../sdk/core/bundle/names.ts";

type LoadedBundle = Pick<Bundle, "manifest" | "scenarios">;

/** Prices of a bundle's anchors and of the whole benchmark. */
export interface BundlePrices {
  readonly unit: string | null;
  /** Of all items together, by scenario. */
  readonly whole: ReadonlyMap<string, number>;
  /** By item id, of the anchors of the scenarios that were loaded. */
  readonly anchors: ReadonlyMap<string, number>;
  /** By other measures, which chose nothing. */
  readonly beside?: readonly BundlePrices[];
}

/** Costs of answers by one measure, and of the whole in its place. @inline */
export type CostOfWhole = Pick<AnswerCost, "unit" | "cost" | "whole">;

/** The cost of one model's answers, by the prices that the bundle was fitted by. */
export interface AnswerCost {
  /** Of the prices; null where nothing says it. */
  readonly unit: string | null;
  /** Anchors that were answered, and what all their trials cost. */
  readonly answered: Integer;
  readonly cost: number;
  /** Items of the whole benchmark, and what as many trials of each would have cost. */
  readonly items: Integer;
  readonly whole: number;
  /** The same by measures that chose no anchors, such as seconds. */
  readonly beside?: readonly CostOfWhole[];
}

/** Digits of prices in a manifest. */
const NOTED_DIGITS = 6;

/** A bundle's content, as far as it has prices. */
interface PricedContent {
  readonly manifest: {
    readonly scenarios: readonly { readonly id: string }[];
    readonly forms: readonly { readonly id: string }[];
  };
  readonly scenarios: readonly PricedScenario[];
}

interface PricedScenario {
  readonly items: readonly { readonly item_id: string }[];
  readonly anchors: readonly { readonly item_id: string; readonly forms: readonly string[] }[];
}

/** The prices that a bundle's manifest notes, in `fit.prices`. @param content - of the bundle, before it is encoded */
export function notedPrices(content: PricedContent, { unit, items, beside }: ItemPrices): NotedPrices {
  const { manifest, scenarios } = content;
  const priceOf = (priced: PricedScenario["items"]): number =>
    rounded(sum(priced.map((item) => items.get(item.item_id)!)));
  const byScenario = <Value>(value: (scenario: PricedScenario) => Value): Record<string, Value> =>
    Object.fromEntries(manifest.scenarios.map(({ id }, s) => [id, value(scenarios[s]!)]));
  return {
    unit,
    whole: byScenario((scenario) => priceOf(scenario.items)),
    forms: Object.fromEntries(
      manifest.forms.map(({ id }) => [id, byScenario(({ anchors }) => priceOf(anchors.filter(({ forms }) => forms.includes(id))))]), // prettier-ignore
    ),
    anchors: byScenario(({ anchors }) => anchors.map(({ item_id }) => rounded(items.get(item_id)!))),
    ...(beside && { beside: beside.map((other) => notedPrices(content, other)) }),
  };
}

function rounded(value: number): number {
  return Number(value.toPrecision(NOTED_DIGITS));
}

/** The prices that a bundle was fitted by; null without any. @throws AnchorEvalError `bundle_invalid` where they aren't those of its anchors */
export function knownPrices(
  bundle: LoadedBundle,
  noted: NotedPrices | null = partOf(bundle.manifest, pricesPart),
): BundlePrices | null {
  if (noted === null) return null;
  const anchors = Array.from(bundle.scenarios.values()).flatMap(({ id, anchors: asked }) => {
    const prices = lookUp(noted.anchors, id)!;
    if (prices.length !== asked.size)
      throw new AnchorEvalError(
        "bundle_invalid",
        `the bundle's prices aren't those of its anchors: ${id} has ${asked.size} anchors and ${prices.length} prices`,
      );
    return Array.from(asked.keys(), (item, k) => [item, prices[k]!] as const);
  });
  const whole = new Map(bundle.manifest.scenarios.map(({ id }) => [id, lookUp(noted.whole, id)!]));
  return {
    ...{ unit: noted.unit, whole, anchors: new Map(anchors) },
    ...(noted.beside && { beside: noted.beside.map((other) => knownPrices(bundle, other)!) }),
  };
}

/** A bundle's prices by those of all its items. @param items - with their scenarios */
export function bundlePrices(bundle: LoadedBundle, prices: ItemPrices, items: readonly PricedItem[]): BundlePrices {
  const whole = new Map(bundle.manifest.scenarios.map(({ id }) => [id, 0]));
  for (const { item_id, scenario } of items) whole.set(scenario, whole.get(scenario)! + prices.items.get(item_id)!);
  const ids = Array.from(bundle.scenarios.values()).flatMap(({ anchors }) => [...anchors.keys()]);
  return {
    ...{ unit: prices.unit, whole, anchors: new Map(ids.map((id) => [id, prices.items.get(id)!])) },
    ...(prices.beside && { beside: prices.beside.map((other) => bundlePrices(bundle, other, items)) }),
  };
}

/** The price of all items of the benchmark. */
export function wholePrice({ whole }: Pick<BundlePrices, "whole">): number {
  return sum(whole.values());
}

function sum(values: Iterable<number>): number {
  return Array.from(values).reduce((total, value) => total + value, 0);
}

/** The price of a form's anchors, by scenario. */
export function formPrices(
  { scenarios }: Pick<Bundle, "scenarios">,
  { anchors }: BundlePrices,
  form: string,
): Map<string, number> {
  const priceOf = (ids: readonly string[]): number => sum(ids.map((id) => anchors.get(id)!));
  return new Map(Array.from(scenarios, ([id, { forms }]) => [id, priceOf(forms.get(form)!.itemIds)]));
}

/** Costs of a form's anchors, of all scenarios or of some: by the prices, then by each measure beside. */
export function formCosts(
  bundle: Pick<Bundle, "scenarios">,
  prices: BundlePrices,
  form: string,
  scenarios?: readonly string[],
): [CostOfWhole, ...CostOfWhole[]] {
  const { unit, beside = [] } = prices;
  const costs = formPrices(bundle, prices, form);
  const cost = sum((scenarios ?? [...costs.keys()]).map((id) => costs.get(id)!));
  const others = beside.flatMap((other) => formCosts(bundle, other, form, scenarios));
  return [{ unit, cost, whole: wholePrice(prices) }, ...others];
}

/**
 * The cost of a model's answers, and that of the whole benchmark in as many trials an item. Answers to items that are no
 * anchors cost nothing here, as they don't count in an estimate, but where they make a scenario whole.
 * @param responses - score or trials by item; null = no answer
 * @param prices - default those that the bundle was fitted by
 * @returns null without prices
 * @throws AnchorEvalError `bundle_invalid` where those of the bundle aren't of its anchors
 * @example answerCost(bundle, { "gsm/17": 1, "gsm/42": [0, 1] })?.cost
 */
export function answerCost(
  bundle: LoadedBundle,
  responses: TrialResponses,
  prices: BundlePrices | null = knownPrices(bundle),
): AnswerCost | null {
  if (prices === null) return null;
  const { unit, whole, anchors } = prices;
  const entries: Iterable<[string, number | null | ItemTrials]> =
    responses instanceof Map ? responses : Object.entries(responses);
  const responded = Array.from(entries).flatMap(([id, response]) => {
    const trials = trialCount(response);
    return trials === 0 ? [] : [{ id, trials }];
  });
  const shares = wholeShares(bundle, prices, new Set(responded.map(({ id }) => id)));
  const answered = responded.flatMap(({ id, trials }) => {
    const price = anchors.get(id) ?? shares.get(id);
    return price === undefined ? [] : [{ price, trials }];
  });
  const trials = sum(answered.map((item) => item.trials));
  return {
    unit,
    answered: answered.length,
    cost: sum(answered.map((item) => item.price * item.trials)),
    items: bundle.manifest.scenarios.reduce((total, { items }) => total + items, 0),
    whole: wholePrice({ whole }) * (answered.length === 0 ? 1 : trials / answered.length),
    ...(prices.beside && { beside: prices.beside.map((other) => costOfWhole(answerCost(bundle, responses, other)!)) }),
  };
}

function costOfWhole({ unit, cost, whole }: CostOfWhole): CostOfWhole {
  return { unit, cost, whole };
}

/** The cost of the answers, where the bundle was fitted by prices, or they are given. */
export const costRemark: Remark<{ readonly prices?: BundlePrices }, object, { readonly cost: AnswerCost }> = {
  options: { prices: true },
  beside: (bundle, answers, _, { prices }) => {
    const used = prices ?? knownPrices(bundle);
    return used && { cost: answerCost(bundle, answers(), used)! };
  },
};

/**
 * The price of each item that is no anchor, of scenarios of which every item is answered: an equal share of what the anchors
 * leave of the scenario's, since a bundle has no other items' prices.
 */
function wholeShares(
  { manifest, scenarios }: LoadedBundle,
  { whole, anchors: prices }: BundlePrices,
  answered: ReadonlySet<string>,
): ReadonlyMap<string, number> {
  const isAnchor = (item: string): boolean => prices.has(item);
  const items = [...answered].every(isAnchor) ? null : bundleItems({ scenarios });
  const shares = new Map<string, number>();
  let begin = 0;
  for (const { id, items: count } of items === null ? [] : manifest.scenarios) {
    const ids = Array.from({ length: count }, (_, k) => items!.record(begin + k).item_id);
    begin += count;
    const anchors = scenarios.get(id)?.anchors;
    const others = anchors && ids.every((item) => answered.has(item)) ? ids.filter((item) => !anchors.has(item)) : [];
    const left = whole.get(id)! - sum(ids.flatMap((item) => prices.get(item) ?? []));
    for (const item of others) shares.set(item, left / others.length);
  }
  return shares;
}

/** Trials of an item that have a score. */
function trialCount(response: number | null | ItemTrials): number {
  if (response === null) return 0;
  return typeof response === "number" ? 1 : summariseTrials(response).count;
}

/** The prices of a bundle's forms and of the whole. @example "20: 1.2 usd, 50: 3.1 usd, all items: 31.5 usd" */
export function priceFacts(manifest: Manifest): BundleFact[] {
  const noted = partOf(manifest, pricesPart);
  if (noted === null) return [];
  const words = (pricesOf: (measure: NotedPrices) => Readonly<Record<string, number>>): string =>
    listed([noted, ...(noted.beside ?? [])].map((each) => priceWords(sum(Object.values(pricesOf(each))), each.unit)));
  const forms = manifest.forms.map(({ id }) => `${id}: ${words((each) => lookUp(each.forms, id)!)}`);
  return [{ label: "price by form", value: [...forms, `all items: ${words(({ whole }) => whole)}`].join(", ") }];
}

/** @example "The 50 items answered cost 1.2 usd; all 1 319 would have cost 31.5 usd." */
export function costWords(cost: AnswerCost): string {
  const { answered, items, beside = [] } = cost;
  const all = [cost, ...beside];
  return `The ${counted(answered, "item")} answered cost ${amountWords(all, "cost")}; all ${count(items)} would have cost ${amountWords(all, "whole")}.`;
}

/** By each measure. @example "31 usd and 40 minutes" */
export function amountWords(costs: readonly CostOfWhole[], of: "cost" | "whole"): string {
  return listed(costs.map((each) => priceWords(each[of], each.unit)));
}
