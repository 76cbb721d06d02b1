import type { AdaptiveItem } from "./types.ts";
import { AnchorEvalError, type Issue } from "../../../sdk/core/errors.ts";
import { LEAST_ANSWERED_SHARE } from "../../../sdk/core/estimators/answered-sample.ts";
import { readScore } from "../../../sdk/core/numeric/score-bounds.ts";
import { droppedWarnings } from "../../../sdk/estimate/resolve-answers.ts";
import type { EstimateWarning } from "../../../sdk/estimate/types.ts";
import type { Score } from "../../../sdk/tables/item-trials.ts";
import { type RaceOrder, roundItems } from "./race-rounds.ts";

/** One candidate's answers to items of a benchmark. */
export interface RaceCandidate {
  /** Its name in messages and results. @default "model 1", "model 2", … */
  readonly name?: string;
  /** Scores in [0,1] by item id, true and false for 1 and 0; null = asked without an answer. */
  readonly responses: Readonly<Record<string, Score>> | ReadonlyMap<string, Score>;
  /** Content hashes of the items, by id. */
  readonly hashes?: ReadonlyMap<string, string>;
}

export type RaceWarning = EstimateWarning | { readonly code: "unknown_items"; readonly message: string };

/** Candidates' answers in the order of a race. */
interface RaceAnswers {
  /** Rounds that each candidate has answered whole. */
  readonly completed: readonly number[];
  /** By candidate, aligned with the items; NaN = no answer, of an item that one of those that were asked lacks for all. */
  readonly answers: readonly Float64Array[];
  /** By candidate, positions of the items that it was asked, with or without an answer. */
  readonly answered: readonly ReadonlySet<number>[];
  readonly warnings: readonly RaceWarning[];
}

/**
 * Checks candidates' answers, and finds the rounds that each has answered whole. Answers to a part of the round after
 * these don't count yet.
 * @param items - all items of the benchmark, in the population's order
 * @throws AnchorEvalError `invalid_answers` for scores that are none, answers to other items only, items of an earlier round
 * left out, or too many without an answer; `item_changed`
 */
export function raceAnswers(
  items: readonly AdaptiveItem[],
  order: RaceOrder,
  candidates: readonly (RaceCandidate & { readonly name: string })[],
  onChangedItem: "drop" | undefined,
): RaceAnswers {
  const position = new Map(items.map(({ item_id: id }, i) => [id, i]));
  const rounds = order.rounds.map((_, round) => roundItems(order, round));
  const warnings: RaceWarning[] = [];
  const read = candidates.map(({ name, responses, hashes }) => {
    const entries: Iterable<[string, number | null]> = responses instanceof Map ? responses : Object.entries(responses);
    const scores = readScores(name, entries);
    const unknown = [...scores.keys()].filter((id) => !position.has(id));
    if (unknown.length > 0 && unknown.length === scores.size)
      throw new AnchorEvalError(
        "invalid_answers",
        `${name}: none of its ${scores.size} answers is to an item of this benchmark: its items are called ${items[0]!.item_id}, …, the answers ${unknown.slice(0, 3).join(", ")}`,
      );
    if (unknown.length > 0)
      warnings.push({
        code: "unknown_items",
        message: `${name}: ${unknown.length} of ${scores.size} answers are to no item of this benchmark (${unknown.slice(0, 3).join(", ")}${unknown.length > 3 ? ", …" : ""}) and don't count.`,
      });
    const changed = changedItems(items, position, hashes, scores);
    if (changed.length > 0 && onChangedItem !== "drop")
      throw new AnchorEvalError(
        "item_changed",
        `${name}: ${changed.length} answered items differ in content from the calibrated ones: ${changed.slice(0, 5).join(", ")}${changed.length > 5 ? ", …" : ""}; use another bundle version, or \`onChangedItem: "drop"\``,
      );
    warnings.push(...droppedWarnings(changed, name));
    const byItem = new Map(
      [...scores].flatMap(([id, score]) => (position.has(id) ? [[position.get(id)!, score]] : [])),
    );
    for (const id of changed) byItem.set(position.get(id)!, null);
    return { name, byItem, completed: completedRounds(name, items, rounds, byItem) };
  });
  const completed = read.map((model) => model.completed);
  const asked = rounds.flat();
  const without = new Set<number>();
  for (const { byItem, completed: until, name } of read) {
    const missing = rounds
      .slice(0, until)
      .flat()
      .filter((item) => byItem.get(item) === null);
    for (const item of missing) without.add(item);
    if (missing.length > 0)
      warnings.push({
        code: "missing_answers",
        message: `${name}: ${missing.length} items have no answer, and count for no candidate; a race assumes that they are missing at random.`,
      });
  }
  refuseMissing(order, rounds, without, read);
  const answers = read.map(({ byItem }) => {
    const scores = new Float64Array(items.length).fill(NaN);
    for (const item of asked) if (!without.has(item)) scores[item] = byItem.get(item) ?? NaN;
    return scores;
  });
  return { completed, answers, answered: read.map(({ byItem }) => new Set(byItem.keys())), warnings };
}

