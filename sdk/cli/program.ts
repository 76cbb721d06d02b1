import { AnchorEvalError } from "../core/errors.ts";
import { candidates } from "./candidates.ts";
import { COMPLETE } from "./completion.ts";
import { COMMON_OPTIONS, parseCommand, type Command, type OptionSpec } from "./command.ts";
import type { FormatReaders } from "../node/harnesses.ts";
import { createOutput, type Streams } from "./output.ts";

/** A command-line program: its commands, and what happens with others. */
export interface Program {
  readonly name: string;
  readonly summary: string;
  readonly version: string;
  readonly commands: readonly Command[];
  /** What the program reads beyond what the SDK does itself. */
  readonly formats?: FormatReaders;
  /** Commands that another program carries out: their summaries for the help, and how they are run. */
  readonly external?: {
    readonly summaries: Readonly<Record<string, string>>;
    /** @param what - what needs it, for messages */
    run(argv: readonly string[], what: string): Promise<number>;
  };
}

/**
 * Runs a program.
 * @returns the exit code: 0 done, 1 failed, 2 bad input or usage; commands may have codes of their own
 */
export async function runProgram(program: Program, argv: readonly string[], streams: Streams): Promise<number> {
  const [name, ...rest] = argv;
  if (name === undefined || name === "--help" || name === "help") {
    streams.stdout.write(programHelp(program));
    return name === undefined ? 2 : 0;
  }
  if (name === "--version") {
    streams.stdout.write(`${program.version}\n`);
    return 0;
  }
  if (name === COMPLETE) {
    const found = candidates(program, rest);
    if (found === null) return program.external!.run(argv, name);
    for (const word of found) streams.stdout.write(`${word}\n`);
    return 0;
  }
  const command = program.commands.find((candidate) => candidate.name === name);
  if (!command) {
    if (program.external && Object.hasOwn(program.external.summaries, name)) return program.external.run(argv, name);
    streams.stderr.write(`${program.name}: there is no command ${name}\n\n${programHelp(program)}`);
    return 2;
  }
  if (rest.includes("--help")) {
    streams.stdout.write(commandHelp(program, command));
    return 0;
  }
  const controller = new AbortController();
  const interrupt = (): void => controller.abort();
  process.once("SIGINT", interrupt);
  try {
    const { positionals, options } = parseCommand(command, rest);
    const beyond = command.beyond?.(options) ?? null;
    if (program.external && beyond !== null) return await program.external.run(argv, `${name} ${beyond}`);
    const output = createOutput({ json: options.flag("json"), quiet: options.flag("quiet") }, streams);
    return await command.run({
      positionals,
      options,
      output,
      signal: controller.signal,
      formats: program.formats ?? {},
    });
  } catch (error) {
    return reportError(program, error, streams, rest.includes("--json"));
  } finally {
    process.removeListener("SIGINT", interrupt);
  }
}

/** Codes that are the caller's to mend. */
const USAGE_CODES: ReadonlySet<string> = new Set([
  "invalid_data",
  "invalid_option",
  "invalid_answers",
  "ambiguous_form",
  "unknown_form",
  "unknown_scenario",
  "item_changed",
  "digest_mismatch",
  "bundle_invalid",
  "bundle_corrupt",
  "bundle_format_unsupported",
  "bundle_untrusted",
  "not_found",
  "unsupported",
]);

function reportError(program: Program, error: unknown, { stdout, stderr }: Streams, json: boolean): number {
  if (!(error instanceof AnchorEvalError)) {
    stderr.write(
      `${program.name}: this is a defect, please report it:\n${error instanceof Error ? (error.stack ?? error.message) : String(error)}\n`,
    );
    return 1;
  }
  if (json)
    stdout.write(
      `${JSON.stringify({ error: { code: error.code, message: error.message, issues: error.issues } }, null, 2)}\n`,
    );
  stderr.write(`${program.name}: ${error.message} [${error.code}]\n`);
  for (const issue of isToldWhole(error) ? [] : error.issues.slice(0, 10))
    stderr.write(`  ${issue.path.join(", ")}: ${issue.message}\n`);
  if (error.issues.length > 10) stderr.write(`  … and ${error.issues.length - 10} more\n`);
  return USAGE_CODES.has(error.code) ? 2 : 1;
}

/** Whether the message has said all that the only issue says. */
function isToldWhole({ message, issues }: AnchorEvalError): boolean {
  const [only, ...more] = issues;
  return (
    only !== undefined &&
    more.length === 0 &&
    [only.message, ...only.path.map(String)].every((part) => message.includes(part))
  );
}

function programHelp({ name, summary, commands, external }: Program): string {
  const rows = [
    ...commands.map((command) => [command.name, command.summary]),
    ...Object.entries(external?.summaries ?? {}),
  ] as [string, string][];
  return `${name}: ${summary}\n\nusage: ${name} COMMAND [OPTIONS]\n\n${table(rows)}\n${name} COMMAND --help tells more of one.\n`;
}

function commandHelp(program: Program, command: Command): string {
  const describe = (options: Readonly<Record<string, OptionSpec>>): [string, string][] =>
    Object.entries(options).map(([name, spec]) => [`--${name}${spec.value ? ` ${spec.value}` : ""}`, spec.description]);
  return `${command.summary}\n\nusage: ${program.name} ${command.name}${command.positionals ? ` ${command.positionals}` : ""} [OPTIONS]\n\n${table([...describe(command.options), ...describe(COMMON_OPTIONS)])}`;
}

function table(rows: readonly (readonly [string, string])[]): string {
  const width = Math.max(...rows.map(([left]) => left.length));
  return rows.map(([left, right]) => `  ${left.padEnd(width)}  ${right}\n`).join("");
}
