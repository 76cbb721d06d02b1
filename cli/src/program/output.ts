import { hasCode, whyNot } from "anchoreval/internal/node/write-file";

/** Where a command writes: results to standard output, progress and remarks to standard error. */
export interface Output {
  /** `--json` was given: the result is one JSON document. */
  readonly json: boolean;
  line(text?: string): void;
  document(value: unknown): void;
  /** The result: with `--json` as a document, else as lines for people. */
  result(value: unknown, lines: readonly string[]): void;
  /** A remark on standard error; kept back by `--quiet`. */
  remark(text: string): void;
  /** Does long work under a bar, where there is a terminal; with ANCHOREVAL_PROGRESS=lines a line each percent. */
  during<T>(label: string, work: (update: Progress) => Promise<T>): Promise<T>;
}

/** Says how much is done, of how much, and what is being done. */
type Progress = (done: number, of: number, note?: string) => void;

export interface Streams {
  readonly stdout: { write(text: string): unknown; readonly columns?: number | undefined };
  readonly stderr: {
    write(text: string): unknown;
    readonly isTTY?: boolean | undefined;
    readonly columns?: number | undefined;
  };
}

/** A stream of the process, which outlives its reader. */
interface Outlet {
  readonly columns?: number | undefined;
  readonly isTTY?: boolean | undefined;
  write(text: string): void;
  /** Waits for what was written. @returns why some of it was lost; null where it wasn't, also where the reader has gone */
  lost(): Promise<string | null>;
}

/** Codes of a pipe whose reader has gone, by system. */
const READER_GONE = ["EPIPE", "ECONNRESET", "EOF", "ERR_STREAM_DESTROYED"];

function outlet(name: "stdout" | "stderr"): Outlet {
  let isOpen = true;
  let isHeard = false;
  let why: string | null = null;
  const end = (error: unknown): void => {
    isOpen = false;
    if (!hasCode(error, ...READER_GONE)) why ??= whyNot(error);
  };
  const write = (text: string): void => {
    if (!isOpen) return;
    const stream = process[name];
    if (!isHeard) stream.on("error", end); // of pipes; a file throws
    isHeard = true;
    try {
      stream.write(text);
    } catch (error) {
      end(error);
    }
  };
  return {
    get columns() {
      return process[name].columns;
    },
    get isTTY() {
      return process[name].isTTY;
    },
    write,
    lost: async () => {
      if (isHeard && isOpen) await new Promise((resolve) => process[name].write("", resolve));
      return why;
    },
  };
}

/** The process's standard output and error. Whoever stops reading them stops nothing. */
export const STANDARD = { stdout: outlet("stdout"), stderr: outlet("stderr") } as const satisfies Streams;

/**
 * Text that a terminal shows and doesn't obey: control characters, and those that turn the direction of writing, as their
 * code points. Names and descriptions come from bundles and files of anybody.
 * @example printable("a\u001b[2Jb") // "a\\u{1b}[2Jb"
 */
export function printable(text: string): string {
  return text.replace(
    /[^\P{Cc}\n\t]|[\u202a-\u202e\u2066-\u2069]/gu,
    (character) => `\\u{${character.codePointAt(0)!.toString(16)}}`,
  );
}

/** Other words of the program for options of the library; the rest have the same name in its own spelling. */
const OTHER_NAMES: ReadonlyMap<string, string> = new Map([
  ["baselines", "--baseline several times"],
  ['onChangedItem: "drop"', "--drop-changed"],
  ["sameItems", "--answers-to same|other"],
  ["selection", "--set selection=NAME"],
  ['weighting: "items"', "--set weighting=items"],
  ['weighting: "subscenarios"', "--set weighting=subscenarios"],
  [
    "unzstd",
    "the trainer's own program (npm install anchoreval-trainer, then npx anchoreval-trainer in place of anchoreval)",
  ],
]);

/**
 * A message of the library in the program's words: it names options as JavaScript has them, in backticks.
 * @example programWords("give `allowMixed`, or `onDuplicate` newest") // "give --allow-mixed, or --on-duplicate newest"
 */
export function programWords(text: string): string {
  return text.replace(/`(([a-z][a-zA-Z]*)(?:: "([^"`]+)")?)`/g, (_, whole: string, name: string, value = "") => {
    const option = name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
    return OTHER_NAMES.get(whole) ?? `--${option} ${value}`.trimEnd();
  });
}

/** Prints a warning on standard error, with `--quiet` too. */
export function warn(message: string): void {
  STANDARD.stderr.write(`${printable(`warning: ${programWords(message)}`)}\n`);
}

/** Warnings as lines for people. */
export function warningLines(warnings: readonly { readonly message: string }[]): string[] {
  return warnings.map(({ message }) => `warning: ${programWords(message)}`);
}

/** A field of a document for `JSON.stringify`: messages and warnings in the program's words. */
function documentField(key: string, value: unknown): unknown {
  if (key === "message" && typeof value === "string") return programWords(value);
  if (key !== "warnings" || !Array.isArray(value)) return value;
  return value.map((warning: unknown) => (typeof warning === "string" ? programWords(warning) : warning));
}

/** The output of a command: results to `stdout`, all else to `stderr`. */
export function createOutput({ json, quiet }: { json: boolean; quiet: boolean }, { stdout, stderr }: Streams): Output {
  const line = (text = ""): void => void stdout.write(`${printable(text)}\n`);
  const document = (value: unknown): void => line(JSON.stringify(value, documentField, 2));
  return {
    json,
    line,
    document,
    result: (value, lines) => {
      if (json) document(value);
      else for (const text of lines) line(text);
    },
    remark: (text) => {
      if (!quiet) stderr.write(`${printable(programWords(text))}\n`);
    },
    during: async (label, work) => {
      const asLines = process.env["ANCHOREVAL_PROGRESS"] === "lines"; // for a program that shows them itself
      if (quiet || (stderr.isTTY !== true && !asLines)) return work(() => undefined);
      const begun = Date.now();
      let shown = "";
      const update: Progress = (done, of, note = "") => {
        const share = Math.min(1, done / Math.max(1, of));
        const seconds = (Date.now() - begun) / 1000;
        const left = share > 0.02 ? `, ${Math.round((seconds / share) * (1 - share))} s left` : "";
        const filled = Math.round(share * 24);
        const text = `${label} ${"█".repeat(filled)}${"░".repeat(24 - filled)} ${Math.round(share * 100)} %${left} ${printable(note)}`;
        const line = text.slice(0, (stderr.columns ?? 80) - 1);
        const step = `${Math.round(share * 100)} ${note}`;
        if (!asLines) stderr.write(`\r\u001b[2K${line}`);
        else if (step !== shown) stderr.write(`\r${line}\n`);
        shown = step;
      };
      return work(update).finally(() => (asLines ? undefined : stderr.write("\r\u001b[2K")));
    },
  };
}
