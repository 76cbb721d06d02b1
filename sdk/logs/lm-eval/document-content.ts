import type { ItemContent } from "../../core/bundle/digest.ts";
import { canonicalJson } from "../canonical-json.ts";

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
