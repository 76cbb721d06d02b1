/** vectors.wat, assembled, in base64: pages calibrate with it, and of the SDK they need core alone. */
export const VECTORS =
  "AGFzbQEAAAABEgJgBX98f39/AXxgBX9/f39/AAMDAgABBQMBAAEHHAMGbWVtb3J5AgAEbW92ZQAACHByb2R1Y3RzAAEKpAQCjwIDAn8CfAV7IAH9FCEJIAIgAEF8cUEDdGohBSACIABBA3RqIQYCQCACIAVPDQADQCAC/QAEACAJIAP9AAQA/fIB/fABIQogAv0ABBAgCSAD/QAEEP3yAf3wASELIAIgCv0LBAAgAiAL/QsEECAMIAogBP0ABAD98gH98AEhDCANIAsgBP0ABBD98gH98AEhDSADQSBqIQMgBEEgaiEEIAJBIGoiAiAFSQ0ACwsgDP0hACEHAkADQCACIAZPDQEgAisDACABIAMrAwCioCEIIAIgCDkDACAHIAggBCsDAKKgIQcgAkEIaiECIANBCGohAyAEQQhqIQQMAAsLIAcgDP0hAaAgDf0hACAN/SEBoKALkAICA38EeyAEIABBA3RqIQUgAyABQQN0aiEGA0D9DAAAAAAAAAAAAAAAAAAAAAAhCP0MAAAAAAAAAAAAAAAAAAAAACEJ/QwAAAAAAAAAAAAAAAAAAAAAIQr9DAAAAAAAAAAAAAAAAAAAAAAhCyADIQcDQCAIIAL9AAQAIAf9AAQA/fIB/fABIQggCSAC/QAEECAH/QAEEP3yAf3wASEJIAogAv0ABCAgB/0ABCD98gH98AEhCiALIAL9AAQwIAf9AAQw/fIB/fABIQsgAkHAAGohAiAHQcAAaiIHIAZJDQALIAggCf3wASAKIAv98AH98AEhCCAEIAj9IQAgCP0hAaA5AwAgBEEIaiIEIAVJDQALCw==";

interface Kernels {
  readonly memory: { readonly buffer: ArrayBuffer; grow(pages: number): number };
  readonly move: (n: number, weight: number, x: number, along: number, other: number) => number;
  readonly products: (count: number, width: number, rows: number, z: number, out: number) => void;
}

/** Memory for vectors. Where there is WebAssembly it computes with them two numbers at a time. */
export interface VectorMemory {
  /** Zeros. */
  readonly float64: (length: number) => Float64Array;
  /** To be called once; the vectors are lost. */
  readonly release: () => void;
}

const PAGE = 1 << 16;
/** All vectors begin there: loads across lines of the cache take twice as long. @unit bytes */
const LINE = 64;

/** Memories that nobody uses, to be used again: a runtime sets much aside for each. */
let idle: Kernels[] = [];

/** Gives back the memories that nobody uses, where much else is to come. */
export function dropIdleMemory(): void {
  idle = [];
}
const kernelsOf = new WeakMap<ArrayBufferLike, Kernels>();
let isMissing = false;

/**
 * Memory for some vectors, which lasts until it is released.
 * @param lengths - of the vectors, in numbers
 */
export function vectorMemory(lengths: readonly number[]): VectorMemory {
  const bytes = lengths.reduce((sum, length) => sum + LINE * Math.ceil((8 * length) / LINE), 0);
  const kernels = openKernels(bytes);
  if (kernels === null)
    return {
      float64: (length) => new Float64Array(length),
      release: () => undefined,
    };
  const { buffer } = kernels.memory;
  kernelsOf.set(buffer, kernels);
  let free = 0;
  const take = (size: number): number => {
    const begin = free;
    free += LINE * Math.ceil(size / LINE);
    return begin;
  };
  return {
    float64: (length) => new Float64Array(buffer, take(8 * length), length).fill(0),
    release: () => void idle.push(kernels),
  };
}

