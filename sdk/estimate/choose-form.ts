import type { Bundle } from "../core/bundle/bundle.ts";
import { lookUp } from "../core/bundle/names.ts";
import { AnchorEvalError } from "../core/errors.ts";
import { LEAST_ANSWERED_SHARE } from "../core/estimators/answered-sample.ts";

/** An answered anchor, with its place in each form that asks it. */
interface AnsweredAnchor {
  readonly scenario: string;
  readonly places: ReadonlyMap<string, number>;
}

/**
 * The form that answers are read by, where none is named. Answers that several forms hold all: the default or the only one
 * that they fill. Else, of a run on more than one form: that with the most answers among those that are answered to 70 %
 * at least in every scenario with answers, of equal ones the smallest; or among all, where none is; then the default.
 * @param answered - anchors with an answer
 * @param isMore - whether there are other answers, too
 * @throws AnchorEvalError `ambiguous_form` where answers fit several forms and fill none
 */
export function chooseForm(
  { manifest, scenarios }: Bundle,
  answered: readonly AnsweredAnchor[],
  isMore: boolean,
): string {
  if (answered.length === 0) return manifest.defaultForm;
  const holding = manifest.forms.filter(({ id }) => answered.every(({ places }) => places.has(id)));
  if (holding.length > 1 && !isMore) return filledForm(manifest, holding, answered);
  const answeredOf = new Map(Array.from(scenarios.keys(), (scenario): [string, AnsweredAnchor[]] => [scenario, []]));
  for (const anchor of answered) answeredOf.get(anchor.scenario)!.push(anchor);
  const sizes = manifest.forms.map(({ id }) => {
    const counts = [...scenarios].map(([scenario, { forms }]) => ({
      size: forms.get(id)!.itemIds.length,
      answers: answeredOf.get(scenario)!.filter(({ places }) => places.has(id)).length,
    }));
    const answers = counts.reduce((sum, part) => sum + part.answers, 0);
    const size = counts.reduce((sum, part) => sum + part.size, 0);
    const isEnough = answers > 0 && counts.every((part) => part.answers === 0 || part.answers / part.size >= LEAST_ANSWERED_SHARE); // prettier-ignore
    return { id, answers, size, isEnough, isDefault: id === manifest.defaultForm };
  });
  const enough = sizes.filter(({ isEnough }) => isEnough);
  const [best] = (enough.length > 0 ? enough : sizes).sort(
    (left, right) =>
      right.answers - left.answers ||
      (enough.length > 0 ? left.size - right.size : 0) ||
      Number(right.isDefault) - Number(left.isDefault),
  );
  return best!.id;
}

function filledForm(
  { defaultForm }: Bundle["manifest"],
  holding: Bundle["manifest"]["forms"],
  answered: readonly AnsweredAnchor[],
): string {
  const answers = new Map<string, number>();
  for (const { scenario } of answered) answers.set(scenario, (answers.get(scenario) ?? 0) + 1);
  const filled = holding.filter(({ scenarios }) =>
    [...answers].every(([id, count]) => lookUp(scenarios, id)!.items === count),
  );
  const [only, ...others] = filled.map((form) => form.id);
  if (filled.some(({ id }) => id === defaultForm)) return defaultForm;
  if (only !== undefined && others.length === 0) return only;
  throw new AnchorEvalError(
    "ambiguous_form",
    `these answers fit the forms ${holding.map(({ id }) => id).join(", ")}: name one with form`,
  );
}
