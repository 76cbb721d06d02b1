import { mkdirSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { FORMATS } from "../../../offline-trainer/src/matrix/readers/formats.ts";
import { importLogs } from "../../../features/import/fit/import-logs.ts";
import { boardWords } from "../../../features/borders/fit/board-summary.ts";
import { checkBoard } from "../../../features/borders/fit/border-check.ts";
import { readResponses } from "../../../offline-trainer/src/matrix/read-responses.ts";
import { type ResponseMatrix, scoreAt } from "../../../offline-trainer/src/matrix/response-matrix.ts";
import type { ErrorPolicy } from "../../../sdk/logs/attempts.ts";
import { harnessNamed } from "anchoreval/internal/node/logs/harnesses";
import type { HarnessWriter } from "./board.ts";

/** What is read of a written board. */
export interface ReadBoard {
  /** Scores by model and item; null where there is none. */
  readonly cells: Readonly<Record<string, number | null>>;
  /** What was said. */
  readonly remarks: readonly string[];
}

/** Reads a folder as `import` does, or as `fit` does of a table. */
export async function readBoard(folder: string, { from }: HarnessWriter, errors: ErrorPolicy): Promise<ReadBoard> {
  if (from === "table") {
    const [name] = readdirSync(folder);
    const { matrix, remarks } = await readResponses(join(folder, name!), { leastModels: 1 });
    return checked(folder, matrix, remarks);
  }
  const { matrix, report } = await importLogs(harnessNamed(from, FORMATS), [folder], {
    ...{ errors, onDuplicate: "newest", allowMixed: false },
    metric: () => undefined,
    filter: () => undefined,
  });
  return checked(folder, matrix, report.warnings);
}

function checked(folder: string, matrix: ResponseMatrix, remarks: readonly string[]): ReadBoard {
  const { findings, summary } = checkBoard(folder, matrix);
  return {
    cells: cellsOf(matrix),
    remarks: [...remarks, ...findings.map(({ message }) => message), ...boardWords(summary)],
  };
}

function cellsOf(matrix: ResponseMatrix): Record<string, number | null> {
  const cells: Record<string, number | null> = {};
  for (const [row, model] of matrix.subjects.entries())
    for (const [column, { item_id: id }] of matrix.items.entries()) {
      const score = scoreAt(matrix, row, column);
      cells[`${model} ${id}`] = Number.isNaN(score) ? null : score;
    }
  return cells;
}

/** An empty folder's path. */
export function emptyFolder(path: string): string {
  mkdirSync(path, { recursive: true });
  return path;
}

/** The files of a folder with their beginnings, for the message of a test that fails. */
export function contentOf(folder: string): string {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => {
      const file = join(parentPath, name);
      return `${file}: ${JSON.stringify(readFileSync(file).subarray(0, 300).toString())}`;
    })
    .join("\n");
}
