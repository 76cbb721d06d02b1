import * as tokenizers from "@huggingface/tokenizers";
import { AnchorEvalError } from "anchoreval/core";
import type { EncoderFiles } from "./encoder-files.ts";

/** What is used of a tokenizer; the package's own declarations can't be followed from a module of Node's. */
interface Tokenizer {
  encode(text: string, options?: { readonly add_special_tokens: boolean }): { readonly ids: readonly number[] };
}
const { Tokenizer } = tokenizers as unknown as { Tokenizer: new (json: object, config: object) => Tokenizer };

/** A text as an encoder reads it. */
export interface TextTokens {
  readonly ids: readonly number[];
  /** Whether the text was longer. */
  readonly cut: boolean;
}

/**
 * Texts to token numbers by the encoder's own tokenizer.json (WordPiece, Unigram, BPE), special tokens included. A longer
 * text is cut at its end, before special tokens are added.
 * @throws AnchorEvalError `invalid_data` for a tokenizer that can't be read, `invalid_option` for fewer tokens than the
 * special ones and one more
 */
export function openTokenizer({
  tokenizer: { file, json, config },
  maxTokens,
}: EncoderFiles): (text: string) => TextTokens {
  const refuse = (cause: unknown): never => {
    const why = cause instanceof Error ? cause.message : String(cause);
    throw new AnchorEvalError("invalid_data", `${file} can't be used as a tokenizer: ${why}`, { cause });
  };
  let tokenizer: Tokenizer;
  let special: number;
  try {
    tokenizer = new Tokenizer(json, config);
    special = tokenizer.encode("").ids.length;
  } catch (cause) {
    return refuse(cause);
  }
  if (maxTokens <= special)
    throw new AnchorEvalError("invalid_option", `${maxTokens} tokens leave no room beside ${special} special ones`);
  return (text) => {
    try {
      const { ids } = tokenizer.encode(text);
      if (ids.length === 0 || !ids.every(Number.isInteger))
        throw new Error(`it makes no token, or an unknown one, of ${JSON.stringify(text.slice(0, 40))}`);
      if (ids.length <= maxTokens) return { ids, cut: false };
      const plain = tokenizer.encode(text, { add_special_tokens: false }).ids;
      const before = leading(ids, plain);
      const kept = maxTokens - (ids.length - plain.length);
      return {
        ids: [...ids.slice(0, before), ...plain.slice(0, kept), ...ids.slice(before + plain.length)],
        cut: true,
      };
    } catch (cause) {
      return refuse(cause);
    }
  };
}

/** How many special tokens stand before the text's own. */
function leading(ids: readonly number[], plain: readonly number[]): number {
  for (let begin = 0; begin + plain.length <= ids.length; begin++)
    if (plain.every((id, k) => ids[begin + k] === id)) return begin;
  throw new Error("its special tokens stand among the text's");
}
