import type { RandomSource } from "anchoreval/core";
import type { ItemFeatures, ItemGroups } from "../anchors/sublime/item-features.ts";
import type { Embeddings } from "../cold-start/embeddings-file.ts";
import type { ItemTable } from "../ingest/item-table.ts";
import type { ItemInfo } from "../matrix/response-matrix.ts";
import { givenColumns } from "./given-columns.ts";
import { itemGroups } from "./item-groups.ts";
import { itemPoints } from "./item-points.ts";

/** What items are described by. */
export interface ItemFeaturesOptions {
  /** Columns made elsewhere. */
  readonly table?: ItemTable;
  readonly embeddings?: Embeddings;
  /** Whose proportions subsets keep. @default none */
  readonly strata?: ItemGroups;
  readonly random: RandomSource;
}

/**
 * What is known of items apart from answers: columns made elsewhere, and a space of embeddings or, where all have a text,
 * of their words.
 * @throws AnchorEvalError `invalid_data` for items without an embedding, or a table without a number for each of them
 */
export function itemFeatures(
  items: readonly ItemInfo[],
  { table, embeddings, strata, random }: ItemFeaturesOptions,
): ItemFeatures {
  const ids = items.map(({ item_id: id }) => id);
  const subscenarios = items.map(({ subscenario }) => subscenario);
  const spaced = embeddings !== undefined || items.every(({ text }) => text?.trim());
  return {
    columns: table ? givenColumns(table, ids, strata?.name) : [],
    points: spaced ? itemPoints(items, embeddings ?? null, random.fork("points")) : null,
    subscenarios: subscenarios.some((name) => name !== undefined) ? itemGroups("subscenario", subscenarios) : null,
    strata: strata ?? null,
  };
}
