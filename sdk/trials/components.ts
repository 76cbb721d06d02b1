import type { Manifest } from "../core/bundle/manifest.ts";
import { isObject } from "../tables/json-records.ts";
import { wholePercent } from "../words/figures.ts";

/** Variance components of one scenario's scores over models, items and trials, fractions squared, at least 0. */
export interface VarianceComponents {
  /** σ²_m, between models. */
  readonly model: number;
  /** σ²_i, between items. */
  readonly item: number;
  /** σ²_mi: that an item is harder for one model than for another, beyond both. */
  readonly modelItem: number;
  /** σ²_ε, between trials of one model on one item. */
  readonly trial: number;
  /** Trials a cell, R: the harmonic mean over models and items. */
  readonly trials: number;
  /** Cells that were tried twice or more: σ²_ε rests on them. */
  readonly repeated: number;
}

/** Names of the components, as the notes have them. */
const FIELDS = ["model", "item", "modelItem", "trial", "trials", "repeated"] as const;

/**
 * The variance components that a fit on repeated trials left in the bundle's notes, by scenario.
 * @returns none for a bundle that was fitted on single answers, or on means of trials alone
 */
export function bundleComponents({ fit }: Pick<Manifest, "fit">): ReadonlyMap<string, VarianceComponents> {
  const noted = fit["varianceComponents"];
  const found = new Map<string, VarianceComponents>();
  if (!isObject(noted)) return found;
  for (const [id, own] of Object.entries(noted))
    if (isObject(own) && FIELDS.every((name) => Number.isFinite(own[name]) && (own[name] as number) >= 0))
      found.set(id, own as unknown as VarianceComponents);
  return found;
}

/**
 * ρ = σ²_ε/(σ²_mi + σ²_ε): the share of a single answer's variance about its prediction that another trial would draw anew.
 * @returns in [0,1]; 1, which is the most that it can be, where nothing is known
 */
export function trialShare(components: VarianceComponents | undefined): number {
  if (components === undefined) return 1;
  const { modelItem, trial } = components;
  return modelItem + trial === 0 ? 1 : trial / (modelItem + trial);
}

/**
 * Trials as a bundle knows them, a sentence a scenario: how often its sources were tried, and what a single answer varies by.
 * @returns none for a bundle that was fitted on single answers
 */
export function componentWords(manifest: Pick<Manifest, "fit">): string[] {
  return [...bundleComponents(manifest)].map(([id, { model, item, modelItem, trial, trials }]) => {
    const total = model + item + modelItem + trial;
    const share = (own: number): string => wholePercent(total === 0 ? 0 : own / total);
    const tried = Math.round(10 * trials) / 10;
    return `${id}: ${tried} trials an item; a single answer's variance is ${share(model)} between models, ${share(item)} between items, ${share(modelItem)} which model meets which item, and ${share(trial)} from trial to trial.`;
  });
}
