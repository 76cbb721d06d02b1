/** The largest of many products, with the pair of each, in memory for twice as many as are kept. */
export class Extremes {
  /** What a product must exceed to matter. */
  bar = 0;
  readonly #keep: number;
  #size = 0;
  readonly #left: Uint32Array;
  readonly #right: Uint32Array;
  readonly #product: Float64Array;

  constructor(keep: number) {
    this.#keep = keep;
    this.#left = new Uint32Array(2 * keep);
    this.#right = new Uint32Array(2 * keep);
    this.#product = new Float64Array(2 * keep);
  }

  add(left: number, right: number, product: number): void {
    this.#left[this.#size] = left;
    this.#right[this.#size] = right;
    this.#product[this.#size] = product;
    if (++this.#size === 2 * this.#keep) this.#shrink();
  }

  /** The largest, in no order; of equal ones those that were added first. */
  kept(): { left: number; right: number; product: number }[] {
    if (this.#size > this.#keep) this.#shrink();
    return Array.from({ length: this.#size }, (_, k) => ({
      left: this.#left[k]!,
      right: this.#right[k]!,
      product: this.#product[k]!,
    }));
  }

  #shrink(): void {
    const order = Uint32Array.from({ length: this.#size }, (_, k) => k);
    order.sort((x, y) => this.#product[y]! - this.#product[x]! || x - y);
    const kept = order.subarray(0, this.#keep);
    for (const values of [this.#left, this.#right, this.#product])
      values.set(Float64Array.from(kept, (k) => values[k]!));
    this.#size = kept.length;
    this.bar = this.#product[this.#size - 1]!;
  }
}
