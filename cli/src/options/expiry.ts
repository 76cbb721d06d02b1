import { invalidOption } from "../program/command.ts";

/**
 * The end of a day, or a time, that is still to come; null where none is given.
 * @example readExpiry("2099-01-31") // "2099-01-31T23:59:59.000Z"
 * @throws AnchorEvalError `invalid_option`
 */
export function readExpiry(text: string | undefined): string | null {
  if (text === undefined) return null;
  const day = /^\d{4}-\d{2}-\d{2}$/.test(text);
  const time = new Date(day ? `${text}T23:59:59Z` : text);
  if (Number.isNaN(time.getTime()) || (!day && !/(Z|[+-]\d{2}:\d{2})$/.test(text)))
    throw invalidOption(
      `--expires must be a day like 2027-01-31, or a time with its zone like 2027-01-31T12:00:00Z; got ${text}`,
    );
  if (time.getTime() <= Date.now()) throw invalidOption(`--expires ${text} has passed`);
  return time.toISOString();
}
