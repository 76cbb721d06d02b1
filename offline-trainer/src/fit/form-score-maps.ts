import {
  answerFeatures,
  jointFeatures,
  type AnchorSet,
  type AnswerFeatures,
  type FeatureName,
  type ScoreMaps,
} from "anchoreval/core";
import { additiveMap, type FeatureColumn } from "../score-maps/fit-score-map.ts";
import type { ScoreMapKind } from "./configuration.ts";
import type { BankPriors, LinkedBanks } from "./link-banks.ts";
import { mappedScenarios, ownMap, readsAbility, type MapChoice } from "./mapped-scenarios.ts";
import type { ResolvedModel } from "./resolve-model.ts";
import type { BankTask } from "./train-bank.ts";

/** Source models with answers to all scenarios below which none is mapped from the others. */
const LEAST_MODELS = 20;

/**
 * Score maps of one form, by bank and scenario, fitted on the source models. `mean` maps the anchors' mean. `additive`
 * maps it and the score that the ability lets expect; and, where there are several banks, from all scenarios: this one's
 * mean and its own map's score, the means of both over all scenarios, and what every scenario's ability lets expect, as
 * metabench's maps do.
 * @param models - by bank @param anchors - by bank and scenario
 * @see Kipnis et al. (2025), metabench, ICLR
 */
export function formScoreMaps(
  tasks: readonly BankTask[],
  { banks }: Pick<LinkedBanks, "banks">,
  { alone: priors }: Pick<BankPriors, "alone">,
  models: readonly Pick<ResolvedModel, "design">[],
  anchors: readonly (readonly AnchorSet[])[],
  kind: Exclude<ScoreMapKind, "none">,
): readonly (readonly ScoreMaps[])[] {
  const choices = models.map(({ design }): MapChoice => ({ kind, score: design?.score ?? "map" }));
  const scenarios = tasks.map((task, b) =>
    mappedScenarios(task, banks[b]!, banks[b]!.rows, priors[b]!, anchors[b]!, choices[b]!),
  );
  const own = scenarios.map((parts, b) => parts.map((part) => ownMap(part, choices[b]!)));
  const all = scenarios.flat();
  const common = Array.from(all[0]!.answers.keys()).filter((row) => all.every(({ answers }) => answers.has(row)));
  if (kind === "mean" || tasks.length < 2 || common.length < LEAST_MODELS)
    return own.map((parts) => parts.map((alone) => ({ alone, together: null })));
  const maps = own.flat();
  const read = common.map((row) =>
    jointFeatures(
      new Map(
        all.map(({ id, answers }, k): [string, AnswerFeatures] => {
          const { features, bounds } = answers.get(row)!;
          return [id, answerFeatures({ alone: maps[k]! }, features.mean, features.expected, bounds)];
        }),
      ),
    ),
  );
  const column = (feature: FeatureName["feature"], scenario: string | null): FeatureColumn => ({
    feature,
    scenario,
    values: Float64Array.from(read, (of) => of({ feature, scenario })),
  });
  const shared = [
    column("score", null),
    column("mean", null),
    ...scenarios.flatMap((parts, b) =>
      readsAbility(choices[b]!) ? parts.map(({ id }) => column("expected", id)) : [],
    ),
  ];
  return scenarios.map((parts, b) =>
    parts.map(({ id, full }, s) => ({
      alone: own[b]![s]!,
      together: additiveMap(
        [column("score", id), column("mean", id), ...shared],
        Float64Array.from(common, (row) => full[row]!),
      ),
    })),
  );
}
