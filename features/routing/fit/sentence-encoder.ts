import * as tokenizers from "@huggingface/tokenizers";
import { AnchorEvalError, invalidOption } from "anchoreval/internal/core/errors";
import * as runtime from "onnxruntime-node";
import { runSession, runtimeError } from "../../../offline-trainer/src/backends/onnx/session.ts";
import type { EncoderFiles, Pooling } from "./encoder-files.ts";

/** Inputs of encoders: token numbers, which of them count, and which text of a pair they belong to. */
const INPUTS = ["input_ids", "attention_mask", "token_type_ids"];

/** Vectors of texts that have equally many tokens. */
export interface SentenceVectors {
  readonly width: number;
  /** Texts×width, rows of length 1. */
  readonly values: Float32Array;
}

export interface SentenceEncoder {
  /** @param texts - token numbers; all of one length, so that no padding touches a vector */
  encode(texts: readonly (readonly number[])[]): Promise<SentenceVectors>;
  close(): Promise<void>;
}

runtime.env.logLevel = "fatal";

/**
 * Opens a sentence encoder on ONNX Runtime's CPU provider. Its output is `sentence_embedding` where it has one, used
 * as it is, else `last_hidden_state`, or its only output, which is pooled.
 * @param threads - results don't depend on it
 * @throws AnchorEvalError `invalid_data` for a model that isn't such an encoder, `unavailable` where it fails
 */
export async function openSentenceEncoder({ model, pooling }: EncoderFiles, threads: number): Promise<SentenceEncoder> {
  const session = await runtime.InferenceSession.create(model, {
    executionProviders: ["cpu"],
    logSeverityLevel: 4,
    intraOpNumThreads: threads,
  }).catch((cause: unknown) => {
    throw runtimeError(`could not open ${model}`, cause);
  });
  const refuse = (why: string): never => {
    throw new AnchorEvalError("invalid_data", `${model} can't be used as a sentence encoder: ${why}`);
  };
  const { inputNames, outputNames } = session;
  const other = inputNames.find((name) => !INPUTS.includes(name));
  if (other !== undefined) refuse(`it takes ${other}; known are ${INPUTS.join(", ")}`);
  if (!inputNames.includes("input_ids")) refuse("it takes no input_ids");
  const wanted = ["sentence_embedding", "last_hidden_state"].find((name) => outputNames.includes(name));
  const output = wanted ?? (outputNames.length === 1 ? outputNames[0]! : null);
  if (output === null) return refuse(`its outputs are ${outputNames.join(", ")}, none of them last_hidden_state`);

  return {
    async encode(texts) {
      const [count, tokens] = [texts.length, texts[0]!.length];
      const cells = (valueOf: (id: number) => bigint): runtime.Tensor =>
        new runtime.Tensor("int64", BigInt64Array.from(texts.flat(), valueOf), [count, tokens]);
      const feeds = Object.fromEntries(
        inputNames.map((name) => [
          name,
          cells((id) => (name === "input_ids" ? BigInt(id) : name === "attention_mask" ? 1n : 0n)),
        ]),
      );
      const { dims, data } = (await runSession(session, "cpu", feeds))[output]!;
      const shape = `${output} has the shape ${dims.join("×")}`;
      if (!(data instanceof Float32Array)) return refuse(`${output} isn't float32`);
      if (data.some((value) => !Number.isFinite(value))) refuse(`${output} has a value that is not a finite number`);
      const width = dims.at(-1)!;
      if (dims.length === 2 && dims[0] === count)
        return { width, values: poolTokens(data, { texts: count, tokens: 1, width }, "cls") };
      if (dims.length !== 3 || dims[0] !== count || dims[1] !== tokens) return refuse(shape);
      return { width, values: poolTokens(data, { texts: count, tokens, width }, pooling) };
    },
    close: () => session.release(),
  };
}

/**
 * One vector a text from those of its tokens, of length 1: their mean, or the first token's. Sums in float64.
 * @param hidden - texts×tokens×width row-major; every text has all of the tokens
 * @returns texts×width, float32; a text whose vector is 0 keeps it
 */
function poolTokens(
  hidden: Float32Array,
  { texts, tokens, width }: { readonly texts: number; readonly tokens: number; readonly width: number },
  pooling: Pooling,
): Float32Array {
  const pooled = new Float32Array(texts * width);
  const sum = new Float64Array(width);
  for (let i = 0; i < texts; i++) {
    sum.fill(0);
    for (let t = 0; t < (pooling === "cls" ? 1 : tokens); t++)
      for (let c = 0; c < width; c++) sum[c] = sum[c]! + hidden[(i * tokens + t) * width + c]!;
    const length = Math.hypot(...sum);
    for (let c = 0; c < width; c++) pooled[i * width + c] = length > 0 ? sum[c]! / length : 0;
  }
  return pooled;
}

/** The part of a tokenizer used here; the package's own declarations can't be resolved from a Node module. */
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
  if (maxTokens <= special) throw invalidOption(`${maxTokens} tokens leave no room beside ${special} special ones`);
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

/** The number of special tokens before the text's own. */
function leading(ids: readonly number[], plain: readonly number[]): number {
  for (let begin = 0; begin + plain.length <= ids.length; begin++)
    if (plain.every((id, k) => ids[begin + k] === id)) return begin;
  throw new Error("its special tokens stand between the text's");
}
