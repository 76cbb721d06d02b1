import { counted } from "anchoreval/internal/words/figures";
import { firstFew } from "anchoreval/internal/tables/data-issues";
import { dataDigests, type DataDigests } from "../../../offline-trainer/src/matrix/data-digests.ts";
import {
  groupedOrder,
  type ItemInfo,
  type ResponseMatrix,
  submatrix,
} from "../../../offline-trainer/src/matrix/response-matrix.ts";
import type { LogImport } from "../../import/fit/import-logs.ts";

/** Digests of a board that is known beforehand, as far as it is. */
export interface Pinned extends Partial<Omit<DataDigests, "fullScores">> {
  /** Of every model its name and its scores, eight digits of each digest, to say which one is another: `NAME:SCORES …`. */
  readonly rows?: string;
}

/** A board as it is written. */
type Board = Omit<LogImport, "report">;

const byText = (left: string, right: string): number => (left < right ? -1 : left > right ? 1 : 0);

/**
 * The board with models and items in the order of their names, so that the order of a file's rows changes nothing.
 * @param nameItem - the item as it is to be called
 */
export function inOrder(
  { matrix, trials, prices, modelFacts }: Board,
  nameItem: (item: ItemInfo) => ItemInfo = (item) => item,
): Board {
  const named = matrix.items.map(nameItem);
  const sorted = [...named.keys()].sort((i, j) => byText(named[i]!.item_id, named[j]!.item_id));
  const order = Array.from(groupedOrder(sorted.map((i) => named[i]!)), (place) => sorted[place]!);
  const models = [...matrix.subjects.keys()].sort((m, n) => byText(matrix.subjects[m]!, matrix.subjects[n]!));
  const names = new Map(matrix.items.map(({ item_id: id }, i) => [id, named[i]!.item_id]));
  const rows = new Map(models.map((m, row) => [matrix.subjects[m]!, row]));
  const columns = new Map(order.map((i, column) => [named[i]!.item_id, column]));
  return {
    matrix: { ...submatrix(matrix, models, order), items: order.map((i) => named[i]!) },
    ...(trials && {
      trials: trials
        .map((cell) => ({ ...cell, item: names.get(cell.item)! }))
        .sort(
          (left, right) =>
            rows.get(left.model)! - rows.get(right.model)! || columns.get(left.item)! - columns.get(right.item)!,
        ),
    }),
    ...(prices && {
      prices: prices.map((of) => ({
        ...of,
        items: new Map([...of.items].map(([id, price]) => [names.get(id)!, price])),
        assumed: of.assumed.map((id) => names.get(id)!),
      })),
    }),
    ...(modelFacts && { modelFacts: models.map((m) => modelFacts[m]!) }),
  };
}

/** All that can be pinned of a board. @example pinnedBoard(matrix).items // "5e0c…" */
export function pinnedBoard(matrix: ResponseMatrix): Required<Pinned> {
  const { models, items, scores } = dataDigests(matrix);
  return { models, items, scores, rows: [...matrix.subjects.keys()].map((m) => rowDigest(matrix, m)).join(" ") };
}

const rowsOf = (rows: string) => rows.split(" ").map((row) => row.split(":") as [model: string, scores: string]);
const DIGITS = 8;

function rowDigest(matrix: ResponseMatrix, model: number): string {
  const { models, scores } = dataDigests(submatrix(matrix, [model], [...matrix.items.keys()]));
  return `${models.slice(0, DIGITS)}:${scores.slice(0, DIGITS)}`;
}

/** In what a board, `here` by its digests, is another than the pinned one: a few words each; none where it is the same, as far as is known. */
export function otherThanPinned(pinned: Pinned, matrix: ResponseMatrix, here: Required<Pinned>): string[] {
  const isOther = (part: "models" | "items" | "scores"): boolean =>
    pinned[part] !== undefined && pinned[part] !== here[part];
  const rows = new Map(pinned.rows === undefined ? [] : rowsOf(pinned.rows));
  const models = rowsOf(here.rows).map(([model, scores], m) => ({ name: matrix.subjects[m]!, model, scores }));
  const kept = models.filter(({ model }) => rows.has(model));
  const fresh = models.filter(({ model }) => !rows.has(model));
  const gone = rows.size - kept.length;
  const changed = kept.filter(({ model, scores }) => rows.get(model) !== scores);
  const ofModels = [
    ...(fresh.length > 0 ? [`${counted(fresh.length, "model")} more: ${firstFew(fresh.map(({ name }) => name))}`] : []),
    ...(gone > 0 ? [`${counted(gone, "model")} fewer`] : []),
  ];
  const scores = changed.length > 0 ? `other scores of ${firstFew(changed.map(({ name }) => name))}` : "other scores";
  const items = isOther("items");
  return [
    ...(isOther("models") ? (ofModels.length > 0 ? ofModels : ["other models"]) : []),
    ...(items ? [`other items, or other facts of them (${matrix.items.length} here)`] : []),
    ...(isOther("scores") && !items && (changed.length > 0 || !isOther("models")) ? [scores] : []),
  ];
}
