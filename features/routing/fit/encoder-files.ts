import { stat } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { AnchorEvalError, invalidOption } from "anchoreval/internal/core/errors";
import { LONGEST_TEXT, readFound } from "anchoreval/internal/node/whole-file";

/** Pooling of the token vectors of a text: their mean, or the first token's. */
export const POOLINGS = ["mean", "cls"] as const;
export type Pooling = (typeof POOLINGS)[number];

/** Tokens of a text, including special ones, where neither the caller nor the encoder's files limit them. */
const DEFAULT_MAX_TOKENS = 512;

export interface EncoderOptions {
  /** An ONNX file, or a folder with `model.onnx` or `onnx/model.onnx`. */
  readonly encoder: string;
  /** @default `tokenizer.json` in the model's folder, or the one above it */
  readonly tokenizer?: string;
  /** @default what `1_Pooling/config.json` says, else `mean` */
  readonly pooling?: Pooling;
  /** @default what `sentence_bert_config.json` or `tokenizer.json` says, else 512 */
  readonly maxTokens?: number;
}

export interface EncoderFiles {
  readonly model: string;
  /** The content of `tokenizer.json`, and of `tokenizer_config.json` where that lies beside it, else `{}`. */
  readonly tokenizer: { readonly file: string; readonly json: object; readonly config: object };
  readonly pooling: Pooling;
  readonly maxTokens: number;
}

/**
 * Finds an encoder's parts in the layout of sentence-transformers, and of its exports to ONNX.
 * @throws AnchorEvalError `not_found` for a part that isn't there, `invalid_data` for one that can't be read,
 * `invalid_option` for more tokens than the encoder has positions, or a pooling or module that isn't supported
 */
export async function findEncoder(options: EncoderOptions): Promise<EncoderFiles> {
  const model = await findModel(options.encoder);
  const above = basename(dirname(model)) === "onnx" ? dirname(dirname(model)) : dirname(model);
  const file =
    options.tokenizer ?? (await firstOf([join(dirname(model), "tokenizer.json"), join(above, "tokenizer.json")]));
  if (file === null)
    throw new AnchorEvalError("not_found", `${options.encoder}: it has no tokenizer.json; name one with \`tokenizer\``);
  const json = await readJson(file);
  if (json === null) throw new AnchorEvalError("not_found", `${file}: there is no such file`);
  await refuseModules(above);
  const { max_position_embeddings: positions } = await settings(join(above, "config.json"));
  const maxTokens = options.maxTokens ?? (await statedMaxTokens(above, json));
  if (typeof positions === "number" && maxTokens > positions)
    throw invalidOption(`the encoder has ${positions} positions, fewer than ${maxTokens} tokens`);
  return {
    model,
    tokenizer: { file, json, config: await settings(join(dirname(file), "tokenizer_config.json")) },
    pooling: options.pooling ?? (await statedPooling(join(above, "1_Pooling", "config.json"))),
    maxTokens,
  };
}

async function findModel(encoder: string): Promise<string> {
  const entry = await stat(encoder).catch(() => null);
  if (entry === null) throw new AnchorEvalError("not_found", `there is no encoder ${encoder}`);
  if (entry.isFile()) return encoder;
  const inside = ["model.onnx", join("onnx", "model.onnx")];
  const model = await firstOf(inside.map((name) => join(encoder, name)));
  if (model === null)
    throw new AnchorEvalError("not_found", `${encoder} has neither ${inside.join(" nor ")}: name the ONNX file itself`);
  return model;
}

async function firstOf(files: readonly string[]): Promise<string | null> {
  for (const file of files) if ((await stat(file).catch(() => null))?.isFile()) return file;
  return null;
}

/** The object or list in a file, null where there is no file. */
async function readJson(file: string): Promise<object | null> {
  let text: string;
  try {
    text = (await readFound(file, LONGEST_TEXT)).toString();
  } catch {
    return null;
  }
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value === "object" && value !== null) return value;
  } catch (cause) {
    throw new AnchorEvalError("invalid_data", `${file} is not JSON`, { cause });
  }
  throw new AnchorEvalError("invalid_data", `${file} is not a JSON object`);
}

async function settings(file: string): Promise<Readonly<Record<string, unknown>>> {
  return ((await readJson(file)) ?? {}) as Record<string, unknown>;
}

async function statedMaxTokens(folder: string, tokenizer: object): Promise<number> {
  const { max_seq_length: length } = await settings(join(folder, "sentence_bert_config.json"));
  if (isCount(length)) return length;
  const { truncation } = tokenizer as { truncation?: { max_length?: unknown } | null };
  return isCount(truncation?.max_length) ? truncation.max_length : DEFAULT_MAX_TOKENS;
}

function isCount(value: unknown): value is number {
  return Number.isInteger(value) && (value as number) > 0;
}

async function statedPooling(file: string): Promise<Pooling> {
  const modes = Object.entries(await settings(file)).flatMap(([name, on]) =>
    name.startsWith("pooling_mode_") && on === true ? [name] : [],
  );
  if (modes.length === 0 || modes.join() === "pooling_mode_mean_tokens") return "mean";
  if (modes.join() === "pooling_mode_cls_token") return "cls";
  throw invalidOption(
    `${file} asks for ${modes.join(" and ")}, which isn't supported; \`pooling\` takes ${POOLINGS.join(" or ")} instead`,
  );
}

/** A layer after the pooling would be missing from the vectors. */
async function refuseModules(folder: string): Promise<void> {
  const modules = Object.values(await settings(join(folder, "modules.json"))) as { type?: unknown }[];
  const names = modules.map(({ type }) => String(type).split(".").at(-1)!);
  const other = names.find((name) => !["Transformer", "Pooling", "Normalize"].includes(name));
  if (other !== undefined) throw invalidOption(`${folder}: the encoder has a module ${other}, which isn't supported`);
}