function readScores(name: string, entries: Iterable<readonly [string, unknown]>): Map<string, number | null> {
  const scores = new Map<string, number | null>();
  const issues: Issue[] = [];
  for (const [id, score] of entries) {
    const read = readScore(score);
    if (typeof read === "object" && read) issues.push({ path: ["responses", id], ...read });
    else scores.set(id, read);
  }
  if (issues.length > 0)
    throw new AnchorEvalError(
      "invalid_answers",
      `${name}: ${issues.length} ${issues.length === 1 ? "answer" : "answers"} can't be scored: ${String(issues[0]!.path[1])}: ${issues[0]!.message}`,
      { issues },
    );
  return scores;
}

function changedItems(
  items: readonly AdaptiveItem[],
  position: ReadonlyMap<string, number>,
  hashes: ReadonlyMap<string, string> | undefined,
  scores: ReadonlyMap<string, unknown>,
): string[] {
  return [...(hashes ?? [])].flatMap(([id, hash]) => {
    const place = scores.has(id) ? position.get(id) : undefined;
    const calibrated = place === undefined ? undefined : items[place]!.hash;
    return calibrated !== undefined && calibrated !== hash ? [id] : [];
  });
}

/** Rounds answered whole. @throws AnchorEvalError `invalid_answers` where one is left out in part before a later one */
function completedRounds(
  name: string,
  items: readonly AdaptiveItem[],
  rounds: readonly (readonly number[])[],
  byItem: ReadonlyMap<number, unknown>,
): number {
  const first = rounds.findIndex((round) => round.some((item) => !byItem.has(item)));
  if (first < 0) return rounds.length;
  const later = rounds.slice(first + 1).flat().filter((item) => byItem.has(item)); // prettier-ignore
  if (later.length === 0) return first;
  const skipped = rounds[first]!.filter((item) => !byItem.has(item)).map((item) => items[item]!.item_id);
  throw new AnchorEvalError(
    "invalid_answers",
    `${name}: ${skipped.length} of the ${rounds[first]!.length} items of round ${first + 1} are left out (${skipped.slice(0, 3).join(", ")}${skipped.length > 3 ? ", …" : ""}), though ${later.length} of later rounds are answered (${items[later[0]!]!.item_id}${later.length > 1 ? ", …" : ""}): ask them, or give null where the model gave no answer`,
    { issues: skipped.map((id) => ({ path: ["responses", id], code: "missing", message: `${id} is left out` })) },
  );
}

/** Refuses answers that are missing so often that what is left is no sample any more. */
function refuseMissing(
  { scenarios }: RaceOrder,
  rounds: readonly (readonly number[])[],
  without: ReadonlySet<number>,
  read: readonly { readonly name: string; readonly byItem: ReadonlyMap<number, unknown>; readonly completed: number }[],
): void {
  if (without.size === 0) return;
  const last = Math.max(...read.map(({ completed }) => completed));
  for (const { id, begin, order } of scenarios)
    for (let round = 1; round <= last; round++) {
      const inside = rounds
        .slice(0, round)
        .flat()
        .filter((item) => item >= begin && item < begin + order.length);
      const missing = inside.filter((item) => without.has(item));
      if (missing.length <= (1 - LEAST_ANSWERED_SHARE) * inside.length + 1e-9) continue;
      const lacks = ({ byItem }: (typeof read)[number]): number =>
        missing.filter((item) => byItem.get(item) === null).length;
      const worst = read.reduce((most, model) => (lacks(model) > lacks(most) ? model : most));
      throw new AnchorEvalError(
        "invalid_answers",
        `only ${inside.length - missing.length} of the ${inside.length} items of ${id} in rounds 1 to ${round} have an answer of every candidate, a race needs ${Math.round(100 * LEAST_ANSWERED_SHARE)} %; ${worst.name} lacks ${lacks(worst)}`,
      );
    }
}
