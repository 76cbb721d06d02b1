import { scaledPrior } from "anchoreval/internal/core/ability/prior";
import { clamp } from "anchoreval/internal/core/estimators/answered-sample";
import { mappedScore } from "anchoreval/internal/core/estimators/score-maps";
import type { RandomSource } from "anchoreval/internal/core/numeric/random";
import { remembered } from "anchoreval/internal/core/scoring/scoring-model";
import { anchorInput } from "../../anchors/anchor-method.ts";
import { fitBank, type ResponseModel } from "../../calibrate/bank.ts";
import type { Scenario } from "../../matrix/benchmark.ts";
import { sourceSplits } from "../../matrix/source-splits.ts";
import { mean } from "../../numeric/statistics.ts";
import type { AnchoredScenario, DesignSearch, DesignSearchOptions, FoundDesign, Method } from "../method.ts";
import type { Split } from "../../matrix/splits.ts";
import { ABILITY_SCORES, mappedScenario, fitOwnMap, additiveMaps } from "../score-maps/form-score-maps.ts";
import {
  informationPool,
  informedAnchors,
  type AnchorDesign,
  DEFAULT_DESIGN,
  INFORMATION_GRIDS,
  informationAnchors,
} from "./anchors.ts";
import { DEFAULT_SETTINGS } from "../settings.ts";

interface DesignCandidate extends AnchorDesign, Pick<ResponseModel, "irtModel"> {}

/** Parts of the source models, whole families, that candidates are judged on. */
const FOLDS = 3;

/** Judged models that are enough: of many models not every third is judged. */
const ENOUGH = 100;

/** Source models below which nothing is searched. */
const LEAST_MODELS = 20;

/** Nats from its mode where the calibration of a bank ends that only judges designs: half the steps of one that serves. */
const NEAR_ENOUGH = 1;

/** metabench's choices. Its thresholds reach from 0 to 5; it takes two or three items of the 250 points of its grid. */
const SPACE: SearchSpace<DesignCandidate> = {
  irtModel: ["2pl", "3pl", "4pl"],
  score: ABILITY_SCORES,
  grid: INFORMATION_GRIDS,
  binsPerAnchor: [1, 0.2],
  threshold: [0, 0.5, 2, null],
};

const START: DesignCandidate = { irtModel: "2pl", ...DEFAULT_DESIGN };

/**
 * Searches for the response model, ability estimate, grid, bins and threshold whose score map has the least error on
 * held-out source models, at the largest size. Every candidate is judged on thirds of the models (as many as hold a
 * hundred), whole families and replicates together: calibration, screening, choice of anchors and the map see the other two
 * thirds alone. The space has 96 candidates, without marginal estimation 32 of the 2PL; they are tried by
 * {@link searchSpace}. The noted error is null where nothing was judged.
 * @see Kipnis et al. (2025), metabench, ICLR, §3 (Bayesian optimisation, 55 evaluations on one validation set)
 */
export const informationDesign: DesignSearch = {
  source: { module: import.meta.url, name: "informationDesign" },
  search: async (scenario, rows, options) => {
    const { random, replicates, budget, estimation } = options;
    const { folds: thirds } = sourceSplits([scenario], rows, replicates, FOLDS, random.fork("folds"));
    const splits = thirds.map(({ scenarios }) => scenarios[0]!);
    const judgedBefore = (k: number): number =>
      splits.slice(0, k).reduce((sum, { targets }) => sum + targets.length, 0);
    const folds = splits.filter((_, k) => judgedBefore(k) < ENOUGH);
    const size = Math.max(0, ...options.sizes.filter((n) => n < scenario.count));
    const describe = ({ irtModel, ...design }: DesignCandidate, error: number | null, judged: number): FoundDesign => {
      return { irtModel, design, notes: { ...design, error, judged } };
    };
    if (rows.length < LEAST_MODELS || size === 0 || folds.some(({ targets }) => targets.length === 0))
      return describe(START, null, 0);
    const space = { ...SPACE, ...(estimation === "penalised" && { irtModel: ["2pl" as const] }) };
    const judge = designJudge(scenario, folds, size, options);
    const stream = random.fork("candidates");
    const { best, error, judged } = await searchSpace(space, START, judge, {
      budget,
      random: stream,
      canonical: withoutIdle,
    });
    return describe(best, error, judged);
  },
};

/**
 * Root mean square error of a candidate's score maps on the folds' models. What candidates of one response model share in a
 * fold is prepared once, and the pools, which answers alone decide, once for all.
 */
