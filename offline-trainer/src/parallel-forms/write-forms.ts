import { sha256Text } from "anchoreval/bundle";
import { itemTableLines } from "../ingest/write-item-table.ts";
import type { ParallelForms } from "./build-parallel-forms.ts";
import type { FormsSummary } from "./summary-types.ts";

/** Digests of what was read, as `sha256:…`. */
export interface FormsInputs {
  readonly items: string;
  readonly responses?: string;
  readonly responseItems?: string;
}

/** `summary.json`: the summary, what it was made from and by, and the forms' files. */
export interface FormsDocument extends FormsSummary {
  /** Version of the trainer. */
  readonly version: string;
  readonly inputs: FormsInputs;
  /** Digest by file. */
  readonly files: Readonly<Record<string, string>>;
}

export function formFile(form: number): string {
  return `form-${form}.csv`;
}

/**
 * The files of parallel forms by name: every form as CSV with all columns of the items, in the items' order, and
 * `summary.json`.
 */
export function formFiles(
  { forms, pool }: ParallelForms,
  summary: FormsSummary,
  inputs: FormsInputs,
  version: string,
): { document: FormsDocument; files: Map<string, string> } {
  const files = new Map(
    forms.map(({ items }, form) => [
      formFile(form + 1),
      [
        ...itemTableLines(
          pool.table,
          items.map((item) => pool.rows[item]!),
        ),
      ].join(""),
    ]),
  );
  const digests = Object.fromEntries(Array.from(files, ([name, text]) => [name, `sha256:${sha256Text(text)}`]));
  const document: FormsDocument = { version, inputs, files: digests, ...summary };
  files.set("summary.json", documentText(document));
  return { document, files };
}

/** JSON for people: a line a value, lists of numbers on one line. */
function documentText(document: FormsDocument): string {
  // No text can look like this: in JSON its line ends are escaped.
  const text = JSON.stringify(document, null, 2).replace(/\[\n\s+(-?\d[^"{}[\]]*?)\n\s+\]/g, (_, numbers: string) => {
    return `[${numbers.replace(/\s+/g, " ")}]`;
  });
  return `${text}\n`;
}
