import type { AnchorRecord, BundleContent, ScenarioContent } from "anchoreval/bundle";
import type {
  FormManifest,
  FormScenarioManifest,
  MapManifest,
  MeasuredBlend,
  MeasuredErrors,
  ItemRecord,
} from "anchoreval/internal/core/bundle/manifest";
import { FORMAT_VERSION, FULL_SCORE_PARAMETERIZATION } from "anchoreval/internal/core/bundle/names";
import { anchorFactors } from "anchoreval/internal/core/estimators/factor-scores";
import type { AdditiveMap } from "anchoreval/internal/core/estimators/score-maps";
import { BASE_ESTIMATORS, type AnchorSet, type SeenScores } from "anchoreval/internal/core/estimators/types";
import { PARAMETERIZATION } from "anchoreval/internal/core/irt/item-bank";
import { createRandom } from "anchoreval/internal/core/numeric/random";
import { answerFactors, askedItems, sourceAnswers } from "../calibrate/factors.ts";
import { fullScoreLine } from "../calibrate/full-score-line.ts";
import { overallScores, scoresSeen } from "../matrix/benchmark.ts";
import type { ItemInfo } from "../matrix/response-matrix.ts";
import { headlineEstimator, intervalKind, type Method } from "../methods/method.ts";
import { fullScores } from "../matrix/scenarios.ts";
import { GRADED_LINK, notedSettings } from "../methods/settings.ts";
import type { LearnedBlend } from "./blends.ts";
import { measureErrors, randomErrors, type MeasureInput } from "./errors.ts";
import { anchorsIn, type FormPlan } from "./form-plans.ts";
import { rounded } from "./held-out-scores.ts";
import type { FitOptions, FittedPart } from "./options.ts";
import { measureOverall } from "./overall.ts";
import { pairFigures } from "./pair-figures.ts";
import { patternThresholds } from "./pattern-thresholds.ts";

/** One scenario with all that a bundle says of it. */
type FittedScenario = ReturnType<typeof fittedScenarios>[0];

/** All that a bundle is encoded from, but for the report. */
export async function bundleContent(
  parts: readonly FittedPart[],
  method: Method,
  plans: readonly FormPlan[],
  options: FitOptions,
): Promise<BundleContent> {
  const { settings } = method;
  const { seed, backend } = options;
  const scenarios = parts.flatMap(fittedScenarios);
  const byScenario = <Value>(value: (fitted: FittedScenario) => Value): Record<string, Value> =>
    Object.fromEntries(scenarios.map((fitted) => [fitted.scenario.id, value(fitted)]));
  const notes = await Promise.all(parts.map(({ learned }) => learned.notes()));
  const { models } = parts[0]!.benchmark;
  const manifest: BundleContent["manifest"] = {
    formatVersion: FORMAT_VERSION,
    benchmark: options.benchmark,
    version: options.version,
    benchmarkVersion: options.benchmarkVersion ?? null,
    created: options.created,
    description: options.description ?? null,
    parameterization: scenarios[0]!.scenario.matrix.fullScores ? FULL_SCORE_PARAMETERIZATION : PARAMETERIZATION,
    weighting: settings.weighting,
    banks: scenarios.map(({ scenario, trained, choice, loadings }) => ({
      id: scenario.id,
      scenarios: [scenario.id],
      irtModel: choice.irtModel,
      dims: trained.bank.dims,
      prior: {
        mean: Array.from(trained.abilities.mean),
        covariance: Array.from(trained.abilities.covariance),
        scale: settings.priorScale,
        ...(loadings && { loadings: Array.from(loadings) }),
      },
    })),
    scenarios: scenarios.map(({ scenario, trained: { threshold, scoreMap } }) => ({
      id: scenario.id,
      weight: 1,
      items: scenario.count,
      subscenarios: scenario.subscenarios,
      threshold,
      scoreMap: scoreMap && { x: Array.from(scoreMap.x), y: Array.from(scoreMap.y) },
      ...(scenario.matrix.fullScores && { fullScore: fullScoreLine(scenario.matrix, scenario)! }),
    })),
    forms: formManifests(parts, scenarios, method, plans, seed),
    defaultForm: defaultForm(plans),
    sources: { models: models.length, names: options.includeModelNames ? models : null, note: null },
    protocol: options.protocol ?? {},
    fit: {
      ...notedSettings(settings),
      seed,
      ...(options.provenance && { provenance: options.provenance }),
      backend: backend.name,
      precision: backend.precision,
      links: byScenario(() => GRADED_LINK),
      shrinkages: byScenario(({ choice }) => choice.shrinkage),
      dimensionErrors: Object.fromEntries(
        scenarios.flatMap(({ scenario, choice: { dimensionErrors } }) =>
          dimensionErrors.length > 0 ? [[scenario.id, dimensionErrors]] : [],
        ),
      ),
      ...(settings.search > 0 && {
        designs: byScenario(({ choice: { irtModel, foundDesign } }) => ({ irtModel, ...foundDesign?.notes })),
      }),
      ...joined(notes),
      calibration: byScenario(({ trained: { calibration } }) => ({
        converged: calibration.converged,
        evaluations: calibration.evaluations,
        gradientNorm: rounded(calibration.gradientNorm),
        value: rounded(calibration.value),
      })),
    },
    data: { licence: options.licence ?? null, source: options.source ?? null },
  };
  return { manifest, scenarios: scenarios.map((scenario) => scenarioContent(scenario, options.includeText ?? false)) };
}

