import type { DimensionError } from "./choose-dimension.ts";
import type { ScoreLink } from "./configuration.ts";
import type { CrossValidation } from "./cross-validate.ts";
import type { LearnedBlend } from "./learn-blends.ts";
import type { BankForms } from "./draw-forms.ts";
import type { BankTask, TrainedBank } from "./train-bank.ts";

/** A fitted bank with all that a bundle and a report are made from. */
export interface FittedBank {
  readonly task: BankTask;
  /** How its scores were calibrated. */
  readonly link: ScoreLink;
  /** Share of the learned variance of discriminations that was kept. */
  readonly shrinkage: number;
  readonly trained: TrainedBank;
  readonly validation: CrossValidation;
  readonly forms: BankForms;
  /** What blends the estimators, by scenario and size. */
  readonly blends: readonly ReadonlyMap<number, LearnedBlend>[];
  /** Errors of the candidates, where the dimension was chosen. */
  readonly dimensionErrors: readonly DimensionError[];
}
