/**
 * Names a stream by four 32-bit words, made of its seed and the labels on the way: {@link createRandom} makes the stream
 * of it again. Plain numbers, which can be sent to another thread; a stream itself can't.
 */
export type StreamName = readonly [number, number, number, number];

/** Seeded randomness; core never reads an ambient source. */
export interface RandomSource {
  /** Makes this stream again, from its beginning: `createRandom(random.name)`. */
  readonly name: StreamName;
  /** Uniform in [0,1), 53 bits. */
  next(): number;
  /** Uniform integer in [0, bound). */
  below(bound: number): number;
  /** Standard normal (polar method). */
  normal(): number;
  /**
   * An independent stream named by `label`, any text: it depends on the seed and the labels on the way, not on what was
   * drawn before. `fork("a/b")` is another than `fork("a").fork("b")`.
   */
  fork(label: string): RandomSource;
  /** In-place Fisher-Yates shuffle. */
  shuffle<T>(values: T[]): T[];
}

const EMPTY: StreamName = [1779033703, 3144134277, 1013904242, 2773480762];
const SLASH = 0x2f;
/** Stands for a slash inside a label; no character of a text has this code. */
const SLASH_IN_LABEL = 0x1002f;

/** A name that goes on with a text (cyrb128's rounds). @param slash - the code that `/` has there */
function append([h1, h2, h3, h4]: StreamName, text: string, slash = SLASH): StreamName {
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i);
    const k = code === SLASH ? slash : code;
    h1 = h2 ^ Math.imul(h1 ^ k, 597399067);
    h2 = h3 ^ Math.imul(h2 ^ k, 2869860233);
    h3 = h4 ^ Math.imul(h3 ^ k, 951274213);
    h4 = h1 ^ Math.imul(h4 ^ k, 2716044179);
  }
  return [h1, h2, h3, h4];
}

/** The last mixing: spreads any name over the generator's state. */
function spread([h1, h2, h3, h4]: StreamName): [number, number, number, number] {
  h1 = Math.imul(h3 ^ (h1 >>> 18), 597399067);
  h2 = Math.imul(h4 ^ (h2 >>> 22), 2869860233);
  h3 = Math.imul(h1 ^ (h3 >>> 17), 951274213);
  h4 = Math.imul(h2 ^ (h4 >>> 19), 2716044179);
  return [h1 ^ h2 ^ h3 ^ h4, h2 ^ h1, h3 ^ h1, h4 ^ h1];
}

/**
 * A seeded generator (sfc32, Chris Doty-Humphrey's PractRand): the same stream in every JavaScript runtime.
 * @param seed - a number or text; different seeds give independent streams. A text with slashes spells forks:
 * `"1/split"` is the stream `createRandom(1).fork("split")`. Or a stream's name, whatever its labels.
 * @example createRandom(1).next() === createRandom(1).next() // true
 */
export function createRandom(seed: number | string | StreamName): RandomSource {
  return stream(typeof seed === "object" ? seed : append(EMPTY, String(seed)));
}

function stream(name: StreamName): RandomSource {
  // Variables of a closure would be a new object each time that they leave 31 bits.
  const state = Int32Array.from(spread(name));
  const word = (): number => {
    const b = state[1]!;
    const c = state[2]!;
    const t = (((state[0]! + b) | 0) + state[3]!) | 0;
    state[3] = state[3]! + 1;
    state[0] = b ^ (b >>> 9);
    state[1] = c + (c << 3);
    state[2] = ((c << 21) | (c >>> 11)) + t;
    return t >>> 0;
  };
  for (let i = 0; i < 12; i++) word();
  const next = (): number => ((word() >>> 5) * 67108864 + (word() >>> 6)) / 9007199254740992;
  const below = (bound: number): number => Math.floor(next() * bound);
  let spare: number | undefined;
  return {
    name,
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
    fork: (label) => stream(append(append(name, "/"), label, SLASH_IN_LABEL)),
    shuffle(values) {
      for (let i = values.length - 1; i > 0; i--) {
        const j = below(i + 1);
        [values[i], values[j]] = [values[j]!, values[i]!];
      }
      return values;
    },
  };
}
