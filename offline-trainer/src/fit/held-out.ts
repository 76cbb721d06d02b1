import {
  anchorFactors,
  type AnchorSet,
  type AnswerPattern,
  BASE_ESTIMATORS,
  EVIDENCE,
  samplingVariance,
  type BaseEstimatorId,
  type BaseScores,
  type Evidence,
  type RandomSource,
  type SamplingVariance,
  type SeenScores,
} from "anchoreval/core";
import type { Selection } from "../anchors/types.ts";
import type { CalibrationStep } from "../calibrate/calibrate.ts";
import { fullScores } from "../prepare/full-scores.ts";
import type { Split } from "../splits/types.ts";
import type { ScoreMapKind } from "./configuration.ts";
import type { DimensionOptions } from "./choose-dimension.ts";
import { drawForms, prepareForms, type BankForms } from "./draw-forms.ts";
import { targetEstimator, type PatternedEstimate } from "./target-estimator.ts";
import { bankPriors, linkBanks, type BankPriors, type LinkedBanks } from "./link-banks.ts";
import { overallPlace, overallScores, scoresSeen, type OverallPlace } from "./overall-place.ts";
import { sourceAnswers } from "./answer-factors.ts";
import { formAnswers } from "./form-answers.ts";
import { anchorNumbers, type FormPlan } from "./form-plans.ts";
import type { MappedBank } from "../methods/method.ts";
import { formScoreMaps } from "../methods/score-maps/form-score-maps.ts";
import { resolveModel, type ResolvedModel, type WantedModel } from "./resolve-model.ts";
import { trainBank, type BankTask, type TrainedBank } from "./train-bank.ts";

export interface HeldOutOptions extends Omit<DimensionOptions, "link" | "shrinkage">, WantedModel {
  readonly selection: Selection;
  readonly scoreMap: ScoreMapKind;
  readonly forms: readonly FormPlan[];
  /** k of the ability prior N(μ, k²Σ). */
  readonly priorScale: number;
}

/** One held-out model, one form: what was estimated without it, and the truth. Scores are fractions. */
export interface HeldOutEstimate {
  /** Row of the model. */
  readonly model: number;
  /** Which of the forms that were drawn on the fit. */
  readonly draw: number;
  /** Fold that held the model out. */
  readonly fold: number;
  readonly truth: number;
  /** Before blending ({@link heldOutScore}). */
  readonly base: BaseScores;
  /** The range of the fold's sources. */
  readonly seen: SeenScores & { readonly overall: OverallPlace | null };
  /** What the answers alone prove. */
  readonly bounds: { readonly low: number; readonly high: number };
  /** What the draw of the anchors makes of p-irt-dr's error; null where there is no design-based interval. */
  readonly sampling: SamplingVariance | null;
  /** How its answers lie against what its ability lets expect; null where the estimate failed. */
  readonly pattern: AnswerPattern | null;
  /** The estimate failed: it stands as the anchor mean, or the sources' mean where no anchor was answered. */
  readonly failed: boolean;
}

/** Estimates by scenario of the task, by form. */
export type HeldOutTable = readonly ReadonlyMap<string, readonly HeldOutEstimate[]>[];

/** A split with what was learned from its sources alone, in all banks that are estimated together. */
export interface TrainedFold {
  /** By bank. */
  readonly splits: readonly Split[];
  readonly fold: number;
  readonly linked: LinkedBanks;
  /** By bank. */
  readonly models: readonly ResolvedModel[];
  /** Stream of the forms that are drawn on it. */
  readonly random: RandomSource;
}

/**
 * Repeats binarisation, choice of the model, calibration and linking on the sources of a split alone.
 * @param splits - by bank
 * @param options - `onStep` is told the share of all banks
 */
export async function trainFold(
  tasks: readonly BankTask[],
  splits: readonly Split[],
  fold: number,
  options: HeldOutOptions,
): Promise<TrainedFold> {
  const banks: TrainedBank[] = [];
  const models: ResolvedModel[] = [];
  for (const [b, task] of tasks.entries()) {
    const own = {
      ...options,
      random: options.random.fork(task.id),
      onStep: (step: CalibrationStep) => options.onStep?.({ ...step, share: (b + step.share) / tasks.length }),
    };
    const sizes = anchorNumbers(options.forms, task.scenarios);
    const { model } = await resolveModel(task, splits[b]!.sources, own, { ...own, sizes });
    models.push(model);
    banks.push(await trainBank(task, splits[b]!.sources, { ...own, ...model }));
  }
  return { splits, fold, models, linked: linkBanks(banks, options.random.fork("links")), random: options.random };
}

/** Estimates of a fold's targets by bank, from each bank's answers alone and from all banks'. */
export type FoldTables = Readonly<Record<Evidence, readonly HeldOutTable[]>>;

/**
 * Chooses anchors on the sources of a fold and estimates its targets. The targets' answers are read only to be
 * estimated from and compared with.
 * @param draws - forms drawn
 */
