import { AnchorEvalError, invalidOption } from "anchoreval/internal/core/errors";
import type { Output } from "./output.ts";
import { lookUp } from "anchoreval/internal/core/bundle/names";

/*
 * The grammar of the program. An option means the same in every command that has it:
 *
 *   --bundle BUNDLE       the bundle that is read: a folder, an address or a name; of some commands it may stand without its name
 *   --responses PATH      answers that are read: of many models (fit, backtest, audit …), or of one (estimate, check)
 *   --items FILE          descriptions of items that are read (in simulate, which reads nothing, how many to draw)
 *   --out PATH            where the result goes: a folder of the command's own, or a file whose ending says the format;
 *                         what the command didn't write itself is replaced with --force alone
 *   --from HARNESS        the paths are logs of this harness
 *   --seed N              all draws; the same seed gives the same bytes
 *   --json, --quiet       one JSON document on standard output; no remarks and no progress
 *
 * A command may have actions, called by its first word: `publish sweep`, `keys sign`. Each has operands and options of its own.
 * An option that takes one value is given once. Numbers are checked against their range, names against their list.
 */

/** An option of a command, written `option("FILE", "what it is", { required: true })` or `flag("what it does")`. */
export interface OptionSpec {
  readonly type: "string" | "boolean";
  /** Stands for the value in the help, for example `FILE`. */
  readonly value?: string;
  /** The names that it takes, for completion; a placeholder such as `lm-eval|ids` lists them itself. */
  readonly choices?: readonly string[];
  readonly description: string;
  readonly multiple?: boolean;
  readonly required?: boolean;
  /** Listed by `--help-all` only. */
  readonly rare?: boolean;
}

/** Those of some fields that have a value. @example given({ top, out: undefined }) // { top } */
export function given<T extends object>(fields: T): { [Name in keyof T]?: NonNullable<T[Name]> } {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined && value !== null)) as {
    [Name in keyof T]?: NonNullable<T[Name]>;
  };
}

type Traits = Omit<OptionSpec, "type" | "value" | "description">;

export const option = (value: string, description: string, traits: Traits = {}): OptionSpec => ({
  type: "string",
  value,
  description,
  ...traits,
});

export const flag = (description: string, traits: Traits = {}): OptionSpec => ({
  type: "boolean",
  description,
  ...traits,
});

/**
 * Waits for work that Ctrl-C aborts; once it has, whatever the work ends in is `aborted`.
 * @param what - is done, for the message
 */
export function stoppableBy(signal: AbortSignal, what: string): <T>(work: Promise<T>) => Promise<T> {
  const stopped = (cause?: unknown): AnchorEvalError =>
    new AnchorEvalError("aborted", `${what} was stopped; nothing was written`, { cause });
  return async (work) => {
    const done = await work.catch((error: unknown) => {
      throw signal.aborted ? stopped(error) : error;
    });
    if (signal.aborted) throw stopped();
    return done;
  };
}

export type OptionSpecs = Readonly<Record<string, OptionSpec>>;

export function rare<const T extends OptionSpecs>(specs: T): { [Name in keyof T]: OptionSpec } {
  return Object.fromEntries(Object.entries(specs).map(([name, spec]) => [name, { ...spec, rare: true }])) as {
    [Name in keyof T]: OptionSpec;
  };
}

/** One subcommand: its options, and what it does. Name and summary stand in the table of commands. */
export interface Command {
  /** Arguments without an option's name. */
  readonly operands?: {
    /** For the usage line, for example `BUNDLE`. */
    readonly usage: string;
    /** The option that such an argument is the value of; it is given one way or the other. */
    readonly option?: string;
    /** They follow `--`, and are another program's own. */
    readonly afterDashes?: true;
  };
  readonly options: Readonly<Record<string, OptionSpecs>>;
  /** Called by its first word; a command without options of its own does nothing else. */
  readonly actions?: Readonly<Record<string, Action>>;
  /** Names and descriptions that `--help-all` lists besides, as of settings in a file. */
  readonly appendix?: { readonly heading: string; readonly rows: readonly (readonly [string, string])[] };
  readonly examples: readonly [string, string];
  /** @returns the exit code where it isn't 0 */
  run(input: CommandInput): Promise<number> | Promise<void>;
}

/** An action of a command. */
export interface Action extends Command {
  /** One line of help. */
  readonly summary: string;
}

/** A command's place in the program's help, and what loads it. */
export interface CommandEntry {
  readonly name: string;
  readonly summary: string;
  readonly group: string;
  readonly load: () => Promise<Command>;
}

export interface CommandInput {
  readonly operands: readonly string[];
  readonly options: OptionReader;
  readonly output: Output;
  /** Aborted by Ctrl-C. */
  readonly signal: AbortSignal;
}