function fittedScenarios({ benchmark, learned, forms, blends }: FittedPart) {
  return learned.scenarios.map(({ scenario: sources, ...fitted }, s) => ({
    ...fitted,
    /** With the answers of the source models. */
    sources,
    /** With those of all models. */
    scenario: benchmark.scenarios[s]!,
    forms: new Map(forms.map((form) => [form.id, form.scenarios.get(sources.id)!])),
    blends: blends.get(sources.id)!,
  }));
}

/** Notes of all parts: by key, then by scenario. */
function joined(notes: readonly Readonly<Record<string, object>>[]): Record<string, object> {
  const all: Record<string, object> = {};
  for (const note of notes) for (const [key, value] of Object.entries(note)) all[key] = { ...all[key], ...value };
  return all;
}

/** A scenario's arrays and records. */
function scenarioContent(
  { scenario, sources, trained, factors, forms }: FittedScenario,
  includeText: boolean,
): ScenarioContent {
  const { items } = scenario.matrix;
  const sets = new Map(Array.from(forms, ([id, { anchors }]) => [id, anchors]));
  const maps = Array.from(forms).flatMap(([id, form]) => (form.maps ? [[id, form.maps] as const] : []));
  const asked = askedItems(sets.values());
  const ascending = asked.map((_, row) => row).sort((x, y) => asked[x]! - asked[y]!);
  const ofAnswers = answerFactors(sourceAnswers(sources.matrix, trained.rows, trained), asked);
  return {
    bank: trained.bank,
    sourceScores: fullScores(scenario.matrix, scenario).score.filter((score) => !Number.isNaN(score)),
    forms: sets,
    ...(maps.length > 0 && { maps: new Map(maps) }),
    factors: anchorFactors(factors, asked.toSorted()),
    answerFactors: anchorFactors(ofAnswers, ascending),
    anchors: anchorRecords(items, sets, includeText),
    items: items.map(itemRecord),
  };
}

