import { invalidOption } from "anchoreval/internal/core/errors";
import { findCall } from "./actions.ts";
import { COMPLETE, optionsOfCall, type Command, type OptionSpec } from "./command.ts";
import { TrainerMissing, withTrainer } from "./trainer.ts";
import { lookUp } from "anchoreval/internal/core/bundle/names";

const SCRIPTS: Readonly<Record<string, string>> = {
  bash: `_anchoreval() {
  local IFS=$'\\n'
  COMPREPLY=($(anchoreval ${COMPLETE} "\${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null))
}
complete -o default -F _anchoreval anchoreval`,
  zsh: `#compdef anchoreval
_anchoreval() {
  local -a found
  found=(\${(f)"$(anchoreval ${COMPLETE} "\${(@)words[2,CURRENT]}" 2>/dev/null)"})
  if (( $#found )); then compadd -a found; else _files; fi
}
compdef _anchoreval anchoreval`,
  fish: `function __anchoreval
  set -l words (commandline -opc) (commandline -ct)
  set -l found (anchoreval ${COMPLETE} $words[2..] 2>/dev/null)
  if set -q found[1]
    printf '%s\\n' $found
  else
    __fish_complete_path $words[-1]
  end
end
complete -c anchoreval -f -a '(__anchoreval)'`,
};

export const completionCommand: Command = {
  operands: { usage: Object.keys(SCRIPTS).join("|") },
  options: {},
  examples: ["completion bash", "completion fish"],
  run: ({ operands, output }) => {
    const [shell = "", ...more] = operands;
    if (!Object.hasOwn(SCRIPTS, shell) || more.length > 0)
      throw invalidOption(`name a shell: ${Object.keys(SCRIPTS).join(", ")}`);
    output.line(lookUp(SCRIPTS, shell));
    return Promise.resolve();
  },
};

/**
 * The words that the last word of a command line may become.
 * @param words - after the program's name; the last one as far as it is typed, `""` where a new one begins
 * @param commands - of the program
 * @returns none for a file or free text, and for a command whose trainer isn't installed
 * @example await candidates(["export", "--to", "i"], COMMANDS) // ["inspect", "ids"]
 */
export async function candidates(
  words: readonly string[],
  commands: readonly { readonly name: string; readonly load: () => Promise<Command> }[],
): Promise<readonly string[]> {
  const [name = "", ...rest] = words;
  const begun = (all: readonly string[]): string[] => all.filter((word) => word.startsWith(words.at(-1) ?? ""));
  if (rest.length === 0) return begun([...commands.map((command) => command.name), "help", "--help", "--version"]);
  const entry = commands.find((command) => command.name === name);
  if (!entry) return [];
  const command = await withTrainer(name, entry.load).catch((error: unknown) => {
    if (error instanceof TrainerMissing) return null;
    throw error;
  });
  if (command === null) return [];
  const call = findCall(name, command, rest.slice(0, -1));
  const actions = rest.length === 1 ? Object.keys(command.actions ?? {}) : [];
  const options = optionsOfCall(call.command);
  const before = /^--(.+)$/.exec(rest.at(-2) ?? "")?.[1];
  const spec = before === undefined ? undefined : lookUp(options, before);
  if (spec?.type === "string") return begun(choicesOf(spec));
  if (rest.at(-1)!.startsWith("-")) return begun(Object.keys(options).map((option) => `--${option}`));
  return begun([...actions, ...choicesOf({ value: call.command.operands?.usage })]);
}

/** The names that an option takes: its own list, or those of its placeholder, such as `lm-eval|ids`. */
function choicesOf({
  choices,
  value = "",
}: {
  readonly choices?: OptionSpec["choices"];
  readonly value?: string | undefined;
}): readonly string[] {
  return choices ?? (/^[a-z0-9-]+(\|[a-z0-9-]+)+$/.test(value) ? value.split("|") : []);
}
