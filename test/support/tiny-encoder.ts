import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createRandom } from "anchoreval/internal/core/numeric/random";
import onnxProto from "onnx-proto";

/** Words of the tiny tokenizer, after its special tokens; `##` goes on a word. */
const WORDS = ["what", "is", "the", "cell", "##s", "matrix", "empire", "prime", "number", "?"];
const SPECIAL = ["[PAD]", "[UNK]", "[CLS]", "[SEP]"];
export const WIDTH = 6;

const VOCABULARY: Readonly<Record<string, number>> = Object.fromEntries(
  [...SPECIAL, ...WORDS].map((word, id) => [word, id]),
);

/** The tokenizer.json of a WordPiece tokenizer in the manner of BERT's. */
export const TINY_TOKENIZER = {
  version: "1.0",
  truncation: { max_length: 9, strategy: "LongestFirst", stride: 0, direction: "Right" },
  padding: null,
  added_tokens: SPECIAL.map((content, id) => ({
    ...{ id, content, special: true },
    ...{ single_word: false, lstrip: false, rstrip: false, normalized: false },
  })),
  normalizer: {
    type: "BertNormalizer",
    clean_text: true,
    handle_chinese_chars: true,
    strip_accents: null,
    lowercase: true,
  },
  pre_tokenizer: { type: "BertPreTokenizer" },
  post_processor: {
    type: "TemplateProcessing",
    single: [
      { SpecialToken: { id: "[CLS]", type_id: 0 } },
      { Sequence: { id: "A", type_id: 0 } },
      { SpecialToken: { id: "[SEP]", type_id: 0 } },
    ],
    pair: [],
    special_tokens: {
      "[CLS]": { id: "[CLS]", ids: [2], tokens: ["[CLS]"] },
      "[SEP]": { id: "[SEP]", ids: [3], tokens: ["[SEP]"] },
    },
  },
  decoder: null,
  model: {
    type: "WordPiece",
    unk_token: "[UNK]",
    continuing_subword_prefix: "##",
    max_input_chars_per_word: 100,
    vocab: VOCABULARY,
  },
};

/** The encoder's table of token vectors: tanh of its rows is the last hidden state. */
export const TABLE = (() => {
  const random = createRandom("tiny encoder");
  return Float32Array.from({ length: Object.keys(VOCABULARY).length * WIDTH }, () => random.normal());
})();

/** In place of a file's content: no such file. */
export const ABSENT = Symbol("absent");

export interface TinyEncoderParts {
  readonly inputs?: readonly string[];
  readonly output?: string;
  /** Files by name, as JSON; {@link ABSENT} for one that isn't to be there. */
  readonly settings?: Readonly<Record<string, unknown>>;
  readonly table?: Float32Array;
}

/** Writes a sentence encoder of a few kilobytes: hidden state = tanh(table[input_ids]) · attention_mask. */
export function writeTinyEncoder(
  folder: string,
  {
    inputs = ["input_ids", "attention_mask", "token_type_ids"],
    output = "last_hidden_state",
    settings = {},
    table = TABLE,
  }: TinyEncoderParts = {},
): string {
  const { onnx } = onnxProto;
  const { FLOAT, INT64 } = onnx.TensorProto.DataType;
  const value = (name: string, elemType: number, dims: readonly (string | number)[]) => ({
    name,
    type: {
      tensorType: {
        elemType,
        shape: { dim: dims.map((side) => (typeof side === "number" ? { dimValue: side } : { dimParam: side })) },
      },
    },
  });
  const node = (opType: string, input: string[], own: string, attribute: object[] = []) => ({
    opType,
    input,
    output: [own],
    attribute,
  });
  const model = {
    irVersion: 8,
    opsetImport: [{ domain: "", version: 13 }],
    graph: {
      name: "tiny",
      node: [
        node("Gather", ["table", "input_ids"], "rows"),
        node("Tanh", ["rows"], "tanh"),
        node("Cast", [inputs.includes("attention_mask") ? "attention_mask" : "input_ids"], "mask", [
          { name: "to", type: onnx.AttributeProto.AttributeType.INT, i: FLOAT },
        ]),
        node("Sign", ["mask"], "one"),
        node("Unsqueeze", ["one", "last"], "column"),
        node("Mul", ["tanh", "column"], output),
      ],
      initializer: [
        { name: "table", dataType: FLOAT, dims: [table.length / WIDTH, WIDTH], rawData: new Uint8Array(table.buffer) },
        { name: "last", dataType: INT64, dims: [1], rawData: new Uint8Array(BigInt64Array.of(2n).buffer) },
      ],
      input: inputs.map((name) => value(name, INT64, ["texts", "tokens"])),
      output: [value(output, FLOAT, ["texts", "tokens", WIDTH])],
    },
  };
  mkdirSync(join(folder, "onnx"), { recursive: true });
  writeFileSync(join(folder, "onnx", "model.onnx"), onnx.ModelProto.encode(onnx.ModelProto.fromObject(model)).finish());
  for (const [name, content] of Object.entries<unknown>({ "tokenizer.json": TINY_TOKENIZER, ...settings })) {
    mkdirSync(join(folder, name, ".."), { recursive: true });
    if (content !== ABSENT) writeFileSync(join(folder, name), JSON.stringify(content));
  }
  return folder;
}

/** Mean of tanh(table[id]) over some tokens, brought to length 1. */
export function expectedVector(ids: readonly number[]): number[] {
  const sum = Array.from({ length: WIDTH }, (_, c) =>
    ids.reduce((total, id) => total + Math.tanh(TABLE[id * WIDTH + c]!), 0),
  );
  const length = Math.hypot(...sum);
  return sum.map((own) => own / length);
}
