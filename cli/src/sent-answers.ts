import type { ComparedModel } from "anchoreval/internal/features/sdk";
import type { AnyResponses, ItemTrials } from "anchoreval/internal/tables/item-trials";

/** JSON has no NaN and no infinity: they come as `{"number": "NaN"}`, and are refused where every bad score is. */
type SentScore = number | null | { readonly number: string };
/** Of an item that was tried several times: a list, or counts. */
type SentTrials = readonly SentScore[] | { readonly passed: SentScore; readonly of: SentScore };

/** A model's answers as a program in another language sends them, with what belongs to them. */
export interface SentModel extends Omit<ComparedModel, "responses"> {
  readonly responses: (SentScore | SentTrials)[] | { byId: [id: string, score: SentScore | SentTrials][] };
}

/** A table of answers: a row a model, with a cell for each of the items. */
export interface SentTable {
  readonly items: readonly string[];
  readonly rows: readonly (readonly (SentScore | SentTrials)[])[];
}

/** A model as it was sent. Trials are refused where a function takes none, as every other bad score is. */
export function received({ responses, ...terms }: SentModel): ComparedModel {
  if (!("byId" in responses)) return { ...terms, responses: responses.map(score) };
  const byId = responses.byId.map(([id, sent]) => [id, score(sent)] as [string, number | null]);
  return { ...terms, responses: new Map(byId) };
}

/** A row of a table as it was sent: answers by item id. */
export function receivedRow({ items }: SentTable, row: SentTable["rows"][number]): AnyResponses {
  return new Map(items.map((id, column) => [id, score(row[column]!)]));
}

function score(sent: SentScore | SentTrials): number | null | ItemTrials {
  if (typeof sent !== "object" || sent === null) return sent;
  if (Array.isArray(sent)) return sent.map((part: SentScore) => score(part) as number | null);
  if ("number" in sent) return Number(sent.number);
  return Object.fromEntries(Object.entries(sent).map(([name, part]) => [name, score(part)])) as never; // checked as counts
}
