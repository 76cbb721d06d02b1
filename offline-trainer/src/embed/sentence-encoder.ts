import * as runtime from "onnxruntime-node";
import { AnchorEvalError } from "anchoreval/core";
import { runSession } from "../backends/onnx/open-session.ts";
import { runtimeError } from "../backends/onnx/runtime-error.ts";
import type { EncoderFiles } from "./encoder-files.ts";
import { poolTokens } from "./pool-tokens.ts";

/** What encoders take: token numbers, which of them count, and which text of a pair they are of. */
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
 * Opens a sentence encoder on ONNX Runtime's CPU provider. Its output is `sentence_embedding` where it has one, which is
 * taken as it is, else `last_hidden_state`, or its only output, which is pooled.
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
    throw new AnchorEvalError("invalid_data", `${model} is no sentence encoder that can be used here: ${why}`);
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
      const cells = (of: (id: number) => bigint): runtime.Tensor =>
        new runtime.Tensor("int64", BigInt64Array.from(texts.flat(), of), [count, tokens]);
      const feeds = Object.fromEntries(
        inputNames.map((name) => [
          name,
          cells((id) => (name === "input_ids" ? BigInt(id) : name === "attention_mask" ? 1n : 0n)),
        ]),
      );
      const { dims, data } = (await runSession(session, "cpu", feeds))[output]!;
      const shape = `${output} has the shape ${dims.join("×")}`;
      if (!(data instanceof Float32Array)) return refuse(`${output} isn't float32`);
      if (data.some((value) => !Number.isFinite(value))) refuse(`${output} has a value that is no finite number`);
      const width = dims.at(-1)!;
      if (dims.length === 2 && dims[0] === count)
        return { width, values: poolTokens(data, { texts: count, tokens: 1, width }, "cls") };
      if (dims.length !== 3 || dims[0] !== count || dims[1] !== tokens) return refuse(shape);
      return { width, values: poolTokens(data, { texts: count, tokens, width }, pooling) };
    },
    close: () => session.release(),
  };
}
