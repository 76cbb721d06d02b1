import { TILE, tilesOf, type Tiles } from "./tile-products.ts";

/** Two rows and their product. */
export interface ScreenedPair {
  readonly left: number;
  readonly right: number;
  readonly product: number;
}

/** Rows of a block: two blocks of 400 models stay in a core's cache. */
const BLOCK = 64;
/** Rows of numbers, as they are asked for. */
export interface ScreenedRows {
  readonly count: number;
  /** Numbers of a row. */
  readonly width: number;
  /** @param out - filled, length `width` */
  readonly fill: (row: number, out: Float32Array) => void;
}

/**
 * Products of all pairs of rows, of which only the extremes are kept: memory grows with the rows that are compared with
 * one, not with the pairs. Where all pairs exceed the allowed work, each row is compared with as many of those after it as
 * the work allows: rows should be ordered so that similar ones are near each other.
 * @param keep - pairs kept at either end
 * @param mostWork - multiplications and additions
 * @returns pairs with the largest products, and those with the smallest, in no order; how many were compared, of all
 */
export function screenPairs(
  rows: ScreenedRows,
  keep: number,
  mostWork: number,
): { highest: ScreenedPair[]; lowest: ScreenedPair[]; compared: number; pairs: number } {
  const { count, width } = rows;
  const all = (count * (count - 1)) / 2;
  const reach = all * width <= mostWork ? count - 1 : Math.max(1, Math.floor(mostWork / (count * width)));
  const tilesFrom = slidingTiles(rows, Math.min(count, 2 * BLOCK + reach));
  const highest = new Extremes(keep);
  const lowest = new Extremes(keep);
  let compared = 0;
  for (let top = 0; top < count; top += BLOCK) {
    const productsOf = tilesFrom(top);
    for (let left = top; left < Math.min(count, top + BLOCK + reach); left += BLOCK)
      for (let i = top; i < Math.min(count, top + BLOCK); i += TILE)
        for (let j = Math.max(i, left); j < Math.min(count, left + BLOCK); j += TILE) {
          const products = productsOf(i - top, j - top);
          for (let k = 0; k < products.length; k++) {
            const row = i + (k >> 2);
            const column = j + (k & 3);
            if (column <= row || column > row + reach || column >= count) continue;
            const product = products[k]!;
            compared++;
            if (product > highest.bar) highest.add(row, column, product);
            if (-product > lowest.bar) lowest.add(row, column, -product);
          }
        }
  }
  const negative = lowest.kept().map((pair) => ({ ...pair, product: -pair.product }));
  return { highest: highest.kept(), lowest: negative, compared, pairs: all };
}

/**
 * Rows from one on, which only moves forward by whole tiles. Behind the last row stand any numbers.
 * @param reach - rows that are held at a time
 */
function slidingTiles({ count, width, fill }: ScreenedRows, reach: number): (top: number) => Tiles["products"] {
  const held = Math.ceil(reach / TILE) * TILE;
  const { numbers, products } = tilesOf(held, width);
  const row = new Float32Array(width);
  let first = 0;
  let end = 0;
  return (top) => {
    numbers.copyWithin(0, (top - first) * width);
    first = top;
    for (; end < Math.min(count, top + held); end++) {
      fill(end, row);
      const at = end - first;
      const begin = (at >> 2) * TILE * width + (at & 3);
      for (let k = 0; k < width; k++) numbers[begin + TILE * k] = row[k]!;
    }
    return products;
  };
}

/** The pairs with the largest of many products, in memory for twice as many as are kept. */
export class Extremes {
  /** The value that a product must exceed to be kept. */
  bar = 0;
  readonly #keep: number;
  #pairs: ScreenedPair[] = [];

  constructor(keep: number) {
    this.#keep = keep;
  }

  add(left: number, right: number, product: number): void {
    this.#pairs.push({ left, right, product });
    if (this.#pairs.length === 2 * this.#keep) this.#shrink();
  }

  /** The largest, in no order; of equal ones those that were added first. */
  kept(): ScreenedPair[] {
    if (this.#pairs.length > this.#keep) this.#shrink();
    return this.#pairs;
  }

  #shrink(): void {
    this.#pairs.sort((x, y) => y.product - x.product);
    this.#pairs.length = this.#keep;
    this.bar = this.#pairs.at(-1)!.product;
  }
}
