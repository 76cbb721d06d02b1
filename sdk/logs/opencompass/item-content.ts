import type { ItemContent } from "../../core/bundle/digest.ts";
import { canonicalJson } from "../canonical-json.ts";

/** How an item's prompt was made of its question; null where nothing tells. */
export interface PromptKind {
  readonly shots: number | null;
  /** Whether a template of the model's is around it. */
  readonly template: boolean | null;
}

const LABEL = "label: ";

/**
 * The content of an item, as far as a prediction tells it apart from examples and a model's template: a chat's last turn
 * of the asker, a prompt without either, or the question with each answer that its perplexity was asked of.
 * @param gold - the right answer
 * @returns null where the prompt may hold more than the item
 */
export function itemContent(
  prediction: Readonly<Record<string, unknown>>,
  gold: unknown,
  { shots, template }: PromptKind,
): ItemContent | null {
  const target = typeof gold === "string" ? gold : gold === undefined ? "" : canonicalJson(gold);
  const { origin_prompt: prompt } = prediction;
  if (Array.isArray(prompt)) {
    const asked: unknown = (prompt as ({ role?: unknown; prompt?: unknown } | null)[]).findLast(
      (turn) => turn?.role === "HUMAN" || turn?.role === "user",
    )?.prompt;
    return typeof asked === "string" ? { input: asked, target } : null;
  }
  if (template !== false || typeof prompt !== "string") return null;
  const choices = Object.entries(prediction).flatMap(([name, own]) => {
    const input = (own as { "testing input"?: unknown } | null)?.["testing input"];
    return name.startsWith(LABEL) && typeof input === "string" ? [input] : [];
  });
  if (choices.length > 0) return { input: prompt, choices, target };
  return shots === 0 ? { input: prompt, target } : null;
}
