import { AnchorEvalError } from "../errors.ts";
import { decodeJson } from "./schema.ts";

/** The dtypes that a bundle uses, with their typed arrays (little-endian). */
const ARRAYS = { F64: Float64Array, F32: Float32Array, U32: Uint32Array } as const;
type TensorType = keyof typeof ARRAYS;

/** Numbers of a tensor, by their type. */
export type TensorData = Float64Array | Float32Array | Uint32Array;

/** An array with its name and shape; row-major. */
export interface Tensor {
  readonly name: string;
  readonly shape: readonly number[];
  readonly data: TensorData;
}

/** A tensor; a vector where no shape is given. */
export function tensor(name: string, data: TensorData, shape: readonly number[] = [data.length]): Tensor {
  return { name, shape, data };
}

/** Where a tensor lies: `begin` and `end` are byte offsets in the file. */
export interface TensorEntry {
  readonly type: TensorType;
  readonly shape: readonly number[];
  readonly begin: number;
  readonly end: number;
}

/** A safetensors file's header, or of as much of the file as was read. */
export interface SafetensorsHeader {
  /** Bytes before the first tensor. */
  readonly headerBytes: number;
  readonly tensors: ReadonlyMap<string, TensorEntry>;
}

/**
 * Writes tensors in the safetensors format: 8 bytes of header length, a JSON header padded with spaces to a multiple
 * of 8, raw little-endian arrays without holes, in the order given.
 * @param tensors - wider elements first, so that every array is aligned
 * @see https://github.com/huggingface/safetensors
 */
export function encodeSafetensors(
  tensors: readonly Tensor[],
  metadata: Readonly<Record<string, string>> = {},
): Uint8Array<ArrayBuffer> {
  requireLittleEndian();
  const header: Record<string, unknown> = { __metadata__: metadata };
  let offset = 0;
  for (const { name, shape, data } of tensors) {
    header[name] = { dtype: typeOf(data), shape, data_offsets: [offset, offset + data.byteLength] };
    offset += data.byteLength;
  }
  let json = JSON.stringify(header);
  const jsonBytes = new TextEncoder().encode(json).length;
  json += " ".repeat((8 - (jsonBytes % 8)) % 8);
  const headerData = new TextEncoder().encode(json);
  const out = new Uint8Array(8 + headerData.length + offset);
  new DataView(out.buffer).setUint32(0, headerData.length, true);
  out.set(headerData, 8);
  let position = 8 + headerData.length;
  for (const { data } of tensors) {
    out.set(new Uint8Array(data.buffer, data.byteOffset, data.byteLength), position);
    position += data.byteLength;
  }
  return out;
}

/**
 * Reads the header of a safetensors file.
 * @param bytes - the file, or its beginning with at least the whole header
 * @param fileBytes - length of the whole file
 * @throws AnchorEvalError `bundle_invalid` where lengths, types, shapes or offsets contradict each other
 */
export function decodeSafetensorsHeader(bytes: Uint8Array, fileBytes: number): SafetensorsHeader {
  if (bytes.length < 8) throw broken("it is shorter than a header");
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const length = view.getUint32(0, true);
  const headerBytes = 8 + length;
  if (view.getUint32(4, true) !== 0 || headerBytes > bytes.length)
    throw broken("its header is longer than the bytes there are");
  let header: unknown;
  try {
    header = decodeJson(bytes.subarray(8, headerBytes));
  } catch (cause) {
    throw broken("its header is not JSON", cause);
  }
  if (typeof header !== "object" || header === null || Array.isArray(header))
    throw broken("its header is not an object");
  const tensors = new Map<string, TensorEntry>();
  let end = headerBytes;
  for (const [name, entry] of Object.entries(header as Record<string, unknown>)) {
    if (name === "__metadata__") continue;
    const { dtype, shape, data_offsets: offsets } = (entry ?? {}) as Record<string, unknown>;
    if (typeof dtype !== "string" || !Object.hasOwn(ARRAYS, dtype))
      throw broken(`tensor ${name} has the type ${String(dtype)}`);
    if (!isSizes(shape) || !isSizes(offsets) || offsets.length !== 2)
      throw broken(`tensor ${name} has no shape or no offsets`);
    const type = dtype as TensorType;
    const [from = 0, to = 0] = offsets;
    const size = shape.reduce((product, side) => product * side, 1) * ARRAYS[type].BYTES_PER_ELEMENT;
    if (to - from !== size || headerBytes + to > fileBytes) throw broken(`tensor ${name} doesn't fill its range`);
    tensors.set(name, { type, shape, begin: headerBytes + from, end: headerBytes + to });
  }
  for (const [name, entry] of [...tensors].sort(([, x], [, y]) => x.begin - y.begin || x.end - y.end)) {
    if (entry.begin !== end) throw broken(`tensor ${name} doesn't begin where the one before it ends`);
    end = entry.end;
  }
  if (end !== fileBytes) throw broken(`its tensors end at byte ${end} of ${fileBytes}`);
  return { headerBytes, tensors };
}

