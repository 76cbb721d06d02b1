import type { RandomSource } from "anchoreval/internal/core/numeric/random";
import { textFeatures } from "../../numeric/text-features.ts";
import type { ItemInfo } from "../../matrix/response-matrix.ts";
import { principalAxes } from "../../numeric/principal-axes.ts";
import type { SparseRows } from "../../numeric/sparse-rows.ts";
import type { Points } from "../kmeans/clusters.ts";

/** One number for every item. */
export interface FeatureColumn {
  readonly name: string;
  /** In the order of the items; NaN where unknown. */
  readonly values: Float64Array;
}

/** A partition of the items: the group of each, counted from 0. */
export interface ItemGroups {
  readonly name: string;
  readonly labels: Int32Array;
}

/** Item features that don't come from answers: from texts, embeddings or a file. */
export interface ItemFeatures {
  readonly columns: readonly FeatureColumn[];
  /** Items as points, similar ones near each other; null without texts and embeddings. */
  readonly points: Points | null;
  /** Subscenarios; null where there are none. */
  readonly subscenarios: ItemGroups | null;
  /** Groups whose proportions every subset keeps; null where none are asked for. */
  readonly strata: ItemGroups | null;
}

/** The features of some of the items, in the order given. */
export function selectFeatures(
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

/** Item features read elsewhere. */
interface GivenFeatures {
  readonly columns?: readonly FeatureColumn[];
  /** Embeddings of some items. @default TF-IDF, where every item has a text */
  readonly vectorsOf?: (ids: readonly string[]) => SparseRows;
  /** Groups whose proportions every subset keeps. @default none */
  readonly strata?: ItemGroups;
  readonly random: RandomSource;
}

/** Item features that don't come from answers: given columns, and points in a space of embeddings or of TF-IDF. */
export function describeItems(
  items: readonly ItemInfo[],
  { columns = [], vectorsOf, strata, random }: GivenFeatures,
): ItemFeatures {
  const subscenarios = items.map(({ subscenario }) => subscenario);
  const spaced = vectorsOf !== undefined || items.every(({ text }) => text?.trim());
  return {
    columns,
    points: spaced ? itemPoints(items, vectorsOf, random.fork("points")) : null,
    subscenarios: subscenarios.some((name) => name !== undefined) ? itemGroups("subscenario", subscenarios) : null,
    strata: strata ?? null,
  };
}

/** Groups items by name, numbered by first appearance; items without a name are one group. */
export function itemGroups(name: string, values: readonly (string | undefined)[]): ItemGroups {
  const numbers = new Map<string | undefined, number>();
  const labels = Int32Array.from(values, (value) => {
    const known = numbers.get(value) ?? numbers.size;
    numbers.set(value, known);
    return known;
  });
  return { name, labels };
}

/** Axes of a space of items. */
const AXES = 16;

/**
 * Coordinates of items on their scenario's principal axes, of their embeddings or else of TF-IDF of words and characters;
 * 0 on axes beyond the scenario's rank.
 */
function itemPoints(items: readonly ItemInfo[], vectorsOf: GivenFeatures["vectorsOf"], random: RandomSource): Points {
  const values = new Float64Array(items.length * AXES);
  const rowsOf = (own: readonly ItemInfo[]): SparseRows =>
    vectorsOf
      ? vectorsOf(own.map(({ item_id: id }) => id))
      : textFeatures(
          own.map(({ text }) => text!),
          [],
        ).train;
  const scenarios = new Map<string, number[]>();
  items.forEach(({ scenario }, i) => {
    const members = scenarios.get(scenario);
    if (members) members.push(i);
    else scenarios.set(scenario, [i]);
  });
  for (const [scenario, members] of scenarios) {
    const own = members.map((i) => items[i]!);
    const { rank, left, singular } = principalAxes(rowsOf(own), AXES, random.fork(scenario));
    members.forEach((i, at) => {
      for (let k = 0; k < rank; k++) values[i * AXES + k] = left[at * rank + k]! * singular[k]!;
    });
  }
  return { count: items.length, dims: AXES, values };
}
