import type { Call } from "./actions.ts";
import { COMMON_OPTIONS, type CommandEntry, type OptionSpec } from "./command.ts";

/** Columns of the help: the terminal's, between these; the widest where there is none. */
const WIDTH = { least: 80, most: 100 };
/** Columns of the terms at most; a longer one has its description below. */
const TERM_WIDTH = 34;

const APPENDIX_COLUMN = 20;

/** @param columns - of the terminal */
export function helpWidth(columns: number | undefined): number {
  return Math.min(WIDTH.most, Math.max(WIDTH.least, columns ?? WIDTH.most));
}

export function programHelp(summary: string, commands: readonly CommandEntry[], width: number): string {
  const groups = new Set(commands.map(({ group }) => group));
  const column = Math.max(...commands.map(({ name }) => name.length));
  return [
    `anchoreval: ${summary}`,
    "",
    "usage: anchoreval COMMAND [OPTIONS]",
    ...Array.from(groups, (group) => [
      "",
      `${group}:`,
      ...commands
        .filter((command) => command.group === group)
        .flatMap(({ name, summary: words }) => row(name, words, column, width)),
    ]).flat(),
    "",
    "anchoreval COMMAND --help tells more of one.",
    "",
  ].join("\n");
}

/**
 * The help of a command, or of one of its actions: options by heading, required ones marked, and two examples; of a command
 * those of its actions too.
 * @param all - rare ones too
 */
export function commandHelp(
  entry: Pick<CommandEntry, "summary">,
  { name, command, summary = entry.summary }: Call,
  { all, width }: { readonly all: boolean; readonly width: number },
): string {
  const { operands, options, actions = {}, appendix, examples } = command;
  const ofActions = Object.entries(actions).map(([word, { operands: after, summary: words, options: specs }]) => {
    const heading = [name, word, ...(after ? [after.usage] : [])].join(" ");
    return [
      `${heading}: ${words}`,
      Object.fromEntries(Object.values(specs).flatMap((group) => Object.entries(group))),
    ] as const;
  });
  const plain = Object.entries(options).map(([heading, specs]) => [`${heading}:`, specs] as const);
  const groups = [...plain, ...ofActions, ["Every command:", COMMON_OPTIONS] as const];
  const shown = groups.flatMap(([heading, specs]) => {
    const entries = Object.entries(specs).filter(([, spec]) => all || !spec.rare);
    return entries.length > 0 ? [[heading, entries] as const] : [];
  });
  const hidden = groups.flatMap(([, specs]) => Object.values(specs)).filter((spec) => spec.rare).length;
  const terms = shown.flatMap(([, entries]) => entries.map(([option, spec]) => term(option, spec)));
  const column = Math.max(...terms.map(({ length }) => length).filter((length) => length <= TERM_WIDTH));
  const needed = Object.values(options)
    .flatMap((specs) => Object.entries(specs))
    .filter(([option, spec]) => spec.required && option !== operands?.option)
    .map(([option, spec]) => term(option, spec));
  const usages = [operands?.usage];
  const [before, after] = operands?.afterDashes ? [[], usages] : [usages, []];
  const usage = ["anchoreval", name, ...before, ...needed, "[OPTIONS]", ...after].filter((part) => part !== undefined);
  return [
    ...wrap(`anchoreval ${name}: ${summary}`, width),
    "",
    ...wrap(`usage: ${usage.join(" ")}`, width, "  "),
    ...shown.flatMap(([heading, entries]) => [
      "",
      ...wrap(heading, width, "  "),
      ...entries.flatMap(([option, spec]) =>
        row(term(option, spec), `${spec.description}${spec.required ? " (required)" : ""}`, column, width),
      ),
    ]),
    ...(appendix && all
      ? [
          "",
          `${appendix.heading}:`,
          ...appendix.rows.flatMap(([left, right]) => row(left, right, APPENDIX_COLUMN, width)),
        ]
      : []),
    ...(hidden > 0 && !all ? ["", `${hidden} more options are rarely needed: anchoreval ${name} --help-all.`] : []),
    "",
    "Examples:",
    ...examples.flatMap((example) =>
      wrap(`anchoreval ${withValues(example)}`, width - 4, "    ", " \\").map(
        (line) => `  ${line.replaceAll(BOUND, " ")}`,
      ),
    ),
    "",
  ].join("\n");
}

/** A space that no line breaks at. */
const BOUND = "\u00a0";

/** A call whose options stay beside their values. */
function withValues(call: string): string {
  return call.replace(/(--\S+) (?!-)/g, `$1${BOUND}`);
}

function term(name: string, { value }: OptionSpec): string {
  return `--${name}${value === undefined ? "" : ` ${value}`}`;
}

/** A term and its description, which goes on below itself. */
function row(left: string, right: string, column: number, width: number): string[] {
  const lines = wrap(right, width - column - 4);
  const indent = " ".repeat(column + 4);
  return left.length > column
    ? [`  ${left}`, ...lines.map((line) => indent + line)]
    : lines.map((line, k) => (k === 0 ? `  ${left.padEnd(column)}  ${line}` : indent + line));
}

/**
 * Text in lines of at most so many columns.
 * @param indent - of the lines after the first
 * @param ending - of the lines before the last
 */
function wrap(text: string, width: number, indent = "", ending = ""): string[] {
  const lines: string[] = [];
  let line = "";
  for (const word of text.split(" ")) {
    const longer = line === "" ? word : `${line} ${word}`;
    if (line.trim() !== "" && longer.length > width) {
      lines.push(line + ending);
      line = indent + word;
    } else line = longer;
  }
  return [...lines, line];
}
