import { setImmediate as turn } from "node:timers/promises";
import { AnchorEvalError, checkNames, type OptionNames } from "anchoreval/internal/core/errors";
import { createRandom } from "anchoreval/internal/core/numeric/random";
import { type MeanSquareFit, MeanSquares } from "anchoreval/internal/core/person-fit/statistics";
import { interruptible } from "../../../offline-trainer/src/backends/interruptible.ts";
import { calibratedModels, matrixScenarios, type Scenario } from "../../../offline-trainer/src/matrix/benchmark.ts";
import { dimsFor } from "../../../offline-trainer/src/calibrate/bank.ts";
import { calibrate } from "../../../offline-trainer/src/calibrate/calibrate.ts";
import type { CalibrationBackend } from "../../../offline-trainer/src/calibrate/types.ts";
import { binarizeResponses } from "../../../offline-trainer/src/matrix/code-responses.ts";
import { modelFamilies } from "../../../offline-trainer/src/matrix/families.ts";
import type { ResponseMatrix } from "../../../offline-trainer/src/matrix/response-matrix.ts";
import { sameTexts } from "../../../offline-trainer/src/matrix/same-text.ts";
import type { FitSettings } from "../../../offline-trainer/src/methods/settings.ts";
import type { ItemEvidence } from "./findings.ts";
import {
  abilityCovariances,
  fittedAnswers,
  generalAbility,
  generalLoading,
  generalSlope,
  itemAtFit,
  type ItemAtFit,
  ITEMS_AT_A_TIME,
  MOST_LEVERAGE,
  itemCovariance,
  itemLeverage,
  parameterPrecision,
} from "./fitted-answers.ts";
import { benjaminiHochberg, type ItemFitTest, residualGroupsTest, sX2 } from "./item-fit.ts";
import { abilityReliability, heldOutLikelihood, itemStatistics, scoreReliability } from "./item-statistics.ts";
import { keyAudit, type KeyPosterior } from "./key-audit.ts";
import { answerLikeness, itemCopies, type ItemCopy, nearCopies, sharedPairWork, textPairs } from "./near-copies.ts";

/** Settings of an audit. */
export interface AuditOptions {
  /** Its weighting. */
  readonly configuration: Pick<FitSettings, "weighting">;
  /** Latent dimensions at most; few models get fewer. */
  readonly dims: number;
  readonly seed: number;
  readonly backend: CalibrationBackend;
  /** Share of the answers that are held out for the likelihood; 0 for none. */
  readonly heldOut: number;
  /** Family by model. @default by the models' names */
  readonly families?: ReadonlyMap<string, string>;
  readonly signal?: AbortSignal;
  readonly onProgress?: (done: number, of: number, note: string) => void;
}

const AUDIT_OPTIONS: OptionNames<AuditOptions> = {
  configuration: true,
  dims: "number",
  seed: "number",
  backend: true,
  heldOut: "number",
  families: true,
  signal: true,
  onProgress: true,
};

/** The diagnosis of a whole leaderboard. Items are columns of the matrix. */
export interface Audit {
  readonly matrix: ResponseMatrix;
  /** In the matrix's order, each with the column of its first item. */
  readonly scenarios: readonly { readonly begin: number; readonly audit: ScenarioAudit }[];
  /** q-values of the items' tests over all items; NaN where there was no test. */
  readonly q: { readonly residualGroups: Float64Array; readonly sX2: Float64Array };
  /** Pairs of items of which one may be enough, the most certain first. */
  readonly copies: readonly ItemCopy[];
  /** Different families among the models. */
  readonly families: number;
}

/** Multiplications and additions spent on pairs of items: about ten seconds. */
const PAIR_WORK = 2e10;

/**
 * Audits every item and model of a leaderboard.
 * @param matrix - columns grouped by scenario and subscenario
 * @throws AnchorEvalError `invalid_data` for fewer than five models, `aborted`
 */
export async function auditLeaderboard(matrix: ResponseMatrix, options: AuditOptions): Promise<Audit> {
  checkNames(options, AUDIT_OPTIONS);
  const families = modelFamilies(matrix, options.families);
  const texts = textPairs(sameTexts(matrix.items));
  const scenarios = matrixScenarios(matrix, options.configuration);
  const work = sharedPairWork(scenarios, PAIR_WORK);
  const audits: { begin: number; audit: ScenarioAudit }[] = [];
  let begin = 0;
  for (const [index, scenario] of scenarios.entries()) {
    const end = begin + scenario.count;
    const pairs = texts.filter(({ items: [one, other] }) => one >= begin && other < end);
    const audit = await auditScenario(
      scenario,
      {
        families,
        pairWork: work[index]!,
        pairs: pairs.map(({ items: [one, other] }) => [one - begin, other - begin]),
        next: (done, step) => options.onProgress?.(index + done, scenarios.length, `${scenario.id}: ${step}`),
      },
      options,
    );
    audits.push({ begin, audit });
    begin = end;
  }
  const items = audits.flatMap(({ audit }) => audit.items);
  return {
    matrix,
    scenarios: audits,
    q: {
      residualGroups: benjaminiHochberg(items.map(({ residualGroups }) => residualGroups?.p ?? NaN)),
      sX2: benjaminiHochberg(items.map(({ sX2 }) => sX2?.p ?? NaN)),
    },
    copies: itemCopies(texts, audits),
    families: new Set(families).size,
  };
}

