import { type AdaptiveSource, type AdaptiveTurn, batchScores } from "./adaptive-session.ts";
import { DEFAULT_BATCH, DEFAULT_BUDGET, LEAST_ANSWERS, MOST_ITEMS } from "./adaptive-plan.ts";
import { ending } from "./findings.ts";
import type { ItemPool } from "./item-pool.ts";
import type { AdaptiveInterval, AdaptiveItem, AdaptiveOptions, AdaptiveStop, TrialItem } from "./types.ts";
import { invalidOption } from "../../../sdk/core/errors.ts";
import type { ItemPrices } from "../../prices/sdk/parse-prices.ts";
import { points } from "../../../sdk/words/figures.ts";
import { bundleComponents, trialsWorth } from "../../trials/sdk/components.ts";
import { summariseTrials } from "../../../sdk/tables/item-trials.ts";
import { expectedScores, noisiestItems, type NoisyItems, noisyItems, type Tried } from "./noisy-items.ts";
import type { NoiseBasis } from "../../trials/sdk/trial-variances.ts";

/** Where an adaptive evaluation over runs stands: score and intervals are of the model's expected score over runs. */
export interface OverRunsTurn extends AdaptiveTurn {
  readonly items: readonly TrialItem[];
  readonly trials: {
    /** Answers asked so far: first trials of items and further ones. */
    readonly answers: number;
    /** The interval of the score that as many trials of all items would have: that of the draw of the items alone. */
    readonly run: AdaptiveInterval | null;
    /** Standard deviation of that score from run to run, a fraction. */
    readonly runDeviation: number;
    readonly basis: NoiseBasis;
  };
}

/** A source whose evaluations are of expected scores. */
export interface OverRunsSource extends AdaptiveSource {
  begin(options: AdaptiveOptions): Promise<OverRunsTurn>;
  next(...step: Parameters<AdaptiveSource["next"]>): Promise<OverRunsTurn>;
}

/** All that the next turn needs beside the pool. */
interface Session {
  /** Answers at most, and at once. */
  readonly limits: Required<Pick<AdaptiveOptions, "budget" | "batch" | "stop">>;
  /** The source's last step: its items are those of the batch in work. */
  readonly step: AdaptiveTurn;
  /** Asked now. */
  readonly asked: readonly string[];
  readonly tried: ReadonlyMap<string, Tried>;
}

/**
 * A source that asks for another item or for another trial of one, whichever tells more of the model's expected score over
 * runs for its price. An evaluation ends when that score is known to `stop.halfWidth`, after `budget` answers, trials
 * counted, or when no trial would tell more.
 *
 * With ρ the share of an answer's variance v about its prediction that is noise, n of N items in R trials each know the
 * expected score to (1/n − 1/N)(1−ρ)v + ρv/(nR): for as many answers, nR, least at R = 1. So nothing is asked twice until all
 * items are asked, unless further trials are cheaper than an item's first one ({@link trialsWorth}). Then the noisiest items
 * by weight are asked again, by the variance that another trial takes away for its price, w²ρv/(R(R+1)c), with v as the
 * response model predicts it before the first answer. Since no answer decides what is asked again, means of trials stay
 * unbiased.
 *
 * Trials of an item come one a turn, numbered from 2 on in `trial`.
 * @param source - of the pool's items
 * @param pool - with the notes of a fit on trials; without them noise is taken to be as large as it can be until trials tell
 * @param prices - of items, and of their further trials; as `withinBudget` has them
 * @throws AnchorEvalError `invalid_option` for rules and goals that are none of an expected score of one model, and a price
 * of further trials outside [0,1]
 * @see Cochran (1977), Sampling Techniques, §10.6; Brennan (2001), Generalizability Theory, §1.2.4
 * @example
 * const pool = await loadAdaptive(folderSource("out/tb"));
 * const source = overRuns(localAdaptive(pool, "model-x"), pool);
 * let turn = await source.begin({ budget: 400, stop: { halfWidth: 0.04 } });
 */
