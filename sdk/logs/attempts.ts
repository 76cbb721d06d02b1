import type { Cost } from "./cost.ts";
import { quoted } from "../tables/data-issues.ts";
import { canonicalJson, filledText, record } from "./json.ts";

/**
 * One time that a run asked an item: scored, failed (no answer of the model came back, though the harness may have scored
 * that all the same), or missing (an answer and no score). An item that isn't in the log was not asked.
 */
export interface Attempt {
  /** The harness's score on [0,1], of failed attempts too; null where it gave none. */
  readonly score: number | null;
  /** Why no answer came back, in the log's words; absent where one did. */
  readonly failure?: string;
  /** Its cost; absent where the log doesn't say. */
  readonly cost?: Cost;
}

/** How attempts that failed or have no score count. `harness`: by the score that the harness gave, else as missing. */
export type ErrorPolicy = (typeof ERROR_POLICIES)[number];

export const ERROR_POLICIES = ["harness", "missing", "wrong"] as const;

/**
 * The scores of an item's attempts that count: their mean is the item's score, and without any it has none.
 * @example countedScores([{ score: 1 }, { score: 0, failure: "timeout" }], "missing") // [1]
 */
export function countedScores(attempts: readonly Attempt[], errors: ErrorPolicy): number[] {
  const counted: number[] = [];
  for (const { score, failure } of attempts)
    if (score !== null && (errors === "harness" || failure === undefined)) counted.push(score);
    else if (errors === "wrong") counted.push(0);
  return counted;
}

/** The mean of some scores; null of none. */
export function meanScore(scores: readonly number[]): number | null {
  return scores.length === 0 ? null : scores.reduce((sum, score) => sum + score, 0) / scores.length;
}

/** A sample by its attempts. */
interface Asked {
  readonly attempts: readonly Attempt[];
}

/** Whether a sample has an attempt that was answered and scored. */
export function isAnswered({ attempts }: Asked): boolean {
  return attempts.some(({ score, failure }) => score !== null && failure === undefined);
}

/** Attempts by what became of them. */
export interface AttemptCounts {
  readonly scored: number;
  readonly failed: number;
  readonly missing: number;
  /** Why attempts failed, and how many for that reason. */
  readonly reasons: ReadonlyMap<string, number>;
}

export function countAttempts(samples: Iterable<Asked>): AttemptCounts {
  let [scored, failed, missing] = [0, 0, 0];
  const reasons = new Map<string, number>();
  for (const { attempts } of samples)
    for (const { score, failure } of attempts)
      if (failure !== undefined) {
        failed++;
        reasons.set(failure, (reasons.get(failure) ?? 0) + 1);
      } else if (score === null) missing++;
      else scored++;
  return { scored, failed, missing, reasons };
}

export function addCounts(counts: Iterable<AttemptCounts>): AttemptCounts {
  let [scored, failed, missing] = [0, 0, 0];
  const reasons = new Map<string, number>();
  for (const part of counts) {
    scored += part.scored;
    failed += part.failed;
    missing += part.missing;
    for (const [reason, count] of part.reasons) reasons.set(reason, (reasons.get(reason) ?? 0) + count);
  }
  return { scored, failed, missing, reasons };
}

/** How the attempts that failed or have no score count, in a sentence; null where there are none. */
export function errorWords({ scored, failed, missing, reasons }: AttemptCounts, errors: ErrorPolicy): string | null {
  if (failed + missing === 0) return null;
  const total = scored + failed + missing;
  const parts = [
    ...(failed > 0 ? [`${failed} failed (${tally(reasons)})`] : []),
    ...(missing > 0 ? [`${missing} ${missing === 1 ? "has" : "have"} no score`] : []),
  ];
  const counted = {
    harness: "they count by the score that the harness gave, else as missing (`errors` missing or wrong says else)",
    missing: "they count as missing",
    wrong: "they count as wrong",
  }[errors];
  return `of ${total} answers, ${parts.join(" and ")}: ${counted}`;
}

/**
 * Counts by name, the most frequent first.
 * @example tally(new Map([["timeout", 3], ["refused", 1]])) // '"timeout" 3 times, "refused" once'
 */
export function tally(counts: ReadonlyMap<string, number>, most = 3): string {
  const sorted = [...counts].sort(([, left], [, right]) => right - left);
  const shown = sorted
    .slice(0, most)
    .map(([name, count]) => `${quoted(name)} ${count === 1 ? "once" : `${count} times`}`);
  return [...shown, ...(sorted.length > most ? ["…"] : [])].join(", ");
}

/**
 * Why no answer came back, by what a log has of an attempt: an error, else answers that are all empty, or a list without
 * any, which is what harnesses log for a request that failed, was refused or cut off. One rule for all readers.
 * @param answers - texts in lists of whatever depth; null is an empty one, undefined one that isn't logged
 * @param error - what the log says of an error: its text, or an object with a message; null, false and what is empty are none
 * @returns null where an answer came back, or isn't logged
 * @example attemptFailure([""], null) // "an empty answer"
 */
export function attemptFailure(answers: unknown, error?: unknown): string | null {
  const isNone = !error || (typeof error === "object" && Object.values(error).every((part) => part === null));
  if (!isNone) return failureReason(filledText(error) ?? filledText(record(error).message) ?? canonicalJson(error));
  const texts = [answers].flat(Infinity as 1);
  const logged = texts.filter((text) => text !== undefined);
  if (logged.length === 0) return texts.length === 0 ? "no answer" : null;
  return logged.every((text) => text === null || text === "") ? "an empty answer" : null;
}

/** Longest reason that is told, in characters. */
const LONGEST_REASON = 100;

/** A failure in a few words: its first line, cut where it is long, without addresses that make every one another. */
export function failureReason(text: string): string {
  const line = text.trim().split("\n", 1)[0]!.trim().replace(/\b(?:0x)?[0-9a-f]{8,}\b/gi, "…"); // prettier-ignore
  return line.length > LONGEST_REASON ? `${line.slice(0, LONGEST_REASON)}…` : line || "an error without words";
}
