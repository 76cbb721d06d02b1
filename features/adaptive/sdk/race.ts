import type { ItemPool } from "./item-pool.ts";
import { yankedWarnings } from "../../../sdk/core/bundle/bundle.ts";
import { checkCall, invalidOption } from "../../../sdk/core/errors.ts";
import { eliminate, type Elimination, provenBest, raceQuantile } from "../core/elimination.ts";
import { confidenceLevel } from "../../../sdk/core/inference/score-interval.ts";
import { createRandom } from "../../../sdk/core/numeric/random.ts";
import type { Estimate } from "../../../sdk/estimate/types.ts";
import { raceAnswers, type RaceCandidate, type RaceWarning } from "./race-answers.ts";
import { type RaceField, raceField, raceOrder, type RaceOrder, roundItems } from "./race-rounds.ts";
import type { RaceOver } from "../../compare/sdk/types.ts";

/** How candidates are raced. */
export interface RaceOptions {
  /** Chance that what is said of the winner, or of the leader, is right; in [0.5,1). @default 0.95 */
  readonly level?: number;
  /** The largest difference of scores that doesn't matter, a fraction in [0,1). @default 0.005 */
  readonly margin?: number;
  /**
   * Whether scores are the models' over tasks like these, of which the items are a draw, or those of these answers on all items:
   * then two runs of one model are told apart, once all items are asked. @default "tasks"
   */
  readonly over?: RaceOver;
  /** Of the order in which items are asked. @default the bundle's digest */
  readonly seed?: number | string;
  /** `drop`: answers to items whose content has changed count as missing. @default an error */
  readonly onChangedItem?: "drop";
}

/** `close`: in the race, but known not to be better than the leader by more than the margin; it isn't asked. */
type RaceState = "leader" | "in" | "close" | "out";

/** A candidate of a race. */
export interface RacedCandidate {
  readonly name: string;
  /** Position in the list that was given, from 0. */
  readonly index: number;
  readonly state: RaceState;
  /** Rounds answered whole: these count. */
  readonly rounds: number;
  /** Items of these rounds. */
  readonly asked: number;
  /** Estimate from these rounds; null before the first. */
  readonly score: number | null;
  /** Its score is higher than the leader's by no more than this; null where nothing is known, and for who is out. */
  readonly most: number | null;
  /** The round in which it was found worse than another candidate, from 1, and which; null for who is in. */
  readonly out: { readonly round: number; readonly by: string } | null;
  /** Ids of the items to ask it next, without those that it has answered. */
  readonly next: readonly string[];
}

/** The result of `raceFromPool` and of `anchoreval compare --race`. */
export interface Race extends Pick<Estimate, "benchmark" | "version" | "digest"> {
  readonly level: number;
  readonly margin: number;
  readonly over: RaceOver;
  /** Items that there are, and rounds in which they are asked. */
  readonly items: number;
  readonly rounds: number;
  /** No candidate's score is higher by more than the margin, with probability `level`; null while none is known to be that. */
  readonly winner: string | null;
  readonly leader: string;
  /** With probability `level` no candidate's score is higher than the leader's by more than this; null before round 1. */
  readonly within: number | null;
  /** Answers that count, what to ask next, and what all candidates on all items would take. */
  readonly calls: { readonly made: number; readonly next: number; readonly all: number };
  /** The leader first, then who is in by score, then who is out, the last one first. */
  readonly candidates: readonly RacedCandidate[];
  /** By scenario, who is better there than every other candidate: all of these claims are right together with `level`. */
  readonly scenarios: Readonly<Record<string, string | null>>;
  readonly warnings: readonly RaceWarning[];
}

/**
 * A race of candidates for the highest score of a benchmark: its items are asked in rounds, in an order drawn at random, and
 * after each round those are out that are known to be worse than another one. It says who has won, or whom to ask what next.
 * A function of the answers alone: look as often as you like, stop when you like. Synchronous; touches no network.
 *
 * Of a winner it holds with probability `level` that no candidate's score is higher by more than `margin`; of the leader, before
 * there is a winner, the same by more than `within`. Scores are those over tasks like these, or of these answers on all items
 * (`over`): over tasks a race of like models may end without a winner.
 * @param candidates - two at least, names must differ; answers by item id, null = asked without an answer; {} before round 1
 * @throws AnchorEvalError `invalid_option`; `invalid_answers` for answers that leave out items of an earlier round, that
 * are all to other items, or that are missing too often; `item_changed`
 * @see docs/comparison.md, "Races"
 * @example
 * const pool = await loadAdaptive(folderSource("out/helm-lite"));
 * const { winner, candidates } = raceFromPool(pool, [{ name: "x", responses: x }, { name: "y", responses: y }]);
 * for (const { name, next } of candidates) if (winner === null) console.log(name, next);
 */