export function overRuns(
  source: AdaptiveSource,
  pool: ItemPool,
  prices: Partial<Pick<ItemPrices, "items" | "repeat">> = {},
): OverRunsSource {
  const { repeat = 1 } = prices;
  if (!(repeat >= 0 && repeat <= 1))
    throw invalidOption(`a further trial costs a share in [0,1] of an item's first one, got ${repeat}`);
  const components = bundleComponents(pool);
  const trialsOf = new Map(pool.scenarios.map(({ id }) => [id, trialsWorth(components.get(id), repeat)]));
  const memory = new Map<string, NoisyItems>();
  const itemsOf = (scenarios: readonly string[]): NoisyItems => {
    const key = JSON.stringify(scenarios);
    const noisy = memory.get(key) ?? noisyItems(pool, scenarios, components, trialsOf, prices.items);
    memory.set(key, noisy);
    return noisy;
  };

  const advance = (session: Session): OverRunsTurn => {
    const { step, limits, tried } = session;
    const all = itemsOf(step.plan.scenarios);
    const { model, ...trials } = expectedScores(all, step, tried);
    const due = dueItems(session);
    const left = limits.budget - trials.answers;
    const again = step.stopped ? noisiestItems(all, tried, limits.batch) : [];
    const rule = (): AdaptiveStop | null => {
      if (due.some(({ item_id: id }) => tried.has(id))) return null; // in the middle of a batch
      const { interval } = model;
      const half = interval ? (interval.high - interval.low) / 2 : Infinity;
      if (trials.answers >= LEAST_ANSWERS && half <= (limits.stop.halfWidth ?? -1))
        return ending("half-width", `the expected score over runs is known to ${points(half)} points to either side`);
      if (step.stopped && (step.stopped.rule !== "all-items" || again.length === 0)) return step.stopped;
      const needed = due.reduce((sum, { scenario }) => sum + trialsOf.get(scenario)!, 0);
      return left >= Math.max(1, needed) ? null : ending("budget", `the budget of ${limits.budget} answers is spent`);
    };
    const stopped = rule();
    const next = step.stopped ? again.slice(0, Math.max(0, left)) : due;
    const items = stopped ? [] : next.map((item) => numbered(item, tried.get(item.item_id)));
    const asked = items.map(({ item_id: id }) => id);
    const state = JSON.stringify({ ...session, asked, tried: Object.fromEntries(tried) });
    return { ...step, plan: { ...step.plan, ...limits }, model, items, stopped, state: stopped ? null : state, trials };
  };

  const dueItems = ({ step: { items }, tried }: Session): AdaptiveItem[] =>
    items.filter(({ item_id: id, scenario }) => (tried.get(id)?.asked ?? 0) < trialsOf.get(scenario)!);

  return {
    begin: async (options) => {
      const { items, ...limits } = checkedLimits(pool, options);
      const batch = Math.min(limits.batch, items);
      const step = await source.begin({ ...options, stop: {}, budget: items, batch });
      return advance({ limits, step, asked: [], tried: new Map() });
    },
    next: async (state, answers) => {
      const before = JSON.parse(state) as Omit<Session, "tried"> & { readonly tried: Readonly<Record<string, Tried>> };
      const [scores] = batchScores(before.asked, answers, 1);
      const tried = new Map(Object.entries(before.tried));
      before.asked.forEach((id, j) => tried.set(id, withTrial(tried.get(id), scores![j]!)));
      const session = { ...before, tried };
      const { step } = session;
      if (step.state === null || dueItems(session).length > 0) return advance(session);
      const means = step.items.map(({ item_id: id }) => [id, meanScore(tried.get(id)!)] as const);
      for (const [id, mean] of means) tried.set(id, { ...tried.get(id)!, told: mean });
      return advance({ ...session, step: await source.next(step.state, { responses: Object.fromEntries(means) }) });
    },
  };
}

/** @returns the limits, and the items that the source may ask at most */
function checkedLimits(pool: ItemPool, options: AdaptiveOptions): Session["limits"] & { readonly items: number } {
  const { models = 1, goal = "score", stop = {}, budget = DEFAULT_BUDGET, batch = DEFAULT_BATCH } = options;
  const { halfWidth, ...others } = stop;
  if (models !== 1 || goal !== "score" || Object.values(others).some((rule) => rule !== false))
    throw invalidOption("over runs the score of one model is followed, and stop.halfWidth is its only rule");
  if (!(Number.isInteger(budget) && budget >= 2))
    throw invalidOption(`budget must be a whole number of answers of at least 2, got ${budget}`);
  if (halfWidth !== undefined && !(halfWidth > 0 && halfWidth < 1))
    throw invalidOption(`stop.halfWidth must be a fraction in (0,1), got ${halfWidth}`);
  const wanted = pool.scenarios.filter(({ id }) => options.scenarios?.includes(id) ?? true);
  const items = wanted.reduce((sum, scenario) => sum + scenario.items, 0);
  return { budget, batch, stop, items: Math.min(budget, items, MOST_ITEMS) };
}

function numbered(item: AdaptiveItem, tried: Tried | undefined): TrialItem {
  return tried === undefined ? item : { ...item, trial: tried.asked + 1 };
}

/** One trial more. @param score - NaN where it has no answer */
function withTrial(tried: Tried | undefined, score: number): Tried {
  const { asked, scores, told: mean } = tried ?? { asked: 0, scores: [], told: null };
  return { asked: asked + 1, scores: Number.isNaN(score) ? scores : [...scores, score], told: mean };
}

function meanScore({ scores }: Tried): number | null {
  const { count, mean } = summariseTrials(scores);
  return count === 0 ? null : mean;
}
