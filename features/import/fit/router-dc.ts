import type { ImportedTable } from "./read-long-table.ts";
import { basename } from "node:path";
import { AnchorEvalError } from "anchoreval/internal/core/errors";
import { readJsonFile } from "anchoreval/internal/node/read-file";
import { DataIssues, jsonKind } from "anchoreval/internal/tables/data-issues";
import { type ScoreOptions, scoreReader } from "anchoreval/internal/tables/score-reader";
import { noteUnread, putScore } from "../../../offline-trainer/src/matrix/readers/long-table.ts";
import type { ItemInfo } from "../../../offline-trainer/src/matrix/response-matrix.ts";
import { assembleMatrix, checkTable, ScoreTable } from "../../../offline-trainer/src/matrix/readers/score-table.ts";

/**
 * Reads RouterDC's data: JSON lists of `{"question", "scores": {model: score}}`. The file's name is the scenario, and
 * what it ends in, `_train` or `-test`, the subscenario; the k-th question of `mmlu_train.json` is item `mmlu_train/k`.
 * @throws AnchorEvalError `invalid_data` naming file, entry and rule; `not_found`
 * @example await readRouterDc(["datasets/split2_model7/mmlu_train.json", "datasets/split2_model7/mmlu_test.json"])
 */
export async function readRouterDc(paths: readonly string[], options: ScoreOptions = {}): Promise<ImportedTable> {
  const reader = scoreReader(options);
  const table = new ScoreTable(new DataIssues(paths.join(", ")), reader);
  const items: ItemInfo[] = [];
  const files = new Map<string, string>();
  const unread = new Set<string>();
  for (const path of paths) {
    const issues = new DataIssues(path, "entries");
    const name = basename(path).replace(/\.json$/, "");
    const before = files.get(name);
    if (before !== undefined)
      throw new AnchorEvalError(
        "invalid_data",
        `${path}: another file has this name: ${before}; items are named after it`,
      );
    files.set(name, path);
    const entries = await readJsonFile(path);
    if (!Array.isArray(entries))
      return issues.fail({}, "wrong_type", `RouterDC's data must be a list of questions, got ${jsonKind(entries)}`);
    const [, scenario, split] = /^(.+?)[-_](train|test)$/.exec(name) ?? [];
    (entries as unknown[]).forEach((entry, k) => {
      const row = k + 1;
      const { question, scores, ...others } = (entry ?? {}) as { question?: unknown; scores?: unknown };
      for (const field of Object.keys(others)) unread.add(field);
      if (typeof question !== "string" || typeof scores !== "object" || scores === null) {
        issues.add({ row }, "missing", "an entry has question, a text, and scores, by model");
        return;
      }
      const item = `${name}/${k}`;
      items.push({ item_id: item, scenario: scenario ?? name, ...(split && { subscenario: split }), text: question });
      table.addItem(item, row, "question");
      for (const [model, score] of Object.entries(scores))
        putScore({ row, model, item, score: reader.fromJson(score) }, table, issues);
    });
    issues.refuse();
  }
  checkTable(table, 1);
  const remarks: string[] = [];
  noteUnread([...unread], [], remarks);
  return { matrix: assembleMatrix(table, items), weighting: null, remarks };
}
