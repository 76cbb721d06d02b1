import type { ScenarioContent } from "anchoreval/bundle";
import type { AuditedItem } from "../audit/audited-items.ts";
import { diagnoseFit, type DiagnoseFitOptions } from "../audit/diagnose-fit.ts";
import type { ItemEvidence } from "../audit/findings.ts";
import type { BankScenario } from "../calibrate/bank.ts";
import type { FitResult } from "../fit/fit-bundle.ts";
import type { FittedBank } from "../fit/fitted-bank.ts";
import type { ScenarioSlice } from "../prepare/scenarios.ts";

export type ReportManifest = FitResult["content"]["manifest"];
export type ReportForm = ReportManifest["forms"][number];

/** An item as it was judged. */
export interface ReportItem extends AuditedItem<ItemEvidence> {
  /** Position in its scenario. */
  readonly place: number;
}

/** One scenario with all that was fitted for it. */
export interface ReportScenario {
  readonly id: string;
  readonly fitted: FittedBank;
  /** Its place among the scenarios of its bank. */
  readonly place: number;
  readonly slice: ScenarioSlice;
  readonly trained: BankScenario;
  readonly content: ScenarioContent;
  /** Its items with what speaks against them, those to look at first at the front. */
  readonly audited: readonly ReportItem[];
}

/** What every part of the report is drawn from. */
export interface ReportData {
  readonly manifest: ReportManifest;
  /** In the manifest's order. */
  readonly scenarios: readonly ReportScenario[];
  readonly defaultForm: ReportForm;
}

/**
 * A fit as the report reads it: scenario by scenario.
 * @throws AnchorEvalError `aborted`
 */
export async function reportData({ banks, content }: FitResult, options?: DiagnoseFitOptions): Promise<ReportData> {
  const { manifest } = content;
  const audited = await diagnoseFit(banks, options);
  const begins = banks.map((_, b) => banks.slice(0, b).reduce((sum, { task }) => sum + task.matrix.items.length, 0));
  const places = banks.flatMap((fitted, b) =>
    fitted.task.scenarios.map((slice, place) => ({ fitted, slice, place, begin: begins[b]! + slice.begin })),
  );
  return {
    manifest,
    defaultForm: manifest.forms.find(({ id }) => id === manifest.defaultForm)!,
    scenarios: places.map(({ fitted, slice, place, begin }, s) => ({
      id: slice.id,
      fitted,
      place,
      slice,
      trained: fitted.trained.scenarios[place]!,
      content: content.scenarios[s]!,
      audited: audited.flatMap((item): ReportItem[] =>
        item.column >= begin && item.column < begin + slice.count ? [{ ...item, place: item.column - begin }] : [],
      ),
    })),
  };
}
