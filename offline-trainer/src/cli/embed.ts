import { createHash } from "node:crypto";
import { availableParallelism } from "node:os";
import type { Command, Output } from "anchoreval/cli";
import { AnchorEvalError, createRandom } from "anchoreval/core";
import { itemTexts } from "../numeric/text-features.ts";
import { embeddingLines, type TextVectors } from "../numeric/embeddings-file.ts";
import {
  encodeTexts,
  openPartialVectors,
  type PartialVectors,
  termVectors,
} from "../extensions/routing/encode-texts.ts";
import { findEncoder, POOLINGS, type EncoderFiles, type EncoderOptions } from "../extensions/routing/encoder-files.ts";
import type { TextTokens } from "../extensions/routing/sentence-encoder.ts";

import { readItems } from "../matrix/items-file.ts";
import { trainerVersion } from "../trainer-version.ts";
import { fileDigest } from "./file-digest.ts";
import { checkOutFile, writeOutFile } from "./out-file.ts";

/** Axes of TF-IDF, unless told: as many as routing's regressions go on. */
const DEFAULT_DIMS = 100;

/** Options that only an encoder has. */
const OF_ENCODER = ["tokenizer", "pooling", "max-tokens", "prefix"] as const;

export const embedCommand: Command = {
  name: "embed",
  summary: "texts to vectors, by a sentence encoder in ONNX or by TF-IDF",
  options: {
    items: { type: "string", value: "FILE", description: "items JSONL(.gz) with texts" },
    encoder: {
      type: "string",
      value: "DIR|FILE.onnx",
      description: "a sentence encoder (default: TF-IDF of the texts, which needs none)",
    },
    tokenizer: { type: "string", value: "FILE", description: "the encoder's tokenizer.json (default: beside it)" },
    pooling: {
      type: "string",
      value: POOLINGS.join("|"),
      description: "how tokens' vectors become one (default: 1_Pooling/config.json's, else mean)",
    },
    "max-tokens": {
      type: "string",
      value: "N",
      description: "longer texts are cut (default: the encoder's own, else 512)",
    },
    prefix: { type: "string", value: "TEXT", description: 'put before every text, for encoders that want "query: "' },
    threads: { type: "string", value: "N", description: "threads of the encoder (default: one a core)" },
    dims: {
      type: "string",
      value: "D",
      description: `leading principal axes of TF-IDF (default ${DEFAULT_DIMS})`,
    },
    seed: { type: "string", value: "N", description: "seed of the search for those axes (default 1)" },
    out: { type: "string", value: "FILE", description: "the vectors, .jsonl or .csv, or either with .gz" },
  },
  async run({ options, output, signal }) {
    const file = options.required("items");
    const out = await readOut(options.required("out"));
    const encoder = options.text("encoder");
    const needless = (encoder === undefined ? OF_ENCODER : (["dims", "seed"] as const)).find(
      (name) => options.text(name) !== undefined,
    );
    if (needless !== undefined)
      throw new AnchorEvalError(
        "invalid_option",
        encoder === undefined
          ? `--${needless} is of --encoder, which isn't given`
          : `--${needless} is of TF-IDF, not of an encoder`,
      );
    const maxTokens = options.number("max-tokens", { min: 2, integer: true }, undefined);
    const threads = options.number("threads", { min: 1, max: 256, integer: true }, availableParallelism());
    const dims = options.number("dims", { min: 1, max: 4096, integer: true }, DEFAULT_DIMS);
    const seed = options.number("seed", { min: 0, integer: true }, 1);
    const tokenizer = options.text("tokenizer");
    const asked: EncoderOptions | null =
      encoder === undefined
        ? null
        : {
            encoder,
            ...(tokenizer !== undefined && { tokenizer }),
            ...(options.text("pooling") !== undefined && { pooling: options.oneOf("pooling", POOLINGS, "mean") }),
            ...(maxTokens !== undefined && { maxTokens }),
          };
    const files = asked && (await findEncoder(asked));
    const items = await readItems(file);
    const texts = itemTexts(items);
    const prefix = options.text("prefix") ?? "";
    const encoded = files
      ? await byEncoder(
          texts.map((text) => prefix + text),
          files,
          out.file,
          threads,
          output,
          signal,
        )
      : { vectors: termVectors(texts, dims, createRandom(seed).fork("embed")), cut: 0, partial: null };
    const { vectors, cut, partial } = encoded;
    if (partial === null && signal.aborted)
      throw new AnchorEvalError("aborted", "the encoding was stopped; nothing was written");
    const ids = items.map(({ item_id: id }) => id);
    await writeOutFile(out.file, embeddingLines(ids, vectors, out.ending));
    await partial?.remove();
    if (cut > 0) output.remark(`${cut} of ${ids.length} texts were cut to ${files!.maxTokens} tokens`);
    if (output.json)
      output.document({
        out: out.file,
        items: ids.length,
        width: vectors.width,
        data: await fileDigest(file),
        version: trainerVersion(),
        encoder: files && {
          model: await fileDigest(files.model),
          tokenizer: await fileDigest(files.tokenizer.file),
          pooling: files.pooling,
          maxTokens: files.maxTokens,
          prefix,
          cut,
        },
        seed: files ? null : seed,
      });
    else output.line(`${ids.length} texts, ${vectors.width} numbers each: ${out.file}`);
    return 0;
  },
};

async function readOut(file: string): Promise<{ file: string; ending: "jsonl" | "csv" }> {
  const ending = /\.(jsonl|csv)(?:\.gz)?$/.exec(file.toLowerCase())?.[1];
  if (ending === undefined)
    throw new AnchorEvalError(
      "invalid_option",
      `--out is a file that ends in .jsonl, .csv, .jsonl.gz or .csv.gz; got ${file}`,
    );
  await checkOutFile("--out", file);
  return { file, ending: ending === "csv" ? "csv" : "jsonl" };
}

async function byEncoder(
  texts: readonly string[],
  files: EncoderFiles,
  out: string,
  threads: number,
  output: Output,
  signal: AbortSignal,
): Promise<{ vectors: TextVectors; cut: number; partial: PartialVectors }> {
  // Loaded where they are needed alone: ONNX Runtime has no build for some machines.
  const { openTokenizer } = await import("../extensions/routing/sentence-encoder.ts");
  const { openSentenceEncoder } = await import("../extensions/routing/sentence-encoder.ts");
  const tokens = texts.map(openTokenizer(files));
  const partial = await openPartialVectors(out, await encodingKey(files, tokens));
  if (partial.stale) output.remark(`${partial.file} is of other texts or another encoder: all are encoded anew`);
  else if (partial.found)
    output.remark(`continuing from ${partial.found.values.length / partial.found.width} texts in ${partial.file}`);
  const encoder = await openSentenceEncoder(files, threads);
  const bar = output.progress("encoding", texts.length);
  try {
    const vectors = await encodeTexts(tokens, encoder, {
      partial,
      signal,
      onProgress: (done) => bar.update(done, `${done} of ${texts.length} texts`),
    });
    return { vectors, cut: tokens.filter(({ cut }) => cut).length, partial };
  } finally {
    bar.stop();
    await encoder.close();
  }
}

/** Digest of all that vectors depend on: the encoder, how its vectors are pooled, and the texts as it gets them. */
async function encodingKey({ model, pooling }: EncoderFiles, tokens: readonly TextTokens[]): Promise<string> {
  const hash = createHash("sha256");
  hash.update(JSON.stringify({ model: await fileDigest(model), pooling, version: trainerVersion() }));
  for (const { ids } of tokens) hash.update(`${ids.join()}\n`);
  return hash.digest("hex");
}