/** A bundle's forms: the estimator of each, λ, and the errors on models that were held out. */
function formManifests(
  parts: readonly FittedPart[],
  scenarios: readonly FittedScenario[],
  method: Method,
  plans: readonly FormPlan[],
  seed: number,
): Omit<FormManifest, "digest">[] {
  const [estimator, interval] = [headlineEstimator(method), intervalKind(method)];
  const common = { estimator, interval, random: createRandom(seed).fork("measured errors") };
  const measuredBlend = (
    form: Pick<MeasureInput, "scenario" | "n" | "random">,
    randomOf: ReturnType<typeof randomErrors>,
    { served, foldOut, validation }: LearnedBlend,
  ): MeasuredBlend => ({
    lambda: rounded(served.lambda),
    stack: Object.fromEntries(BASE_ESTIMATORS.map((id) => [id, rounded(served.stack[id])])) as typeof served.stack,
    rmse: rounded(served.rmse),
    overallRmse: served.overallRmse === null ? null : rounded(served.overallRmse),
    tightening: { inside: rounded(served.tightening.inside), outside: rounded(served.tightening.outside) },
    recalibration: rounded(served.recalibration ?? 1),
    measured: measureErrors({ ...common, ...form, blend: foldOut, ...validation }, randomOf),
  });
  const seen = overallSeen(parts);
  const pairsOf = (form: string) => {
    const [part, ...others] = parts;
    const isMeasured = estimator === "gate" && interval === "design" && others.length === 0;
    return isMeasured ? pairFigures(part!.benchmark, part!.blends, form, common.random.fork("pairs")) : null;
  };
  return plans.map((plan): Omit<FormManifest, "digest"> => {
    const described = scenarios.map((fitted): [string, FormScenarioManifest] => {
      const { scenario, forms, blends } = fitted;
      const { anchors, maps } = forms.get(plan.id)!;
      const { separate, pooled } = blends.get(plan.id)!;
      const items = anchors.items.length;
      const form = { scenario, n: anchorsIn(plan, scenario.id), random: common.random };
      const randomOf = randomErrors(form);
      return [
        scenario.id,
        {
          items,
          whole: items === scenario.count && !scenario.matrix.fullScores,
          ...measuredBlend(form, randomOf, separate),
          together: pooled && measuredBlend(form, randomOf, pooled),
          pattern: patternThresholds(separate.validation.interpolation, separate.validation.extrapolation),
          ...(maps && {
            map: { alone: mapManifest(maps.alone), together: maps.together && mapManifest(maps.together) },
          }),
        },
      ];
    });
    const randomOf = (split: keyof MeasuredErrors) =>
      described.map(([, { measured }]) => measured[split]?.randomMae ?? 0);
    const randomMae = { interpolation: randomOf("interpolation"), extrapolation: randomOf("extrapolation") };
    const blends = parts.map((part) => part.blends);
    const differences = pairsOf(plan.id);
    return {
      id: plan.id,
      selection: plan.way?.name ?? method.anchors.name,
      estimator,
      interval,
      ...(plan.disjointFrom !== undefined && { disjointFrom: plan.disjointFrom }),
      scenarios: Object.fromEntries(described),
      overall: scenarios.length > 1 ? measureOverall(blends, plan.id, estimator, randomMae, seen) : null,
      ...(differences && { pairs: differences }),
    };
  });
}

/** The inputs of a score map; its curves are tensors. */
function mapManifest({ intercept, terms }: AdditiveMap): MapManifest {
  return { intercept, terms: terms.map(({ feature, scenario }) => ({ feature, scenario })) };
}

/** The range of the source models' overall scores; null where scenarios aren't pooled. */
function overallSeen(parts: readonly FittedPart[]): SeenScores | null {
  if (parts.some(({ learned }) => learned.linked.common === null)) return null;
  const scores = parts.flatMap(({ benchmark: { scenarios } }) =>
    scenarios.map((scenario) => fullScores(scenario.matrix, scenario).score),
  );
  const { worst, best } = scoresSeen(overallScores(scores));
  return { worst: rounded(worst), best: rounded(best) };
}

/** The form that is asked by default: the largest of at most 100 anchors a scenario, else the smallest. */
function defaultForm(forms: readonly FormPlan[]): string {
  const first = forms.filter(({ disjointFrom, way }) => disjointFrom === undefined && way === undefined);
  return (first.filter(({ anchors }) => Math.max(...anchors.values()) <= 100).at(-1) ?? first[0]!).id;
}

export function itemRecord({ item_id, scenario, subscenario, hash }: ItemInfo): ItemRecord {
  return { item_id, scenario, ...(subscenario !== undefined && { subscenario }), ...(hash !== undefined && { hash }) };
}

/** Anchors in the order in which they are asked: the smallest form's first, so that nested forms are prefixes. */
function anchorRecords(
  items: readonly ItemInfo[],
  sets: ReadonlyMap<string, AnchorSet>,
  includeText: boolean,
): AnchorRecord[] {
  const members = new Map<number, string[]>();
  for (const [form, set] of sets)
    for (const index of set.items.toSorted()) members.set(index, [...(members.get(index) ?? []), form]);
  return Array.from(members, ([index, forms]) => {
    const item = items[index]!;
    const { task, doc_id: docId, text } = item;
    return {
      ...itemRecord(item),
      index,
      ...(task !== undefined && { task }),
      ...(docId !== undefined && { doc_id: docId }),
      ...(includeText && text !== undefined && { text }),
      forms,
    };
  });
}
