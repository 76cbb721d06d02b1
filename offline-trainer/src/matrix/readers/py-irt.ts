import { jsonKind, quoted } from "anchoreval/internal/tables/data-issues";
import { visitJsonKeys, type JsonRecord } from "anchoreval/internal/tables/json-records";
import type { ScoreTable } from "./score-table.ts";
import { lookUp } from "anchoreval/internal/core/bundle/names";

/** Whether a line has py-irt's form. */
export function isPyIrt({ fields }: JsonRecord): boolean {
  return Object.hasOwn(fields, "subject_id") || Object.hasOwn(fields, "responses");
}

/** Reads py-irt's JSON lines: `{"subject_id","responses":{item: score}}`, a line a model; null = no score. */
export function pyIrtReader(table: ScoreTable): (record: JsonRecord) => void {
  const { issues, reader } = table;
  return ({ row, text, fields: { subject_id: subject, responses } }) => {
    const name = table.idOf(subject, row, "subject_id");
    if (name === null) return;
    const first = table.model(name);
    if (typeof responses !== "object" || responses === null || Array.isArray(responses)) {
      const message = `expected an object of item → score, got ${jsonKind(responses)}`;
      issues.add({ row, column: "responses" }, "wrong_type", message);
    } else if (first !== undefined) {
      const message = `model ${quoted(name)} is there twice, first in line ${table.modelRows[first]!}`;
      issues.add({ row, column: "subject_id" }, "duplicate", message);
    } else {
      const model = table.addModel(name, row, "subject_id", new Float32Array(table.items.length).fill(NaN));
      for (const id of responseKeys(text)) {
        const score = reader.fromJson(lookUp(responses as Record<string, unknown>, id));
        const item = table.item(id) ?? table.addItem(id, row, "responses");
        table.enter(model, item, score, { row, column: id, duplicate: id });
      }
    }
  };
}

/** Keys of `responses` as they stand in the line: repeated ones too, and in their order. */
function responseKeys(text: string): string[] {
  const keys: string[] = [];
  visitJsonKeys(
    text,
    ([field, id]) => {
      if (field === "responses" && id !== undefined) keys.push(id as string);
    },
    2,
  );
  return keys;
}
