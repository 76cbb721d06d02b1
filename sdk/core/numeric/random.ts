/** Seeded randomness; core never reads an ambient source. */
export interface RandomSource {
  /** Uniform in [0,1), 53 bits. */
  next(): number;
  /** Uniform integer in [0, bound). */
  below(bound: number): number;
  /** Standard normal (polar method). */
  normal(): number;
  /** An independent stream named by `label`: it depends on the seed and the label, not on what was drawn before. */
  fork(label: string): RandomSource;
  /** In-place Fisher-Yates shuffle. */
  shuffle<T>(values: T[]): T[];
}

/** Four 32-bit words from text (cyrb128): spreads any label over the generator's state. */
function hashWords(text: string): [number, number, number, number] {
  let h1 = 1779033703;
  let h2 = 3144134277;
  let h3 = 1013904242;
  let h4 = 2773480762;
  for (let i = 0; i < text.length; i++) {
    const k = text.charCodeAt(i);
    h1 = h2 ^ Math.imul(h1 ^ k, 597399067);
    h2 = h3 ^ Math.imul(h2 ^ k, 2869860233);
    h3 = h4 ^ Math.imul(h3 ^ k, 951274213);
    h4 = h1 ^ Math.imul(h4 ^ k, 2716044179);
  }
  h1 = Math.imul(h3 ^ (h1 >>> 18), 597399067);
  h2 = Math.imul(h4 ^ (h2 >>> 22), 2869860233);
  h3 = Math.imul(h1 ^ (h3 >>> 17), 951274213);
  h4 = Math.imul(h2 ^ (h4 >>> 19), 2716044179);
  return [h1 ^ h2 ^ h3 ^ h4, h2 ^ h1, h3 ^ h1, h4 ^ h1];
}

/**
 * A seeded generator (sfc32, Chris Doty-Humphrey's PractRand): the same stream in every JavaScript runtime.
 * @param seed - a number or text; different labels give independent streams.
 * @example createRandom(1).next() === createRandom(1).next() // true
 */
export function createRandom(seed: number | string): RandomSource {
  const name = String(seed);
  let [a, b, c, d] = hashWords(name);
  const word = (): number => {
    const t = (((a + b) | 0) + d) | 0;
    d = (d + 1) | 0;
    a = b ^ (b >>> 9);
    b = (c + (c << 3)) | 0;
    c = (c << 21) | (c >>> 11);
    c = (c + t) | 0;
    return t >>> 0;
  };
  for (let i = 0; i < 12; i++) word();
  const next = (): number => ((word() >>> 5) * 67108864 + (word() >>> 6)) / 9007199254740992;
  const below = (bound: number): number => Math.floor(next() * bound);
  let spare: number | undefined;
  return {
    next,
    below,
    normal() {
      if (spare !== undefined) {
        const value = spare;
        spare = undefined;
        return value;
      }
      for (;;) {
        const u = 2 * next() - 1;
        const v = 2 * next() - 1;
        const s = u * u + v * v;
        if (s > 0 && s < 1) {
          const factor = Math.sqrt((-2 * Math.log(s)) / s);
          spare = v * factor;
          return u * factor;
        }
      }
    },
    fork: (label) => createRandom(`${name}/${label}`),
    shuffle(values) {
      for (let i = values.length - 1; i > 0; i--) {
        const j = below(i + 1);
        [values[i], values[j]] = [values[j]!, values[i]!];
      }
      return values;
    },
  };
}
