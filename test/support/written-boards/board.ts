import { createRandom, type RandomSource } from "../../../sdk/core/numeric/random.ts";
import { countedScores, type ErrorPolicy, meanScore } from "../../../sdk/logs/attempts.ts";

/** A sample of a run, whatever harness writes it. */
export interface WrittenSample {
  readonly id: number;
  readonly question: string;
  readonly target: string;
  readonly attempts: readonly WrittenAttempt[];
}

/** A failed attempt is scored by harnesses that score everything, and by others not. */
export interface WrittenAttempt {
  readonly score: number;
  readonly failed: boolean;
  /** What stands where the score does, of a log that is damaged. */
  readonly raw?: unknown;
}

/** A run of a model on a task. */
export interface WrittenRun {
  readonly model: string;
  readonly task: string;
  /** When it ended, in milliseconds since 1970. */
  readonly ended: number;
  readonly samples: readonly WrittenSample[];
  /** Why it broke off. */
  readonly broken?: string;
  /** The temperature that it was asked at, where its log says so. */
  readonly temperature?: number;
}

export interface Board {
  readonly runs: readonly WrittenRun[];
  /** How often every sample is asked. */
  readonly attempts: number;
}

/** What a harness can write. */
export interface HarnessWriter {
  readonly from: "lm-eval" | "inspect" | "helm" | "lighteval" | "eee" | "opencompass" | "table";
  /** Whether samples are asked several times. */
  readonly repeats: boolean;
  /** The score of an attempt that failed; null where the harness gives none. */
  readonly failedScore: number | null;
  /** Whether a run may be written in parts, on some of the documents. */
  readonly isSplit: boolean;
  /** Whether its logs tell of documents what they are. */
  readonly hasContents: boolean;
  /** A model's name as its logs have it. @default as it is */
  readonly modelOf?: (model: string) => string;
  /** The id of a sample, as items are called. */
  readonly idOf: (sample: WrittenSample) => string;
  /** Writes runs, plainly or, as `style` draws, in another way that says the same. */
  write(folder: string, runs: readonly WrittenRun[], style: Style): void;
}

/** What a log has for an attempt's score: of a failed one what its harness gives. */
export function loggedScore({ score, failed, raw }: WrittenAttempt, failedScore: number | null): unknown {
  return raw === undefined ? (failed ? failedScore : score) : raw;
}

/** Draws of what is written otherwise, each by its name; remembered, for the message of a test that fails. */
export class Style {
  readonly drawn: string[] = [];
  readonly random: RandomSource;
  readonly #share: number;

  /** @param share - of the draws that say yes; 0 writes plainly */
  constructor(seed: string, share: number) {
    this.random = createRandom(seed);
    this.#share = share;
  }

  is(name: string): boolean {
    const yes = this.random.next() < this.#share;
    if (yes) this.drawn.push(name);
    return yes;
  }

  pick<T>(values: readonly T[]): T {
    return values[this.random.below(values.length)]!;
  }
}

const MODELS = ["org/a", "org/b", "org/ünïcode"];
const TASKS = { alpha: 8, beta: 6 };
/** 2026-03-01T12:00:00Z. */
const BEGUN = Date.UTC(2026, 2, 1, 12);

/** Three models on two tasks: right and wrong, partly graded answers, some of which failed. */
export function drawBoard(seed: string, { repeats }: Pick<HarnessWriter, "repeats">): Board {
  const random = createRandom(seed);
  const attempts = repeats ? 1 + random.below(3) : 1;
  const runs = MODELS.flatMap((model, m) =>
    Object.entries(TASKS).map(([task, count], t): WrittenRun => {
      const samples = Array.from({ length: count }, (_, id): WrittenSample => {
        const drawn = Array.from({ length: attempts }, () => ({
          score: random.below(4) === 0 ? 0.25 * random.below(5) : random.below(2),
          failed: random.below(10) === 0,
        }));
        // Every item has an answer, which makes it one of the board.
        const kept = id === 0 ? drawn.map(({ score }) => ({ score, failed: false })) : drawn;
        return { id, question: `What is ${task} ${id}, naïvely?`, target: `${task}-${id}`, attempts: kept };
      });
      return { model, task, ended: BEGUN + 3_600_000 * (m + 3 * t), samples };
    }),
  );
  return { runs, attempts };
}

/** The board's scores by model and item: what every way to write it must be read as. */
export function truthOf(board: Board, writer: HarnessWriter, errors: ErrorPolicy): Record<string, number | null> {
  const cells: Record<string, number | null> = {};
  for (const { model, task, samples } of board.runs)
    for (const sample of samples) {
      const attempts = sample.attempts.map(({ score, failed }) =>
        failed ? { score: writer.failedScore, failure: "failed" } : { score },
      );
      const score = meanScore(countedScores(attempts, errors));
      // As matrices hold them.
      cells[`${writer.modelOf?.(model) ?? model} ${task}/${writer.idOf(sample)}`] =
        score === null ? null : Math.fround(score);
    }
  return cells;
}
