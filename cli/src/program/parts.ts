import { lookUp } from "anchoreval/internal/core/bundle/names";
import { type Command, type CommandInput, optionsOf, type OptionReader, type OptionSpecs } from "./command.ts";

/** Options are read from it, before anything else is. */
export type PartInput = Pick<CommandInput, "options" | "output" | "signal">;

/**
 * A feature's addition to a command of the trunk, which knows none by name: its list (features/cli-estimate.ts) has a line a
 * feature. A part is loaded with its command, so that it is light: what it does is imported when it is asked for.
 * @typeParam Ready - what its options are read into, as the command says
 */
export interface CommandPart<Ready = never> {
  /** Its options, by the heading of the help; one that the command has too is described by this in its place. */
  readonly options?: Command["options"];
  /** Runs in place of the command where an option asks for it; the part's other options are refused without. */
  readonly instead?: { readonly of: string; readonly run: Command["run"] };
  /** Reads and checks its options. @returns null where it has nothing to do */
  read?(input: PartInput): Promise<Ready | null> | Ready | null;
}

/** A command with its parts' options, which runs as one of them where that is asked for. */
export function withParts(parts: readonly CommandPart<unknown>[], command: Command): Command {
  const all = new Map<string, OptionSpecs>();
  for (const { options = {} } of [command, ...parts])
    for (const [heading, specs] of Object.entries(options)) all.set(heading, { ...all.get(heading), ...specs });
  const { Output: output = {}, ...others } = Object.fromEntries(all);
  return {
    ...command,
    options: { ...others, Output: output },
    run: (input) => (otherWay(parts, optionsOf(command), input.options) ?? command.run)(input),
  };
}

/**
 * The way of the part that options ask for; undefined for the command's.
 * @param specs - of the command without its parts
 * @throws AnchorEvalError `invalid_option` for options that are another way's alone
 */
function otherWay(
  parts: readonly CommandPart<unknown>[],
  specs: OptionSpecs,
  options: OptionReader,
): Command["run"] | undefined {
  const asked = parts.find(({ instead }) => instead && options.isGiven(instead.of));
  for (const { options: groups = {}, instead } of parts) {
    const names = Object.values(groups).flatMap((group) => Object.keys(group));
    const alone = names.filter((name) => lookUp(specs, name) === undefined);
    if (asked?.instead === undefined) {
      const others = alone.filter((name) => name !== instead?.of);
      if (instead !== undefined) options.refuse(others, `is for --${instead.of}, which isn't given`);
    } else if (instead !== asked.instead) options.refuse(alone, `doesn't go with --${asked.instead.of}`);
  }
  return asked?.instead?.run;
}

/** Reads the options of all parts; those that have nothing to do are left out. */
export async function readParts<Ready>(parts: readonly CommandPart<Ready>[], input: PartInput): Promise<Ready[]> {
  const ready: Ready[] = [];
  for (const part of parts) {
    const read = (await part.read?.(input)) ?? null;
    if (read !== null) ready.push(read);
  }
  return ready;
}
