/** `2024-11-26T10-47-32.305387` and ISO 8601 in its usual forms: a day, with a time, with a fraction, with a zone. */
const DATE =
  /^(\d{4}-\d\d-\d\d)(?:[T ](\d\d)[:-](\d\d)(?:[:-](\d\d)(?:[.,](\d+))?)?)?\s*(Z|UTC|GMT|[+-]\d\d:?(?:\d\d)?)?$/i;
/** `20260301`, `20260301T120000Z`, and `20260301_120000` as folders are called: its beginning. */
const COMPACT = /^((?:19|20)\d\d)(\d\d)(\d\d)(?:[T_-](\d\d)(\d\d)(\d\d)?)?(?=$|[.,Z+\s-])/i;
const SECONDS = /^(\d+)(?:\.(\d+))?$/;
/** Digits of seconds since 1970 until the year 5138; three more are milliseconds, then micro- and nanoseconds. */
const SECONDS_DIGITS = 11;

/**
 * An instant as text that sorts: ISO 8601 in UTC, its fraction as the log has it. Dates without a zone are taken as UTC.
 * @param value - ISO 8601, as file names have it too, or seconds since 1970 or their thousandths, as text or number
 * @returns empty for anything else: an unknown date is older than every other
 * @example sortableDate("2026-03-01T09:00:00+05:30") // "2026-03-01T03:30:00"
 */
export function sortableDate(value: unknown): string {
  const text = typeof value === "string" || typeof value === "number" ? String(value).trim() : "";
  const trimmed = text.replace(
    COMPACT,
    (_, ...[y, m, d, h = "00", min = "00", s = "00"]) => `${y}-${m}-${d}T${h}:${min}:${s}`,
  );
  const [, whole, part = ""] = SECONDS.exec(trimmed) ?? [];
  if (whole !== undefined) {
    const finer = 3 * Math.ceil(Math.max(0, whole.length - SECONDS_DIGITS) / 3);
    const at = whole.length - finer;
    return instant(Number(whole.slice(0, at)) * 1000, whole.slice(at) + part);
  }
  const [, day, hour = "00", minute = "00", second = "00", fraction = "", zone = "Z"] = DATE.exec(trimmed) ?? [];
  if (day === undefined) return "";
  const [, sign, hours = "0", minutes = "0"] = /^([+-])(\d\d):?(\d\d)?$/.exec(zone) ?? [];
  const offset = sign === undefined ? 0 : Number(`${sign}1`) * (Number(hours) * 60 + Number(minutes)) * 60_000;
  const time = Date.parse(`${day}T${hour}:${minute}:${second}Z`) - offset;
  return instant(time, fraction);
}

function instant(milliseconds: number, fraction: string): string {
  const date = new Date(milliseconds);
  if (Number.isNaN(date.getTime())) return "";
  const digits = fraction.replace(/0+$/, "");
  return date.toISOString().slice(0, 19) + (digits === "" ? "" : `.${digits}`);
}
