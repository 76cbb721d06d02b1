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
export function invalidOption(why: string): AnchorEvalError {
  return new AnchorEvalError("invalid_option", why);
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
