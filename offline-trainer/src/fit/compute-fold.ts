import { createRandom, type StreamName } from "anchoreval/core";
import type { Selection } from "../anchors/types.ts";
import type { CalibrationBackend } from "../calibrate/types.ts";
import type { Split } from "../splits/types.ts";
import type { BankModel } from "./calibrate-bank.ts";
import { checkpointed } from "./checkpoint.ts";
import type { ScoreMapKind } from "./configuration.ts";
import { estimateFold, trainFold, type FoldTables } from "./held-out.ts";
import type { FormPlan } from "./form-plans.ts";
import type { WantedModel } from "./resolve-model.ts";
import type { BankTask } from "./train-bank.ts";

/** What folds are computed from, but for their splits and streams. Plain data, which can be sent to a thread. */
export interface FoldPlan extends BankModel, WantedModel {
  readonly tasks: readonly BankTask[];
  /** Replicate group of every model. */
  readonly groups: ArrayLike<number>;
  readonly selection: Selection;
  readonly scoreMap: ScoreMapKind;
  readonly forms: readonly FormPlan[];
  /** k of the ability prior N(μ, k²Σ). */
  readonly priorScale: number;
  /** Forms drawn on each fold. */
  readonly draws: number;
  /** Folder of the calibrations' states ({@link checkpointed}). */
  readonly checkpoint?: string;
}

/** A split by bank, with the number and the stream that its estimates have. Plain data, too. */
export interface Fold {
  readonly fold: number;
  readonly splits: readonly Split[];
  readonly stream: StreamName;
}

/** How far a fold is. */
export interface FoldNote {
  /** Of the fold, in [0,1], about. */
  readonly share: number;
  /** Loss of the calibration that it was at last; null before the first. @unit nats */
  readonly loss: number | null;
}

export interface FoldTools {
  readonly backend: CalibrationBackend;
  readonly signal?: AbortSignal;
  readonly onNote?: (note: FoldNote) => void;
}

/** What training takes of a fold's time, about. */
const TRAINING = 0.5;

/** Learns from the sources of a fold and estimates its targets: the same on every thread. */
export async function computeFold(
  { tasks, draws, checkpoint, ...model }: FoldPlan,
  { fold, splits, stream }: Fold,
  { backend, signal, onNote }: FoldTools,
): Promise<FoldTables> {
  let loss: number | null = null;
  const trained = await trainFold(tasks, splits, fold, {
    ...model,
    backend,
    random: createRandom(stream),
    onStep: ({ share, value }) => onNote?.({ share: TRAINING * share, loss: (loss = value) }),
    ...(checkpoint !== undefined && { calibrator: checkpointed(checkpoint) }),
    ...(signal && { signal }),
  });
  onNote?.({ share: TRAINING, loss });
  const tables = await estimateFold(tasks, trained, model, draws);
  onNote?.({ share: 1, loss });
  return tables;
}
