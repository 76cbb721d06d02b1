import { createHash } from "node:crypto";
import { availableParallelism } from "node:os";
import {
  encodeTexts,
  openPartialVectors,
  type PartialVectors,
  termVectors,
} from "anchoreval-trainer/internal/features/routing/fit/encode-texts";
import {
  type EncoderFiles,
  findEncoder,
  POOLINGS,
} from "anchoreval-trainer/internal/features/routing/fit/encoder-files";
import type { TextTokens } from "anchoreval-trainer/internal/features/routing/fit/sentence-encoder";
import { embeddingLines, type TextVectors } from "anchoreval-trainer/internal/features/routing/fit/embeddings-file";
import { readItems } from "anchoreval-trainer/internal/matrix/items-file";
import { itemTexts } from "anchoreval-trainer/internal/numeric/text-features";
import { trainerVersion } from "anchoreval-trainer/internal/matrix/data-digests";
import { AnchorEvalError } from "anchoreval/internal/core/errors";
import { createRandom } from "anchoreval/internal/core/numeric/random";
import { given, option, FORCE_OPTION, type Command } from "../../../cli/src/program/command.ts";
import { fileDigest } from "../../../cli/src/options/data.ts";
import { THREADS_OPTION } from "../../../cli/src/options/fit.ts";
import { readOutFile, writeOutFile } from "../../../cli/src/program/out.ts";
import type { Output } from "../../../cli/src/program/output.ts";

/** Axes of TF-IDF by default: as many as routing's regressions go on. */
const DEFAULT_DIMS = 100;

const OF_ENCODER = ["tokenizer", "pooling", "max-tokens", "prefix"] as const;

/** The beginning of files that the command wrote. */
const OWN_FILES = { jsonl: /^\{"item_id":.*,"embedding":\[/, csv: /^item_id,0[,\n]/ };

export const embedCommand: Command = {
  options: {
    Data: { items: option("FILE", "items with texts, CSV or JSONL(.gz)", { required: true }) },
    Encoder: {
      encoder: option("DIR|FILE.onnx", "sentence encoder (default: TF-IDF of the texts)"),
      tokenizer: option("FILE", "the encoder's tokenizer.json (default: beside it)"),
      pooling: option(POOLINGS.join("|"), "how token vectors become one (default: 1_Pooling/config.json's, else mean)"),
      "max-tokens": option("N", "tokens after which a text is cut (default: the encoder's own, else 512)"),
      prefix: option("TEXT", 'put before every text, for encoders that want "query: "'),
      ...THREADS_OPTION,
    },
    "TF-IDF": {
      dims: option("D", `leading principal axes (default ${DEFAULT_DIMS})`),
      seed: option("N", "seed of the search for those axes (default 1)"),
    },
    Output: {
      out: option("FILE", "the vectors, .jsonl or .csv, or either with .gz", { required: true }),
      ...FORCE_OPTION,
    },
  },
  examples: [
    "embed --items items.jsonl.gz --out vectors.jsonl.gz",
    "embed --items items.jsonl.gz --encoder models/all-MiniLM-L6-v2 --out vectors.csv",
  ],
  async run({ options, output, signal }) {
    const file = options.required("items");
    options.required("out");
    const out = (await readOutFile(options, OWN_FILES))!;
    const encoder = options.text("encoder");
    if (encoder === undefined) options.refuse(OF_ENCODER, "needs --encoder, which isn't given");
    else options.refuse(["dims", "seed"], "is for TF-IDF, not for an encoder");
    const maxTokens = options.number("max-tokens", { min: 2, integer: true }, undefined);
    const threads = options.number("threads", { min: 1, max: 256, integer: true }, availableParallelism());
    const dims = options.number("dims", { min: 1, max: 4096, integer: true }, DEFAULT_DIMS);
    const seed = options.number("seed", { min: 0, integer: true }, 1);
    const tokenizer = options.text("tokenizer");
    const pooling = options.isGiven("pooling") ? options.oneOf("pooling", POOLINGS, "mean") : undefined;
    const files =
      encoder === undefined ? null : await findEncoder({ encoder, ...given({ tokenizer, pooling, maxTokens }) });
    const items = await readItems(file);
    const texts = itemTexts(items);
    const prefix = options.text("prefix") ?? "";
    const { vectors, cut, partial } = files
      ? await byEncoder(
          texts.map((text) => prefix + text),
          files,
          { out: out.file, threads, output, signal },
        )
      : { vectors: termVectors(texts, dims, createRandom(seed).fork("embed")), cut: 0, partial: null };
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
  },
};

async function byEncoder(
  texts: readonly string[],
  files: EncoderFiles,
  { out, threads, output, signal }: { out: string; threads: number; output: Output; signal: AbortSignal },
): Promise<{ vectors: TextVectors; cut: number; partial: PartialVectors }> {
  // Loaded where they are needed alone: ONNX Runtime has no build for some machines.
  const { openTokenizer } = await import("anchoreval-trainer/internal/features/routing/fit/sentence-encoder");
  const { openSentenceEncoder } = await import("anchoreval-trainer/internal/features/routing/fit/sentence-encoder");
  const tokens = texts.map(openTokenizer(files));
  const partial = await openPartialVectors(out, await encodingKey(files, tokens));
  if (partial.stale)
    output.remark(`${partial.file} belongs to other texts or another encoder: all texts are encoded anew`);
  else if (partial.found)
    output.remark(`continuing from ${partial.found.values.length / partial.found.width} texts in ${partial.file}`);
  const encoder = await openSentenceEncoder(files, threads);
  const total = texts.length;
  const vectors = await output
    .during("encoding", (update) =>
      encodeTexts(tokens, encoder, {
        partial,
        signal,
        onProgress: (done) => update(done, total, `${done} of ${total} texts`),
      }),
    )
    .finally(() => encoder.close());
  return { vectors, cut: tokens.filter(({ cut }) => cut).length, partial };
}

/** Digest of all that vectors depend on: the encoder, how its vectors are pooled, and the texts as it gets them. */
async function encodingKey({ model, pooling }: EncoderFiles, tokens: readonly TextTokens[]): Promise<string> {
  const hash = createHash("sha256");
  hash.update(JSON.stringify({ model: await fileDigest(model), pooling, version: trainerVersion() }));
  for (const { ids } of tokens) hash.update(`${ids.join()}\n`);
  return hash.digest("hex");
}
