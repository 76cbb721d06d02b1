import { ERROR_LEVELS } from "../../../sdk/core/bundle/names.ts";
import type { BundlePart } from "../../../sdk/core/bundle/part.ts";
import { type Infer, list, nullable, number, object, oneOf, record, text } from "../../../sdk/core/bundle/schema.ts";

const count = number({ min: 0, integer: true });
const positive = number({ min: 0 });

const figures = object({
  /** Shift of a model's logits on the group's items beside all items of its scenario: mean, and variance between models. */
  shift: number(),
  variance: positive,
  /** Interval's half-width over the modelled standard deviation, by {@link ERROR_LEVELS}; null where models were too few. */
  factors: list(nullable(positive)),
});

const formFigures = object({
  /** Variance of an answer about its prediction, relative to p(1−p). */
  dispersion: positive,
  /** Errors of models stronger than those learned from over those of models like them, at least 1. */
  outside: number({ min: 1 }),
  /** By group, as `groups` has them: what held-out models showed, or why nothing is said. */
  groups: list(object({ says: oneOf(["score", "too_few_items", "too_few_models"]) }, { figures })),
});

const group = object({
  name: text(),
  /** Items of the scenario by turns: so many left out, so many in the group, and so on, the last ones being in it. */
  items: list(count, 2),
});

/** Groups of items of one scenario, and what is known of scores on them. */
const scenarioGroups = object({
  groups: list(group, 1),
  /** By form: from the answers to the scenario alone, and from those to all where these serve. */
  forms: record(object({ alone: formFigures }, { together: formFigures })),
});

/** Figures that held-out models showed of a group of items. */
export type GroupFigures = Infer<typeof figures>;
/** The same of all groups of a scenario, by one form. */
export type FormFigures = Infer<typeof formFigures>;
/** A named group of items. */
export type NotedGroup = Infer<typeof group>;
/** The groups of a scenario. */
export type ScenarioGroups = Infer<typeof scenarioGroups>;

/** The subgroups of items that a bundle knows scores of, by scenario. */
export const subscoresPart: BundlePart<Readonly<Record<string, ScenarioGroups>>> = {
  key: "subscores",
  at: "parts",
  bears: "beside",
  schema: record(scenarioGroups),
  problems: (noted, { scenarios, forms }) =>
    Object.entries(noted).flatMap(([id, { groups, forms: byForm }]) => {
      const scenario = scenarios.find((other) => other.id === id);
      if (!scenario) return [`there is no scenario ${id}`];
      const names = new Set(groups.map(({ name }) => name));
      return [
        ...(names.size < groups.length ? [`${id} has two groups of one name`] : []),
        ...groups.flatMap(({ name, items }) =>
          runProblem(items, scenario.items).map((why) => `${id}, ${name}: ${why}`),
        ),
        ...forms.flatMap((form) => (Object.hasOwn(byForm, form.id) ? [] : [`${id} has no form ${form.id}`])),
        ...Object.entries(byForm).flatMap(([form, { alone, together }]) =>
          [alone, together ?? alone].flatMap((one) =>
            figureProblems(one, groups.length).map((why) => `${id}, form ${form}: ${why}`),
          ),
        ),
      ];
    }),
};

function runProblem(runs: readonly number[], items: number): string[] {
  const end = runs.reduce((sum, length) => sum + length, 0);
  if (runs.length % 2 === 1) return ["its items end with some that are left out"];
  if (runs.some((length, k) => length === 0 && k > 0)) return ["some of its items are none"];
  return end > items ? [`it goes to item ${end} of ${items}`] : [];
}

function figureProblems({ groups }: FormFigures, count: number): string[] {
  if (groups.length !== count) return [`it has ${groups.length} groups of ${count}`];
  return groups.flatMap(({ says, figures: held }, k) => {
    if ((says === "score") !== (held !== undefined))
      return [`group ${k} has ${held ? "figures, and says none" : "no figures"}`];
    return held && held.factors.length !== ERROR_LEVELS.length ? [`group ${k} has ${held.factors.length} factors`] : [];
  });
}

/** Items as a bundle notes them. @param items - indices, ascending @example runsOf([3, 4, 9]) // [3, 2, 4, 1] */
export function runsOf(items: ArrayLike<number>): number[] {
  const runs: number[] = [];
  let end = 0;
  for (let k = 0; k < items.length; k++) {
    const item = items[k]!;
    if (runs.length > 0 && item === end) runs[runs.length - 1]!++;
    else runs.push(item - end, 1);
    end = item + 1;
  }
  return runs;
}

/** The items of {@link runsOf}. */
export function itemsOf(runs: readonly number[]): Uint32Array {
  const items: number[] = [];
  let at = 0;
  runs.forEach((length, k) => {
    if (k % 2 === 1) for (let i = 0; i < length; i++) items.push(at + i);
    at += length;
  });
  return Uint32Array.from(items);
}
