import { pivotalSample } from "anchoreval/core";
import { nestedSample } from "./stratified.ts";
import { byAccuracy, type SelectedAnchors, type SelectionInput } from "./types.ts";

/**
 * `random`: π proportional to the item's weight, drawn in a random order of items, so without strata. With equal
 * weights it is simple random sampling. Nested as {@link nestedSample} says.
 */
export function randomAnchors({ weights, accuracy, sizes, random }: SelectionInput): SelectedAnchors {
  const shuffled = random.fork("order").shuffle(Array.from({ length: weights.length }, (_, i) => i));
  const drawn = nestedSample(shuffled, weights, sizes, (probabilities, size) =>
    pivotalSample(probabilities, random.fork(`size ${size}`)),
  );
  const rank = new Map(byAccuracy(accuracy).map((item, position) => [item, position]));
  const sorted = [...drawn.sets].map(([size, { items, inclusion, mass }]) => {
    const order = Array.from(items.keys()).sort((x, y) => rank.get(items[x]!)! - rank.get(items[y]!)!);
    return [
      size,
      {
        items: Uint32Array.from(order, (j) => items[j]!),
        inclusion: inclusion && Float64Array.from(order, (j) => inclusion[j]!),
        mass: Float64Array.from(order, (j) => mass[j]!),
      },
    ] as const;
  });
  return { sets: new Map(sorted), nested: true };
}
