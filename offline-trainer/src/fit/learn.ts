import { setImmediate as turn } from "node:timers/promises";
import { AnchorEvalError } from "anchoreval/internal/core/errors";
import { overallPlace } from "anchoreval/internal/core/estimators/blend-estimates";
import type { SeenModels, SeenScores } from "anchoreval/internal/core/estimators/types";
import type { RandomSource } from "anchoreval/internal/core/numeric/random";
import type { ModelEstimate } from "anchoreval/internal/core/scoring/scoring-model";
import { anchorInputs } from "../anchors/anchor-method.ts";
import { dimsFor, fitBank, type FitBankOptions, type FixedBank, type ResponseModel } from "../calibrate/bank.ts";
import type { CalibrationStep } from "../calibrate/calibrate.ts";
import { linkBanks } from "../calibrate/linking.ts";
import { answeringModels, scenariosOf, sourceScores, type Benchmark, type ScenarioGroup } from "../matrix/benchmark.ts";
import type { Method } from "../methods/method.ts";
import type { FitSettings } from "../methods/settings.ts";
import { formDrawer, type BankChoice, type Form, type LearnedGroup, type LearnedGroups } from "./forms.ts";
import { prepareForms, type FormAnchors } from "./form-anchors.ts";
import { anchorNumbers, type FormPlan } from "./form-plans.ts";

/** Options of learning, beside the sources; a step's share is of all groups. */
interface LearnOptions extends Pick<FitBankOptions, "backend" | "calibrator" | "signal" | "onStep"> {
  /** A bundle is made of it, no fold: its anchors are worth more simulation. @default false */
  readonly final?: boolean;
  /** Groups whose items keep parameters. */
  readonly fixed?: ReadonlyMap<string, FixedBank>;
}

/** All that was learned from the answers of some models, the sources; nothing else has been looked at. */
export interface Learned extends LearnedGroups {
  /** Where a model stands among the sources by its mean over all scenarios; null where its answers can't be read jointly. */
  readonly place: (estimate: ModelEstimate) => SeenModels["overall"];
  /** Draws all forms; the first draw is the one that a bundle is made with. */
  readonly draw: (k: number) => Promise<readonly Form[]>;
  /** Notes on the choice of anchors for the manifest's `fit`: by key and scenario. */
  readonly notes: () => Promise<Readonly<Record<string, Readonly<Record<string, unknown>>>>>;
}

/**
 * Learns from some models all that estimates others: dimensions where they are left to the data, calibration,
 * linking, and the choice of anchors.
 * @param sources - the benchmark with their answers and no other's
 * @throws AnchorEvalError `aborted`, and what calibration throws
 */
export async function learn(
  sources: Benchmark,
  method: Method,
  forms: readonly FormPlan[],
  random: RandomSource,
  options: LearnOptions,
): Promise<Learned> {
  const { settings } = method;
  const { onStep, fixed, final = false, ...tools } = options;
  const groups: Pick<LearnedGroup, "group" | "choice" | "bank">[] = [];
  for (const [g, group] of sources.groups.entries()) {
    const rows = answeringModels(group);
    const own = {
      ...tools,
      irtModel: settings.irtModel,
      estimation: settings.estimation,
      random: random.fork(group.id),
      ...(onStep && {
        onStep: (step: CalibrationStep) => onStep({ ...step, share: (g + step.share) / sources.groups.length }),
      }),
    };
    const stays = fixed?.get(group.id);
    const choice = stays
      ? { ...asAsked(settings, rows.length), dims: stays.dims }
      : await chosenModel(group, rows, method, sources.replicates, anchorNumbers(forms, group.scenarios), own);
    const bank = await fitBank(group, rows, { ...own, ...choice, ...(stays && { fixed: stays }) });
    groups.push({ group, choice, bank });
  }
  const banks = groups.map(({ bank }) => bank);
  const linked = linkBanks(banks, random.fork("links"));
  const learned = groups.map((own, g): LearnedGroup => ({
    ...own,
    factors: linked.factors[g]!,
    loadings: linked.common && linked.common.loadings[g]!,
  }));
  const prepared = new Map<string, FormAnchors>();
  for (const own of learned) {
    await turn(); // threads may wait for their next fold, or a signal to be heard
    if (tools.signal?.aborted) throw new AnchorEvalError("aborted", "the choice of anchors was stopped");
    const sizes = anchorNumbers(forms, own.group.scenarios);
    const common = { sizes, random, final, knowledge: method.knowledge, design: own.choice.found?.design };
    for (const input of anchorInputs(own.group, own.bank, common))
      prepared.set(input.scenario, await prepareForms(forms, method.anchors, input));
  }
  const { scenarios, overall } = sourceScores(sources);
  const known = { groups: learned, linked, seen: scenarios };
  return {
    ...known,
    place: (estimate) => overall && placeOf(estimate, sources, overall),
    draw: formDrawer(known, method, forms, prepared, random),
    notes: async () => {
      const notes: Record<string, Record<string, unknown>> = {};
      for (const [scenario, own] of prepared)
        for (const [key, value] of Object.entries(await own.notes())) notes[key] = { ...notes[key], [scenario]: value };
      return notes;
    },
  };
}

/** The response model as the settings have it, where nothing is left to the data. */
function asAsked({ dims, shrinkage, irtModel }: FitSettings, models: number): BankChoice {
  return {
    dims: dimsFor(dims === "auto" ? 1 : dims, models),
    shrinkage,
    irtModel,
    found: null,
    dimensionErrors: [],
  };
}

/** The response model, with what was left to the data chosen on the sources. */
async function chosenModel(
  group: ScenarioGroup,
  rows: readonly number[],
  { settings, designSearch, knowledge }: Method,
  replicates: ArrayLike<number>,
  sizes: readonly number[],
  options: ResponseModel & Pick<FitBankOptions, "backend" | "calibrator" | "signal" | "random">,
): Promise<BankChoice> {
  const asked = asAsked(settings, rows.length);
  let model = asked;
  if (settings.dims === "auto") {
    const { chooseDimension } = await import("../calibrate/choose-dimension.ts");
    model = { ...asked, ...(await chooseDimension(group, rows, { ...options, replicates })) };
  }
  if (settings.search === 0 || designSearch === undefined) return model;
  const found = await designSearch.search(group, rows, {
    ...options,
    ...model,
    replicates,
    sizes,
    priorScale: settings.priorScale,
    budget: settings.search,
    knowledge,
    random: options.random.fork("design search"),
  });
  return { ...model, irtModel: found.irtModel, found };
}

/** A model's place by its joint estimates in all scenarios; null where one failed. */
function placeOf(estimate: ModelEstimate, sources: Benchmark, seen: SeenScores): SeenModels["overall"] {
  if (!estimate.joint) return null;
  const all = scenariosOf(sources).map(({ id }) => estimate.scenario(id, "joint"));
  if (all.includes(null)) return null;
  const place = overallPlace(
    seen,
    all.map((own) => ({ ...own!, share: 1 / all.length })),
  );
  return Number.isFinite(place.score) ? place : null;
}
