import type { Points } from "../../methods/kmeans/clusters.ts";

/** One number for every item. */
export interface FeatureColumn {
  readonly name: string;
  /** In the order of the items; NaN where it isn't known. */
  readonly values: Float64Array;
}

/** A division of items: of each the number of its group, counted from 0. */
export interface ItemGroups {
  readonly name: string;
  readonly labels: Int32Array;
}

/** What is known of items apart from answers: of their texts, of embeddings, or made elsewhere. */
export interface ItemFeatures {
  readonly columns: readonly FeatureColumn[];
  /** Places of the items in a space where those that are alike are near; null where nothing says. */
  readonly points: Points | null;
  /** By which subsets may be spread: subscenarios; null where there are none. */
  readonly subscenarios: ItemGroups | null;
  /** Whose proportions every subset keeps; null where none are asked for. */
  readonly strata: ItemGroups | null;
}

/** The features of some of the items, in the order given. */
export function featuresOf(
  { columns, points, subscenarios, strata }: ItemFeatures,
  items: ArrayLike<number>,
): ItemFeatures {
  const { length } = items;
  const groupsOf = (groups: ItemGroups | null): ItemGroups | null =>
    groups && { name: groups.name, labels: Int32Array.from({ length }, (_, i) => groups.labels[items[i]!]!) };
  return {
    columns: columns.map(({ name, values }) => ({
      name,
      values: Float64Array.from({ length }, (_, i) => values[items[i]!]!),
    })),
    points: points && {
      count: length,
      dims: points.dims,
      values: Float64Array.from(
        { length: length * points.dims },
        (_, at) => points.values[items[Math.floor(at / points.dims)]! * points.dims + (at % points.dims)]!,
      ),
    },
    subscenarios: groupsOf(subscenarios),
    strata: groupsOf(strata),
  };
}
