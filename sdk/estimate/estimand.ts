import type { Manifest } from "../core/bundle/manifest.ts";

/**
 * The meaning of a bundle's scores, where that isn't the plain mean over the items: a sentence; null where it is.
 * @example estimandWords(bundle.manifest) // "What is estimated: in math each subscenario counts the same; overall each scenario counts the same: not the mean over items."
 */
export function estimandWords({ scenarios, weighting }: Pick<Manifest, "scenarios" | "weighting">): string | null {
  const uneven = (sizes: readonly number[]): boolean => sizes.some((size) => size !== sizes[0]);
  const grouped =
    weighting === "items"
      ? []
      : scenarios.filter(({ subscenarios }) => uneven(subscenarios.map(({ items }) => items))).map(({ id }) => id);
  const weights = scenarios.map(({ weight }) => weight);
  const parts = [
    ...(grouped.length === 0
      ? []
      : [`${scenarios.length === 1 ? "" : `in ${grouped.join(", ")} `}each subscenario counts the same`]),
    ...(uneven(weights)
      ? [`overall the scenarios count by the weights ${weights.join(", ")}`]
      : uneven(scenarios.map(({ items }) => items))
        ? ["overall each scenario counts the same"]
        : []),
  ];
  return parts.length === 0 ? null : `What is estimated: ${parts.join("; ")}: not the mean over items.`;
}
