/** Questions at most that scales, errors and figures are of: each is foretold by all others. */
const MOST_LEFT_OUT = 2000;

/** At most 2000 indices below `count`, evenly apart. */
export function strided(count: number): Uint32Array {
  const kept = Math.min(count, MOST_LEFT_OUT);
  return Uint32Array.from({ length: kept }, (_, k) => Math.floor((k * count) / kept));
}