/** The hidden command by which a shell asks for completions: `anchoreval __complete WORD…`. */
export const COMPLETE = "__complete";

export const COMMON_OPTIONS = {
  json: flag("one JSON document on standard output"),
  quiet: flag("results and errors only, no progress"),
  help: flag("this text"),
  "help-all": flag("this text with rarely needed options"),
} as const satisfies OptionSpecs;

/** Of commands with --out: leave to replace what the command didn't write. */
export const FORCE_OPTION = {
  force: flag("replace whatever --out holds"),
} as const satisfies OptionSpecs;

/** The options of a call: a command's without its actions, or an action's. */
export function optionsOfCall({ options }: Pick<Command, "options">): OptionSpecs {
  return Object.assign({}, ...Object.values(options), COMMON_OPTIONS) as OptionSpecs;
}

/** All options of a command, those of its actions too. */
export function optionsOf(command: Pick<Command, "options" | "actions">): OptionSpecs {
  const calls = [...Object.values(command.actions ?? {}), command];
  return Object.fromEntries(calls.flatMap((call) => Object.entries(optionsOfCall(call))));
}

interface NumberRule {
  readonly min?: number;
  readonly max?: number;
  readonly integer?: boolean;
}

/** A command's options, read as what they must be. Its errors are AnchorEvalErrors `invalid_option`. */
export class OptionReader {
  readonly #values: Readonly<Record<string, unknown>>;
  readonly #before: string;

  /** @param before - what stands before a name that isn't an option's: `set ` for --set dims */
  constructor(values: Readonly<Record<string, unknown>>, before = "") {
    this.#values = values;
    this.#before = before;
  }

  isGiven(name: string): boolean {
    return lookUp(this.#values, name) !== undefined;
  }

  text(name: string): string | undefined {
    return lookUp(this.#values, name) as string | undefined;
  }

  /** Refuses options that are of no use here. @param why - follows the option's name: `needs --to, which isn't given` */
  refuse(names: readonly string[], why: string): void {
    const needless = names.find((name) => this.isGiven(name));
    if (needless !== undefined) throw invalidOption(`--${needless} ${why}`);
  }

  required(name: string): string {
    const value = this.text(name);
    if (value === undefined || value === "") throw invalidOption(`--${name} is needed`);
    return value;
  }

  flag(name: string): boolean {
    return lookUp(this.#values, name) === true;
  }

  texts(name: string): string[] {
    return (lookUp(this.#values, name) as string[] | undefined) ?? [];
  }

  oneOf<const T extends string>(name: string, allowed: readonly T[], otherwise: T): T {
    const value = this.text(name);
    if (value === undefined) return otherwise;
    if (!allowed.includes(value as T))
      throw invalidOption(`--${this.#before}${name} must be one of ${allowed.join(", ")}; got ${value}`);
    return value as T;
  }

  /** Comma-separated names, each once, in the order of `allowed`. */
  someOf<const T extends string>(name: string, allowed: readonly T[], otherwise: readonly T[]): T[] {
    const value = this.text(name);
    if (value === undefined) return [...otherwise];
    const parts = value.split(",").map((part) => part.trim());
    const unknown = parts.find((part) => !allowed.includes(part as T));
    if (unknown !== undefined) throw invalidOption(`--${name} takes ${allowed.join(", ")}; got ${unknown}`);
    return allowed.filter((part) => parts.includes(part));
  }

  number<D>(name: string, rule: NumberRule, otherwise: D): number | D {
    const value = this.text(name);
    return value === undefined ? otherwise : readNumber(this.#before + name, value, rule);
  }

  numbers<D>(name: string, rule: NumberRule, otherwise: D): number[] | D {
    const value = this.text(name);
    return value === undefined
      ? otherwise
      : value.split(",").map((part) => readNumber(this.#before + name, part.trim(), rule));
  }
}

/** Numbers that only programs write so, as 0x53. */
const OTHER_BASE = /^\s*0[xob]/i;

/** Reads a number. @param name - of the option, for the message @throws AnchorEvalError `invalid_option` */
export function readNumber(
  name: string,
  text: string,
  { min = -Infinity, max = Infinity, integer }: NumberRule,
): number {
  const value = text.trim() === "" || OTHER_BASE.test(text) ? NaN : Number(text);
  if (Number.isNaN(value) || value < min || value > max || (integer && !Number.isSafeInteger(value))) {
    const kind = integer ? "a whole number" : "a number";
    const range = max === Infinity ? (min === -Infinity ? "" : ` of at least ${min}`) : ` from ${min} to ${max}`;
    throw invalidOption(`--${name} must be ${kind}${range}; got ${text}`);
  }
  return value;
}

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
