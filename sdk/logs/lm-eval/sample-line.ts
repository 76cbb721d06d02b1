import { contentHash, type ItemContent } from "../../core/bundle/digest.ts";
import type { DataIssues } from "../../tables/data-issues.ts";
import { attemptFailure } from "../attempts.ts";
import { canonicalJson, parseLine, record } from "../json.ts";
import type { LoggedRow } from "../score-rows.ts";
import { metricValue } from "../scores.ts";
import { lookUp } from "../../core/bundle/names.ts";

/** One line of a samples file: a document under one filter, with every metric. */
export interface SampleLine extends LoggedRow {
  /** null in logs of lm-eval before 0.4.7, which don't name it. */
  readonly filter: string | null;
}

/** Fields of a line that are no metric; `metrics` is missing before 0.4.7. */
const FIELDS: ReadonlySet<string> = new Set([
  "doc_id",
  "doc",
  "target",
  "arguments",
  "resps",
  "filtered_resps",
  "filter",
  "metrics",
  "doc_hash",
  "prompt_hash",
  "target_hash",
]);

/**
 * Parses one line of `samples_<task>_<date>.jsonl`; null, with the issue noted, where it is none.
 * @param idField - the field of the document that names it, else its number does
 */
export function parseSampleLine(text: string, row: number, issues: DataIssues, idField?: string): SampleLine | null {
  const broken = (code: string, message: string, column: string): null => {
    issues.add({ row, column }, code, message);
    return null;
  };
  const value = parseLine(text, row, issues);
  if (value === null) return null;
  const docId = value.doc_id;
  if (!Number.isSafeInteger(docId) || Number(docId) < 0)
    return broken("invalid_value", "doc_id must be a whole number from 0", "doc_id");
  const id = idField === undefined ? docId : lookUp(record(value.doc), idField);
  if (typeof id !== "string" && typeof id !== "number")
    return broken(
      "missing",
      `the document has no ${idField!}, which names the bundle's items: give \`items\`, a file with the task and doc_id of each`,
      "doc",
    );
  if (value.filter !== undefined && typeof value.filter !== "string")
    return broken("wrong_type", "filter must be text", "filter");
  const metrics = metricNames(value);
  if (metrics === null) return broken("wrong_type", "metrics must be a list of names", "metrics");
  return {
    row,
    id,
    filter: value.filter ?? null,
    // Python's None, as text, is for one that never came.
    failure: attemptFailure([value.resps].flat(Infinity as 1).map((answer) => (answer === "None" ? null : answer))),
    hash: value.doc === undefined ? null : contentHash(documentContent(value.doc, value.target)),
    text: documentText(value.doc),
    values: new Map(metrics.map((name) => [name, metricValue(lookUp(value, name))])),
  };
}

function metricNames(line: Readonly<Record<string, unknown>>): string[] | null {
  if (line.metrics === undefined) return Object.keys(line).filter((name) => !FIELDS.has(name));
  const { metrics } = line;
  return Array.isArray(metrics) && metrics.every((name) => typeof name === "string") ? metrics : null;
}

/**
 * The content of an lm-eval document, for its hash. `input` is the whole document as canonical JSON (keys sorted, no
 * spaces): the dataset's own row after the task's preprocessing, choices included, without few-shot text, chat template
 * or anything else of the prompt. `target` is the task's target as the harness logs it.
 *
 * The row is taken whole rather than a question picked from it: which field holds the question differs by dataset, and a
 * rule that guesses would give other hashes whenever it learnt a new dataset.
 */
export function documentContent(document: unknown, target: unknown): ItemContent {
  return { input: canonicalJson(document), target: typeof target === "string" ? target : canonicalJson(target) };
}

/** Fields in which datasets keep what is asked, in reading order: what it is about, then the question. */
const CONTEXT_FIELDS = ["passage", "context", "narrative", "story", "premise", "support"];
const QUESTION_FIELDS = ["question", "query", "problem", "prompt", "question_stem", "ctx", "goal", "sentence", "input"];
const CHOICE_FIELDS = ["choices", "options", "endings"];

/**
 * The question of a document, to be read by people: the fields in which datasets commonly keep it, and the choices.
 * @returns null where the document has none of them, rather than text that may hold the answer
 */
export function documentText(document: unknown): string | null {
  const fields = record(document);
  const text = (name: string): string[] => {
    const value = lookUp(fields, name);
    return typeof value === "string" && value.trim() !== "" ? [value] : [];
  };
  const question = QUESTION_FIELDS.flatMap(text)[0];
  if (question === undefined) return null;
  const choices = CHOICE_FIELDS.map((name) => choiceTexts(lookUp(fields, name))).find((list) => list.length > 0) ?? [];
  return [...CONTEXT_FIELDS.flatMap(text), question, ...choices].join("\n");
}

/** Choices as a list of texts, or as `{ text: […] }`. */
function choiceTexts(value: unknown): string[] {
  const list = Array.isArray(value) ? value : record(value).text;
  return Array.isArray(list) && list.every((entry) => typeof entry === "string") ? list : [];
}
