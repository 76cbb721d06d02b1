import { invalidOption } from "anchoreval/internal/core/errors";
import { lookUp } from "anchoreval/internal/core/bundle/names";
import { Command as Parser, CommanderError, Option } from "commander";
import { readCall } from "./actions.ts";
import { OptionReader, optionsOfCall, type Command, type OptionSpec } from "./command.ts";

/**
 * Reads a command's arguments.
 * @returns the command that they call, an action or itself, and what they give it
 * @throws AnchorEvalError `invalid_option` that names the option, and the nearest one where it is mistyped
 */
export function parseCommand(
  called: string,
  whole: Command,
  all: readonly string[],
): { command: Command; operands: readonly string[]; options: OptionReader } {
  const { name, command, words: argv } = readCall(called, whole, all, nearestName);
  const specs = Object.entries(optionsOfCall(command));
  const flags = new Set(specs.map(([option]) => `--${option}`));
  const options = new Map(specs.map(([option, spec]) => [option, parserOption(option, spec, flags)]));
  const parser = quietParser(name).argument("[operands...]");
  for (const option of options.values()) parser.addOption(option);
  try {
    parser.parse([...argv], { from: "user" });
  } catch (cause) {
    if (!(cause instanceof CommanderError)) throw cause;
    throw invalidOption(`${parserWords(cause, specs)}; see anchoreval ${name} --help`, cause);
  }
  const opts = parser.opts<Record<string, unknown>>();
  const values = Object.fromEntries(Array.from(options, ([option, parsed]) => [option, opts[parsed.attributeName()]]));
  const dashes = argv.indexOf("--");
  const before = parser.args.length - (dashes < 0 ? 0 : argv.length - dashes - 1);
  if (command.operands?.afterDashes && before > 0)
    throw invalidOption(
      `unexpected argument ${parser.args[0]!}: those of the harness follow --; see anchoreval ${name} --help`,
    );
  const operands = placeOperands(name, command, parser.args, values);
  return { command, operands, options: new OptionReader(values) };
}

/** The name that a mistyped one is nearest to; null where none is near. */
export function nearestName(name: string, names: readonly string[]): string | null {
  const parser = quietParser("anchoreval");
  for (const other of names) quietParser(other, parser.command(other));
  try {
    parser.parse([name], { from: "user" });
  } catch (error) {
    return /Did you mean (?:one of )?([\w-]+)/.exec((error as Error).message)?.[1] ?? null;
  }
  return null;
}

/** A parser that throws what is wrong, and neither prints nor exits. */
function quietParser(name: string, parser: Parser = new Parser(name)): Parser {
  return parser
    .helpOption(false)
    .helpCommand(false)
    .exitOverride()
    .configureOutput({ writeOut: () => undefined, writeErr: () => undefined });
}

function parserOption(name: string, { type, multiple }: OptionSpec, flags: ReadonlySet<string>): Option {
  if (type === "boolean") return new Option(`--${name}`);
  return new Option(`--${name} <value>`).argParser((value: string, before: string | string[] | undefined) => {
    if (flags.has(value)) throw invalidOption(`--${name} needs a value; got ${value}`);
    if (multiple) return [...((before as string[] | undefined) ?? []), value];
    if (before !== undefined)
      throw invalidOption(`--${name} is given twice, ${before as string} and ${value}: it takes one value`);
    return value;
  });
}

/** The parser's complaint in the program's words. @param specs - of the options that there are */
function parserWords({ code, message }: CommanderError, specs: readonly [string, OptionSpec][]): string {
  const [, name = ""] = /'(--[\w-]*)/.exec(message) ?? [];
  if (code === "commander.optionMissingArgument") return `${name} needs a value`;
  const valued = specs.find(([, { choices }]) => choices?.some((choice) => `--${choice}`.startsWith(`${name}=`)));
  if (valued) return `unknown option ${name} (did you mean --${valued[0]} ${name.slice(2)}=…?)`;
  const [, near] = /Did you mean (?:one of )?(.+)\?\)/.exec(message) ?? [];
  if (message.includes(`${name}=`)) return `${name} takes no value`;
  return `unknown option ${name || (/'(.*)'/.exec(message)?.[1] ?? "")}${near ? ` (did you mean ${near}?)` : ""}`;
}

/** Puts operands to the option that they stand for; the others are returned. */
function placeOperands(
  name: string,
  { operands, options, actions }: Command,
  words: readonly string[],
  values: Record<string, unknown>,
): readonly string[] {
  if (words.length === 0) return [];
  const action = words.find((word) => lookUp(actions, word) !== undefined);
  if (action !== undefined)
    throw invalidOption(`${action} is an action, which comes first: anchoreval ${name} ${action}; a folder of that name is ./${action}`); // prettier-ignore
  if (operands === undefined)
    throw invalidOption(`unexpected argument ${words[0]!}: ${name} takes options only; see anchoreval ${name} --help`);
  const { option, usage } = operands;
  if (option === undefined) return words;
  const many = optionsOfCall({ options })[option]!.multiple === true;
  if (values[option] !== undefined || (!many && words.length > 1))
    throw invalidOption(
      `unexpected argument ${(values[option] === undefined ? words[1] : words[0])!}: ${name} takes one --${option} ${usage}; see anchoreval ${name} --help`,
    );
  values[option] = many ? [...words] : words[0];
  return [];
}
