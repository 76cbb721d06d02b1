import { COMMON_OPTIONS, type Command, type OptionSpec } from "./command.ts";

/** What of a program its completion needs. */
interface Completed {
  readonly commands: readonly Command[];
  readonly external?: { readonly summaries: Readonly<Record<string, string>> };
}

/** Values that are named in the help: `lm-eval|ids`. */
const NAMED_VALUES = /^[a-z0-9-]+(\|[a-z0-9-]+)+$/;

/**
 * What the last word of a command line may become.
 * @param words - after the program's name, the last one as far as it is typed, `""` where a new one begins
 * @returns none where it is a file or free text; null where another program knows
 * @example candidates(program, ["export", "--to", ""]) // ["lm-eval", "ids"]
 */
export function candidates(program: Completed, words: readonly string[]): readonly string[] | null {
  const [name = "", ...rest] = words;
  const external = Object.keys(program.external?.summaries ?? {});
  const begun = (all: readonly string[]): string[] => all.filter((word) => word.startsWith(words.at(-1) ?? ""));
  if (rest.length === 0)
    return begun([...program.commands.map((command) => command.name), ...external, "help", "--help", "--version"]);
  const command = program.commands.find((own) => own.name === name);
  if (!command) return external.includes(name) ? null : [];
  const options: Readonly<Record<string, OptionSpec>> = { ...command.options, ...COMMON_OPTIONS };
  const before = /^--(.+)$/.exec(rest.at(-2) ?? "")?.[1];
  const spec = before === undefined ? undefined : options[before];
  if (spec?.type === "string") return NAMED_VALUES.test(spec.value ?? "") ? begun(spec.value!.split("|")) : [];
  return rest.at(-1)!.startsWith("-") ? begun(Object.keys(options).map((option) => `--${option}`)) : [];
}
