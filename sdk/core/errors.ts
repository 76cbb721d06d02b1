/** Stable codes: callers branch on these; the prose of a message may improve freely. Listed with causes in docs/errors.md. */
export type AnchorEvalErrorCode =
  /** A file, a table or an answers file breaks a rule of its format. */
  | "invalid_data"
  /** An option or argument has a value that is not allowed. */
  | "invalid_option"
  /** Answers to anchors that cannot be scored: unknown item, duplicate, not a number, outside [0,1], … */
  | "invalid_answers"
  /** Answers fit more than one form, and none was named. */
  | "ambiguous_form"
  /** The bundle has no form of this id. */
  | "unknown_form"
  /** The bundle has no scenario of this id. */
  | "unknown_scenario"
  /** The item's content differs from the one that was calibrated. */
  | "item_changed"
  /** The answers name another digest than the bundle's. */
  | "digest_mismatch"
  /** A bundle file breaks the format. */
  | "bundle_invalid"
  /** The bundle's format is of a newer major version than this reader. */
  | "bundle_format_unsupported"
  /** Scores need a part of the bundle that this version doesn't know. */
  | "bundle_newer"
  /** A bundle file's bytes do not have the digest or the length that the manifest states. */
  | "bundle_corrupt"
  /** The manifest is of another benchmark or version than the address that it was read from, or another one than the index names. */
  | "bundle_mismatch"
  /** No trusted key signed the bundle's manifest. */
  | "bundle_untrusted"
  /** No such bundle, version or file. */
  | "not_found"
  /** The version was taken back by its publisher, and a check isn't to pass on it. */
  | "yanked_version"
  /** A version is there already with other content. */
  | "version_conflict"
  /** Storage or network failed after the retries. */
  | "unavailable"
  /** An answer that comes in lines ended before its last one. */
  | "truncated"
  /** The server refused the request; `issues` has its reasons. */
  | "request_refused"
  /** The caller's signal aborted the work. */
  | "aborted"
  /** The work needs more memory than this machine has free. */
  | "out_of_memory"
  /** Nothing here can do that: the message says what can. */
  | "unsupported"
  /** A computation broke down (not finite); a defect worth reporting. */
  | "numeric_failure";

/** One finding: where it is, which rule it breaks, in words. */
export interface Issue {
  /** Keys and indices from the root of the checked value, for example `["responses", "gsm/17"]` or `["row 3", "gsm/17"]`. */
  readonly path: readonly (string | number)[];
  readonly code: string;
  readonly message: string;
}

/**
 * The one error class of the project.
 *
 * @example
 * try { estimateFromAnchors(bundle, responses); }
 * catch (error) { if (error instanceof AnchorEvalError) console.error(error.code, error.issues); else throw error; }
 */
export class AnchorEvalError extends Error {
  readonly code: AnchorEvalErrorCode;
  readonly issues: readonly Issue[];

  constructor(
    code: AnchorEvalErrorCode,
    message: string,
    options: { cause?: unknown; issues?: readonly Issue[] } = {},
  ) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.name = "AnchorEvalError";
    this.code = code;
    this.issues = options.issues ?? [];
  }
}

/** The refusal of an option's value. @example invalidOption("level must be in (0,1), got 2").code // "invalid_option" */
export function invalidOption(why: string, cause?: unknown): AnchorEvalError {
  return new AnchorEvalError("invalid_option", why, { cause });
}

/**
 * Whatever a bundle's parameters are, nothing that is told of a model is something else than a number.
 * @param what - for the message: a scenario, or what was estimated
 * @throws AnchorEvalError `numeric_failure`
 */
export function requireNumbers(what: string, figures: readonly number[]): void {
  if (!figures.every(Number.isFinite))
    throw new AnchorEvalError(
      "numeric_failure",
      `${what}: the bundle's parameters give no number for these answers: they are damaged, or made to do harm`,
    );
}

/** The names of a function's options, all of them, and which are numbers or lists: the type holds them to that. */
export type OptionNames<T> = {
  readonly [Name in keyof T]-?: NonNullable<T[Name]> extends number
    ? "number"
    : NonNullable<T[Name]> extends readonly unknown[]
      ? "list"
      : true;
};

/** Letters by which a misspelt name may differ from the one that was meant, at most. Chosen, not measured. */
const MOST_LETTERS = 3;

/**
 * Refuses what a program without types may pass: a promise in place of what it brings, and options that there aren't, which
 * would count for nothing.
 * @param subject - what the function is about, such as a bundle
 * @param by - gives such a subject, for the message
 * @throws AnchorEvalError `invalid_option`
 */
export function checkCall<T extends object>(subject: unknown, by: string, options: T, names: OptionNames<T>): void {
  if (typeof (subject as Promise<unknown> | null)?.then === "function")
    throw invalidOption(`${by}(…) gives a promise: await it before it is passed on`);
  if (typeof subject !== "object" || subject === null)
    throw invalidOption(`what ${by}(…) gives is needed first, got ${String(subject)}`);
  checkNames(options, names);
}

/**
 * Refuses options that a function doesn't have, and what is no number or list where one is needed: an empty text would count as 0.
 * @throws AnchorEvalError `invalid_option`, with the name that is nearest
 */
export function checkNames<T extends object>(options: T, names: OptionNames<T>): void {
  if (typeof options !== "object" || (options as T | null) === null) throw invalidOption("options are an object");
  const kinds = new Map<string, unknown>(Object.entries(names));
  const all = [...kinds.keys()];
  for (const [name, setting] of Object.entries<unknown>(options as Record<string, unknown>)) {
    const kind = kinds.get(name);
    const fits = kind === "number" ? typeof setting === kind : kind !== "list" || Array.isArray(setting);
    if (setting !== undefined && !fits)
      throw invalidOption(`${name} must be a ${kind as string}, got ${JSON.stringify(setting)}`);
    if (kinds.has(name)) continue;
    const [nearest] = all
      .map((candidate) => ({ candidate, letters: lettersBetween(name.toLowerCase(), candidate.toLowerCase()) }))
      .sort((left, right) => left.letters - right.letters);
    const near = nearest && nearest.letters <= Math.min(MOST_LETTERS, name.length - 1) ? nearest.candidate : null;
    throw invalidOption(
      `there is no option ${name}${near === null ? "" : ` (did you mean ${near}?)`}: there are ${all.join(", ")}`,
    );
  }
}

/** The least number of letters to put in, take out or replace between two words (Levenshtein). */
export function lettersBetween(from: string, to: string): number {
  let row = Array.from({ length: to.length + 1 }, (_, k) => k);
  for (let i = 1; i <= from.length; i++) {
    const next = [i];
    for (let j = 1; j <= to.length; j++)
      next.push(Math.min(next[j - 1]! + 1, row[j]! + 1, row[j - 1]! + Number(from[i - 1] !== to[j - 1])));
    row = next;
  }
  return row[to.length]!;
}
