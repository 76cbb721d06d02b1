import { createRandom, type RandomSource, type ScoreMaps } from "anchoreval/core";
import { DISCRIMINATION_SHRINKAGE } from "../calibrate/scales.ts";
import { answeringModels } from "./answering-models.ts";
import { checkpointed } from "./checkpoint.ts";
import { headlineEstimator, scoreMapKind, type FitConfiguration } from "./configuration.ts";
import { crossValidate, type BankValidation } from "./cross-validate.ts";
import { drawFinalForms, trainFinalBanks, type FinalForms } from "./final-banks.ts";
import { anchorNumbers, type FormPlan } from "./form-plans.ts";
import type { FitOptions } from "./fit-options.ts";
import type { FittedBank } from "./fitted-bank.ts";
import { formScoreMaps } from "../methods/score-maps/form-score-maps.ts";
import { interruptible } from "./interruptible.ts";
import { learnEvidence } from "./learn-evidence.ts";
import { mappedBanks } from "./held-out.ts";
import { bankPriors, type LinkedBanks } from "./link-banks.ts";
import { resolveModel, type ResolvedModel } from "./resolve-model.ts";
import { sideBySide } from "./side-by-side.ts";
import type { Stopwatch } from "./stopwatch.ts";
import type { StandingBank } from "./standing-version.ts";
import type { BankTask } from "./train-bank.ts";

export interface FitBanksOptions extends Omit<FitOptions, "onProgress" | "sizes" | "totals"> {
  readonly forms: readonly FormPlan[];
  /** Replicate group of every model. */
  readonly groups: ArrayLike<number>;
  readonly clock: Stopwatch;
  /** @param share - of these banks, in [0,1] */
  readonly onProgress: (share: number, note: string) => void;
}

/** What the banks of a bundle are, but for what is learned from held-out models. */
interface FinalFit {
  readonly resolved: readonly Awaited<ReturnType<typeof resolveModel>>[];
  readonly linked: LinkedBanks;
  readonly forms: readonly FinalForms[];
  readonly maps: readonly FittedBank["maps"][];
}

/**
 * Fits banks that are estimated together, and learns on held-out models what blends their estimates. Where there are
 * threads for the held-out models, both at once.
 */
export async function fitBanks(tasks: readonly BankTask[], options: FitBanksOptions): Promise<FittedBank[]> {
  const { configuration, forms: plans, seed, threads, groups, clock } = options;
  const random = createRandom(seed).fork(tasks.length > 1 ? "all" : tasks[0]!.id);
  const rows = tasks.map(answeringModels);
  const report = progressOf(tasks, options);
  const shared = (signal?: AbortSignal) => ({
    irtModel: configuration.irtModel,
    estimation: configuration.estimation,
    groups,
    priorScale: configuration.priorScale,
    ...(signal ? { backend: interruptible(options.backend), signal } : { backend: options.backend }),
  });

  const validate = async (signal?: AbortSignal): Promise<BankValidation[]> => {
    const all = [...new Set(rows.flat())].sort((x, y) => x - y);
    const validation = await crossValidate(tasks, all, groups, {
      ...configuration,
      scoreMap: scoreMapKind(configuration),
      ...shared(signal),
      forms: plans,
      random: random.fork("cross-validation"),
      ...(threads && { threads }),
      ...(options.checkpoint !== undefined && { checkpoint: options.checkpoint }),
      onFold: (done, of, loss) => report({ folds: done / of, loss }),
    });
    clock.lap("held-out models");
    return validation;
  };

  const finish = async (signal?: AbortSignal): Promise<FinalFit> => {
    const own = {
      ...shared(signal),
      ...(options.checkpoint !== undefined && { calibrator: checkpointed(options.checkpoint) }),
    };
    const resolved = [];
    for (const [b, task] of tasks.entries()) {
      const stands = options.standing?.banks.get(task.id);
      resolved.push(
        stands
          ? { model: standingModel(stands, configuration), dimensionErrors: [] }
          : await resolveModel(task, rows[b]!, configuration, {
              ...own,
              sizes: anchorNumbers(plans, task.scenarios),
              random: random.fork(task.id),
            }),
      );
    }
    if ([configuration.dims, configuration.link, configuration.shrinkage].includes("auto") || configuration.search > 0)
      clock.lap("choice of the model");
    const models = resolved.map(({ model }) => model);
    const linked = await trainFinalBanks(tasks, rows, models, {
      ...own,
      ...(options.standing && { standing: options.standing }),
      random,
      onStep: ({ share, value }) => report({ final: share / 2, loss: value }),
    });
    clock.lap("calibration");
    const forms = await drawFinalForms(tasks, linked, {
      models,
      selection: configuration.selection,
      forms: plans,
      random,
      ...(options.standing && { standing: options.standing }),
      ...(signal && { signal }),
      onBank: (done) => report({ final: 0.5 + done / tasks.length / 2 }),
    });
    clock.lap("choice of anchors");
    const maps = finalScoreMaps(tasks, linked, models, forms, plans, configuration, random.fork("score maps"));
    return { resolved, linked, forms, maps };
  };

  const [validation, { resolved, linked, forms, maps }] = threads
    ? await sideBySide(validate, finish, options.signal)
    : [await validate(options.signal), await finish(options.signal)];
  const banks = tasks.map((task, b): FittedBank => {
    const { model, dimensionErrors } = resolved[b]!;
    return {
      task,
      link: model.link,
      irtModel: model.irtModel,
      design: model.design && { ...model.design, ...model.searched! },
      shrinkage: model.shrinkage,
      trained: linked.banks[b]!,
      ...forms[b]!,
      maps: maps[b]!,
      factors: linked.factors[b]!,
      loadings: linked.common && linked.common.loadings[b]!,
      dimensionErrors,
      evidence: learnEvidence(task, rows[b]!, plans, validation[b]!, {
        lambda: configuration.lambda,
        estimator: headlineEstimator(configuration),
      }),
    };
  });
  report({ folds: 1, final: 1 });
  clock.lap("blends");
  return banks;
}