export async function estimateFold(
  tasks: readonly BankTask[],
  { splits, fold, linked, models, random }: TrainedFold,
  {
    selection,
    scoreMap,
    forms: plans,
    priorScale,
  }: Pick<HeldOutOptions, "selection" | "scoreMap" | "forms" | "priorScale">,
  draws: number,
): Promise<FoldTables> {
  const priors = bankPriors(linked, priorScale);
  const places = tasks.map((task, b) => targetPlace(task, splits[b]!));
  const empty = (): Map<string, HeldOutEstimate[]>[][] =>
    tasks.map(({ scenarios }) => scenarios.map(() => new Map(plans.map(({ id }) => [id, []]))));
  const tables = { alone: empty(), together: empty() };
  const prepared = tasks.map((task, b) =>
    prepareForms(task, splits[b]!.sources, linked.banks[b]!, {
      selection,
      forms: plans,
      random,
      ...(models[b]!.design && { design: models[b]!.design }),
    }),
  );
  const answers = tasks.map(({ matrix }, b) =>
    linked.banks[b]!.scenarios.map((scenario) => sourceAnswers(matrix, linked.banks[b]!.rows, scenario)),
  );
  const targets = [...new Set(splits.flatMap((own) => own.targets))];
  const overall = overallScores(places.flatMap(({ scenarios }) => scenarios.map(({ truth }) => truth)));
  const [first, ...others] = splits.map(({ sources }) => new Set(sources));
  const overallSeen = scoresSeen([...first!].filter((m) => others.every((own) => own.has(m))).map((m) => overall[m]!));
  const mapsOf = rememberedMaps((anchors) =>
    scoreMap === "none"
      ? null
      : formScoreMaps(mappedBanks(tasks, linked, priors, models, anchors), scoreMap, random.fork("score maps")),
  );
  for (let draw = 0; draw < draws; draw++) {
    const forms: BankForms[] = [];
    for (const own of prepared) forms.push(await drawForms(own, drawStream(random, draw)));
    const answered = forms.map((own, b) =>
      own.map((byForm, s) => formAnswers(answers[b]![s]!, tasks[b]!.scenarios[s]!.weights, byForm)),
    );
    for (const { id: form } of plans) {
      const maps = mapsOf(forms.map((own) => own.map((byForm) => byForm.get(form)!)));
      const sets = forms.map((own, b) =>
        own.map((byForm, s) => {
          const anchors = byForm.get(form)!;
          const factors = anchorFactors(linked.factors[b]![s]!, anchors.items);
          const { worst } = places[b]!.scenarios[s]!.seen;
          return { anchors, factors, ...answered[b]![s]!.get(form)!, worst, maps: maps && maps[b]![s]! };
        }),
      );
      const estimatesOf = targetEstimator(tasks, linked, priors, sets);
      for (const model of targets) {
        const estimates = estimatesOf(model);
        const place = estimates.together && overallPlace(estimates.together, overallSeen, overall[model]!);
        for (const evidence of EVIDENCE)
          estimates[evidence]?.forEach((own, b) => {
            if (!places[b]!.targets.has(model)) return;
            own.forEach((estimate, s) => {
              const { truth, seen, average } = places[b]!.scenarios[s]!;
              if (Number.isNaN(truth[model]!)) return;
              const shared = { model, draw, fold, truth: truth[model]!, seen: { ...seen, overall: place } };
              tables[evidence][b]![s]!.get(form)!.push({ ...shared, ...heldOut(estimate, average, maps !== null) });
            });
          });
      }
    }
  }
  return tables;
}

/** The banks with a form's anchors, as maps are fitted on them. */
export function mappedBanks(
  tasks: readonly BankTask[],
  { banks }: Pick<LinkedBanks, "banks">,
  { alone: priors }: Pick<BankPriors, "alone">,
  models: readonly Pick<ResolvedModel, "design">[],
  anchors: Anchors,
): MappedBank[] {
  return tasks.map((task, b) => ({
    task,
    trained: banks[b]!,
    prior: priors[b]!,
    design: models[b]!.design,
    anchors: anchors[b]!,
  }));
}

type Maps = ReturnType<typeof formScoreMaps> | null;
type Anchors = readonly (readonly AnchorSet[])[];

/** Maps of a form, made once for anchors that are the same in every draw. */
function rememberedMaps(make: (anchors: Anchors) => Maps): (anchors: Anchors) => Maps {
  const known: { readonly anchors: readonly AnchorSet[]; readonly maps: Maps }[] = [];
  return (anchors) => {
    const flat = anchors.flat();
    const found = known.find((other) => other.anchors.every((set, k) => set === flat[k]));
    if (found) return found.maps;
    const maps = make(anchors);
    known.push({ anchors: flat, maps });
    return maps;
  };
}

/** What a bank's held-out models are compared with. */
function targetPlace({ matrix, scenarios }: BankTask, { sources, targets }: Split) {
  return {
    targets: new Set(targets),
    scenarios: scenarios.map((slice) => {
      const truth = fullScores(matrix, slice).score;
      const known = sources.map((m) => truth[m]!).filter((score) => !Number.isNaN(score));
      return {
        truth,
        seen: scoresSeen(known),
        average: known.reduce((sum, score) => sum + score, 0) / known.length,
      };
    }),
  };
}

/** An estimate as it is kept; one that failed stands as the anchor mean, or the sources' mean without any answer. */
function heldOut(
  estimate: PatternedEstimate | null,
  average: number,
  mapped: boolean,
): Pick<HeldOutEstimate, "base" | "bounds" | "sampling" | "pattern" | "failed"> {
  if (estimate === null || !Object.values(estimate.base).every((score) => Number.isFinite(score))) {
    const score = estimate?.base["anchor-mean"] ?? average;
    const base = {
      ...(Object.fromEntries(BASE_ESTIMATORS.map((id) => [id, score])) as Record<BaseEstimatorId, number>),
      ...(mapped && { "score-map": score }),
    };
    return { base, bounds: { low: 0, high: 1 }, sampling: null, pattern: null, failed: true };
  }
  const { bounds, base, sample, residuals, pattern } = estimate;
  return { base, bounds, sampling: samplingVariance(base["p-irt-dr"], sample, residuals), pattern, failed: false };
}

/** The stream that draw number `draw` of the forms reads: the first is the one that a bundle is made with. */
export function drawStream(random: RandomSource, draw: number): RandomSource {
  return random.fork(`form ${draw}`);
}
