import { AnchorEvalError } from "anchoreval/core";
import type { SentenceEncoder } from "./sentence-encoder.ts";
import type { TextTokens } from "./text-tokens.ts";
import type { TextVectors } from "./text-vectors.ts";

/** Texts of a batch at most. */
const BATCH = 32;
/** Tokens of a batch at most: attention grows with the square of a text's. */
const BATCH_TOKENS = 4096;

/**
 * Vectors of texts by an encoder, in batches of texts with equally many tokens, short ones first: none is padded, so that
 * no vector depends on the length of another text.
 * @param onProgress - after each batch, texts that are done
 * @throws AnchorEvalError `aborted`
 */
export async function encodeTexts(
  texts: readonly TextTokens[],
  encoder: SentenceEncoder,
  { signal, onProgress }: { readonly signal?: AbortSignal; readonly onProgress?: (done: number) => void } = {},
): Promise<TextVectors> {
  const lengthOf = (i: number): number => texts[i]!.ids.length;
  const order = Array.from(texts.keys()).sort((x, y) => lengthOf(x) - lengthOf(y) || x - y);
  let rows: { width: number; values: Float32Array } | null = null;
  for (let begin = 0; begin < order.length;) {
    if (signal?.aborted) throw new AnchorEvalError("aborted", "the encoding was stopped; nothing was written");
    const length = lengthOf(order[begin]!);
    const most = begin + Math.max(1, Math.min(BATCH, Math.floor(BATCH_TOKENS / length)));
    let end = begin + 1;
    while (end < Math.min(most, order.length) && lengthOf(order[end]!) === length) end++;
    const batch = order.slice(begin, end);
    const { width, values } = await encoder.encode(batch.map((i) => texts[i]!.ids));
    rows ??= { width, values: new Float32Array(texts.length * width) };
    for (const [k, i] of batch.entries()) rows.values.set(values.subarray(k * width, (k + 1) * width), i * width);
    begin = end;
    onProgress?.(end);
  }
  return { count: texts.length, width: rows!.width, values: rows!.values };
}
