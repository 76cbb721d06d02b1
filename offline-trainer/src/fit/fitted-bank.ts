import type { AnchorFactors, ScoreMaps } from "anchoreval/core";
import type { FilteredItems } from "../methods/coarse-filter.ts";
import type { AnchorDesign } from "../methods/metabench/information.ts";
import type { BankModel } from "./calibrate-bank.ts";
import type { SubsetRanking } from "../methods/sublime/untouched-ranking.ts";
import type { DimensionError } from "./choose-dimension.ts";
import type { ScoreLink } from "./configuration.ts";
import type { BankForms } from "./draw-forms.ts";
import type { BankEvidence } from "./learn-evidence.ts";
import type { ResolvedModel } from "./resolve-model.ts";
import type { BankTask, TrainedBank } from "./train-bank.ts";

/** A fitted bank with all that a bundle and a report are made from. */
export interface FittedBank {
  readonly task: BankTask;
  /** How its scores were calibrated. */
  readonly link: ScoreLink;
  readonly irtModel: BankModel["irtModel"];
  /** How its anchors were chosen by their information, with what the search says of it; null without a search. */
  readonly design: (AnchorDesign & NonNullable<ResolvedModel["searched"]>) | null;
  /** Share of the learned variance of discriminations that was kept. */
  readonly shrinkage: number;
  readonly trained: TrainedBank;
  readonly forms: BankForms;
  /** Score maps by scenario and form; empty where none are fitted. */
  readonly maps: readonly ReadonlyMap<string, ScoreMaps>[];
  /** What anchors were chosen among, by scenario, where that isn't all items. */
  readonly filtered: ReadonlyMap<string, FilteredItems>;
  /** How anchors were chosen by the models' ranking where they were, by scenario and number of anchors. */
  readonly rankings: ReadonlyMap<string, ReadonlyMap<number, SubsetRanking>>;
  /** Factors of its scenarios' items. */
  readonly factors: readonly AnchorFactors[];
  /** What its abilities share with other banks' (D×G), where they are linked. */
  readonly loadings: Float64Array | null;
  /** Errors on held-out models and what blends the estimators, by evidence. */
  readonly evidence: BankEvidence;
  /** Errors of the candidates, where the dimension was chosen. */
  readonly dimensionErrors: readonly DimensionError[];
}
