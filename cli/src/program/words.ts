import { AnchorEvalError } from "anchoreval/internal/core/errors";

/** What the program has for options of the library, but for the same name in its own spelling. */
const OTHER_NAMES: ReadonlyMap<string, string> = new Map([
  ["baselines", "--baseline several times"],
  ['onChangedItem: "drop"', "--drop-changed"],
  ["sameItems", "--answers-to same|other"],
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
  return text.replace(
    /`(([a-z][a-zA-Z]*)(?:: "([^"`]+)")?)`/g,
    (_, named: string, name: string, value?: string) =>
      OTHER_NAMES.get(named) ?? [`--${name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`, ...(value === undefined ? [] : [value])].join(" "), // prettier-ignore
  );
}

/** Warnings as lines for people. */
export function warningLines(warnings: readonly { readonly message: string }[]): string[] {
  return warnings.map(({ message }) => `warning: ${programWords(message)}`);
}

/** An error in the program's words; what isn't one of the library's, as it is. */
export function inProgramWords(error: unknown): unknown {
  if (!(error instanceof AnchorEvalError)) return error;
  const issues = error.issues.map((issue) => ({ ...issue, message: programWords(issue.message) }));
  return new AnchorEvalError(error.code, programWords(error.message), { cause: error.cause, issues });
}

/** A field of a document for `JSON.stringify`: messages and warnings in the program's words. */
export function documentField(key: string, value: unknown): unknown {
  if (key === "message" && typeof value === "string") return programWords(value);
  if (key !== "warnings" || !Array.isArray(value)) return value;
  return value.map((warning: unknown) => (typeof warning === "string" ? programWords(warning) : warning));
}
