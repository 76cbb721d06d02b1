import type { TaskProtocol } from "anchoreval/internal/logs/protocol";
import type { LoggedSample, RunLog, RunSamples, SampleState } from "anchoreval/internal/logs/run-log";

/** The samples of one run on one task, in arrays. */
export interface RunScores {
  readonly log: RunLog;
  readonly metric: string;
  readonly filter: string;
  readonly protocol: TaskProtocol;
  readonly documents: readonly LoggedSample["doc_id"][];
  /** The harness's own scores on [0,1]; NaN where it gave none. */
  readonly scores: Float64Array;
  readonly states: readonly SampleState[];
  /** Of each sample that was asked several times, its trials; of each whose log says what it cost, that. */
  readonly repeats: readonly Pick<LoggedSample, "trials" | "cost">[];
  /** Content hashes; null where the log doesn't hold the document. */
  readonly hashes: readonly (string | null)[];
  readonly remarks: readonly string[];
  /** Says that the log lacks what was chosen for all tasks. */
  readonly absent?: RunSamples["absent"];
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
  protocol: TaskProtocol,
  contents: ContentTable,
): RunScores {
  return {
    log,
    metric,
    filter,
    protocol,
    documents: samples.map((sample) => sample.doc_id),
    scores: Float64Array.from(samples, (sample) => sample.score ?? NaN),
    states: samples.map((sample) => sample.state),
    repeats: samples.map(({ trials, cost }) =>
      trials || cost ? { ...(trials && { trials }), ...(cost && { cost }) } : NONE,
    ),
    hashes: samples.map((sample) => contents.intern(sample.hash, sample.text)),
    remarks,
    ...(absent && { absent }),
  };
}

const NONE: RunScores["repeats"][number] = {};

/** How a sample without an answer or a score counts. `harness`: as in the harness's own aggregate. */
export type ErrorPolicy = "harness" | "missing" | "wrong";

/** The score that counts; NaN = missing. */
function countedScore({ scores, states }: RunScores, sample: number, policy: ErrorPolicy): number {
  if (policy === "harness" || states[sample] === "scored") return scores[sample]!;
  return policy === "wrong" ? 0 : NaN;
}

/** The scores of a sample's trials that count, one where it was asked once; their mean is {@link countedScore}. */
export function countedTrials(run: RunScores, sample: number, policy: ErrorPolicy): number[] {
  const score = countedScore(run, sample, policy);
  if (Number.isNaN(score)) return [];
  const trials = run.scores[sample] === score ? run.repeats[sample]!.trials?.filter((own) => own !== null) : undefined;
  return trials && trials.length > 0 ? trials : [score];
}

export function countStates(runs: readonly RunScores[]): Record<SampleState, number> {
  const counts = { scored: 0, errored: 0, unscored: 0 };
  for (const run of runs) for (const state of run.states) counts[state]++;
  return counts;
}

/** Values under the same key, in the order in which the keys appear. */
export function groupBy<T, K>(values: Iterable<T>, key: (value: T) => K): Map<K, T[]> {
  const groups = new Map<K, T[]>();
  for (const value of values) {
    const group = groups.get(key(value));
    if (group) group.push(value);
    else groups.set(key(value), [value]);
  }
  return groups;
}
