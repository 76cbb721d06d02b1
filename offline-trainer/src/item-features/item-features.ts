import { AnchorEvalError, type RandomSource } from "anchoreval/core";
import { firstFew } from "anchoreval/node";
import type { ItemFeatures, ItemGroups } from "../anchors/sublime/item-features.ts";
import type { Embeddings } from "../ingest/embeddings-file.ts";
import type { ItemTable } from "../ingest/item-table.ts";
import type { ItemInfo } from "../matrix/response-matrix.ts";
import { givenColumns } from "./given-columns.ts";
import { itemGroups } from "./item-groups.ts";
import { itemPoints } from "./item-points.ts";
import { textColumns } from "./text-columns.ts";

/** Whether texts are looked at: where there are some, always, or never. */
export const TEXT_USES = ["auto", "yes", "no"] as const;
export type TextUse = (typeof TEXT_USES)[number];

/** What items are described by. */
export interface ItemFeaturesOptions {
  /** @default auto */
  readonly texts?: TextUse;
  /** Columns made elsewhere. */
  readonly table?: ItemTable;
  readonly embeddings?: Embeddings;
  /** Whose proportions subsets keep. @default none */
  readonly strata?: ItemGroups;
  readonly random: RandomSource;
}

/**
 * What is known of items apart from answers: measures of their texts, columns made elsewhere, and a space, of embeddings
 * or, where all have a text, of their words.
 * @throws AnchorEvalError `invalid_data` for items without a text where texts are asked for, without an embedding, or a
 * table without a number for each of them
 */
export function itemFeatures(
  items: readonly ItemInfo[],
  { texts = "auto", table, embeddings, strata, random }: ItemFeaturesOptions,
): ItemFeatures {
  const without = items.filter(({ text }) => !text?.trim()).map(({ item_id: id }) => id);
  if (texts === "yes" && without.length > 0)
    throw new AnchorEvalError(
      "invalid_data",
      `items without a text, ${without.length} of ${items.length}: ${firstFew(without)}; give --items a file with texts, or go without by --use-texts no`,
    );
  const looked = texts !== "no" && without.length < items.length;
  const given = table
    ? givenColumns(
        table,
        items.map(({ item_id: id }) => id),
        strata?.name,
      )
    : [];
  const spaced = embeddings !== undefined || (looked && without.length === 0);
  return {
    columns: [...(looked ? textColumns(items.map(({ text }) => (text?.trim() ? text : undefined))) : []), ...given],
    points: spaced ? itemPoints(items, embeddings ?? null, random.fork("points")) : null,
    subscenarios: items.some(({ subscenario }) => subscenario !== undefined)
      ? itemGroups(
          "subscenario",
          items.map(({ subscenario }) => subscenario),
        )
      : null,
    strata: strata ?? null,
  };
}
