import { sha256Text } from "./digest.ts";

/** What identifies an item whatever harness asks it: no few-shot text, no harness fields. */
export interface ItemContent {
  readonly input: string;
  readonly choices?: readonly string[];
  readonly target: string | number | readonly (string | number)[];
}

/**
 * Content hash of an item: SHA-256 of canonical JSON {choices?, input, target} (keys sorted, no spaces, NFC).
 * @returns 64 lowercase hex digits
 * @example contentHash({ input: "1 + 1 =", target: "2" })
 */
export function contentHash(content: ItemContent): string {
  const normal = (value: string | number): string | number =>
    typeof value === "string" ? value.normalize("NFC") : value;
  const target = typeof content.target === "object" ? content.target.map(normal) : normal(content.target);
  return sha256Text(
    JSON.stringify({
      ...(content.choices && { choices: content.choices.map((choice) => choice.normalize("NFC")) }),
      input: content.input.normalize("NFC"),
      target,
    }),
  );
}