/**
 * Largest parameter of a bundle, by its amount. On the logit scale, where 7 is the largest of the bundles that come
 * along, it is certainty long before; products and sums of such ones stay far from what a number can hold. Chosen, not
 * measured.
 */
const LARGEST = 1000;

/**
 * Reads tensors of known shapes and types, whose values are numbers of a bounded amount, out of a part of the file.
 * @param part - bytes of the file from offset `partBegin`
 * @param refusal - the error that says why a tensor isn't what was expected
 * @param most - by its amount
 */
export function tensorReader(
  { tensors }: SafetensorsHeader,
  part: Uint8Array,
  partBegin: number,
  refusal: (why: string) => AnchorEvalError,
  most = LARGEST,
) {
  return <T extends TensorData>(name: string, shape: readonly number[], ArrayType: new (...args: never[]) => T): T => {
    const entry = tensors.get(name);
    if (!entry) throw refusal(`tensor ${name} is missing`);
    if (entry.shape.join() !== shape.join())
      throw refusal(`tensor ${name} has the shape ${entry.shape.join("×")}, expected ${shape.join("×")}`);
    const data = tensorData(entry, part, partBegin);
    if (!(data instanceof ArrayType)) throw refusal(`tensor ${name} has the type ${entry.type}`);
    if (data instanceof Uint32Array) return data;
    const odd = data.findIndex((value) => !(Math.abs(value) <= most));
    if (odd >= 0) throw refusal(`tensor ${name} holds ${data[odd]} at ${odd}, and not a number of at most ±${most}`);
    return data;
  };
}

/**
 * A tensor's values out of a part of the file.
 * @param part - bytes of the file from offset `partBegin`
 * @returns a view where the bytes are aligned, else a copy
 */
export function tensorData(entry: TensorEntry, part: Uint8Array, partBegin: number): TensorData {
  requireLittleEndian();
  const begin = entry.begin - partBegin;
  const end = entry.end - partBegin;
  if (begin < 0 || end > part.length) throw broken("a tensor lies outside the bytes that were read");
  const ArrayType = ARRAYS[entry.type];
  const offset = part.byteOffset + begin;
  const count = (end - begin) / ArrayType.BYTES_PER_ELEMENT;
  if (offset % ArrayType.BYTES_PER_ELEMENT === 0) return new ArrayType(part.buffer as ArrayBuffer, offset, count);
  return new ArrayType(part.slice(begin, end).buffer);
}

function typeOf(data: TensorData): TensorType {
  return data instanceof Float64Array ? "F64" : data instanceof Float32Array ? "F32" : "U32";
}

function isSizes(value: unknown): value is number[] {
  return Array.isArray(value) && value.every((side) => Number.isSafeInteger(side) && side >= 0);
}

function broken(why: string, cause?: unknown): AnchorEvalError {
  return new AnchorEvalError(
    "bundle_invalid",
    `parameters.safetensors is not a safetensors file of this format: ${why}`,
    { cause },
  );
}

function requireLittleEndian(): void {
  if (new Uint8Array(Uint32Array.of(1).buffer)[0] !== 1)
    throw new AnchorEvalError("unsupported", "bundles are little-endian and this machine is not");
}
