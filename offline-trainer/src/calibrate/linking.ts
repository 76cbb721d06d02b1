import { higherOrderPrior, scaledPrior } from "anchoreval/internal/core/ability/prior";
import { cholesky, choleskyInverse, choleskySolve } from "anchoreval/internal/core/numeric/dense";
import type { RandomSource } from "anchoreval/internal/core/numeric/random";
import { scoreFactors } from "./factors.ts";
import { symmetricEigen } from "../numeric/eigen.ts";
import { columnLength } from "../numeric/principal-axes.ts";
import { denseRows, timesDense } from "../numeric/sparse-rows.ts";
import type { CalibratedScenario } from "./bank.ts";

/** General abilities at most: more tell no more of one scenario from another (docs/decisions/calibration.md). */
const MOST_GENERAL = 8;
/**
 * Models that answered in every scenario for each general ability: fewer tell nothing of what goes together
 * (docs/decisions/calibration.md).
 */
const MODELS_EACH = 5;
/** Rounds of orthogonal iteration for a start. Chosen, not measured. */
const START_ROUNDS = 20;
/** Rounds of EM after it. Chosen, not measured. */
const EM_ROUNDS = 40;
/**
 * Least share of an ability's variance that stays its scenario's own. Keeps it from being singular; chosen, not
 * measured.
 */
const LEAST_SPECIFIC = 0.05;

/** One scenario's abilities, of the same models as the others'. */
export interface ScenarioAbilities {
  readonly dims: number;
  /** M×D row-major. */
  readonly theta: Float64Array;
  /** Their covariance as the prior has it, D×D. */
  readonly covariance: Float64Array;
}

/**
 * Loadings of the scenarios' abilities on general ones, θ_s = μ_s + L_s·g + ε_s with ε independent between scenarios: a
 * factor analysis whose uniquenesses are the scenarios' blocks, by maximum likelihood (EM) on the models that answered in all.
 * Abilities are whitened by each scenario's covariance first, so that every one counts by its dimensions alone.
 * @returns null for one scenario, or where fewer than five models are in all of them
 * @see Rubin & Thayer (1982), Psychometrika 47, 69–76; de la Torre & Song (2009), Applied Psychological Measurement 33, 620–639
 */
export function generalAbilities(scenarios: readonly ScenarioAbilities[], random: RandomSource) {
  const models = scenarios[0]!.theta.length / scenarios[0]!.dims;
  if (scenarios.length < 2 || models < MODELS_EACH) return null;
  const size = scenarios.reduce((sum, { dims }) => sum + dims, 0);
  const general = Math.min(MOST_GENERAL, Math.floor(models / MODELS_EACH), size);
  const roots = scenarios.map(({ covariance, dims }) => cholesky(covariance, dims)!); // a prior's covariance is definite
  let end = 0;
  const blocks = scenarios.map(({ dims }): Block => ({ begin: (end += dims) - dims, dims }));
  const data = new Float64Array(models * size);
  scenarios.forEach(({ dims, theta }, s) => {
    const mean = new Float64Array(dims);
    theta.forEach((value, k) => (mean[k % dims]! += value / models));
    for (let m = 0; m < models; m++)
      for (let r = 0; r < dims; r++) {
        const at = m * size + blocks[s]!.begin;
        let value = theta[m * dims + r]! - mean[r]!;
        for (let c = 0; c < r; c++) value -= roots[s]![r * dims + c]! * data[at + c]!;
        data[at + r] = value / roots[s]![r * dims + r]!;
      }
  });
  const whitened = { data, models, size };
  let loadings = principal(whitened, general, random);
  for (let round = 0; round < EM_ROUNDS; round++) loadings = emStep(whitened, general, loadings, blocks);
  return {
    general,
    /** L of every scenario, D×G row-major, with Σ − LLᵀ positive definite. */
    loadings: blocks.map((block, s) =>
      timesDense(denseRows(roots[s]!, block.dims, block.dims), bounded(loadings, block, general), general),
    ),
  };
}

/** Whitened abilities of all scenarios, models × size row-major. */
interface Whitened {
  readonly data: Float64Array;
  readonly models: number;
  readonly size: number;
}

interface Block {
  readonly begin: number;
  readonly dims: number;
}

/** Leading principal components of the rows, times half of their standard deviations: where EM starts. */
function principal({ data, models, size }: Whitened, general: number, random: RandomSource): Float64Array {
  let basis = Float64Array.from({ length: size * general }, () => random.normal());
  for (let round = 0; round < START_ROUNDS; round++) {
    orthonormalise(basis, size, general);
    const next = new Float64Array(size * general);
    for (let m = 0; m < models; m++)
      for (let k = 0; k < general; k++) {
        let score = 0;
        for (let r = 0; r < size; r++) score += data[m * size + r]! * basis[r * general + k]!;
        for (let r = 0; r < size; r++) next[r * general + k]! += (score * data[m * size + r]!) / models;
      }
    basis = next;
  }
  // The iteration ends with Cv = λv by column: v·√λ/2 from it.
  for (let k = 0; k < general; k++) {
    const root = Math.sqrt(columnLength(basis, size, general, k));
    for (let r = 0; r < size; r++) basis[r * general + k] = root > 0 ? basis[r * general + k]! / root / 2 : 0;
  }
  return basis;
}

/** Gram–Schmidt on the columns. */
function orthonormalise(basis: Float64Array, size: number, columns: number): void {
  for (let k = 0; k < columns; k++) {
    for (let j = 0; j < k; j++) {
      let dot = 0;
      for (let r = 0; r < size; r++) dot += basis[r * columns + k]! * basis[r * columns + j]!;
      for (let r = 0; r < size; r++) basis[r * columns + k] = basis[r * columns + k]! - dot * basis[r * columns + j]!;
    }
    const norm = columnLength(basis, size, columns, k);
    for (let r = 0; r < size; r++) basis[r * columns + k] = norm > 1e-12 ? basis[r * columns + k]! / norm : 0;
  }
}

