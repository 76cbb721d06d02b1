import { type DataIssues, jsonKind, quoted } from "anchoreval/internal/tables/data-issues";
import { visitJsonKeys, type JsonRecord } from "anchoreval/internal/tables/json-records";
import type { ScoreReader } from "anchoreval/internal/tables/score-reader";
import type { ScoreTable } from "./score-table.ts";

/** Whether a line has py-irt's form. */
export function isPyIrt({ fields }: JsonRecord): boolean {
  return Object.hasOwn(fields, "subject_id") || Object.hasOwn(fields, "responses");
}

/** Reads py-irt's JSON lines: `{"subject_id","responses":{item: score}}`, a line a model; null = no score. */
export function pyIrtReader(table: ScoreTable, reader: ScoreReader, issues: DataIssues): (record: JsonRecord) => void {
  return ({ row, text, fields }) => {
    const { subject_id: name, responses } = fields;
    const first = typeof name === "string" ? table.model(name) : undefined;
    if (typeof name !== "string") {
      issues.add({ row, column: "subject_id" }, "wrong_type", `subject_id must be text, got ${jsonKind(name)}`);
    } else if (typeof responses !== "object" || responses === null || Array.isArray(responses)) {
      const message = `expected an object of item → score, got ${jsonKind(responses)}`;
      issues.add({ row, column: "responses" }, "wrong_type", message);
    } else if (first !== undefined) {
      const message = `model ${quoted(name)} is there twice, first in line ${table.modelRows[first]!}`;
      issues.add({ row, column: "subject_id" }, "duplicate", message);
    } else {
      const model = table.addModel(name, row, "subject_id", new Float32Array(table.items.length).fill(NaN));
      for (const id of responseKeys(text)) {
        const score = reader.fromJson((responses as Record<string, unknown>)[id]);
        const item = table.item(id) ?? table.addItem(id, row, "responses");
        if (!table.put(model, item, typeof score === "number" ? score : NaN))
          issues.add({ row, column: id }, "duplicate", `model ${quoted(name)} answers item ${quoted(id)} twice`);
        else if (typeof score === "object") issues.add({ row, column: id }, score.code, score.message);
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
