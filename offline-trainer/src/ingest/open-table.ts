import { DataIssues, textLines, type LineBatch } from "anchoreval/node";

/** The lines of a file that is read as a table, and which kind of file it is. */
export interface OpenTable {
  /** JSON lines; else CSV. */
  readonly json: boolean;
  readonly lines: AsyncIterable<LineBatch>;
}

/**
 * Opens a file of CSV or JSON lines, plain or gzip. The ending .csv or .jsonl decides, else the first line does.
 * @throws AnchorEvalError `invalid_data` for a file without any text
 */
export async function openTable(path: string): Promise<OpenTable> {
  const batches = textLines(path);
  const head: LineBatch[] = [];
  let first: string | undefined;
  while (first === undefined) {
    const next = await batches.next();
    if (next.done === true) new DataIssues(path).fail({}, "empty", "the file is empty");
    head.push(next.value as LineBatch);
    first = head.at(-1)!.lines.find((line) => line.trim() !== "");
  }
  return { json: isJson(path, first), lines: resumed(head, batches) };
}

async function* resumed(
  head: readonly LineBatch[],
  rest: AsyncIterable<LineBatch>,
): AsyncGenerator<LineBatch, void, undefined> {
  yield* head;
  yield* rest;
}

function isJson(path: string, firstLine: string): boolean {
  return isNamedJson(path) || (!/\.csv(\.gz)?$/i.test(path) && /^\s*[{[]/.test(firstLine));
}

/** Whether a file's ending says that its lines are JSON. */
export function isNamedJson(path: string): boolean {
  return /\.(jsonl|ndjson|json)(\.gz)?$/i.test(path);
}
