import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { encodeTexts, openPartialVectors } from "../../../../../features/routing/fit/encode-texts.ts";
import { type EncoderOptions, findEncoder } from "../../../../../features/routing/fit/encoder-files.ts";
import {
  openSentenceEncoder,
  openTokenizer,
  type SentenceEncoder,
} from "../../../../../features/routing/fit/sentence-encoder.ts";
import { largestDifference } from "../../../../support/fixture.ts";
import { expectRefusal, refusal, rejection } from "../../../../support/refusal.ts";
import { tempFolder } from "../../../../support/temp-folder.ts";
import {
  ABSENT,
  expectedVector,
  TABLE,
  TINY_TOKENIZER,
  WIDTH,
  writeTinyEncoder,
} from "../../../../support/tiny-encoder.ts";

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
      "t.json: there is no such file",
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
    expectRefusal(await rejection(odd("nan", { table: broken })), "invalid_data", "not a finite number");
  });

  test("tokenizers that can't be read", async () => {
    expectRefusal(
      await rejection(odd("list", { settings: { "tokenizer.json": "text" } })),
      "invalid_data",
      "is not a JSON object",
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

/** Lengths 1 to 3: batches of 32 and fewer. */
const PARTIAL_TEXTS = Array.from({ length: 150 }, (_, i) => ({
  ids: Array.from({ length: 1 + (i % 3) }, (_, k) => (i * 7 + k) % 50),
  cut: false,
}));

/** Vectors that depend on the whole batch, as an int8 encoder's may; counts the texts that it was asked for. */
function batchEncoder(stopAfter = Infinity, stop = new AbortController()) {
  let texts = 0;
  const encoder: SentenceEncoder = {
    encode(batch) {
      texts += batch.length;
      if (texts >= stopAfter) stop.abort();
      const shift = batch.flat().reduce((sum, id) => sum + id, 0) / 1e4;
      return Promise.resolve({
        width: 2,
        values: Float32Array.from(batch.flatMap((ids) => [ids[0]! + shift, ids.length - shift])),
      });
    },
    close: () => Promise.resolve(),
  };
  return { encoder, signal: stop.signal, texts: () => texts };
}

const whole = await encodeTexts(PARTIAL_TEXTS, batchEncoder().encoder);

test.each([0, 1, 7, 8 * 20 + 3])("a stopped encoding goes on to the same vectors, %i bytes cut off", async (cut) => {
  const file = folder.path(`vectors-${cut}.jsonl`);
  const first = batchEncoder(70);
  const partial = await openPartialVectors(file, "k");
  expect(partial).toMatchObject({ found: null, stale: false });
  const { signal } = first;
  const stopped = await rejection(encodeTexts(PARTIAL_TEXTS, first.encoder, { partial, signal }));
  expectRefusal(stopped, "aborted", `${first.texts()} texts are kept in ${file}.partial`);
  const bytes = readFileSync(partial.file);
  writeFileSync(partial.file, bytes.subarray(0, bytes.length - cut));

  const second = batchEncoder();
  const again = await openPartialVectors(file, "k");
  expect(again.found!.values.length).toBe(2 * (first.texts() - Math.ceil(cut / 8)));
  expect(await encodeTexts(PARTIAL_TEXTS, second.encoder, { partial: again })).toEqual(whole);
  if (cut === 0) expect(first.texts() + second.texts()).toBe(PARTIAL_TEXTS.length);
  else expect(first.texts() + second.texts()).toBeLessThanOrEqual(PARTIAL_TEXTS.length + 32);

  const third = batchEncoder();
  const done = await openPartialVectors(file, "k");
  expect(await encodeTexts(PARTIAL_TEXTS, third.encoder, { partial: done })).toEqual(whole);
  expect(third.texts()).toBe(0);
  await done.remove();
  expect(existsSync(done.file)).toBe(false);
});

test.each([
  ["of another key", (bytes: Buffer) => bytes],
  ["that is none", () => Buffer.from("vectors")],
  ["that is empty", () => Buffer.from("")],
])("a file %s counts for nothing, and is replaced", async (name, change) => {
  const file = folder.path(`${name}.jsonl`);
  const old = await openPartialVectors(file, "old");
  await old.keep({ width: 2, values: Float32Array.of(1, 2, 3, 4) }, 0);
  writeFileSync(old.file, change(readFileSync(old.file)));
  const own = await openPartialVectors(file, "new");
  expect(own).toMatchObject({ found: null, stale: true });
  expect(await encodeTexts(PARTIAL_TEXTS, batchEncoder().encoder, { partial: own })).toEqual(whole);
  expect((await openPartialVectors(file, "new")).found!.values.length).toBe(2 * PARTIAL_TEXTS.length);
});

test("a folder in its place is refused by name", async () => {
  folder.write("taken.jsonl.partial/inside", "");
  expectRefusal(
    await rejection(openPartialVectors(folder.path("taken.jsonl"), "k")),
    "unavailable",
    "taken.jsonl.partial",
  );
});
