import { existsSync } from "node:fs";
import { invalidOption } from "anchoreval/internal/core/errors";
import { lookUp } from "anchoreval/internal/core/bundle/names";
import { type Action, type Command, optionsOfCall } from "./command.ts";

/** A command that does nothing but what its first word says. */
export function commandOfActions(
  actions: Readonly<Record<string, Action>>,
  examples: Command["examples"],
): Command & { readonly actions: Readonly<Record<string, Action>> } {
  return { operands: { usage: "ACTION" }, options: {}, actions, examples, run: () => Promise.resolve() };
}

/** The action that the first of a command's words names, or the command itself. */
export interface Call {
  /** For people: `keys sign`. */
  readonly name: string;
  readonly command: Command;
  /** Of an action. */
  readonly summary?: string;
  /** The words that follow. */
  readonly words: readonly string[];
}

export function findCall(name: string, command: Command, words: readonly string[]): Call {
  const [word = "", ...rest] = words;
  const action = lookUp(command.actions, word);
  if (action === undefined) return { name, command, words };
  return { name: `${name} ${word}`, command: action, summary: action.summary, words: rest };
}

/**
 * {@link findCall}, where there is such an action, and no option is another's.
 * @param nearest - the action that a mistyped one is nearest to
 * @throws AnchorEvalError `invalid_option`
 */
export function readCall(
  name: string,
  command: Command,
  words: readonly string[],
  nearest: (word: string, names: readonly string[]) => string | null,
): Call {
  const call = findCall(name, command, words);
  const { actions } = command;
  if (actions === undefined) return call;
  const names = Object.keys(actions);
  const [word = "-"] = words;
  const isMeant = Object.keys(command.options).length === 0;
  const near = call.command === command && !word.startsWith("-") ? nearest(word, names) : null;
  if (call.command === command && (isMeant || (near !== null && !existsSync(word)))) {
    const list = `${names.join(", ")}; see anchoreval ${name} --help`;
    if (word.startsWith("-")) throw invalidOption(`${name} needs an action first: ${list}`);
    throw invalidOption(
      `there is no action ${word} of ${name}${near === null ? "" : ` (did you mean ${near}?)`}: there are ${list}`,
    );
  }
  refuseOthers(call, [
    [name, command],
    ...Object.entries(actions).map(([word, action]) => [`${name} ${word}`, action] as const),
  ]);
  return call;
}

/** Refuses options that another action has. */
function refuseOthers(call: Call, calls: readonly (readonly [name: string, command: Command])[]): void {
  const options = optionsOfCall(call.command);
  for (const word of call.words) {
    if (word === "--") return;
    const [, option] = /^--([\w-]+)/.exec(word) ?? [];
    if (option === undefined || lookUp(options, option) !== undefined) continue;
    const others = calls.filter(([, other]) => lookUp(optionsOfCall(other), option) !== undefined);
    if (others.length > 0)
      throw invalidOption(
        `--${option} is for ${others.map(([name]) => name).join(" and ")}, not for ${call.name}; see anchoreval ${call.name} --help`,
      );
  }
}
