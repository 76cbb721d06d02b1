import type { ScenarioContent } from "anchoreval/bundle";
import type { EstimatorId } from "anchoreval/internal/core/estimators/types";
import type { ItemBank } from "anchoreval/internal/core/irt/item-bank";
import { diagnoseFit, type DiagnoseFitOptions } from "../extensions/audit/diagnose-fit.ts";
import type { AuditedItem } from "../extensions/audit/findings.ts";
import type { FormBlend } from "../fit/blends.ts";
import type { Fit } from "../fit/fit.ts";

export type ReportManifest = Fit["content"]["manifest"];
export type ReportForm = ReportManifest["forms"][number];

/** One scenario with everything fitted for it. */
export interface ReportScenario {
  readonly id: string;
  /** Column of its first item, through all scenarios. */
  readonly begin: number;
  readonly bank: ItemBank;
  /** Models that the bank was calibrated on. */
  readonly models: number;
  /** By form. */
  readonly blends: ReadonlyMap<string, FormBlend>;
  readonly content: ScenarioContent;
  /** Its items with the evidence against them, the most urgent first. */
  readonly audited: readonly AuditedItem[];
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
  const blends = new Map(parts.flatMap((part) => [...part.blends]));
  const fitted = groups.flatMap(({ group, bank }) =>
    group.scenarios.map(({ id, count }, k) => ({ id, count, bank: bank.scenarios[k]!.bank, models: bank.rows.length })),
  );
  let end = 0;
  return {
    manifest,
    defaultForm: manifest.forms.find(({ id }) => id === manifest.defaultForm)!,
    scenarios: fitted.map(({ count, ...scenario }, s) => {
      const begin = end;
      end += count;
      return {
        ...scenario,
        begin,
        blends: blends.get(scenario.id)!,
        content: content.scenarios[s]!,
        audited: audited.filter(({ column }) => column >= begin && column < begin + count),
      };
    }),
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
