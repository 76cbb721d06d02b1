import { setImmediate as turn } from "node:timers/promises";
import { AnchorEvalError } from "anchoreval/internal/core/errors";
import { overallPlace } from "anchoreval/internal/core/estimators/blend-estimates";
import type { SeenModels, SeenScores } from "anchoreval/internal/core/estimators/types";
import type { RandomSource } from "anchoreval/internal/core/numeric/random";
import type { ModelEstimate } from "anchoreval/internal/core/scoring/scoring-model";
import { anchorInput } from "../anchors/anchor-method.ts";
import { dimsFor, fitBank, type FitBankOptions, type FixedBank, type ResponseModel } from "../calibrate/bank.ts";
import type { CalibrationStep } from "../calibrate/calibrate.ts";
import { type CalibrationWork, calibrationWork } from "../calibrate/calibration-work.ts";
import { chooseDimension, DIMENSION_CANDIDATES } from "../calibrate/choose-dimension.ts";
import { linkScenarios } from "../calibrate/linking.ts";
import { answeringModels, sourceScores, type Benchmark, type Scenario } from "../matrix/benchmark.ts";
import type { ResponseMatrix } from "../matrix/response-matrix.ts";
import type { DesignSearchOptions, Method } from "../methods/method.ts";
import type { FitSettings } from "../methods/settings.ts";
import { formDrawer, type Form, type LearnedScenario, type LearnedScenarios, type ModelChoice } from "./forms.ts";
import { prepareForms, type FormAnchors } from "./form-anchors.ts";
import { anchorNumbers, type FormPlan } from "./form-plans.ts";

/** Options of learning, beside the sources; a step's share is of all scenarios. */
interface LearnOptions extends Pick<FitBankOptions, "backend" | "calibrator" | "signal" | "onStep"> {
  /** A bundle is made of it, no fold: its anchors are worth more simulation. @default false */
  readonly final?: boolean;
  /** By scenario, items that keep parameters. */
  readonly fixed?: ReadonlyMap<string, FixedBank>;
}

/** All that was learned from the answers of some models, the sources; nothing else has been looked at. */
export interface Learned extends LearnedScenarios {
  /** Where a model stands among the sources by its mean over all scenarios; null where its answers can't be pooled. */
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
  const calibrated: Pick<LearnedScenario, "scenario" | "choice" | "trained">[] = [];
  for (const [s, scenario] of sources.scenarios.entries()) {
    const rows = answeringModels(scenario);
    const sizes = anchorNumbers(forms, scenario.id);
    const common = {
      ...tools,
      irtModel: settings.irtModel,
      estimation: settings.estimation,
      random: random.fork(scenario.id),
      ...(onStep && {
        onStep: (step: CalibrationStep) => onStep({ ...step, share: (s + step.share) / sources.scenarios.length }),
      }),
    };
    const stays = fixed?.get(scenario.id);
    const choice = stays
      ? { ...asAsked(settings, rows.length), dims: stays.dims }
      : await chosenModel(scenario, rows, method, { ...common, replicates: sources.replicates, sizes });
    const trained = await fitBank(scenario, rows, { ...common, ...choice, ...(stays && { fixed: stays }) });
    calibrated.push({ scenario, choice, trained });
  }
  const linked = linkScenarios(
    calibrated.map(({ trained }) => trained),
    random.fork("links"),
  );
  const learned = calibrated.map((scenario, s): LearnedScenario => ({
    ...scenario,
    factors: linked.factors[s]!,
    loadings: linked.common && linked.common.loadings[s]!,
  }));
  const prepared = new Map<string, FormAnchors>();
  for (const { scenario, trained, choice } of learned) {
    await turn(); // threads may wait for their next fold, or a signal to be heard
    if (tools.signal?.aborted) throw new AnchorEvalError("aborted", "the choice of anchors was stopped");
    const sizes = anchorNumbers(forms, scenario.id);
    const input = { sizes, random, final, knowledge: method.knowledge, design: choice.foundDesign?.design };
    prepared.set(scenario.id, await prepareForms(forms, method.anchors, anchorInput(scenario, trained, input)));
  }
  const { scenarios: seen, overall } = sourceScores(sources);
  const all = { scenarios: learned, linked, seen };
  return {
    ...all,
    place: (estimate) => overall && placeOf(estimate, sources, overall),
    draw: formDrawer(all, method, forms, prepared, random),
    notes: async () => {
      const notes: Record<string, Record<string, unknown>> = {};
      for (const [scenario, anchors] of prepared)
        for (const [key, value] of Object.entries(await anchors.notes()))
          notes[key] = { ...notes[key], [scenario]: value };
      return notes;
    },
  };
}

/**
 * The calibrations of learning from a matrix so often: one each, and one for each number of dimensions that is tried.
 * Marginal estimation asks no backend for any.
 * @param cores - that they use at most
 */
export function learningWork(
  matrix: Pick<ResponseMatrix, "subjects" | "items">,
  { settings: { dims, estimation } }: Pick<Method, "settings">,
  { times, cores }: { readonly times: number; readonly cores?: number },
): CalibrationWork {
  const tried = typeof dims === "number" ? [] : dims === "auto" ? DIMENSION_CANDIDATES : dims;
  const most = typeof dims === "number" ? dims : Math.max(...tried);
  return calibrationWork(matrix, {
    dims: dimsFor(most, matrix.subjects.length),
    calibrations: estimation === "marginal" ? 0 : times * (1 + tried.length),
    ...(cores !== undefined && { cores }),
  });
}

/** The response model as the settings have it, where nothing is left to the data. */
function asAsked({ dims, shrinkage, irtModel }: FitSettings, models: number): ModelChoice {
  return {
    dims: dimsFor(typeof dims === "number" ? dims : 1, models),
    shrinkage,
    irtModel,
    foundDesign: null,
    dimensionErrors: [],
  };
}

/** The response model, with what was left to the data chosen on the sources. */
async function chosenModel(
  scenario: Scenario,
  rows: readonly number[],
  { settings, designSearch, knowledge }: Method,
  options: ResponseModel &
    Pick<FitBankOptions, "backend" | "calibrator" | "signal" | "random"> &
    Pick<DesignSearchOptions, "replicates" | "sizes">,
): Promise<ModelChoice> {
  const asked = asAsked(settings, rows.length);
  let model = asked;
  if (typeof settings.dims !== "number")
    model = { ...asked, ...(await chooseDimension(scenario, rows, settings.dims, options)) };
  if (settings.search === 0 || designSearch === undefined) return model;
  const foundDesign = await designSearch.search(scenario, rows, {
    ...options,
    ...model,
    priorScale: settings.priorScale,
    budget: settings.search,
    knowledge,
    random: options.random.fork("design search"),
  });
  return { ...model, irtModel: foundDesign.irtModel, foundDesign };
}

/** A model's place by its pooled estimates in all scenarios; null where one failed. */
function placeOf(estimate: ModelEstimate, sources: Benchmark, seen: SeenScores): SeenModels["overall"] {
  if (!estimate.pooled) return null;
  const all = sources.scenarios.map(({ id }) => estimate.scenario(id, "pooled"));
  if (all.includes(null)) return null;
  const place = overallPlace(
    seen,
    all.map((score) => ({ ...score!, share: 1 / all.length })),
  );
  return Number.isFinite(place.score) ? place : null;
}
