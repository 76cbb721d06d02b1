import { invalidOption } from "./errors.ts";

/** The names of a function's options, all of them: the type holds the list to that. */
export type OptionNames<T> = { readonly [Name in keyof T]-?: true };

/** Letters by which a misspelt name may differ from the one that was meant, at most. */
const MOST_LETTERS = 3;

/**
 * Refuses what a program without types may pass: a promise in place of what it brings, and options that there aren't, which
 * would count for nothing.
 * @param subject - what the function is about, such as a bundle
 * @param by - gives such a subject, for the message
 * @throws AnchorEvalError `invalid_option`
 * @example checkCall(bundle, "loadBundle", { form: "50" }, { form: true, level: true })
 */
export function checkCall<T extends object>(subject: unknown, by: string, options: T, names: OptionNames<T>): void {
  if (typeof (subject as Promise<unknown> | null)?.then === "function")
    throw invalidOption(`${by}(…) gives a promise: await it before it is passed on`);
  if (typeof subject !== "object" || subject === null)
    throw invalidOption(`what ${by}(…) gives is needed first, got ${subject === null ? "null" : typeof subject}`);
  checkNames(options, names);
}

/** Refuses options that a function doesn't have. @throws AnchorEvalError `invalid_option`, with the name that is nearest */
export function checkNames<T extends object>(options: T, names: OptionNames<T>): void {
  const value: unknown = options;
  if (typeof value !== "object" || value === null)
    throw invalidOption(`options are an object, got ${value === null ? "null" : typeof value}`);
  for (const name of Object.keys(options)) {
    if (Object.hasOwn(names, name)) continue;
    const [nearest] = Object.keys(names)
      .map((own) => ({ own, letters: lettersBetween(name.toLowerCase(), own.toLowerCase()) }))
      .sort((left, right) => left.letters - right.letters);
    const near = nearest && nearest.letters <= Math.min(MOST_LETTERS, name.length - 1) ? nearest.own : null;
    throw invalidOption(
      `there is no option ${name}${near === null ? "" : ` (did you mean ${near}?)`}: there are ${Object.keys(names).join(", ")}`,
    );
  }
}

/** The least number of letters to put in, take out or replace between two words (Levenshtein). */
function lettersBetween(from: string, to: string): number {
  let row = Array.from({ length: to.length + 1 }, (_, k) => k);
  for (let i = 1; i <= from.length; i++) {
    const next = [i];
    for (let j = 1; j <= to.length; j++)
      next.push(Math.min(next[j - 1]! + 1, row[j]! + 1, row[j - 1]! + Number(from[i - 1] !== to[j - 1])));
    row = next;
  }
  return row[to.length]!;
}
