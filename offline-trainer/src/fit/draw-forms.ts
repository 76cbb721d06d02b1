import type { AnchorSet, RandomSource } from "anchoreval/core";
import type { FilteredItems } from "../methods/coarse-filter.ts";
import type { AnchorDesign } from "../methods/metabench/information.ts";
import { featuresOf } from "../methods/sublime/item-features.ts";
import type { SubsetRanking } from "../methods/sublime/untouched-ranking.ts";
import { prepareSelection } from "../anchors/select-anchors.ts";
import type { SelectedAnchors, Selection, SelectionInput, StandingAnchors } from "../anchors/types.ts";
import { scoreAt } from "../matrix/response-matrix.ts";
import type { ScenarioSlice } from "../prepare/scenarios.ts";
import { anchorNumbers, anchorsIn, type FormPlan } from "./form-plans.ts";
import type { StandingVersion } from "./standing-version.ts";
import type { BankTask, TrainedBank } from "./train-bank.ts";

/** Anchor sets of every scenario of a bank, by form: `forms[s].get(id)`. */
export type BankForms = readonly ReadonlyMap<string, AnchorSet>[];

/** Anchors that a form takes of a scenario. */
interface FormSize {
  readonly id: string;
  readonly size: number;
}

/** The choice of anchors in every scenario, ready to be drawn. */
export interface PreparedForms {
  readonly scenarios: readonly {
    readonly id: string;
    readonly draw: (random: RandomSource) => Promise<SelectedAnchors>;
    /** Forms of the draw. */
    readonly first: readonly FormSize[];
    /** Forms of other items than those: the same in every draw. */
    readonly second: readonly FormSize[];
    readonly secondSets: () => ReadonlyMap<number, AnchorSet>;
    /** Of a selection that looks among some of the items only. */
    readonly filtered?: FilteredItems;
    /** Of a selection that goes by the models' ranking, by number of anchors. */
    readonly rankings?: () => ReadonlyMap<number, SubsetRanking>;
  }[];
}

export interface PrepareFormsOptions {
  readonly selection: Selection;
  readonly forms: readonly FormPlan[];
  /** Stream of the fit that the forms are drawn on: what all of them share is drawn from it. */
  readonly random: RandomSource;
  /** Of anchors chosen by their information, where it was searched for. */
  readonly design?: AnchorDesign;
  /** Whose anchors stay where they can. */
  readonly standing?: StandingVersion;
  /** Proposals simulated where inclusion probabilities have no formula. */
  readonly simulatedProposals?: number;
}

/** Prepares the choice of anchors in every scenario, looking at the source models only. */
export function prepareForms(
  task: BankTask,
  rows: ArrayLike<number>,
  trained: TrainedBank,
  { selection, forms, standing, ...options }: PrepareFormsOptions,
): PreparedForms {
  const sizes = anchorNumbers(forms, task.scenarios);
  return {
    scenarios: selectionInputs(task, rows, trained, { ...options, sizes }).map(({ id, input }, s) => {
      const { second, ...prepared } = prepareSelection(selection, {
        ...input,
        ...(standing && { standing: standingAnchors(task, task.scenarios[s]!, standing) }),
      });
      const sized = (wanted: readonly FormPlan[]): FormSize[] =>
        wanted.map((form) => ({ id: form.id, size: anchorsIn(form, id) }));
      let chosen: ReadonlyMap<number, AnchorSet> | undefined;
      return {
        id,
        ...prepared,
        first: sized(forms.filter(({ disjointFrom }) => disjointFrom === undefined)),
        second: sized(forms.filter(({ disjointFrom }) => disjointFrom !== undefined)),
        secondSets: () => (chosen ??= second!()), // checkSecondForms has refused selections without
      };
    }),
  };
}

/** An earlier version's anchors among a scenario's items, by number of anchors. */
function standingAnchors(
  { matrix }: Pick<BankTask, "matrix">,
  { id, begin, count }: ScenarioSlice,
  { anchors, fresh }: StandingVersion,
): StandingAnchors {
  const items = matrix.items.slice(begin, begin + count).map(({ item_id: item }) => item);
  const place = new Map(items.map((item, i) => [item, i]));
  const sets = Array.from(anchors.get(id)?.values() ?? []);
  return {
    kept: new Map(sets.map(({ kept, of }) => [of, new Set(Array.from(kept, (item) => place.get(item)!))])),
    fresh: Uint8Array.from(items, (item) => Number(fresh.has(item))),
  };
}

/** What the choice of anchors looks at, by scenario: answers of the source models, and what was learned from them. */
export function selectionInputs(
  task: BankTask,
  rows: ArrayLike<number>,
  trained: TrainedBank,
  {
    sizes,
    random,
    design,
    simulatedProposals,
  }: Omit<PrepareFormsOptions, "selection" | "forms" | "standing"> & { readonly sizes: readonly number[] },
): { readonly id: string; readonly input: SelectionInput }[] {
  const own = random.fork("design of the forms");
  const families = Int32Array.from(rows, (row) => task.families[row]!);
  const place = new Map(Array.from(rows, (row, at) => [row, at]));
  const anchorModels = task.anchorModels?.flatMap((row) => place.get(row) ?? []);
  return trained.scenarios.map(({ slice, bank, accuracy }, s) => {
    const column = (item: number): Float64Array => {
      const mean = Number.isNaN(accuracy[item]!) ? 0.5 : accuracy[item]!;
      return Float64Array.from(rows, (row) => {
        const score = scoreAt(task.matrix, row, slice.begin + item);
        return Number.isNaN(score) ? mean : score;
      });
    };
    return {
      id: slice.id,
      input: {
        weights: slice.weights,
        accuracy,
        bank,
        abilities: trained.calibration.theta,
        column,
        families,
        ...(task.copies && { copies: task.copies[s]! }),
        ...(task.itemFeatures && {
          features: featuresOf(
            task.itemFeatures,
            Array.from({ length: slice.count }, (_, i) => slice.begin + i),
          ),
        }),
        ...(anchorModels && { anchorModels }),
        sizes,
        random: own.fork(slice.id),
        ...(design && { design }),
        ...(simulatedProposals !== undefined && { simulatedProposals }),
      },
    };
  });
}

/** Draws the forms: the anchors of every scenario. Those of as many anchors have the same. */
export async function drawForms({ scenarios }: PreparedForms, random: RandomSource): Promise<BankForms> {
  const forms: ReadonlyMap<string, AnchorSet>[] = [];
  for (const { id, draw, first, second, secondSets } of scenarios) {
    const { sets } = await draw(random.fork(id));
    forms.push(
      new Map([
        ...first.map((form) => [form.id, sets.get(form.size)!] as const),
        ...second.map((form) => [form.id, secondSets().get(form.size)!] as const),
      ]),
    );
  }
  return forms;
}
