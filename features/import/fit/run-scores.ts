import { type AttemptCounts, countedScores, type ErrorPolicy, meanScore } from "anchoreval/internal/logs/attempts";
import type { ReadRun } from "anchoreval/internal/logs/choose-runs";
import { type Cost, meanCost } from "anchoreval/internal/logs/cost";
import type { LoggedSample } from "anchoreval/internal/logs/run-log";

/** The scores of one run on one task that count, in arrays. */
export interface RunScores extends Pick<
  ReadRun,
  "log" | "metric" | "filter" | "protocol" | "attempts" | "remarks" | "absent"
> {
  readonly documents: readonly LoggedSample["doc_id"][];
  /** On [0,1], the mean of a document's attempts; NaN where none counts. */
  readonly scores: Float64Array;
  /** Of each document that was asked several times, the scores that count; of each whose log says what it took, that. */
  readonly repeats: readonly Repeat[];
  /** Content hashes; null where the log doesn't hold the document. */
  readonly hashes: readonly (string | null)[];
}

interface Repeat {
  readonly trials?: readonly number[];
  /** Mean cost of an attempt, and how many there were. */
  readonly cost?: Cost;
  readonly asked?: number;
}

/** Keeps each content hash, and the text that belongs to it, once for all runs. */
export class ContentTable {
  readonly #hashes = new Map<string, string>();
  readonly #texts = new Map<string, string>();

  intern(hash: string | null, text: string | null): string | null {
    if (hash === null) return null;
    const interned = this.#hashes.get(hash);
    if (interned !== undefined) return interned;
    this.#hashes.set(hash, hash);
    if (text !== null) this.#texts.set(hash, text);
    return hash;
  }

  text(hash: string): string | undefined {
    return this.#texts.get(hash);
  }
}

export function runScores(
  { log, metric, filter, protocol, attempts, remarks, absent, samples }: ReadRun,
  contents: ContentTable,
  errors: ErrorPolicy,
): RunScores {
  const counted = samples.map((sample) => countedScores(sample.attempts, errors));
  return {
    ...{ log, metric, filter, protocol, attempts, remarks, ...(absent && { absent }) },
    documents: samples.map(({ doc_id }) => doc_id),
    scores: Float64Array.from(counted, (trials) => meanScore(trials) ?? NaN),
    repeats: samples.map(({ attempts: asked }, k) => {
      const cost = meanCost(asked.map((attempt) => attempt.cost));
      if (cost === null && asked.length === 1) return NONE;
      return {
        ...(asked.length > 1 && { trials: counted[k]!, asked: asked.length }),
        ...(cost && { cost }),
      };
    }),
    hashes: samples.map((sample) => contents.intern(sample.hash, sample.text)),
  };
}

const NONE: Repeat = {};

/** The scores of a document's attempts that count, one where it was asked once; none where none counts. */
export function countedTrials({ scores, repeats }: RunScores, sample: number): readonly number[] {
  const score = scores[sample]!;
  return repeats[sample]!.trials ?? (Number.isNaN(score) ? [] : [score]);
}

/** Attempts by what became of them, as import.json has them. */
export function countStates({ scored, failed, missing }: AttemptCounts): Omit<AttemptCounts, "reasons"> {
  return { scored, failed, missing };
}