/** The model that an earlier version's items have. */
function standingModel(
  { dims, link }: StandingBank,
  { shrinkage, irtModel }: Pick<FitConfiguration, "shrinkage" | "irtModel">,
): ResolvedModel {
  const kept = shrinkage === "auto" ? DISCRIMINATION_SHRINKAGE : shrinkage; // of no use: no discrimination is learned
  return { dims, link, shrinkage: kept, irtModel, design: null, searched: null };
}

/** Score maps of every form, by bank. */
function finalScoreMaps(
  tasks: readonly BankTask[],
  linked: LinkedBanks,
  models: readonly ResolvedModel[],
  forms: readonly FinalForms[],
  plans: readonly FormPlan[],
  configuration: FitConfiguration,
  random: RandomSource,
): FittedBank["maps"][] {
  const kind = scoreMapKind(configuration);
  const maps = tasks.map(({ scenarios }) => scenarios.map(() => new Map<string, ScoreMaps>()));
  if (kind === "none") return maps;
  const priors = bankPriors(linked, configuration.priorScale);
  for (const { id } of plans) {
    const anchors = forms.map((own) => own.forms.map((byForm) => byForm.get(id)!));
    formScoreMaps(mappedBanks(tasks, linked, priors, models, anchors), kind, random).forEach((own, b) =>
      own.forEach((map, s) => maps[b]![s]!.set(id, map)),
    );
  }
  return maps;
}

interface BanksProgress {
  /** Share of the folds that are done. */
  readonly folds?: number;
  /** Share of the fit on all models that is done. */
  readonly final?: number;
  /** Of a calibration. @unit nats */
  readonly loss?: number | null;
}

/** Adds up what folds and the fit on all models report, each in its turn or both at once. A fold takes as long as it. */
function progressOf(
  tasks: readonly BankTask[],
  { configuration, onProgress }: FitBanksOptions,
): (news: BanksProgress) => void {
  const names = tasks.map(({ id }) => id).join(", ");
  const fits = configuration.folds + 1; // one from weak to strong
  const done = { folds: 0, final: 0 };
  return ({ folds = done.folds, final = done.final, loss = null }) => {
    Object.assign(done, { folds, final });
    const note = loss === null ? names : `${names}: loss ${Math.round(loss)} nats`;
    onProgress((done.folds * fits + done.final) / (fits + 1), note);
  };
}
