import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { encodeTexts } from "../../../offline-trainer/src/embed/encode-texts.ts";
import { findEncoder, type EncoderOptions } from "../../../offline-trainer/src/embed/encoder-files.ts";
import { openSentenceEncoder } from "../../../offline-trainer/src/embed/sentence-encoder.ts";
import { openTokenizer } from "../../../offline-trainer/src/embed/text-tokens.ts";
import { largestDifference } from "../../support/fixture.ts";
import { expectRefusal, refusal, rejection } from "../../support/refusal.ts";
import { tempFolder } from "../../support/temp-folder.ts";
import { ABSENT, expectedVector, TABLE, TINY_TOKENIZER, WIDTH, writeTinyEncoder } from "../../support/tiny-encoder.ts";

const folder = tempFolder();
const tiny = writeTinyEncoder(folder.path("tiny"));
const TEXTS = ["What is the cell?", "matrix", "Cells: prime number", "matrix zebra", "the empire"];

async function vectorsOf(texts: readonly string[], options: Partial<EncoderOptions> = {}, threads = 1) {
  const files = await findEncoder({ encoder: tiny, ...options });
  const encoder = await openSentenceEncoder(files, threads);
  const done: number[] = [];
  const tokens = texts.map(openTokenizer(files));
  const vectors = await encodeTexts(tokens, encoder, { onProgress: (own) => void done.push(own) });
  await encoder.close();
  return { ...vectors, tokens, done };
}

describe("tokens", () => {
  test("are those of the tokenizer.json, special ones around them, unknown words as such", async () => {
    const { tokens } = await vectorsOf(TEXTS);
    expect(tokens.map(({ ids }) => ids)).toEqual([
      [2, 4, 5, 6, 7, 13, 3],
      [2, 9, 3],
      [2, 7, 8, 1, 11, 12, 3],
      [2, 9, 1, 3],
      [2, 6, 10, 3],
    ]);
  });

  test("are cut at the end, before the special tokens are added", async () => {
    const { tokens } = await vectorsOf(["what is the cell", "what is"], { maxTokens: 5 });
    expect(tokens).toEqual([
      { ids: [2, 4, 5, 6, 3], cut: true },
      { ids: [2, 4, 5, 3], cut: false },
    ]);
  });

  test("are as many as the encoder's own files say", async () => {
    expect((await findEncoder({ encoder: tiny })).maxTokens).toBe(9);
    const stated = { "sentence_bert_config.json": { max_seq_length: 7 } };
    expect(
      (await findEncoder({ encoder: writeTinyEncoder(folder.path("stated"), { settings: stated }) })).maxTokens,
    ).toBe(7);
    const silent = { "tokenizer.json": { ...TINY_TOKENIZER, truncation: null } };
    expect(
      (await findEncoder({ encoder: writeTinyEncoder(folder.path("silent"), { settings: silent }) })).maxTokens,
    ).toBe(512);
  });
});

describe("vectors", () => {
  test("are the mean of the tokens' of length 1, in the texts' order", async () => {
    const { values, width, tokens, done } = await vectorsOf(TEXTS);
    expect(width).toBe(WIDTH);
    expect(
      largestDifference(
        values,
        tokens.flatMap(({ ids }) => expectedVector(ids)),
      ),
    ).toBeLessThan(1e-6);
    expect(done.at(-1)).toBe(TEXTS.length);
  });

  test("are the first token's, where pooling says so, by option or by the encoder's files", async () => {
    const first = expectedVector([2]);
    const { values } = await vectorsOf(["matrix"], { pooling: "cls" });
    expect(largestDifference(values, first)).toBeLessThan(1e-6);
    const settings = { "1_Pooling/config.json": { word_embedding_dimension: 6, pooling_mode_cls_token: true } };
    const encoder = writeTinyEncoder(folder.path("cls"), { settings });
    expect(largestDifference((await vectorsOf(["matrix"], { encoder })).values, first)).toBeLessThan(1e-6);
  });

  test("don't depend on other texts, their order, or threads", async () => {
    const many = Array.from({ length: 80 }, (_, i) => TEXTS.slice(0, 1 + (i % 5)).join(" "));
    const [one, other] = [await vectorsOf(many), await vectorsOf(many.toReversed(), {}, 2)];
    for (let i = 0; i < many.length; i++)
      expect(one.values.subarray(i * WIDTH, (i + 1) * WIDTH)).toEqual(
        other.values.subarray((79 - i) * WIDTH, (80 - i) * WIDTH),
      );
  });

  test("come from an encoder with one input, and from one whose only output has another name", async () => {
    const encoder = writeTinyEncoder(folder.path("bare"), { inputs: ["input_ids"], output: "tokens" });
    expect((await vectorsOf(TEXTS, { encoder })).values).toEqual((await vectorsOf(TEXTS)).values);
  });
});

