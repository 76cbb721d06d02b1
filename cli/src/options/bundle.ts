import { stat } from "node:fs/promises";
import { AnchorEvalError } from "anchoreval/internal/core/errors";
import { type OptionReader, invalidOption } from "../command.ts";

/** When the data were made: --created, SOURCE_DATE_EPOCH, or the responses file's time. Never the clock's. */
export async function readCreated(options: OptionReader, responses: string): Promise<string> {
  return givenDate(options) ?? (await fileDate(responses));
}

/** ISO 8601: a day, or a time with its zone; without one the date would depend on the machine. */
const DATE = /^\d{4}-\d{2}-\d{2}(T\d{2}:\d{2}(:\d{2}(\.\d+)?)?(Z|[+-]\d{2}:\d{2}))?$/;

/** The date of --created, else of SOURCE_DATE_EPOCH; null where neither is given. */
export function givenDate(options: OptionReader): string | null {
  const given = options.text("created");
  if (given !== undefined) {
    const date = iso(new Date(given));
    const day = given.slice(0, 10);
    if (!DATE.test(given) || date === null || iso(new Date(day))?.slice(0, 10) !== day)
      throw invalidOption(`--created must be a date such as 2026-01-31 or 2026-01-31T12:00:00Z, got ${given}`);
    return date;
  }
  const epoch = process.env["SOURCE_DATE_EPOCH"];
  if (epoch === undefined || epoch === "") return null;
  const date = /^\d+$/.test(epoch) ? iso(new Date(Number(epoch) * 1000)) : null;
  if (date === null) throw invalidOption(`SOURCE_DATE_EPOCH must be whole seconds since 1970, got ${epoch}`);
  return date;
}

export async function fileDate(path: string): Promise<string> {
  const date = iso((await stat(path)).mtime);
  if (date === null)
    throw new AnchorEvalError("invalid_data", `${path}: the time of its last change isn't a date: give --created`);
  return date;
}

/** Whole seconds; null for what is no date, or lies outside the years 0 to 9999. */
function iso(date: Date): string | null {
  if (Number.isNaN(date.getTime())) return null;
  const text = date.toISOString();
  return text.length === 24 ? `${text.slice(0, 19)}Z` : null;
}
