import { AnchorEvalError } from "anchoreval/core";
import type { PartialVectors } from "./partial-vectors.ts";
import type { SentenceEncoder, SentenceVectors } from "./sentence-encoder.ts";
import type { TextTokens } from "./text-tokens.ts";
import type { TextVectors } from "./text-vectors.ts";

/** Texts of a batch at most. */
const BATCH = 32;
/** Tokens of a batch at most: attention grows with the square of a text's. */
const BATCH_TOKENS = 4096;

/**
 * Vectors of texts by an encoder, in batches of texts with equally many tokens, short ones first: none is padded, so that
 * no vector depends on the length of another text.
 * @param partial - keeps each batch; whole batches that it has from an earlier run aren't encoded again
 * @param onProgress - after each batch, texts that are done
 * @throws AnchorEvalError `aborted`
 */
export async function encodeTexts(
  texts: readonly TextTokens[],
  encoder: SentenceEncoder,
  {
    partial,
    signal,
    onProgress,
  }: {
    readonly partial?: PartialVectors;
    readonly signal?: AbortSignal;
    readonly onProgress?: (done: number) => void;
  } = {},
): Promise<TextVectors> {
  const lengthOf = (i: number): number => texts[i]!.ids.length;
  const order = Array.from(texts.keys()).sort((x, y) => lengthOf(x) - lengthOf(y) || x - y);
  let rows: { width: number; values: Float32Array } | null = null;
  for (let begin = 0; begin < order.length;) {
    const length = lengthOf(order[begin]!);
    const most = begin + Math.max(1, Math.min(BATCH, Math.floor(BATCH_TOKENS / length)));
    let end = begin + 1;
    while (end < Math.min(most, order.length) && lengthOf(order[end]!) === length) end++;
    const batch = order.slice(begin, end);
    const known = partial?.found && knownRows(partial.found, begin, end);
    if (!known && signal?.aborted) throw stopped(partial, begin);
    const { width, values } = known ?? (await encoder.encode(batch.map((i) => texts[i]!.ids)));
    if (!known) await partial?.keep({ width, values }, begin);
    rows ??= { width, values: new Float32Array(texts.length * width) };
    for (const [k, i] of batch.entries()) rows.values.set(values.subarray(k * width, (k + 1) * width), i * width);
    begin = end;
    onProgress?.(end);
  }
  return { count: texts.length, width: rows!.width, values: rows!.values };
}

/** Rows from `begin` to `end` where all of them are known. */
function knownRows({ width, values }: SentenceVectors, begin: number, end: number): SentenceVectors | null {
  return values.length < end * width ? null : { width, values: values.subarray(begin * width, end * width) };
}

function stopped(partial: PartialVectors | undefined, done: number): AnchorEvalError {
  const kept =
    partial === undefined || done === 0
      ? "nothing was written"
      : `${done} texts are kept in ${partial.file}, and the same command goes on from there`;
  return new AnchorEvalError("aborted", `the encoding was stopped; ${kept}`);
}
