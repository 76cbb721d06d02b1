import type { BundleContent, Manifest } from "anchoreval/bundle";
import { adaptivePlan } from "anchoreval/internal/adaptive/adaptive-plan";
import { benchmarkPopulation } from "anchoreval/internal/adaptive/item-pool";
import type { AdaptivePlan } from "anchoreval/internal/adaptive/types";
import { itemWeights } from "anchoreval/internal/core/bundle/bundle";
import { rounded } from "../../fit/held-out-scores.ts";
import { type ItemInfo, type ResponseMatrix, scoreAt } from "../../matrix/response-matrix.ts";
import { checkLimit, limitExposure, type LimitExposureOptions } from "./exposure.ts";

export interface ExposureInput {
  /** Largest share of evaluations in which an item may be given, (0,1]. */
  readonly limit: number;
  /** Items of those evaluations. @default an evaluation's default */
  readonly budget?: number;
}

/**
 * The evaluations that a limit applies to: of all scenarios, for the score, one model each.
 * @throws AnchorEvalError `invalid_option` for an impossible budget, or a limit that it makes impossible
 */
export function exposurePlan(
  items: readonly Pick<ItemInfo, "scenario">[],
  { limit, budget }: ExposureInput,
): AdaptivePlan {
  const counts = new Map<string, number>();
  for (const { scenario } of items) counts.set(scenario, (counts.get(scenario) ?? 0) + 1);
  const scenarios = Array.from(counts, ([id, own]) => ({ id, items: own }));
  const plan = adaptivePlan({ scenarios }, budget === undefined ? {} : { budget });
  checkLimit(limit, plan.budget, items.length);
  return plan;
}

/**
 * A bundle's content with exposure factors of every item: the source models are evaluated adaptively by their known answers,
 * with the bundle's parameters.
 * @throws AnchorEvalError `invalid_option` as {@link exposurePlan}; `aborted`
 */
export async function withExposure(
  content: BundleContent,
  matrix: ResponseMatrix,
  input: ExposureInput,
  options: Omit<LimitExposureOptions, "limit">,
): Promise<BundleContent> {
  const { manifest, scenarios } = content;
  const plan = exposurePlan(matrix.items, input);
  const described = scenarios.map(({ bank }, s) => {
    const { id, items, subscenarios, scoreMap } = manifest.scenarios[s]!;
    const own = {
      bank,
      weights: itemWeights({ items, subscenarios }, manifest.weighting),
      scoreMap: scoreMap && { x: Float64Array.from(scoreMap.x), y: Float64Array.from(scoreMap.y) },
      exposure: null,
    };
    return [id, own] as const;
  });
  const population = benchmarkPopulation({ manifest, scenarios: new Map(described) }, plan.scenarios);
  const columns = new Map(matrix.items.map(({ item_id: id }, column) => [id, column]));
  const order = scenarios.flatMap(({ items }) => items.map(({ item_id: id }) => columns.get(id)!));
  const models = matrix.subjects.map((_, m) => Float32Array.from(order, (column) => scoreAt(matrix, m, column)));
  const { limit } = input;
  const { factors, ...found } = await limitExposure(population, plan, models, { ...options, limit });
  let begin = 0;
  return {
    ...content,
    manifest: {
      ...manifest,
      exposure: {
        limit,
        reached: rounded(found.reached),
        unlimited: rounded(found.unlimited),
        simulated: {
          budget: plan.budget,
          batch: plan.batch,
          models: Math.min(models.length, found.evaluations),
          evaluations: found.evaluations,
        },
      },
    },
    scenarios: scenarios.map((scenario) => {
      const end = begin + scenario.items.length;
      const exposure = factors.slice(begin, end);
      begin = end;
      return { ...scenario, exposure };
    }),
  };
}

/** Closing lines of a fit about its exposure limits. */
export function exposureWords({ exposure }: Manifest): string[] {
  if (!exposure) return [];
  const { limit, reached, unlimited, simulated } = exposure;
  const percent = (share: number): string => `${(100 * share).toFixed(1)} %`;
  const kept =
    unlimited <= limit
      ? `No item is given in more than ${percent(unlimited)} of the adaptive evaluations, even without a limit`
      : `No item is given in more than ${percent(reached)} of the adaptive evaluations (limit ${percent(limit)}, without it ${percent(unlimited)})`;
  return ["", `${kept}: ${simulated.budget} items of all scenarios, ${simulated.batch} at once.`];
}