function designJudge(
  scenario: Scenario,
  folds: readonly Split[],
  size: number,
  options: DesignSearchOptions,
): (candidate: DesignCandidate) => Promise<number> {
  const pools = new Map<number, Uint32Array>();
  const prepare = async (fold: number, irtModel: ResponseModel["irtModel"]) => {
    const random = options.random.fork(`fold ${fold}`);
    const foldOptions = { ...options, irtModel, random, tolerance: NEAR_ENOUGH };
    const trained = await fitBank(scenario, folds[fold]!.sources, foldOptions);
    const { knowledge } = options;
    const input = anchorInput(scenario, trained, { sizes: [size], random, final: false, knowledge });
    pools.set(fold, pools.get(fold) ?? informationPool(input).pool);
    return { trained, input };
  };
  const prepared = remembered((irtModel: ResponseModel["irtModel"]) =>
    remembered((fold: number) => prepare(fold, irtModel)),
  );
  return async ({ irtModel, ...design }) => {
    const errors: number[] = [];
    for (const [fold, split] of folds.entries()) {
      const { trained, input } = await prepared(irtModel)(fold);
      const anchors = informedAnchors(input, pools.get(fold)!, design, Math.min(size, input.weights.length));
      const prior = scaledPrior(trained.abilities.mean, trained.abilities.covariance, options.priorScale);
      errors.push(...mapErrors({ scenario, trained, prior, anchors }, split, design));
    }
    return Math.sqrt(mean(errors.map((error) => error * error)));
  };
}

/** Where no item is chosen by its information, neither grid nor bins say anything; without abilities nor does the model. */
function withoutIdle(candidate: DesignCandidate): DesignCandidate {
  if (candidate.threshold !== null) return candidate;
  const { irtModel, grid, binsPerAnchor } = START;
  return { ...candidate, grid, binsPerAnchor, ...(candidate.score === "eap-sum" && { irtModel }) };
}

function mapErrors(
  anchored: Omit<AnchoredScenario, "design">,
  { sources, targets }: Split,
  { score }: AnchorDesign,
): number[] {
  const choice = { kind: "additive", score } as const;
  const part = mappedScenario(anchored, sources, choice);
  const map = fitOwnMap(part, choice);
  return Array.from(mappedScenario(anchored, targets, choice).answers, ([row, { features, bounds }]) => {
    const score = mappedScore(map, ({ feature }) => (feature === "mean" ? features.mean : features.expected));
    return clamp(score, bounds) - part.full[row]!;
  });
}

type SearchSpace<Candidate> = { readonly [Field in keyof Candidate]: readonly Candidate[Field][] };

interface SearchOptions<Candidate> {
  /** Candidates that are judged, the start among them. */
  readonly budget: number;
  readonly random: RandomSource;
  /** The same of candidates that are the same in effect. */
  readonly canonical?: ((candidate: Candidate) => Candidate) | undefined;
}

/** Share of the budget that goes to candidates drawn at random, before the best one's neighbours are tried. */
const RANDOM_SHARE = 0.5;

/** Draws in a row that brought nothing new, after which there is nothing more. */
const IDLE_DRAWS = 200;

/**
 * Looks for the candidate of least error within a budget: the start, then candidates drawn at random, then ones that differ
 * from the best so far in one field. None is judged twice. The first of equal ones stays.
 */
export async function searchSpace<Candidate extends object>(
  space: SearchSpace<Candidate>,
  start: Candidate,
  judge: (candidate: Candidate) => Promise<number>,
  { budget, random, canonical = (candidate) => candidate }: SearchOptions<Candidate>,
) {
  const fields = Object.keys(space) as (keyof Candidate)[];
  const keyOf = (candidate: Candidate): string => JSON.stringify(fields.map((field) => candidate[field]));
  const drawn = <Field extends keyof Candidate>(field: Field): Candidate[Field] =>
    space[field][random.below(space[field].length)]!;
  let best = canonical(start);
  let error = await judge(best);
  const tried = new Set([keyOf(best)]);
  for (let idle = 0; tried.size < budget && idle < IDLE_DRAWS; idle++) {
    const fresh = tried.size < 1 + RANDOM_SHARE * (budget - 1);
    const moved = fresh ? fields : [fields[random.below(fields.length)]!];
    const candidate = canonical({ ...best, ...Object.fromEntries(moved.map((field) => [field, drawn(field)])) });
    if (tried.has(keyOf(candidate))) continue;
    tried.add(keyOf(candidate));
    idle = -1;
    const candidateError = await judge(candidate);
    if (candidateError < error) [best, error] = [candidate, candidateError];
  }
  return { best, error, judged: tried.size };
}

/**
 * Items that are informative over the abilities, and an additive model of their mean, the ability and the other
 * scenarios'.
 * @see Kipnis et al. (2025), metabench, ICLR
 */
export const metabench: Method = {
  name: "metabench",
  summary: "screening, the most informative items, an additive model of scores and abilities",
  settings: {
    ...DEFAULT_SETTINGS,
    selection: "fisher-information",
    estimator: "score-map",
    scoreMap: "additive",
    irtModel: "2pl",
    estimation: "marginal",
    dims: 1,
    search: 16,
  },
  authorsModels: 5000,
  anchors: informationAnchors,
  designSearch: informationDesign,
  scoreMaps: additiveMaps,
};
