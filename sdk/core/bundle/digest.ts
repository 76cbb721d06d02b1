const ROUND_CONSTANTS = /* @__PURE__ */ primeFractions(64, 1 / 3);
const INITIAL_STATE = /* @__PURE__ */ primeFractions(8, 1 / 2);

/** First 32 bits of the fractional parts of the first primes' roots (FIPS 180-4, §4.2.2 and §5.3.3). */
function primeFractions(count: number, exponent: number): Uint32Array {
  const out = new Uint32Array(count);
  let primes = 0;
  for (let candidate = 2; primes < count; candidate++) {
    let prime = true;
    for (let d = 2; d * d <= candidate; d++) if (candidate % d === 0) prime = false;
    if (!prime) continue;
    const root = exponent === 1 / 2 ? Math.sqrt(candidate) : Math.cbrt(candidate);
    out[primes++] = (root - Math.floor(root)) * 4294967296;
  }
  return out;
}

/**
 * SHA-256 as lowercase hex, synchronous and without the platform's help (FIPS 180-4): for runtimes and pages
 * without `crypto.subtle`, and for callers that can't wait.
 * @example sha256Hex(new TextEncoder().encode("abc")) // "ba7816bf…f20015ad"
 */
export function sha256Hex(bytes: Uint8Array): string {
  const length = bytes.length;
  const padded = new Uint8Array((((length + 8) >> 6) + 1) << 6);
  padded.set(bytes);
  padded[length] = 0x80;
  const view = new DataView(padded.buffer);
  view.setUint32(padded.length - 8, Math.floor(length / 0x20000000));
  view.setUint32(padded.length - 4, (length << 3) >>> 0);
  const state = Uint32Array.from(INITIAL_STATE);
  const w = new Int32Array(64);
  for (let offset = 0; offset < padded.length; offset += 64) {
    for (let i = 0; i < 16; i++) w[i] = view.getInt32(offset + 4 * i);
    for (let i = 16; i < 64; i++) {
      const x = w[i - 15]!;
      const y = w[i - 2]!;
      const s0 = ((x >>> 7) | (x << 25)) ^ ((x >>> 18) | (x << 14)) ^ (x >>> 3);
      const s1 = ((y >>> 17) | (y << 15)) ^ ((y >>> 19) | (y << 13)) ^ (y >>> 10);
      w[i] = (w[i - 16]! + s0 + w[i - 7]! + s1) | 0;
    }
    let a = state[0]! | 0;
    let b = state[1]! | 0;
    let c = state[2]! | 0;
    let d = state[3]! | 0;
    let e = state[4]! | 0;
    let f = state[5]! | 0;
    let g = state[6]! | 0;
    let h = state[7]! | 0;
    for (let i = 0; i < 64; i++) {
      const s1 = ((e >>> 6) | (e << 26)) ^ ((e >>> 11) | (e << 21)) ^ ((e >>> 25) | (e << 7));
      const t1 = (h + s1 + ((e & f) ^ (~e & g)) + ROUND_CONSTANTS[i]! + w[i]!) | 0;
      const s0 = ((a >>> 2) | (a << 30)) ^ ((a >>> 13) | (a << 19)) ^ ((a >>> 22) | (a << 10));
      const t2 = (s0 + ((a & b) ^ (a & c) ^ (b & c))) | 0;
      h = g;
      g = f;
      f = e;
      e = (d + t1) | 0;
      d = c;
      c = b;
      b = a;
      a = (t1 + t2) | 0;
    }
    state[0]! += a;
    state[1]! += b;
    state[2]! += c;
    state[3]! += d;
    state[4]! += e;
    state[5]! += f;
    state[6]! += g;
    state[7]! += h;
  }
  return Array.from(state, (word) => word.toString(16).padStart(8, "0")).join("");
}

/** Bytes as lowercase hex, two digits each. */
export function hexOf(bytes: Uint8Array): string {
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
}

/** SHA-256 of UTF-8 text, lowercase hex. */
export function sha256Text(text: string): string {
  return sha256Hex(new TextEncoder().encode(text));
}

/** The content that identifies an item whatever harness asks it: no few-shot text, no harness fields. */
export interface ItemContent {
  readonly input: string;
  readonly choices?: readonly string[];
  readonly target: string | number | readonly (string | number)[];
}

/**
 * Content hash of an item: SHA-256 of canonical JSON {choices?, input, target} (keys sorted, no spaces, NFC).
 * @returns 64 lowercase hex digits
 * @example contentHash({ input: "1 + 1 =", target: "2" })
 */
export function contentHash(content: ItemContent): string {
  const normal = (value: string | number): string | number =>
    typeof value === "string" ? value.normalize("NFC") : value;
  const target = typeof content.target === "object" ? content.target.map(normal) : normal(content.target);
  return sha256Text(
    JSON.stringify({
      ...(content.choices && { choices: content.choices.map((choice) => choice.normalize("NFC")) }),
      input: content.input.normalize("NFC"),
      target,
    }),
  );
}

/**
 * Hash of an item by its text alone, for a bundle that tells nothing of targets: SHA-256 of {"input": text}, the text in
 * NFC, each run of spaces, tabs and line ends as one space, none at its ends.
 * @returns 64 lowercase hex digits
 * @example textHash("1 + 1 =")
 */
export function textHash(text: string): string {
  const plain = text
    .normalize("NFC")
    .replace(/[ \t\r\n]+/g, " ")
    .replace(/^ | $/g, "");
  return sha256Text(JSON.stringify({ input: plain }));
}

/**
 * Digest of a form: SHA-256 of the JSON array [[scenario, [item id, …]], …], scenarios in the manifest's order, items
 * in the order of anchors.jsonl. It names the order in which an array of answers is read.
 */
export function formDigest(scenarios: readonly (readonly [scenario: string, items: readonly string[]])[]): string {
  return sha256Text(JSON.stringify(scenarios));
}

/** Longest manifest.json that is read: that of a thousand scenarios in six forms has 14 MB. @unit bytes */
export const MOST_MANIFEST_BYTES = 1 << 24;

/** The first minor of the format whose manifests begin with their checksum (docs/decisions/bundles.md). */
export const CHECKSUM_MINOR = 4;

/** The beginning of manifest.json: the SHA-256 of all bytes after it. */
const HEAD = /^\{"checksum":"([0-9a-f]{64})",/;
/** Its length, by definition. */
const HEAD_BYTES = 79;

/**
 * Writes manifest.json: `{"checksum":"…",`, then the other fields in their order, as JSON without spaces, and a line feed.
 * The checksum is the SHA-256, in lowercase hex, of every byte after the comma that follows it.
 * @param manifest - a checksum that it has is left out
 */
export function encodeManifest(manifest: object): Uint8Array<ArrayBuffer> {
  const rest = `${JSON.stringify({ ...manifest, checksum: undefined }).slice(1)}\n`;
  return new TextEncoder().encode(`{"checksum":"${sha256Text(rest)}",${rest}`);
}

/** Whether the bytes of manifest.json are those that its checksum was made of; null where it doesn't begin with one. */
export function hasOwnChecksum(bytes: Uint8Array): boolean | null {
  const checksum = HEAD.exec(String.fromCharCode(...bytes.subarray(0, HEAD_BYTES)))?.[1];
  return checksum === undefined ? null : checksum === sha256Hex(bytes.subarray(HEAD_BYTES));
}
