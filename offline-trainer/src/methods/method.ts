import type { AbilityPrior, AnchorSet, RandomSource, ScoreMaps } from "anchoreval/core";
import type { AnchorMethod, ValueSource } from "../anchors/anchor-method.ts";
import type { BankModel } from "../fit/calibrate-bank.ts";
import type { FitConfiguration } from "../fit/configuration.ts";
import type { BankTask, TrainedBank, TrainOptions } from "../fit/train-bank.ts";

/** A way to fit: settings, how anchors are chosen, and what the main road calls without knowing whose it is. */
export interface Method {
  readonly name: string;
  /** One line of help. */
  readonly summary: string;
  readonly settings: FitConfiguration;
  readonly anchors: AnchorMethod;
  /** Chooses the response model and a design of the anchors on the source models; where `settings.search` isn't 0. */
  readonly designSearch?: DesignSearch;
  /** Fits maps from answers to scores on the source models; where the form's score is `score-map`. */
  readonly scoreMaps?: ScoreMapFitter;
  /** Anchors a scenario where none are asked for. */
  readonly sizes?: readonly number[];
  /** Anchors of all scenarios together where none are asked for. @default those of `sizes` that every scenario can share */
  readonly totals?: readonly number[];
}

export interface DesignSearchOptions extends TrainOptions {
  /** Replicate group of every model. */
  readonly groups: ArrayLike<number>;
  readonly sizes: readonly number[];
  /** k of the ability prior N(μ, k²Σ). */
  readonly priorScale: number;
  /** Candidates that are judged, at least one. */
  readonly budget: number;
}

/** A search for the response model and the design of the anchors. */
export interface DesignSearch {
  readonly source: ValueSource;
  /** @param rows - the source models; no other's answers are there */
  readonly search: (
    task: BankTask,
    rows: readonly number[],
    options: DesignSearchOptions,
  ) => Promise<{
    readonly irtModel: BankModel["irtModel"];
    /** Plain data, given to the anchors ({@link AnchorInput.design}) and the score maps. */
    readonly design: unknown;
    /** What the manifest's `fit.designs` records beside it. */
    readonly notes: Readonly<Record<string, unknown>>;
  }>;
}

/** One bank with the anchors of a form, as maps are fitted on it. */
export interface MappedBank {
  readonly task: BankTask;
  readonly trained: TrainedBank;
  readonly prior: AbilityPrior;
  readonly design: unknown;
  /** By scenario. */
  readonly anchors: readonly AnchorSet[];
}

/** Fits score maps. */
export interface ScoreMapFitter {
  readonly source: ValueSource;
  /** @returns by bank and scenario @param random - its streams are forked: the same for all forms */
  readonly fit: (banks: readonly MappedBank[], random: RandomSource) => readonly (readonly ScoreMaps[])[];
}
