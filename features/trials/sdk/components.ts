import { partOf, type PartedManifest } from "../../../sdk/core/bundle/part.ts";
import { componentsPart, type VarianceComponents } from "../core.ts";
import type { BundleFact } from "../../../sdk/words/bundle-words.ts";
import { wholePercent } from "../../../sdk/words/figures.ts";

/**
 * The variance components that a fit on repeated trials left in the bundle's notes, by scenario.
 * @returns none for a bundle that was fitted on single answers, or on means of trials alone
 */
export function bundleComponents(manifest: PartedManifest): ReadonlyMap<string, VarianceComponents> {
  return new Map(Object.entries(partOf(manifest, componentsPart) ?? {}));
}

/**
 * ρ = σ²_ε/(σ²_mi + σ²_ε): the share of a single answer's variance about its prediction that another trial would draw anew.
 * @returns in [0,1]; 0 where no trial differed from another; 1, which is the most that it can be, where nothing is known
 */
export function trialShare(components: VarianceComponents | undefined): number {
  if (components === undefined) return 1;
  const { modelItem, trial } = components;
  return trial === 0 ? 0 : trial / (modelItem + trial);
}

/** Trials of one item that are asked at most, however cheap they are. */
const MOST_TRIALS = 10;

/**
 * Trials R of each item that know the expected score best for their price, as long as there are items left: with c the
 * price of a further trial over that of an item's first one, the R that makes (1 − ρ + ρ/R)·(1 + (R−1)c) least, the
 * smallest of several. About √((1−c)/c·ρ/(1−ρ)): 1 at c = 1, and two trials pay where c < ρ/(2−ρ).
 * @param repeat - c, in [0,1]
 * @returns from 1 to 10; 1 where nothing is known of the noise
 * @see Cochran (1977), Sampling Techniques, §10.6 (optimum sampling and subsampling fractions)
 * @example trialsWorth({ model: 0, item: 0, modelItem: 0.06, trial: 0.06, trials: 5, repeated: 9 }, 0.1) // 3
 */
export function trialsWorth(components: VarianceComponents | undefined, repeat: number): number {
  if (components === undefined) return 1;
  const noise = trialShare(components);
  const loss = (trials: number): number => (1 - noise + noise / trials) * (1 + (trials - 1) * repeat);
  let best = 1;
  for (let trials = 2; trials <= MOST_TRIALS; trials++) if (loss(trials) < loss(best) - 1e-12) best = trials;
  return best;
}

/**
 * Trials as a bundle knows them, a sentence a scenario: how often its sources were tried, and what a single answer varies by.
 * @returns none for a bundle that was fitted on single answers
 */
export function componentWords(manifest: PartedManifest): string[] {
  return [...bundleComponents(manifest)].map(([id, { model, item, modelItem, trial, trials }]) => {
    const total = model + item + modelItem + trial;
    const share = (component: number): string => wholePercent(total === 0 ? 0 : component / total);
    const tried = Math.round(10 * trials) / 10;
    return `${id}: ${tried} trials an item; a single answer's variance is ${share(model)} between models, ${share(item)} between items, ${share(modelItem)} which model meets which item, and ${share(trial)} from trial to trial.`;
  });
}

/** How often a bundle's sources were tried. */
export function componentFacts(manifest: PartedManifest): BundleFact[] {
  return componentWords(manifest).map((value, k) => ({ label: k === 0 ? "trials" : "", value }));
}
