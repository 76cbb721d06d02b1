import { difficulties, discriminations, type ItemBank } from "../../../sdk/core/irt/item-bank.ts";
import { counted, decimals } from "../../../sdk/words/figures.ts";
import { type Chart, chartMark, extent, margins, PANEL_WIDTH, placeAxis, thin, valueAxis } from "./chart.ts";

export interface ItemMap {
  readonly title: string;
  readonly parameters: ShownParameters;
  readonly anchors: ArrayLike<number>;
  /** Positions of the items that are marked as worth auditing. @default none */
  readonly suspects?: readonly number[];
  /** Name of an anchor or a suspect, told by pointing at it. @default none */
  readonly nameOf?: (item: number) => string;
  /** Other items drawn at most, evenly thinned. */
  readonly most: number;
  /** @unit pixels @default that of a panel */
  readonly width?: number;
  /** Discriminations that the scale runs over: the same in charts that are to be compared. */
  readonly domain: readonly [low: number, high: number];
}

/**
 * Every item by difficulty and discrimination, anchors marked, and what is worth auditing.
 * @example
 * const { bank, forms } = bundle.scenarios.get("gsm8k")!;
 * const anchors = forms.get("50")!.anchors.items;
 * itemMapChart({ title: "gsm8k", parameters: shownParameters(bank), anchors, most: 2000, domain: [0, 3] });
 */
export function itemMapChart(map: ItemMap): Chart {
  const { title, parameters, anchors, suspects = [], nameOf, most, width = PANEL_WIDTH, domain } = map;
  const { difficulty, discrimination } = parameters;
  const marked = new Set([...Array.from(anchors), ...suspects]);
  const at = (item: number): { x: number; y: number; title?: string } => ({
    x: difficulty[item]!,
    y: discrimination[item]!,
    ...(nameOf && marked.has(item) && { title: nameOf(item) }),
  });
  const others = Array.from(difficulty.keys()).filter((item) => !marked.has(item));
  const [easy, hard] = extent(difficulty);
  const [low, high] = extent(discrimination);
  const place = { x: "x", y: "y" };
  const named = nameOf ? { ...place, title: "title" } : place;
  const edge = { stroke: "var(--page)", strokeWidth: 0.6 };
  return {
    label: `${title}: ${counted(difficulty.length, "item")} by difficulty, from ${decimals(easy)} to ${decimals(hard)}, and discrimination, from ${decimals(low)} to ${decimals(high)}; ${counted(anchors.length, "anchor")} marked.`,
    width,
    height: Math.round(Math.min(340, 0.72 * width)),
    ...margins(20, 12, 36, 34),
    x: { domain: easy < hard ? [easy, hard] : [easy - 1, hard + 1], insetLeft: 5, insetRight: 5 },
    y: { domain, insetTop: 4 },
    marks: [
      ...valueAxis("discrimination"),
      placeAxis("difficulty (easy → hard)"),
      chartMark("dot", thin(others, most).map(at), { ...place, r: 1.6, fill: "var(--item)", fillOpacity: 0.55 }),
      chartMark("dot", Array.from(anchors, at), { ...named, r: 2.8, fill: "var(--accent)", ...edge }),
      chartMark("dot", suspects.map(at), { ...named, r: 3, symbol: "times", stroke: "var(--miss)", strokeWidth: 1.4 }),
    ],
  };
}

/** Difficulties that are shown: far ones, of items that hardly discriminate, at this edge. */
export const DIFFICULTY_LIMIT = 8;

/** Parameters as people are shown them, in the bank's order. */
export interface ShownParameters {
  /** ‖a‖; in one dimension a itself, below 0 where stronger models get the item less often. */
  readonly discrimination: Float64Array;
  /** b/a or b/‖a‖, within ±{@link DIFFICULTY_LIMIT}; 0 where it has no meaning. */
  readonly difficulty: Float64Array;
  /** Items whose difficulty lies beyond. */
  readonly beyond: number;
}

/** Discrimination and difficulty of every item, as people are shown them. */
export function shownParameters(bank: ItemBank): ShownParameters {
  const unbounded = difficulties(bank);
  const difficulty = unbounded.map((value) => Math.max(-DIFFICULTY_LIMIT, Math.min(DIFFICULTY_LIMIT, value || 0)));
  return {
    discrimination: bank.dims === 1 ? Float64Array.from(bank.a) : discriminations(bank),
    difficulty,
    beyond: unbounded.reduce((count, value, i) => (value === difficulty[i] ? count : count + 1), 0),
  };
}