export function raceFromPool(pool: ItemPool, candidates: readonly RaceCandidate[], options: RaceOptions = {}): Race {
  checkCall(pool, "loadAdaptive", options, {
    level: "number",
    margin: "number",
    seed: true,
    onChangedItem: true,
    over: true,
  });
  const { margin = 0.005, over = "tasks", seed = pool.digest } = options;
  if (!["tasks", "these-answers"].includes(over))
    throw invalidOption(`a race is over tasks or these-answers, got ${over}`);
  const level = confidenceLevel(options.level);
  if (level < 0.5) throw invalidOption(`the level of a race must be in [0.5,1), got ${level}`);
  if (!(margin >= 0 && margin < 1))
    throw invalidOption(`margin must be a difference of scores in [0,1), got ${margin}`);
  const named = candidates.map((candidate, k) => ({ ...candidate, name: candidate.name ?? `model ${k + 1}` }));
  const names = named.map(({ name }) => name);
  const twice = names.find((name, k) => names.indexOf(name) < k);
  if (twice !== undefined) throw invalidOption(`two candidates are called ${twice}: each needs a name of its own`);
  if (names.length < 2) throw invalidOption(`a race is of two candidates or more, got ${names.length}`);

  const population = pool.population(pool.scenarios.map(({ id }) => id));
  const order = raceOrder(population, createRandom(seed).fork("race"));
  const items = Array.from(population.lines, (line) => pool.item(line));
  const { completed, answers, answered, warnings } = raceAnswers(items, order, named, options.onChangedItem);
  const field = raceField(population, order, answers, over);
  const quantile = (error: number): number => raceQuantile(1 - error, names.length, informationTimes(order, over));
  // Over tasks of two like models either one may be called worse: half of the error is for each, as in a comparison.
  const error = over === "tasks" ? (1 - level) / 2 : 1 - level;
  const elimination = eliminate({ ...field, completed }, quantile(error), margin, order.rounds.length);

  const asked = completed.map((rounds) => itemsUntil(order, rounds));
  const raced = names.map((name, i): RacedCandidate => {
    const out = elimination.out[i] ?? null;
    const most = elimination.most(i, elimination.leader);
    const until = elimination.ask.get(i) ?? 0;
    const next = until === 0 ? [] : roundItems(order, until - 1);
    return {
      name,
      index: i,
      state: stateOf(elimination, i, margin),
      rounds: completed[i]!,
      asked: asked[i]!,
      score: completed[i] === 0 ? null : field.score(i, completed[i]! - 1),
      most: i === elimination.leader ? 0 : out === null && Number.isFinite(most) ? Math.max(-1, most) : null,
      out: out && { round: out.round + 1, by: names[out.by]! },
      next: next.flatMap((item) => (answered[i]!.has(item) ? [] : [items[item]!.item_id])),
    };
  });
  const { benchmark, version, digest } = pool;
  return {
    benchmark,
    version,
    digest,
    level,
    margin,
    over,
    items: population.count,
    rounds: order.rounds.length,
    winner: elimination.winner === null ? null : names[elimination.winner]!,
    leader: names[elimination.leader]!,
    within: Number.isFinite(elimination.within) ? elimination.within : null,
    calls: {
      made: asked.reduce((sum, count) => sum + count, 0),
      next: raced.reduce((sum, { next }) => sum + next.length, 0),
      all: names.length * population.count,
    },
    candidates: raced.sort(byPlace),
    scenarios: scenarioBests(order, field, completed, names, (claims) => quantile(error / claims)),
    warnings: [...yankedWarnings(pool, pool.yanked), ...warnings],
  };
}

function stateOf({ out, leader, most }: Elimination, i: number, margin: number): RaceState {
  if (i === leader) return "leader";
  if (out[i] !== null) return "out";
  return most(i, leader) <= margin ? "close" : "in";
}

function byPlace(left: RacedCandidate, right: RacedCandidate): number {
  const rank = ({ state, out }: RacedCandidate): number => (state === "leader" ? -1 : out === null ? 0 : 1 / out.round);
  return rank(left) - rank(right) || (right.score ?? 0) - (left.score ?? 0) || left.index - right.index;
}

function itemsUntil({ rounds }: RaceOrder, completed: number): number {
  return completed === 0 ? 0 : rounds[completed - 1]!.counts.reduce((sum, count) => sum + count, 0);
}

/** Information at all looks; at the last one only answers that are missing leave anything open: about a thousandth. */
function informationTimes({ rounds }: RaceOrder, over: Race["over"]): number[] {
  if (over === "tasks") return rounds.map(({ taskInformation }) => taskInformation);
  const before = rounds.at(-2)?.information ?? 1;
  return rounds.map(({ information }) => Math.min(information, 1000 * before));
}

/**
 * Holm's steps over scenarios: the claims "this one is the best here" are tested at (1 − level)/S, and where some hold, the
 * others at (1 − level)/(S − their number).
 */
function scenarioBests(
  { scenarios }: RaceOrder,
  field: RaceField,
  completed: readonly number[],
  names: readonly string[],
  quantile: (claims: number) => number,
): Race["scenarios"] {
  const best = new Map<number, number>();
  for (let claims = scenarios.length; claims > 0; claims = scenarios.length - best.size) {
    const z = quantile(claims);
    for (const s of scenarios.keys()) {
      const proven = best.has(s) ? null : provenBest({ ...field.scenario(s), completed }, z);
      if (proven !== null) best.set(s, proven);
    }
    if (scenarios.length - best.size === claims) break;
  }
  return Object.fromEntries(scenarios.map(({ id }, s) => [id, best.has(s) ? names[best.get(s)!]! : null]));
}