test("stops when told to", async () => {
  const files = await findEncoder({ encoder: tiny });
  const encoder = await openSentenceEncoder(files, 1);
  const stopped = encodeTexts([{ ids: [2, 3], cut: false }], encoder, { signal: AbortSignal.abort() });
  expectRefusal(await rejection(stopped), "aborted", "nothing was written");
});

describe("refuses", () => {
  const odd = (name: string, ...parts: Parameters<typeof writeTinyEncoder> extends [string, ...infer R] ? R : never) =>
    vectorsOf(TEXTS, { encoder: writeTinyEncoder(folder.path(name), ...parts) });

  test.each([
    ["no such place", { encoder: folder.path("nowhere") }, "not_found", "there is no encoder"],
    [
      "more tokens than positions",
      { encoder: tiny, maxTokens: 99 },
      "invalid_option",
      "32 positions, fewer than 99 tokens",
    ],
    [
      "no room for a token",
      { encoder: tiny, maxTokens: 2 },
      "invalid_option",
      "2 tokens leave no room beside 2 special ones",
    ],
    [
      "a tokenizer that isn't there",
      { encoder: tiny, tokenizer: folder.path("t.json") },
      "not_found",
      "t.json could not be read",
    ],
  ] as const)("%s", async (_, options, code, fragment) => {
    writeFileSync(join(tiny, "config.json"), JSON.stringify({ max_position_embeddings: 32 }));
    expectRefusal(await rejection(vectorsOf(TEXTS, options)), code, fragment);
  });

  test("a folder without a model, and a model without a tokenizer", async () => {
    expectRefusal(
      await rejection(vectorsOf(TEXTS, { encoder: folder.path("") })),
      "not_found",
      "neither model.onnx nor",
    );
    expectRefusal(
      await rejection(odd("alone", { settings: { "tokenizer.json": ABSENT } })),
      "not_found",
      "no tokenizer.json",
    );
  });

  test("poolings and modules that it doesn't carry out", async () => {
    const max = { "1_Pooling/config.json": { pooling_mode_max_tokens: true } };
    expectRefusal(await rejection(odd("max", { settings: max })), "invalid_option", "asks for pooling_mode_max_tokens");
    const dense = {
      "modules.json": [
        { type: "sentence_transformers.models.Transformer" },
        { type: "sentence_transformers.models.Dense" },
      ],
    };
    expectRefusal(await rejection(odd("dense", { settings: dense })), "invalid_option", "a module Dense");
  });

  test("models that are no encoders", async () => {
    expectRefusal(
      await rejection(odd("image", { inputs: ["input_ids", "pixel_values"] })),
      "invalid_data",
      "it takes pixel_values",
    );
    const file = folder.path("text.onnx");
    writeFileSync(file, "no model");
    const tokenizer = join(tiny, "tokenizer.json");
    expectRefusal(await rejection(vectorsOf(TEXTS, { encoder: file, tokenizer })), "unavailable", "could not open");
    const broken = TABLE.map((value, at) => (at === 9 * WIDTH ? NaN : value));
    expectRefusal(await rejection(odd("nan", { table: broken })), "invalid_data", "no finite number");
  });

  test("tokenizers that can't be read", async () => {
    expectRefusal(
      await rejection(odd("list", { settings: { "tokenizer.json": "text" } })),
      "invalid_data",
      "is no JSON object",
    );
    const unknown = { ...TINY_TOKENIZER, model: { type: "Oracle", vocab: {} } };
    expectRefusal(
      await rejection(odd("oracle", { settings: { "tokenizer.json": unknown } })),
      "invalid_data",
      "can't be used as a tokenizer",
    );
    const files = await findEncoder({ encoder: tiny });
    const odder = {
      ...files,
      maxTokens: 3,
      tokenizer: { ...files.tokenizer, json: { ...TINY_TOKENIZER, post_processor: null } },
    };
    expect(openTokenizer(odder)("the cell is prime").ids).toEqual([6, 7, 5]);
    expectRefusal(
      refusal(() => openTokenizer(odder)("")),
      "invalid_data",
      "it makes no token, or an unknown one",
    );
  });
});
