import { contentHash, type ItemContent } from "../../core/bundle/content-hash.ts";
import { canonicalJson, parsePythonJson } from "../json.ts";

/** One line of a samples file: a document under one filter, with every metric. */
export interface SampleLine {
  readonly docId: number;
  /** null in logs of lm-eval before 0.4.7, which don't name it. */
  readonly filter: string | null;
  /** Every logged response is empty: what the harness writes where an API refused, failed or was cut off. */
  readonly errored: boolean;
  readonly hash: string | null;
  readonly text: string | null;
  /** null = NaN or null; undefined = not one number (corpus-level metrics log pairs). */
  readonly values: ReadonlyMap<string, number | null | undefined>;
}

/** The rule that a line breaks. */
interface LineProblem {
  readonly code: string;
  readonly field?: string;
  readonly message: string;
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

/** Parses one line of `samples_<task>_<date>.jsonl`. */
export function parseSampleLine(text: string): SampleLine | LineProblem {
  let value: unknown;
  try {
    value = parsePythonJson(text);
  } catch {
    return { code: "malformed_json", message: "the line is not valid JSON" };
  }
  if (typeof value !== "object" || value === null || Array.isArray(value))
    return { code: "wrong_type", message: "the line is not a JSON object" };
  const line = value as Record<string, unknown>;
  const docId = line.doc_id;
  if (!Number.isSafeInteger(docId) || (docId as number) < 0)
    return { code: "invalid_value", field: "doc_id", message: "doc_id must be a whole number from 0" };
  if (line.filter !== undefined && typeof line.filter !== "string")
    return { code: "wrong_type", field: "filter", message: "filter must be text" };
  const metrics = metricNames(line);
  if (metrics === null) return { code: "wrong_type", field: "metrics", message: "metrics must be a list of names" };
  return {
    docId: docId as number,
    filter: line.filter ?? null,
    errored: isErrored(line.resps),
    hash: line.doc === undefined ? null : contentHash(documentContent(line.doc, line.target)),
    text: documentText(line.doc),
    values: new Map(metrics.map((name) => [name, metricValue(line[name])])),
  };
}

export function isLineProblem(line: SampleLine | LineProblem): line is LineProblem {
  return "message" in line;
}

function metricNames(line: Record<string, unknown>): string[] | null {
  if (line.metrics === undefined) return Object.keys(line).filter((name) => !FIELDS.has(name));
  const { metrics } = line;
  return Array.isArray(metrics) && metrics.every((name) => typeof name === "string") ? metrics : null;
}

function metricValue(value: unknown): number | null | undefined {
  if (typeof value === "number") return value;
  if (typeof value === "boolean") return value ? 1 : 0;
  return value === null || value === undefined ? null : undefined;
}

/** The harness logs responses as nested lists of text; `None` is Python's for a response that never came. */
function isErrored(responses: unknown): boolean {
  const leaves = Array.isArray(responses) ? (responses as unknown[]).flat(Infinity) : [];
  return leaves.length > 0 && leaves.every((leaf) => leaf === null || leaf === "None" || leaf === "");
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
  if (typeof document !== "object" || document === null) return null;
  const fields = document as Record<string, unknown>;
  const text = (name: string): string[] => {
    const value = fields[name];
    return typeof value === "string" && value.trim() !== "" ? [value] : [];
  };
  const question = QUESTION_FIELDS.flatMap(text)[0];
  if (question === undefined) return null;
  const choices = CHOICE_FIELDS.map((name) => choiceTexts(fields[name])).find((list) => list.length > 0) ?? [];
  return [...CONTEXT_FIELDS.flatMap(text), question, ...choices].join("\n");
}

/** Choices as a list of texts, or as `{ text: […] }`. */
function choiceTexts(value: unknown): string[] {
  const list = Array.isArray(value) ? value : (value as { text?: unknown } | null | undefined)?.text;
  return Array.isArray(list) && list.every((entry) => typeof entry === "string") ? list : [];
}
