import { AnchorEvalError, type Issue } from "../core/errors.ts";

/** Findings after which reading a file stops. */
const LIMIT = 20;

/** How the places of a file are called: a table's, those of lines of JSON, of one JSON object, of a JSON list. */
const WORDS = {
  table: { row: "row", column: "column" },
  lines: { row: "line", column: "field" },
  answers: { row: "line", column: "item" },
  entries: { row: "entry", column: "field" },
} as const;

/** The word for a row of a log; messages name its fields themselves. */
interface RowWord {
  readonly row: string;
  readonly column?: never;
}

/** Where in a file: the line, counted from 1 (a header is row 1), or its name; and the column, by its name or counted from 1. */
export interface Place {
  readonly row?: number | string;
  readonly column?: string | number;
}

/**
 * The findings in one file. They are collected, so that one run shows several of them, and end in one error
 * `invalid_data` that names the file, the row, the column and the rule; each has the path `[file, row, column]`.
 */
export class DataIssues {
  readonly file: string;
  readonly #words: (typeof WORDS)[keyof typeof WORDS] | RowWord;
  readonly #issues: Issue[] = [];
  readonly #shown: string[] = [];

  constructor(file: string, kind: keyof typeof WORDS | RowWord = "table") {
    this.file = file;
    this.#words = typeof kind === "string" ? WORDS[kind] : kind;
  }

  /** How a row is called in this file. @example issues.rowName(3) // "line 3", of JSON lines */
  rowName(row: number | string): string {
    return `${this.#words.row} ${row}`;
  }

  /** Notes a finding. @throws AnchorEvalError once there are many */
  add(place: Place, rule: string, message: string): void {
    const { row, column } = place;
    const where = [
      ...(row === undefined ? [] : [this.rowName(row)]),
      ...(column === undefined || this.#words.column === undefined
        ? []
        : [`${this.#words.column} ${typeof column === "number" ? column : quoted(column)}`]),
    ];
    this.#shown.push(`${this.file}: ${where.length > 0 ? `${where.join(", ")}: ` : ""}${message}`);
    this.#issues.push({
      path: [this.file, ...(row === undefined ? [] : [row]), ...(column === undefined ? [] : [column])],
      code: rule,
      message,
    });
    if (this.#issues.length >= LIMIT) this.#throw();
  }

  /** Notes what is there already, such as an item. @param first - where it stands first */
  addTwice(place: Place, what: string, first: string): void {
    this.add(place, "duplicate", `${what} is there twice, first in ${first}`);
  }

  /** Ends with this finding, and those before it. */
  fail(place: Place, rule: string, message: string): never {
    this.add(place, rule, message);
    this.#throw();
  }

  /** @throws AnchorEvalError where there were findings */
  refuse(): void {
    if (this.#issues.length > 0) this.#throw();
  }

  #throw(): never {
    const more = this.#issues.length - 1;
    const rest = more === 0 ? "" : `; and ${more >= LIMIT - 1 ? "at least " : ""}${more} more`;
    throw new AnchorEvalError("invalid_data", this.#shown[0]! + rest, { issues: this.#issues });
  }
}

const LONGEST = 60;

/** Text from a file as messages show it: in quotes, control characters escaped, cut where it is long. */
export function quoted(text: string): string {
  const cut = text.length > LONGEST ? `${text.slice(0, LONGEST)}…` : text;
  return JSON.stringify(cut).replace(
    /[\u007f-\u009f\u200e\u200f\u202a-\u202e\u2066-\u2069]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
}

/** The first few of some names, quoted, and an ellipsis where there are more. */
export function firstFew(names: readonly string[], count = 5): string {
  return names.slice(0, count).map(quoted).join(", ") + (names.length > count ? ", …" : "");
}

/** A JSON value's kind, in words. */
export function jsonKind(value: unknown): string {
  if (value === undefined) return "none";
  if (value === null) return "null";
  if (typeof value === "string") return `the text ${quoted(value)}`;
  if (Array.isArray(value)) return "an array";
  return typeof value === "object" ? "an object" : `a ${typeof value}`;
}
