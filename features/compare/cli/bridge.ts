import { checkFromAnchors } from "anchoreval/internal/features/compare/sdk/check-from-anchors";
import type { CheckOptions, CheckResult } from "anchoreval/internal/features/compare/sdk/check-types";
import { compareFromAnchors } from "anchoreval/internal/features/compare/sdk/compare-from-anchors";
import { rankFromAnchors } from "anchoreval/internal/features/compare/sdk/rank-from-anchors";
import type { CompareOptions, Comparison, Ranking, RankOptions } from "anchoreval/internal/features/compare/sdk/types";
import type { BridgeSubject } from "../../../cli/src/bridge-call.ts";

export async function compareModels(
  { bundle, models, ready }: BridgeSubject,
  { options }: { readonly options?: CompareOptions },
): Promise<Comparison> {
  await ready();
  return compareFromAnchors(bundle, models[0]!, models[1]!, options);
}

export async function rankModels(
  { bundle, models, ready }: BridgeSubject,
  { options }: { readonly options?: RankOptions },
): Promise<Ranking> {
  await ready();
  return rankFromAnchors(bundle, models, options);
}

export async function checkModels(
  { bundle, models, before, ready }: BridgeSubject,
  { options }: { readonly options?: CheckOptions },
): Promise<CheckResult> {
  await ready();
  return checkFromAnchors(bundle, models, { ...options, baselines: before });
}
