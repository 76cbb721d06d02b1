import { createWriteStream } from "node:fs";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { createGzip } from "node:zlib";
import { ITEM_FIELDS } from "./items-file.ts";
import type { CellTrials } from "./readers/score-table.ts";
import { isBinary, type ItemInfo, type ResponseMatrix } from "./response-matrix.ts";

/** Distinct scores whose text is remembered. */
const REMEMBERED = 1 << 16;

/**
 * Writes a matrix as wide CSV, gzip where the name ends in .gz; the same matrix gives the same bytes. `readResponses`
 * reads back exactly the same scores.
 * @example await writeWideCsv("responses.csv.gz", matrix)
 */
export async function writeWideCsv(path: string, matrix: ResponseMatrix): Promise<void> {
  await writeText(path, wideCsvLines(matrix));
}

/** The lines of a matrix's wide CSV, each with its line end. */
export function* wideCsvLines(matrix: ResponseMatrix): Generator<string, void> {
  const { subjects, items, stride, scores, observed } = matrix;
  const scoreText = isBinary(matrix) ? String : scoreWriter();
  yield `${["model", ...items.map((item) => csvCell(item.item_id))].join(",")}\n`;
  const cells = new Array<string>(items.length + 1);
  for (let m = 0; m < subjects.length; m++) {
    cells[0] = csvCell(subjects[m]!);
    for (let i = 0, at = m * stride; i < items.length; i++, at++)
      cells[i + 1] = observed === null || observed[at] === 1 ? scoreText(scores[at]!) : "";
    yield `${cells.join(",")}\n`;
  }
}

/** A cell by RFC 4180: quoted where it has a quote, a line end, or what a reader may take for a separator. */
export function csvCell(text: string): string {
  return /[",;\t\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

function scoreWriter(): (score: number) => string {
  const texts = new Map<number, string>();
  return (score) => {
    let text = texts.get(score);
    if (text === undefined) {
      text = shortFloat32(score);
      if (texts.size < REMEMBERED) texts.set(score, text);
    }
    return text;
  };
}

/** A short decimal that reads back as this float32: six digits where they do, else eight, else nine, which always do. */
function shortFloat32(value: number): string {
  for (const digits of [6, 8]) {
    const candidate = Number(value.toPrecision(digits));
    if (Math.fround(candidate) === value) return String(candidate);
  }
  return String(Number(value.toPrecision(9)));
}

/** Position of the operating system's code in a gzip header, and the code for "unknown" (RFC 1952, §2.3.1). */
const SYSTEM_BYTE = 9;
const UNKNOWN_SYSTEM = 255;

/**
 * Writes text in pieces, as gzip where the name ends in .gz, unless told otherwise. The same text gives the same bytes: there is no time and
 * no name in the header, and the system's code is blanked.
 */
export async function writeText(
  path: string,
  pieces: Iterable<string>,
  isPacked: boolean = path.endsWith(".gz"),
): Promise<void> {
  const text = Readable.from(pieces);
  if (isPacked) await pipeline(text, createGzip(), withoutSystem, createWriteStream(path));
  else await pipeline(text, createWriteStream(path));
}

async function* withoutSystem(chunks: AsyncIterable<Buffer>): AsyncGenerator<Buffer, void> {
  let position = 0;
  for await (const chunk of chunks) {
    if (position <= SYSTEM_BYTE && SYSTEM_BYTE < position + chunk.length)
      chunk[SYSTEM_BYTE - position] = UNKNOWN_SYSTEM;
    position += chunk.length;
    yield chunk;
  }
}

/** A number of every item. */
interface NumberColumn {
  /** The field's name. */
  readonly kind: string;
  readonly items: ReadonlyMap<string, number>;
}

/** Digits of a price: those of a token in a million. */
const PRICE_DIGITS = 6;

/**
 * Writes descriptions of items as JSON lines, gzip where the name ends in .gz; fields other than an item's own and its
 * prices are left out, and the same items give the same bytes.
 * @param prices - of all items, each a field by its kind
 * @example await writeItems("items.jsonl.gz", matrix.items)
 */
export async function writeItems(
  path: string,
  items: readonly ItemInfo[],
  prices: readonly NumberColumn[] = [],
): Promise<void> {
  await writeText(path, itemLines(items, prices));
}

function* itemLines(items: readonly ItemInfo[], prices: readonly NumberColumn[]): Generator<string, void> {
  const fields = [...ITEM_FIELDS, ...prices.map(({ kind }) => kind)];
  for (const item of items) {
    const itemPrices = prices.map(
      (of) => [of.kind, Number(of.items.get(item.item_id)!.toPrecision(PRICE_DIGITS))] as const,
    );
    yield `${JSON.stringify({ ...item, ...Object.fromEntries(itemPrices) }, fields)}\n`;
  }
}

/**
 * Writes trials as a long table with a column `trial`, a row a trial, numbered from 1 in each cell; gzip where the name ends in
 * .gz. `readResponses` reads back the matrix of their means.
 * @example await writeTrials("trials.csv.gz", trials)
 */
export async function writeTrials(path: string, trials: readonly CellTrials[]): Promise<void> {
  await writeText(path, trialLines(trials));
}

function* trialLines(trials: readonly CellTrials[]): Generator<string, void> {
  yield "model,item_id,trial,score\n";
  for (const cell of trials)
    for (const [k, score] of cell.scores.entries())
      yield `${csvCell(cell.model)},${csvCell(cell.item)},${k + 1},${score}\n`;
}
