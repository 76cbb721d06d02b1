/** Decimal numbers as programs write them; not `0x1`, `Infinity` and other text that `Number` takes. */
const DECIMAL = /^[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?$/;

/** The number that a cell has; NaN where it is none, or not a finite one. */
export function decimalNumber(text: string): number {
  const value = DECIMAL.test(text) ? Number(text) : NaN;
  return Number.isFinite(value) ? value : NaN;
}
