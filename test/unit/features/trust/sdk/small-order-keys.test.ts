import { isSignedBy, keyProblem, requireTrusted } from "anchoreval/internal/bundles/trusted-source";
import { rootProblem } from "anchoreval/internal/features/trust/sdk/statements";
import { expect, test } from "vitest";
import { settingsOf } from "../../../../../workers/src/platform/settings.ts";
import { rejection } from "../../../../support/refusal.ts";
import { signingKey } from "../../../../support/signing-key.ts";

const PRIME = 2n ** 255n - 19n;
/** 32 bytes, little-endian, in base64url. @param sign - the bit of x */
function keyOf(y: bigint, sign = false): string {
  const bytes = Buffer.from((y + (sign ? 2n ** 255n : 0n)).toString(16).padStart(64, "0"), "hex").reverse();
  return bytes.toString("base64url");
}

// The curve −x² + y² = 1 + d·x²·y² over the prime, in affine coordinates.
const mod = (value: bigint): bigint => ((value % PRIME) + PRIME) % PRIME;
function power(base: bigint, exponent: bigint): bigint {
  let [result, square] = [1n, mod(base)];
  for (let left = exponent; left > 0n; left >>= 1n) {
    if (left & 1n) result = mod(result * square);
    square = mod(square * square);
  }
  return result;
}
const inverse = (value: bigint): bigint => power(value, PRIME - 2n);
const D = mod(-121665n * inverse(121666n));
type Point = readonly [x: bigint, y: bigint];
function sum([x, y]: Point, [u, v]: Point): Point {
  const k = mod(D * x * u * y * v);
  return [mod((x * v + u * y) * inverse(1n + k)), mod((y * v + x * u) * inverse(1n - k))];
}
function pointAt(y: bigint): Point | null {
  const square = mod((y * y - 1n) * inverse(mod(D * y * y + 1n)));
  let x = power(square, (PRIME + 3n) / 8n);
  if (mod(x * x) !== square) x = mod(x * power(2n, (PRIME - 1n) / 4n));
  return mod(x * x) === square ? [x, y] : null;
}

/** The eight points whose order divides 8: multiples of any point by the order of the large subgroup. */
function torsion(): Point[] {
  const order = 2n ** 252n + 27742317777372353535851937790883648493n;
  const points = new Map<string, Point>();
  for (let y = 2n; points.size < 8; y++) {
    const start = pointAt(y);
    if (start === null) continue;
    let [result, twice]: [Point, Point] = [[0n, 1n], start];
    for (let left = order; left > 0n; left >>= 1n) {
      if (left & 1n) result = sum(result, twice);
      twice = sum(twice, twice);
    }
    for (let k = 0, at: Point = [0n, 1n]; k < 8; k++, at = sum(at, result)) points.set(String(at), at);
  }
  return [...points.values()];
}

const small = torsion().map(([x, y]) => keyOf(y, (x & 1n) === 1n));
const odd = [PRIME, PRIME + 1n, PRIME + 18n].flatMap((y) => [keyOf(y), keyOf(y, true)]);
const withSign = [keyOf(1n, true), keyOf(PRIME - 1n, true)]; // −0

test("there are eight of them, and others as they are written by mistake", () => {
  expect(new Set(small).size).toBe(8);
});

test.each([...small, ...odd, ...withSign])("%s is nobody's key, wherever it is listed", async (key) => {
  expect(keyProblem(key)).toMatch(/small order|as nobody writes it/);
  const error = await rejection(requireTrusted(new Uint8Array(1), null, [key], "a bundle"));
  expect(error).toMatchObject({ code: "invalid_option" });
  expect(error.message).toContain(`${key} is `);
  const good = (await signingKey()).key;
  const root = { type: "root", version: 1, expires: "2030-01-01T00:00:00Z", threshold: 1, keys: [good], bundles: [], index: [] } as const; // prettier-ignore
  for (const role of ["keys", "bundles", "index"] as const)
    expect(rootProblem({ ...root, [role]: [good, key] })).toContain(`lists ${key}, which`);
  expect(() => settingsOf({ TRUSTED_KEYS: `${good},${key}` } as never)).toThrow("TRUSTED_KEYS");
});

test("a signature that the platform takes of any message under such a key is none", async () => {
  // R = A = the neutral element, S = 0: S·B = R + h·A whatever h is.
  const key = keyOf(1n);
  const signature = Buffer.concat([Buffer.from(key, "base64url"), Buffer.alloc(32)]).toString("base64url");
  for (const text of ["one message", "another"])
    expect(await isSignedBy(new TextEncoder().encode(text), { key, signature })).toBe(false);
});

test("keys of the platform's making are keys", async () => {
  for (let k = 0; k < 50; k++) expect(keyProblem((await signingKey()).key)).toBeNull();
});
