/**
 * numpy's `np.random.seed(seed); np.random.choice(count, size, replace=False)`: HELM samples a scenario's instances by it.
 * MT19937 seeded by init_genrand, and the legacy shuffle from the last place down, by masked rejection.
 * @returns {number[]} `size` of the numbers 0 to count − 1
 * @example numpyChoice(0, 10, 3) // [2, 8, 4]
 */
export function numpyChoice(seed, count, size) {
  const next = mersenneTwister(seed);
  const numbers = Array.from({ length: count }, (_, index) => index);
  for (let last = count - 1; last > 0; last--) {
    const mask = 2 ** (32 - Math.clz32(last)) - 1;
    let place;
    do place = (next() & mask) >>> 0;
    while (place > last);
    [numbers[last], numbers[place]] = [numbers[place], numbers[last]];
  }
  return numbers.slice(0, size);
}

/** Whole numbers from 0 to 2³² − 1 (Matsumoto and Nishimura 1998). */
function mersenneTwister(seed) {
  const [length, shift] = [624, 397];
  const state = new Uint32Array(length);
  state[0] = seed;
  for (let i = 1; i < length; i++) {
    const before = state[i - 1] ^ (state[i - 1] >>> 30);
    state[i] = Math.imul(1812433253, before) + i;
  }
  let at = length;
  return () => {
    if (at === length) {
      for (let i = 0; i < length; i++) {
        const joined = (state[i] & 0x80000000) | (state[(i + 1) % length] & 0x7fffffff);
        state[i] = state[(i + shift) % length] ^ (joined >>> 1) ^ (joined & 1 ? 0x9908b0df : 0);
      }
      at = 0;
    }
    let value = state[at++];
    value ^= value >>> 11;
    value ^= (value << 7) & 0x9d2c5680;
    value ^= (value << 15) & 0xefc60000;
    return (value ^ (value >>> 18)) >>> 0;
  };
}
