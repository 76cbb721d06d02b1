import { AnchorEvalError } from "anchoreval/core";
import { firstFew } from "anchoreval/node";
import type { ItemChanges } from "../diff/compare-items.ts";
import { responseMatrix, scoreAt, type ItemInfo, type ResponseMatrix } from "../matrix/response-matrix.ts";

/** Answers to a new version's items, as far as there are any. */
export interface CarriedAnswers {
  /** Of all models, old and re-run; missing where a model didn't answer an item as it is now. */
  readonly matrix: ResponseMatrix;
  /** Id in the base of every item that stands, by its id now. */
  readonly standing: ReadonlyMap<string, string>;
  /** Models with answers to items that don't stand. */
  readonly rerun: number;
}

/**
 * Carries old answers over to the items that are the same, and adds those of models that were run again. Old answers to
 * changed items are no answers to what these are now. Where a model has both, the new one counts.
 * @param older - answers to the base's items, by their ids there
 * @param rerun - answers to the new items, any models, any of the items; null without
 * @param items - the new version's, grouped by scenario and subscenario
 * @throws AnchorEvalError `invalid_data` for re-run answers to items that aren't described
 */
export function carryAnswers(
  older: ResponseMatrix,
  rerun: ResponseMatrix | null,
  items: readonly ItemInfo[],
  { unchanged, unchecked, renamed }: ItemChanges,
): CarriedAnswers {
  const standing = new Map([...unchanged, ...unchecked].map(({ item_id: id }) => [id, id]));
  for (const { from, to } of renamed) if (from.scenario === to.scenario) standing.set(to.item_id, from.item_id);
  const known = new Set(items.map(({ item_id: id }) => id));
  const unknown = (rerun?.items ?? []).filter(({ item_id: id }) => !known.has(id));
  if (unknown.length > 0)
    throw new AnchorEvalError(
      "invalid_data",
      `the re-run answers have ${unknown.length} ${unknown.length === 1 ? "item that isn't" : "items that aren't"} described: ${firstFew(unknown.map(({ item_id: id }) => id))}`,
    );
  const subjects = [...new Set([...older.subjects, ...(rerun?.subjects ?? [])])];
  const oldColumns = columnsOf(older);
  const newColumns = rerun && columnsOf(rerun);
  const oldRows = rowsOf(older);
  const newRows = rerun && rowsOf(rerun);
  const scores = new Float32Array(subjects.length * items.length).fill(NaN);
  const again = new Set<number>();
  items.forEach(({ item_id: id }, i) => {
    const oldColumn = oldColumns.get(standing.get(id) ?? "");
    const newColumn = newColumns?.get(id);
    subjects.forEach((subject, m) => {
      const newRow = newRows?.get(subject);
      const fresh = newRow === undefined || newColumn === undefined ? NaN : scoreAt(rerun!, newRow, newColumn);
      const oldRow = oldRows.get(subject);
      const own = Number.isNaN(fresh) && oldRow !== undefined && oldColumn !== undefined;
      scores[m * items.length + i] = own ? scoreAt(older, oldRow, oldColumn) : fresh;
      if (!Number.isNaN(fresh) && !standing.has(id)) again.add(m);
    });
  });
  return { matrix: responseMatrix(subjects, items, scores), standing, rerun: again.size };
}

function columnsOf({ items }: ResponseMatrix): Map<string, number> {
  return new Map(items.map(({ item_id: id }, i) => [id, i]));
}

function rowsOf({ subjects }: ResponseMatrix): Map<string, number> {
  return new Map(subjects.map((subject, m) => [subject, m]));
}
