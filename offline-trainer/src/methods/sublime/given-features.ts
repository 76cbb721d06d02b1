import { AnchorEvalError } from "anchoreval/internal/core/errors";
import { createRandom } from "anchoreval/internal/core/numeric/random";
import { DataIssues, firstFew, quoted } from "anchoreval/internal/tables/data-issues";
import type { AnchorMethod } from "../../anchors/anchor-method.ts";
import type { ItemTable } from "../../matrix/item-table.ts";
import type { ItemInfo, ResponseMatrix } from "../../matrix/response-matrix.ts";
import { sublimeAnchors, type SublimeKnowledge } from "./anchors.ts";
import {
  ID,
  itemCells,
  itemFeatures,
  type ItemFeaturesOptions,
  type ItemGroups,
  itemGroups,
  selectFeatures,
} from "./item-features.ts";

/**
 * {@link sublimeAnchors} with more item features (columns of a file, embeddings, strata) or named anchor models.
 * @throws AnchorEvalError `invalid_option` for an anchor model that isn't there, and as {@link itemFeatures} does
 */
export function sublimeAnchorsOf(
  { items, subjects }: Pick<ResponseMatrix, "items" | "subjects">,
  { anchorModels = [], ...given }: Omit<ItemFeaturesOptions, "random"> & { readonly anchorModels?: readonly string[] },
): AnchorMethod {
  const unknown = anchorModels.filter((name) => !subjects.includes(name));
  if (unknown.length > 0)
    throw new AnchorEvalError(
      "invalid_option",
      `the responses have no model ${unknown.slice(0, 5).join(", ")}, named as an anchor model`,
    );
  const features = itemFeatures(items, { ...given, random: createRandom("item features") });
  const place = new Map(items.map(({ item_id: id }, i) => [id, i]));
  return {
    ...sublimeAnchors,
    know: (own): SublimeKnowledge => {
      const places = own.map(({ item_id: id }) => place.get(id)!);
      return { features: selectFeatures(features, places), anchorModels };
    },
  };
}

const SUBSCENARIO = "subscenario";

/**
 * The strata of a column, whatever its values: `subscenario` of the items as they were read, another one of the items'
 * file or of the features'.
 * @throws AnchorEvalError `invalid_option` for a column that is nowhere, or in both files; `invalid_data` naming file, row
 * and column for an item without a row or a value
 */
export function itemStrata(
  column: string,
  items: readonly ItemInfo[],
  { items: file, features }: { readonly items?: ItemTable; readonly features?: ItemTable },
): ItemGroups {
  const tables = [file, features].filter((table) => table?.columns.includes(column));
  const read = column === SUBSCENARIO && items.some(({ subscenario }) => subscenario !== undefined);
  if (column === ID || (tables.length === 0 && !read)) {
    const known = [...new Set([...(file?.columns ?? []), ...(features?.columns ?? [])])].filter((name) => name !== ID);
    throw new AnchorEvalError(
      "invalid_option",
      `--strata ${quoted(column)}: there is no such column in --items or --item-features` +
        (known.length > 0 ? `; there are ${firstFew(known, 20)}` : ", and neither is given"),
    );
  }
  if (features?.columns.includes(column) && (file?.columns.includes(column) || read))
    throw new AnchorEvalError(
      "invalid_option",
      `--strata ${quoted(column)}: the column is in --items and in --item-features; rename one of them`,
    );
  return itemGroups(column, read ? subscenariosOf(items) : tableValues(tables[0]!, column, items));
}

function subscenariosOf(items: readonly ItemInfo[]): string[] {
  const without = items.filter(({ subscenario }) => subscenario === undefined).map(({ item_id: id }) => id);
  if (without.length > 0)
    throw new AnchorEvalError(
      "invalid_data",
      `items without a subscenario, which --strata asks for, ${without.length} of ${items.length}: ${firstFew(without)}`,
    );
  return items.map(({ subscenario }) => subscenario!);
}

function tableValues(table: ItemTable, column: string, items: readonly ItemInfo[]): string[] {
  const issues = new DataIssues(table.name);
  const cells = itemCells(table, items, issues)(column);
  for (const { id, text, place } of cells)
    if (text === "") issues.add(place, "missing_field", `item ${quoted(id)} has no value, and --strata asks for one`);
  issues.refuse();
  return cells.map(({ text }) => text);
}
