import { parseArgs, type ParseArgsConfig } from "node:util";
import { AnchorEvalError } from "../core/errors.ts";
import type { FormatReaders } from "../node/harnesses.ts";
import type { Output } from "./output.ts";

/** An option of a command. */
export interface OptionSpec {
  /** A flag takes no value. */
  readonly type: "string" | "boolean";
  /** What stands for the value in the help, for example `FILE`. */
  readonly value?: string;
  readonly description: string;
  /** May be given several times. */
  readonly multiple?: boolean;
}

/** One subcommand: what it takes, and what it does. */
export interface Command {
  readonly name: string;
  /** One line for the list of commands. */
  readonly summary: string;
  /** The arguments in the usage line, for example `DIR|URL`. */
  readonly positionals?: string;
  readonly options: Readonly<Record<string, OptionSpec>>;
  /** What of the options only a program with more formats can do, for messages; null where this one can. */
  beyond?(options: OptionReader): string | null;
  /** @returns the exit code, 0 for done */
  run(input: CommandInput): Promise<number>;
}

/** What a command is run with. */
export interface CommandInput {
  readonly positionals: readonly string[];
  readonly options: OptionReader;
  readonly output: Output;
  /** Aborted by Ctrl-C. */
  readonly signal: AbortSignal;
  /** What the program reads beyond what the SDK does itself. */
  readonly formats: FormatReaders;
}

/** Options that every command takes. */
export const COMMON_OPTIONS = {
  json: { type: "boolean", description: "one JSON document on standard output" },
  quiet: { type: "boolean", description: "no progress, results and errors only" },
  help: { type: "boolean", description: "this text" },
} as const satisfies Record<string, OptionSpec>;

/** Reads one command's arguments. @throws AnchorEvalError `invalid_option` with what is allowed */
export function parseCommand(
  command: Command,
  argv: readonly string[],
): { positionals: string[]; options: OptionReader } {
  const specs: Record<string, OptionSpec> = { ...command.options, ...COMMON_OPTIONS };
  const config = Object.fromEntries(
    Object.entries(specs).map(([name, { type, multiple }]) => [name, { type, ...(multiple && { multiple }) }]),
  ) as NonNullable<ParseArgsConfig["options"]>;
  try {
    const { values, positionals } = parseArgs({
      args: [...argv],
      options: config,
      allowPositionals: command.positionals !== undefined,
    });
    return { positionals, options: new OptionReader(values) };
  } catch (cause) {
    const why = cause instanceof Error ? cause.message.split(". To specify")[0]! : String(cause);
    throw new AnchorEvalError("invalid_option", `${why}; see anchoreval ${command.name} --help`, { cause });
  }
}

/** A command's options, read as what they must be. */
export class OptionReader {
  readonly #values: Readonly<Record<string, unknown>>;

  constructor(values: Readonly<Record<string, unknown>>) {
    this.#values = values;
  }

  isGiven(name: string): boolean {
    return this.#values[name] !== undefined;
  }

  text(name: string): string | undefined {
    return this.#values[name] as string | undefined;
  }

  required(name: string): string {
    const value = this.text(name);
    if (value === undefined || value === "") throw new AnchorEvalError("invalid_option", `--${name} is needed`);
    return value;
  }

  flag(name: string): boolean {
    return this.#values[name] === true;
  }

  /** All values of an option that may be given several times. */
  texts(name: string): string[] {
    return (this.#values[name] as string[] | undefined) ?? [];
  }

  oneOf<const T extends string>(name: string, allowed: readonly T[], otherwise: T): T {
    const value = this.text(name);
    if (value === undefined) return otherwise;
    if (!allowed.includes(value as T))
      throw new AnchorEvalError("invalid_option", `--${name} is ${allowed.join(", ")}; got ${value}`);
    return value as T;
  }

  /** Comma-separated names, each once, in the order of `allowed`. */
  someOf<const T extends string>(name: string, allowed: readonly T[], otherwise: readonly T[]): T[] {
    const value = this.text(name);
    if (value === undefined) return [...otherwise];
    const given = value.split(",").map((part) => part.trim());
    const unknown = given.find((part) => !allowed.includes(part as T));
    if (unknown !== undefined)
      throw new AnchorEvalError("invalid_option", `--${name} is of ${allowed.join(", ")}; got ${unknown}`);
    return allowed.filter((known) => given.includes(known));
  }

  number<D>(name: string, rule: { min?: number; max?: number; integer?: boolean }, otherwise: D): number | D {
    const value = this.text(name);
    return value === undefined ? otherwise : readNumber(name, value, rule);
  }

  /** Comma-separated numbers. */
  numbers<D>(name: string, rule: { min?: number; max?: number; integer?: boolean }, otherwise: D): number[] | D {
    const value = this.text(name);
    return value === undefined ? otherwise : value.split(",").map((part) => readNumber(name, part.trim(), rule));
  }
}

function readNumber(
  name: string,
  text: string,
  { min = -Infinity, max = Infinity, integer }: { min?: number; max?: number; integer?: boolean },
): number {
  const value = text.trim() === "" ? NaN : Number(text);
  if (Number.isNaN(value) || value < min || value > max || (integer && !Number.isSafeInteger(value))) {
    const kind = integer ? "a whole number" : "a number";
    const range = max === Infinity ? (min === -Infinity ? "" : ` of at least ${min}`) : ` from ${min} to ${max}`;
    throw new AnchorEvalError("invalid_option", `--${name} is ${kind}${range}; got ${text}`);
  }
  return value;
}
