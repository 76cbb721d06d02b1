import { fromBase64Url } from "anchoreval/internal/bundles/bytes";

/** tile-products.wat, assembled, in base64url. */
export const TILE_PRODUCTS =
  "AGFzbQEAAAABBwFgA39_fwADAgEABQMBAAEHFQIGbWVtb3J5AgAIcHJvZHVjdHMAAAqBAgH-AQELewNAIAH9AAQAIQQgAf0ABBAhBSAA_QoDACEDIAYgAyAE_fIB_fABIQYgByADIAX98gH98AEhByAA_QoDCCEDIAggAyAE_fIB_fABIQggCSADIAX98gH98AEhCSAA_QoDECEDIAogAyAE_fIB_fABIQogCyADIAX98gH98AEhCyAA_QoDGCEDIAwgAyAE_fIB_fABIQwgDSADIAX98gH98AEhDSABQSBqIQEgAEEgaiIAIAJJDQALQQAgBv0LBABBECAH_QsEAEEgIAj9CwQAQTAgCf0LBABBwAAgCv0LBABB0AAgC_0LBABB4AAgDP0LBABB8AAgDf0LBAAL";

interface Exports {
  readonly memory: WebAssembly.Memory;
  readonly products: (a: number, b: number, end: number) => void;
}

/** Rows of a tile. */
export const TILE = 4;
/** Where rows begin: behind the products. @unit bytes */
const FREE = 8 * TILE * TILE;
const PAGE = 1 << 16;

/** Rows by tiles of four, number by number: the first number of each row, then the second … */
export interface Tiles {
  /** The number k of row r is at 4·(width·⌊r/4⌋ + k) + r mod 4. */
  readonly numbers: Float64Array;
  /** Products of the four rows from i with the four from j, at 4·(row − i) + column − j; they stay until the next. */
  readonly products: (i: number, j: number) => Float64Array;
}

/** Room for so many rows, a multiple of four, of so many numbers: WebAssembly adds up their products two at a time. */
export function tilesOf(rows: number, width: number): Tiles {
  const module = new WebAssembly.Module(fromBase64Url(TILE_PRODUCTS)!);
  const { memory, products } = new WebAssembly.Instance(module).exports as unknown as Exports;
  memory.grow(Math.ceil((FREE + 8 * rows * width) / PAGE));
  const sums = new Float64Array(memory.buffer, 0, TILE * TILE);
  const bytes = 8 * width;
  return {
    numbers: new Float64Array(memory.buffer, FREE, rows * width),
    products: (i, j) => {
      const begin = FREE + i * bytes;
      products(begin, FREE + j * bytes, begin + TILE * bytes);
      return sums;
    },
  };
}
