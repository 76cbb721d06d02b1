import {
  type AttemptCounts,
  countAttempts,
  countedScores,
  type ErrorPolicy,
  isAnswered,
  meanScore,
} from "anchoreval/internal/logs/attempts";
import type { ReadRun } from "anchoreval/internal/logs/choose-runs";
import { type Cost, meanCost } from "anchoreval/internal/logs/cost";
import type { TaskProtocol } from "anchoreval/internal/logs/protocol";
import type { LoggedSample, RunLog, RunSamples } from "anchoreval/internal/logs/run-log";

/** The scores of one run on one task that count, in arrays. */
export interface RunScores extends ReadRun {
  readonly protocol: TaskProtocol;
  readonly documents: readonly LoggedSample["doc_id"][];
  /** On [0,1], the mean of a document's attempts; NaN where none counts. */
  readonly scores: Float64Array;
  /** Of each document that was asked several times, the scores that count; of each whose log says what it took, that. */
  readonly repeats: readonly Repeat[];
  /** Content hashes; null where the log doesn't hold the document. */
  readonly hashes: readonly (string | null)[];
  readonly remarks: readonly string[];
  /** Says that the log lacks what was chosen for all tasks. */
  readonly absent?: RunSamples["absent"];
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
    const known = this.#hashes.get(hash);
    if (known !== undefined) return known;
    this.#hashes.set(hash, hash);
    if (text !== null) this.#texts.set(hash, text);
    return hash;
  }

  text(hash: string): string | undefined {
    return this.#texts.get(hash);
  }
}

export function runScores(
  log: RunLog,
  { metric, filter, samples, remarks, absent }: RunSamples,
  { protocol, contents, errors }: { protocol: TaskProtocol; contents: ContentTable; errors: ErrorPolicy },
): RunScores {
  const counted = samples.map(({ attempts }) => countedScores(attempts, errors));
  const documents = samples.map((sample) => sample.doc_id);
  const scores = Float64Array.from(counted, (own) => meanScore(own) ?? NaN);
  const isScored = Uint8Array.from(samples, (sample) => Number(isAnswered(sample)));
  return {
    ...{ log, metric, filter, protocol, documents, scores, remarks },
    attempts: countAttempts(samples),
    // Without any value a run has no metric, and nothing tells what it would have been scored by.
    counts: metric !== "" && scores.some((score) => !Number.isNaN(score)),
    answers: scoredAnswers(documents, scores, isScored),
    repeats: samples.map(({ attempts }, k) => {
      const cost = meanCost(attempts.map((attempt) => attempt.cost));
      if (cost === null && attempts.length === 1) return NONE;
      return {
        ...(attempts.length > 1 && { trials: counted[k]!, asked: attempts.length }),
        ...(cost && { cost }),
      };
    }),
    hashes: samples.map((sample) => contents.intern(sample.hash, sample.text)),
    ...(absent && { absent }),
  };
}

const NONE: Repeat = {};

/** Answers by document, made when they are asked for: most runs are the only ones of their model. */
function scoredAnswers(
  documents: RunScores["documents"],
  scores: Float64Array,
  isScored: Uint8Array,
): RunScores["answers"] {
  return () =>
    new Map(
      documents.flatMap((id, k) =>
        isScored[k] === 1 && !Number.isNaN(scores[k]) ? [[String(id), scores[k]!] as const] : [],
      ),
    );
}

/** The same run with some of its documents. */
export function onDocuments(run: RunScores, keeps: (id: LoggedSample["doc_id"]) => boolean): RunScores {
  const kept = run.documents.flatMap((id, k) => (keeps(id) ? [k] : []));
  if (kept.length === run.documents.length) return run;
  return {
    ...run,
    documents: kept.map((k) => run.documents[k]!),
    scores: Float64Array.from(kept, (k) => run.scores[k]!),
    repeats: kept.map((k) => run.repeats[k]!),
    hashes: kept.map((k) => run.hashes[k]!),
  };
}

/** The scores of a document's attempts that count, one where it was asked once; none where none counts. */
export function countedTrials({ scores, repeats }: RunScores, sample: number): readonly number[] {
  const score = scores[sample]!;
  return repeats[sample]!.trials ?? (Number.isNaN(score) ? [] : [score]);
}

/** Attempts by what became of them, as import.json has them. */
export function countStates({ scored, failed, missing }: AttemptCounts): Omit<AttemptCounts, "reasons"> {
  return { scored, failed, missing };
}
