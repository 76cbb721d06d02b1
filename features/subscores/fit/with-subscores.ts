import { runsOf, type FormFigures, type ScenarioGroups } from "anchoreval/internal/features/subscores/core/part";
import type { FormBlend } from "../../../offline-trainer/src/fit/blends.ts";
import type { FitPart } from "../../../offline-trainer/src/fit/options.ts";
import type { ItemInfo } from "../../../offline-trainer/src/matrix/response-matrix.ts";
import { headlineEstimator, intervalKind } from "../../../offline-trainer/src/methods/method.ts";
import { type AskedGroups, groupsOf, planGroups } from "./groups.ts";
import { measureGroups } from "./measure-groups.ts";
import { groupObserver } from "./observe-groups.ts";

const STAGE = "subscores";

/**
 * The part of a fit that learns scores of groups of items inside scenarios, such as subjects: the bundle then tells them with
 * intervals, from the same answers (`estimate(bundle, answers, { subscores: true })`). Groups may overlap.
 * @param items - of the board
 * @throws AnchorEvalError `invalid_option` for groups that there can't be: without items, of unknown ones, of several scenarios
 * @example
 * const groups = [{ name: "stem", items: matrix.items.slice(0, 40).map(({ item_id: id }) => id) }];
 * await fit(matrix, { benchmark: "quiz", version: "1.0.0", created, sizes: [50], seed: 1, backend, parts: [withSubscores(matrix.items, { groups })] });
 */
export function withSubscores(items: readonly ItemInfo[], asked: AskedGroups): FitPart {
  const plan = planGroups(items, asked);
  return {
    stage: STAGE,
    observer: groupObserver(plan),
    add: ({ content, learned, parts: fitted, method }) => {
      const blends = new Map(fitted.flatMap((part) => [...part.blends]));
      const noted = learned.flatMap((scenario): [string, ScenarioGroups][] => {
        const groups = groupsOf(plan, scenario);
        if (groups.length === 0) return [];
        const estimator = scenario.scenario.matrix.fullScores ? null : headlineEstimator(method);
        const scored = { estimator, drawn: intervalKind(method) === "design" };
        const unknown: FormFigures = {
          dispersion: 1,
          outside: 1,
          groups: groups.map(() => ({ says: "too_few_models" })),
        };
        const figures = ({ separate, pooled }: FormBlend) => ({
          alone: measureGroups(separate, scored, STAGE) ?? unknown,
          ...(pooled && { together: measureGroups(pooled, scored, STAGE) ?? unknown }),
        });
        const forms = Array.from(blends.get(scenario.scenario.id)!, ([form, blend]) => [form, figures(blend)] as const);
        const named = groups.map(({ name, items: members }) => ({ name, items: runsOf(members) }));
        return [[scenario.scenario.id, { groups: named, forms: Object.fromEntries(forms) }]];
      });
      const { manifest } = content;
      const parts = { ...manifest.parts, [STAGE]: { bears: "beside" as const, value: Object.fromEntries(noted) } };
      return { ...content, manifest: { ...manifest, parts } };
    },
  };
}
