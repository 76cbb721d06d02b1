import { AnchorEvalError } from "../core/errors.ts";
import type { Command } from "./command.ts";

/** The hidden command by which a shell asks for candidates: `anchoreval __complete WORD…`. */
export const COMPLETE = "__complete";

const SCRIPTS: Readonly<Record<string, (program: string) => string>> = {
  bash: (program) => `_${program}() {
  local IFS=$'\\n'
  COMPREPLY=($(${program} ${COMPLETE} "\${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null))
}
complete -o default -F _${program} ${program}
`,
  zsh: (program) => `#compdef ${program}
_${program}() {
  local -a found
  found=(\${(f)"$(${program} ${COMPLETE} "\${(@)words[2,CURRENT]}" 2>/dev/null)"})
  if (( $#found )); then compadd -a found; else _files; fi
}
compdef _${program} ${program}
`,
  fish: (program) => `function __${program}
  set -l words (commandline -opc) (commandline -ct)
  set -l found (${program} ${COMPLETE} $words[2..] 2>/dev/null)
  if set -q found[1]
    printf '%s\\n' $found
  else
    __fish_complete_path $words[-1]
  end
end
complete -c ${program} -f -a '(__${program})'
`,
};

/** `anchoreval completion SHELL`: what makes a shell complete commands, options and their named values. */
export const completionCommand: Command = {
  name: "completion",
  summary: "completion for a shell: source <(anchoreval completion bash), or zsh, or fish",
  positionals: "bash|zsh|fish",
  options: {},
  run: ({ positionals, output }) => {
    const [shell = "", ...more] = positionals;
    if (!Object.hasOwn(SCRIPTS, shell) || more.length > 0)
      throw new AnchorEvalError("invalid_option", `name a shell: ${Object.keys(SCRIPTS).join(", ")}`);
    output.line(SCRIPTS[shell]!("anchoreval").trimEnd());
    return Promise.resolve(0);
  },
};