/** Kernels with so many bytes; null where there is no WebAssembly with SIMD, or no room in it. */
function openKernels(bytes: number): Kernels | null {
  if (isMissing) return null;
  let kernels = idle.pop();
  try {
    kernels ??= new WebAssembly.Instance(
      new WebAssembly.Module(Uint8Array.from(atob(VECTORS), (letter) => letter.charCodeAt(0))),
    ).exports as unknown as Kernels;
    const lacking = bytes - kernels.memory.buffer.byteLength;
    if (lacking > 0) kernels.memory.grow(Math.ceil(lacking / PAGE));
    return kernels;
  } catch {
    if (kernels) idle.push(kernels);
    else isMissing = true;
    return null;
  }
}

/** The kernels of the memory that vectors lie in together. */
function sharedKernels(vectors: readonly Float64Array[]): Kernels | undefined {
  const { buffer } = vectors[0]!;
  const kernels = kernelsOf.get(buffer);
  return kernels && vectors.every((vector) => vector.buffer === buffer) ? kernels : undefined;
}

/** Moves x by weight·along. @returns x·other there, summed as {@link dot} does */
export function move(x: Float64Array, weight: number, along: Float64Array, other: Float64Array): number {
  const kernels = sharedKernels([x, along, other]);
  if (kernels) return kernels.move(x.length, weight, x.byteOffset, along.byteOffset, other.byteOffset);
  let [first, second, third, fourth] = [0, 0, 0, 0];
  const even = x.length - (x.length % 4);
  for (let k = 0; k < even; k += 4) {
    const a = x[k]! + weight * along[k]!;
    const b = x[k + 1]! + weight * along[k + 1]!;
    const c = x[k + 2]! + weight * along[k + 2]!;
    const d = x[k + 3]! + weight * along[k + 3]!;
    x[k] = a;
    x[k + 1] = b;
    x[k + 2] = c;
    x[k + 3] = d;
    first += a * other[k]!;
    second += b * other[k + 1]!;
    third += c * other[k + 2]!;
    fourth += d * other[k + 3]!;
  }
  for (let k = even; k < x.length; k++) {
    x[k] = x[k]! + weight * along[k]!;
    first += x[k]! * other[k]!;
  }
  return first + second + (third + fourth);
}

/** Four sums at a time: an addition needn't wait for the one before. */
export function dot(left: Float64Array, right: Float64Array): number {
  let [first, second, third, fourth] = [0, 0, 0, 0];
  const even = left.length - (left.length % 4);
  for (let k = 0; k < even; k += 4) {
    first += left[k]! * right[k]!;
    second += left[k + 1]! * right[k + 1]!;
    third += left[k + 2]! * right[k + 2]!;
    fourth += left[k + 3]! * right[k + 3]!;
  }
  for (let k = even; k < left.length; k++) first += left[k]! * right[k]!;
  return first + second + (third + fourth);
}

/** Numbers of a row that {@link rowProducts} takes at a time: rows are padded with zeros to a multiple of it. */
export const ROW_LANES = 8;

/**
 * Products of rows with a vector.
 * @param rows - row-major, of z's length
 * @param z - a multiple of {@link ROW_LANES} long
 * @param out - filled, one a row
 */
export function rowProducts(rows: Float64Array, z: Float64Array, out: Float64Array): void {
  const width = z.length;
  const kernels = sharedKernels([rows, z, out]);
  if (kernels) {
    if (out.length > 0) kernels.products(out.length, width, rows.byteOffset, z.byteOffset, out.byteOffset);
    return;
  }
  const sums = new Float64Array(ROW_LANES);
  for (let i = 0, at = 0; i < out.length; i++) {
    sums.fill(0);
    for (let k = 0; k < width; k += ROW_LANES)
      for (let lane = 0; lane < ROW_LANES; lane++, at++) sums[lane]! += rows[at]! * z[k + lane]!;
    for (let lane = 0; lane < 2; lane++)
      sums[lane] = sums[lane]! + sums[lane + 2]! + (sums[lane + 4]! + sums[lane + 6]!);
    out[i] = sums[0]! + sums[1]!;
  }
}