/** One round of EM with Ψ_s = I − L_sL_sᵀ kept away from singular, as the prior will have it. */
function emStep(
  { data, models, size }: Whitened,
  general: number,
  loadings: Float64Array,
  blocks: readonly Block[],
): Float64Array {
  // Ψ⁻¹L by block, and A = I + LᵀΨ⁻¹L.
  const weighted = new Float64Array(size * general);
  const inner = new Float64Array(general * general);
  for (let k = 0; k < general; k++) inner[k * general + k] = 1;
  for (const block of blocks) {
    const { begin, dims } = block;
    const blockLoadings = bounded(loadings, block, general);
    const specific = new Float64Array(dims * dims);
    for (let r = 0; r < dims; r++)
      for (let c = 0; c < dims; c++) {
        let value = r === c ? 1 : 0;
        for (let k = 0; k < general; k++) value -= blockLoadings[r * general + k]! * blockLoadings[c * general + k]!;
        specific[r * dims + c] = value;
      }
    const factor = cholesky(specific, dims)!; // bounded away from singular
    for (let k = 0; k < general; k++) {
      const column = choleskySolve(
        factor,
        dims,
        Float64Array.from({ length: dims }, (_, r) => blockLoadings[r * general + k]!),
      );
      for (let r = 0; r < dims; r++) weighted[(begin + r) * general + k] = column[r]!;
      for (let j = 0; j < general; j++)
        for (let r = 0; r < dims; r++) inner[j * general + k]! += blockLoadings[r * general + j]! * column[r]!;
    }
  }
  const inverse = choleskyInverse(cholesky(inner, general)!, general);
  const cross = new Float64Array(size * general);
  const second = inverse.slice();
  const projected = timesDense(denseRows(data, models, size), weighted, general);
  const score = new Float64Array(general);
  for (let m = 0; m < models; m++) {
    for (let j = 0; j < general; j++) {
      score[j] = 0;
      for (let k = 0; k < general; k++) score[j]! += inverse[j * general + k]! * projected[m * general + k]!;
    }
    for (let j = 0; j < general; j++)
      for (let k = 0; k < general; k++) second[j * general + k]! += (score[j]! * score[k]!) / models;
    for (let r = 0; r < size; r++)
      for (let k = 0; k < general; k++) cross[r * general + k]! += (data[m * size + r]! * score[k]!) / models;
  }
  const factor = cholesky(second, general)!; // A⁻¹ plus a Gram matrix
  const next = new Float64Array(size * general);
  for (let r = 0; r < size; r++)
    next.set(choleskySolve(factor, general, cross.subarray(r * general, (r + 1) * general)), r * general);
  return next;
}

/** A block's loadings, shrunk where LᵀL's largest eigenvalue would leave less than its share to the specific abilities. */
function bounded(loadings: Float64Array, { begin, dims }: Block, general: number): Float64Array {
  const blockLoadings = loadings.slice(begin * general, (begin + dims) * general);
  const gram = new Float64Array(general * general);
  for (let j = 0; j < general; j++)
    for (let k = 0; k < general; k++)
      for (let r = 0; r < dims; r++)
        gram[j * general + k]! += blockLoadings[r * general + j]! * blockLoadings[r * general + k]!;
  const largest = symmetricEigen(gram, general).values[0]!;
  const most = 1 - LEAST_SPECIFIC;
  return largest > most ? blockLoadings.map((value) => value * Math.sqrt(most / largest)) : blockLoadings;
}

/**
 * Learns from the sources that answered in all scenarios how abilities and scores go together across them.
 * @returns the scenarios; as `common` the factor that their abilities share, null for one scenario or where too few models
 * are in all; the factors of every scenario, the same for all where they are linked
 */
export function linkScenarios(scenarios: readonly CalibratedScenario[], random: RandomSource) {
  const shared = inAll(scenarios);
  const abilities = scenarios.map(({ bank: { dims }, calibration, rows, abilities: { covariance } }) => {
    const place = new Map(rows.map((row, k) => [row, k]));
    const theta = shared.flatMap((row) => {
      const k = place.get(row)!;
      return Array.from(calibration.theta.subarray(k * dims, (k + 1) * dims));
    });
    return { dims, theta: Float64Array.from(theta), covariance };
  });
  const common = generalAbilities(abilities, random);
  const factors =
    common === null
      ? scenarios.map((scenario) => scoreFactors([{ ...scenario, theta: scenario.calibration.theta }])[0]!)
      : scoreFactors(scenarios.map((scenario, s) => ({ ...scenario, theta: abilities[s]!.theta })));
  return { scenarios, common, factors };
}

export type LinkedScenarios = ReturnType<typeof linkScenarios>;

/** The ability priors that estimates use. @param scale - k of N(μ, k²Σ) */
export function abilityPriors({ scenarios, common }: LinkedScenarios, scale: number) {
  return {
    separate: scenarios.map(({ abilities: { mean, covariance } }) => scaledPrior(mean, covariance, scale)),
    /** Null where scenarios aren't linked. */
    pooled:
      common &&
      scenarios.map(({ abilities: { mean, covariance } }, s) =>
        higherOrderPrior(mean, covariance, scale, common.loadings[s]!, common.general),
      ),
  };
}

export type AbilityPriors = ReturnType<typeof abilityPriors>;

function inAll(scenarios: readonly CalibratedScenario[]): number[] {
  const others = scenarios.slice(1).map(({ rows }) => new Set(rows));
  return scenarios[0]!.rows.filter((row) => others.every((rows) => rows.has(row)));
}