/** All statistics of one item. */
export interface ItemAudit extends ItemEvidence {
  /** Column of the scenario's matrix. */
  readonly item: number;
  /** Discriminations, D of them, and the intercept, with their standard errors. */
  readonly a: Float64Array;
  readonly b: number;
  readonly aErrors: Float64Array;
  readonly bError: number;
  /** Slope on the general ability of its scenario. */
  readonly general: ReturnType<typeof generalSlope>;
  readonly meanSquares: MeanSquareFit;
  readonly residualGroups: ItemFitTest | null;
  readonly sX2: ItemFitTest | null;
  readonly key: KeyPosterior;
}

/** The diagnosis of one scenario's calibration. */
export type ScenarioAudit = Awaited<ReturnType<typeof auditScenario>>;

/** A scenario's part in the audit of a leaderboard. */
interface AuditPart {
  /** Family of every row of the matrix, numbered from 0. */
  readonly families: Int32Array;
  /** Most multiplications and additions of the comparison of all pairs of items. */
  readonly pairWork: number;
  /** Pairs of columns whose likeness is computed whatever it is. */
  readonly pairs: readonly (readonly [number, number])[];
  /** Called with the share done. */
  readonly next: (done: number, step: string) => void;
}

/** Calibrates a scenario on binarised answers, as `fit` does, and diagnoses it. @throws AnchorEvalError `aborted` */
async function auditScenario(scenario: Scenario, part: AuditPart, options: AuditOptions) {
  const { signal } = options;
  const { id, matrix, count } = scenario;
  const pause = async (): Promise<void> => {
    await turn();
    if (signal?.aborted) throw new AnchorEvalError("aborted", "the audit was stopped; nothing was written");
  };
  const rows = calibratedModels(scenario);
  const dims = dimsFor(options.dims, rows.length);
  const shared = { dims, backend: interruptible(options.backend), signal };
  const random = createRandom(options.seed).fork(id);

  part.next(0, "calibration");
  const { threshold, responses: coded } = binarizeResponses(matrix, rows);
  const calibration = await calibrate(coded, { ...shared, random: random.fork("calibration") });

  part.next(0.25, "held-out answers");
  const held = { ...shared, random: random.fork("held-out answers"), share: options.heldOut };
  const heldOut = options.heldOut === 0 ? null : await heldOutLikelihood(coded, held);

  part.next(0.5, "item fit");
  const answers = fittedAnswers(coded, calibration);
  const families = Int32Array.from(rows, (m) => part.families[m]!);
  const covariances = abilityCovariances(answers);
  await pause();
  const precision = parameterPrecision(answers, calibration.scales);
  const scoreTests = sX2(answers, abilityMoments(calibration.theta, covariances));
  const people = rows.map(() => new MeanSquares());
  const items: ItemAudit[] = [];
  await pause();
  const general = generalAbility(answers, scenario);
  const loading = generalLoading(answers, general);
  const statistics = itemStatistics(matrix, scenario);
  const columns = Array.from({ length: count }, (_, i) => i);
  const keys = keyAudit(answers, columns, general, families);
  let at: ItemAtFit | undefined;
  for (const item of columns) {
    if (item % ITEMS_AT_A_TIME === 0) await pause();
    at = itemAtFit(answers, item, covariances, at);
    const covariance = itemCovariance(answers, at, precision);
    const errors = Float64Array.from({ length: dims + 1 }, (_, d) => Math.sqrt(covariance[d * (dims + 2)]!));
    items.push({
      item,
      statistics: statistics[item]!,
      a: calibration.a.slice(item * dims, (item + 1) * dims),
      b: calibration.b[item]!,
      aErrors: errors.subarray(0, dims),
      bError: errors[dims]!,
      general: generalSlope(answers, item, loading, covariance),
      meanSquares: meanSquares(at, itemLeverage(answers, at, covariance), people),
      residualGroups: residualGroupsTest(answers, at),
      sX2: scoreTests?.[item] ?? null,
      key: keys[item]!,
    });
  }

  part.next(0.75, "pairs of items");
  await pause();
  const copies = nearCopies(answers, families, part.pairWork);
  await pause();
  return {
    id,
    models: rows.map((m, k) => ({ name: matrix.subjects[m]!, meanSquares: people[k]!.fit })),
    calibration,
    /** Of every dimension. */
    reliability: abilityReliability(answers, covariances),
    /** Null where it wasn't requested. */
    heldOut,
    /** Scores above it were taken as right; null where all are 0 or 1. */
    threshold,
    scoreReliability: scoreReliability(answers, matrix, rows, scenario, threshold === null),
    items,
    copies,
    likeness: part.pairs.map(([one, other]) => answerLikeness(answers, one, other, families)),
  };
}

/** Mean squares of an item, its answers added to those of the models. @param itemShare - the item's leverage */
function meanSquares({ signs, p, leverage }: ItemAtFit, itemShare: Float64Array, people: MeanSquares[]): MeanSquareFit {
  const item = new MeanSquares();
  signs.forEach((sign, m) => {
    if (sign === 0) return;
    const all = Math.min(MOST_LEVERAGE, leverage[m]! + itemShare[m]!);
    item.add(Number(sign > 0), p[m]!, all);
    people[m]!.add(Number(sign > 0), p[m]!, all);
  });
  return item.fit;
}

/** Mean and variance of a single dimension's ability: between models, plus the uncertainty of each. */
function abilityMoments(theta: Float64Array, covariances: Float64Array): { mean: number; variance: number } {
  const models = theta.length;
  const mean = theta.reduce((sum, ability) => sum + ability / models, 0);
  const between = theta.reduce((sum, ability) => sum + (ability - mean) ** 2 / models, 0);
  return { mean, variance: between + covariances.reduce((sum, covariance) => sum + covariance / models, 0) };
}
