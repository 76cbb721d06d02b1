import type { EstimatorId } from "anchoreval/internal/core/estimators/types";
import type { FormBlend } from "../../../offline-trainer/src/fit/blends.ts";
import type { Fit } from "../../../offline-trainer/src/fit/fit.ts";
import type { LearnedScenario } from "../../../offline-trainer/src/fit/forms.ts";
import type { Html } from "./html.ts";

export type ReportManifest = Fit["content"]["manifest"];
export type ReportForm = ReportManifest["forms"][number];

export interface ReportData {
  readonly manifest: ReportManifest;
  readonly learned: readonly LearnedScenario[];
  readonly scenarios: readonly ReportScenario[];
  readonly defaultForm: ReportForm;
}

/** One scenario with everything fitted for it. */
export interface ReportScenario {
  readonly id: string;
  /** Column of its first item, through all scenarios. */
  readonly begin: number;
  readonly bank: LearnedScenario["trained"]["bank"];
  /** Models that it was calibrated on. */
  readonly models: number;
  readonly blends: ReadonlyMap<string, FormBlend>;
  readonly content: Fit["content"]["scenarios"][number];
}

export interface ReportOptions {
  /** For what takes long. The report doesn't depend on it. @default 1 */
  readonly threads?: number;
  readonly signal?: AbortSignal;
  /** @param done - share of the items */
  readonly onProgress?: (done: number) => void;
}

/** A section beside the report's own, of a feature: it may take a while. @throws AnchorEvalError `aborted` */
export type ReportPart = (data: ReportData, options: ReportOptions) => Promise<AddedSection>;

/** The features' own in a report: sections, and sentences of its summary. */
export interface ReportOfFeatures {
  readonly sections: readonly ReportPart[];
  readonly words: readonly ((manifest: ReportManifest) => readonly string[])[];
}

export interface AddedSection {
  readonly id: string;
  readonly title: string;
  readonly content: Html;
  /** The name of its marks in the map of items. */
  readonly mark: string;
  /** Numbers of the items that it marks there, by scenario. */
  readonly marked: readonly (readonly number[])[];
}

/** A fit's data for the report, scenario by scenario. */
export function reportData({ parts, content }: Fit): ReportData {
  const { manifest } = content;
  const learned = parts.flatMap((part) => part.learned.scenarios);
  const blends = new Map(parts.flatMap((part) => [...part.blends]));
  let end = 0;
  const scenarios = learned.map(({ scenario: { id, count }, trained: { bank, rows } }, s) => {
    const begin = end;
    end += count;
    return {
      id,
      begin,
      bank,
      models: rows.length,
      blends: blends.get(id)!,
      content: content.scenarios[s]!,
    };
  });
  const defaultForm: ReportForm = manifest.forms.find(({ id }) => id === manifest.defaultForm)!;
  return { manifest, learned, scenarios, defaultForm };
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
