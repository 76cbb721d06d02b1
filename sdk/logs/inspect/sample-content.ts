import type { ItemContent } from "../../core/bundle/digest.ts";
import { canonicalJson } from "../canonical-json.ts";

/**
 * The content of a sample, for its hash: its input as the dataset has it (a chat's messages as canonical JSON of role and
 * content), its choices and its target; no solver's prompt, no answer of the model.
 */
export function sampleContent(sample: Readonly<Record<string, unknown>>): ItemContent | null {
  const { input, choices, target } = sample;
  const text = inputText(input);
  if (text === null) return null;
  const listed = Array.isArray(choices) && choices.every((choice) => typeof choice === "string");
  return {
    input: text,
    ...(listed && choices.length > 0 && { choices }),
    target: typeof target === "string" ? target : Array.isArray(target) ? target.map(String) : "",
  };
}

/** What a person reads of it: the text, or the last message, and the choices. */
export function sampleText(sample: Readonly<Record<string, unknown>>): string | null {
  const { input, choices } = sample;
  const last: unknown = Array.isArray(input) ? (input.at(-1) as { content?: unknown } | undefined)?.content : input;
  if (typeof last !== "string") return null;
  return [last, ...(Array.isArray(choices) ? choices.map(String) : [])].join("\n");
}

function inputText(input: unknown): string | null {
  if (typeof input === "string") return input;
  if (!Array.isArray(input)) return null;
  return canonicalJson(
    input.map((message: unknown) => {
      const { role, content } = message as { role?: unknown; content?: unknown };
      return { role, content };
    }),
  );
}
