import type { ScenarioContent } from "anchoreval/bundle";
import type { EstimatorId } from "anchoreval/internal/core/estimators/types";
import { diagnoseFit, type DiagnoseFitOptions } from "../extensions/audit/diagnose-fit.ts";
import type { AuditedItem } from "../extensions/audit/findings.ts";
import type { FormBlend } from "../fit/blends.ts";
import type { Fit } from "../fit/fit.ts";
import type { LearnedGroup } from "../fit/forms.ts";
import type { BankScenario } from "../calibrate/bank.ts";
import type { ScenarioSlice } from "../matrix/scenarios.ts";

export type ReportManifest = Fit["content"]["manifest"];
export type ReportForm = ReportManifest["forms"][number];

/** An item with the evidence against it. */
export interface ReportItem extends AuditedItem {
  /** Position in its scenario. */
  readonly place: number;
}

/** One scenario with everything fitted for it. */
export interface ReportScenario {
  readonly id: string;
  readonly fitted: LearnedGroup;
  /** By form. */
  readonly blends: ReadonlyMap<string, FormBlend>;
  /** Its place among the scenarios of its bank. */
  readonly place: number;
  readonly slice: ScenarioSlice;
  readonly trained: BankScenario;
  readonly content: ScenarioContent;
  /** Its items with the evidence against them, the most urgent first. */
  readonly audited: readonly ReportItem[];
}

/** The data of all parts of the report. */
export interface ReportData {
  readonly manifest: ReportManifest;
  /** In the manifest's order. */
  readonly scenarios: readonly ReportScenario[];
  readonly defaultForm: ReportForm;
}

/**
 * A fit's data for the report, scenario by scenario.
 * @throws AnchorEvalError `aborted`
 */
export async function reportData({ parts, content }: Fit, options?: DiagnoseFitOptions): Promise<ReportData> {
  const { manifest } = content;
  const groups = parts.flatMap(({ learned }) => learned.groups);
  const audited = await diagnoseFit(groups, options);
  const begins = groups.map((_, g) =>
    groups.slice(0, g).reduce((sum, { group }) => sum + group.matrix.items.length, 0),
  );
  const blends = new Map(parts.flatMap((part) => [...part.blends]));
  const places = groups.flatMap((fitted, g) =>
    fitted.group.scenarios.map((slice, place) => ({ fitted, slice, place, begin: begins[g]! + slice.begin })),
  );
  return {
    manifest,
    defaultForm: manifest.forms.find(({ id }) => id === manifest.defaultForm)!,
    scenarios: places.map(({ fitted, slice, place, begin }, s) => ({
      id: slice.id,
      fitted,
      place,
      slice,
      trained: fitted.bank.scenarios[place]!,
      blends: blends.get(slice.id)!,
      content: content.scenarios[s]!,
      audited: audited.flatMap((item): ReportItem[] =>
        item.column >= begin && item.column < begin + slice.count ? [{ ...item, place: item.column - begin }] : [],
      ),
    })),
  };
}

/**
 * The largest limit per list that keeps all lists together within `total`: short lists leave their share to long ones.
 * @param least - what every list may have in any case
 * @returns Infinity where nothing must be thinned
 * @example fairLimit([10, 100, 500], 300, 50) // 190
 */
export function fairLimit(lengths: readonly number[], total: number, least: number): number {
  const sorted = [...lengths].sort((x, y) => x - y);
  let left = total;
  for (const [k, length] of sorted.entries()) {
    const share = left / (sorted.length - k);
    if (length > share) return Math.max(least, Math.floor(share));
    left -= length;
  }
  return Infinity;
}

/** Names of the estimators, as in the glossary. */
export const ESTIMATOR_NAMES: Readonly<Record<EstimatorId, string>> = {
  "anchor-mean": "anchor mean",
  "p-irt": "imputed mean",
  "gp-irt": "blended mean",
  "p-irt-dr": "corrected mean",
  gaussian: "conditional mean",
  "ridge-gap": "ridge gap",
  aipw: "AIPW",
  stack: "stacked blend",
  gate: "gated blend",
  "score-map": "mapped score",
};
