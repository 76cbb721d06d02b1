import type { ScenarioContent } from "anchoreval/bundle";
import { itemStatistics, type ItemStatistics } from "../audit/item-statistics.ts";
import type { TrainedScenario } from "../fit/train-bank.ts";
import type { FitResult } from "../fit/fit-bundle.ts";
import type { FittedBank } from "../fit/fitted-bank.ts";
import type { ScenarioSlice } from "../prepare/scenarios.ts";

export type ReportManifest = FitResult["content"]["manifest"];
export type ReportForm = ReportManifest["forms"][number];

/** One scenario with all that was fitted for it. */
export interface ReportScenario {
  readonly id: string;
  readonly fitted: FittedBank;
  /** Its place among the scenarios of its bank. */
  readonly place: number;
  readonly slice: ScenarioSlice;
  readonly trained: TrainedScenario;
  readonly content: ScenarioContent;
  /** How its items go with each other, in parameter order. */
  readonly statistics: readonly ItemStatistics[];
}

/** What every part of the report is drawn from. */
export interface ReportData {
  readonly manifest: ReportManifest;
  /** In the manifest's order. */
  readonly scenarios: readonly ReportScenario[];
  readonly defaultForm: ReportForm;
}

/** A fit as the report reads it: scenario by scenario. */
export function reportData({ banks, content }: FitResult): ReportData {
  const { manifest } = content;
  const places = banks.flatMap((fitted) => fitted.task.scenarios.map((slice, place) => ({ fitted, slice, place })));
  return {
    manifest,
    defaultForm: manifest.forms.find(({ id }) => id === manifest.defaultForm)!,
    scenarios: places.map(({ fitted, slice, place }, s) => ({
      id: slice.id,
      fitted,
      place,
      slice,
      trained: fitted.trained.scenarios[place]!,
      content: content.scenarios[s]!,
      statistics: itemStatistics(fitted.task.matrix, slice),
    })),
  };
}

/** One form a size: without those of as many other items. */
export function firstForms({ forms }: ReportManifest): ReportForm[] {
  return forms.filter(({ disjointFrom }) => disjointFrom === undefined);
}

/** All scenarios of a form together: what is asked, and whether that is everything. */
export function formTotals(form: ReportForm): { items: number; whole: boolean } {
  const parts = Object.values(form.scenarios);
  return { items: parts.reduce((sum, { items }) => sum + items, 0), whole: parts.every(({ whole }) => whole) };
}

/** Items of the benchmark. */
export function itemTotal({ scenarios }: ReportManifest): number {
  return scenarios.reduce((sum, { items }) => sum + items, 0);
}
