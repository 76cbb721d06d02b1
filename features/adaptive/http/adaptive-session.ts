import type { AdaptiveSession } from "anchoreval";
import { fromBase64Url, toBase64Url } from "anchoreval/internal/bundles/bytes";
import { atMost, readBody } from "anchoreval/internal/bundles/body";
import { createRandom, type RandomSource } from "anchoreval/internal/core/numeric/random";
import { HttpProblem } from "../../../workers/src/platform/problem.ts";
import { list } from "../../../workers/src/platform/read-setting.ts";

/** Longest state that is sent and accepted. @unit characters */
export const MAX_STATE = 32_768;

/** Longest session before it is packed, which makes a tenth of it. @unit bytes */
const MOST_SESSION_BYTES = 1 << 22;

/** How long a session lasts. @unit milliseconds */
const LIFETIME = 7 * 24 * 3600 * 1000;

/** The content of a state, which is signed but not secret: the session and its name. */
export interface SignedSession {
  readonly v: 1;
  /** Random; determines the session's draws together with the key. */
  readonly id: string;
  /** Milliseconds since 1970. */
  readonly expires: number;
  readonly session: AdaptiveSession;
}

export function newSession(now: number): Pick<SignedSession, "id" | "expires"> {
  return { id: crypto.randomUUID(), expires: now + LIFETIME };
}

/** The draws of a session: the same for every request of it, and unpredictable without the key. */
export async function sessionDraws(key: CryptoKey, id: string): Promise<RandomSource> {
  const seed = await crypto.subtle.sign("HMAC", key, new TextEncoder().encode(`draws ${id}`));
  return createRandom(toBase64Url(new Uint8Array(seed)));
}

/**
 * Writes a session as a state: deflated JSON and its HMAC-SHA-256, both in base64url, joined by a dot.
 * @throws HttpProblem `payload_too_large` above {@link MAX_STATE}
 */
export async function signSession(session: SignedSession, key: CryptoKey): Promise<string> {
  const json = Uint8Array.from(new TextEncoder().encode(JSON.stringify(session)));
  const packed = await transform(json, new CompressionStream("deflate-raw"));
  const signature = await crypto.subtle.sign("HMAC", key, packed);
  const state = `${toBase64Url(packed)}.${toBase64Url(new Uint8Array(signature))}`;
  if (state.length > MAX_STATE)
    throw new HttpProblem(
      "payload_too_large",
      `the state of this evaluation has ${state.length} characters, more than ${MAX_STATE}: begin one with a smaller budget, fewer scenarios or one model`,
    );
  return state;
}

/**
 * Reads a state.
 * @returns the session and the key that signed it
 * @throws HttpProblem `invalid_state` (422) if none of the keys signed it; `state_expired` (410)
 */
export async function readSession(
  state: string,
  keys: readonly CryptoKey[],
  now: number,
): Promise<{ signed: SignedSession; key: CryptoKey }> {
  const [body, mac, ...rest] = state.split(".").map(fromBase64Url);
  if (!body?.length || !mac?.length || rest.length > 0)
    throw new HttpProblem("invalid_state", "this Worker did not write the state");
  for (const key of keys) {
    if (!(await crypto.subtle.verify("HMAC", key, mac, body))) continue;
    const json = await transform(body, new DecompressionStream("deflate-raw"));
    const signed = JSON.parse(new TextDecoder().decode(json)) as SignedSession;
    if ((signed.v as number) !== 1)
      throw new HttpProblem("invalid_state", "another version of this Worker wrote the state: begin a new evaluation");
    if (now > signed.expires)
      throw new HttpProblem(
        "state_expired",
        `this evaluation began more than ${LIFETIME / 86_400_000} days ago: begin a new one`,
      );
    return { signed, key };
  }
  throw new HttpProblem("invalid_state", "none of this Worker's keys signed the state: begin a new evaluation");
}

async function transform(
  bytes: Uint8Array<ArrayBuffer>,
  through: CompressionStream | DecompressionStream,
): Promise<Uint8Array<ArrayBuffer>> {
  const body = new Response(bytes).body!.pipeThrough(through);
  return (await readBody({ body }, atMost(MOST_SESSION_BYTES, "the state"))).bytes;
}

/**
 * The keys of the setting `SESSION_KEYS`, for HMAC-SHA-256.
 * @throws HttpProblem `not_implemented` (501) if there are none
 */
export async function sessionKeys({ sessionKeys: keys }: SessionSettings): Promise<CryptoKey[]> {
  if (keys.length === 0)
    throw new HttpProblem(
      "not_implemented",
      "this Worker has no secret SESSION_KEYS, which signs the states of adaptive evaluations: `openssl rand -hex 32` makes one",
    );
  const imported = (key: string): Promise<CryptoKey> => {
    const bytes = Uint8Array.from({ length: 32 }, (_, k) => Number.parseInt(key.slice(2 * k, 2 * k + 2), 16));
    return crypto.subtle.importKey("raw", bytes, { name: "HMAC", hash: "SHA-256" }, false, ["sign", "verify"]);
  };
  return Promise.all(keys.map(imported));
}

export interface SessionEnv {
  /**
   * Keys that sign the states of adaptive evaluations, a secret: 64 hexadecimal digits each, comma-separated. The first
   * signs and all are accepted, so a key is replaced by putting its successor in front. Without it there are no adaptive
   * evaluations.
   */
  readonly SESSION_KEYS?: string;
}

export const SESSION_NAMES = { SESSION_KEYS: true } as const;

export interface SessionSettings {
  readonly sessionKeys: readonly string[];
}

export function sessionSettings(env: SessionEnv): SessionSettings {
  const rule = "is one or more keys of 64 hexadecimal digits, comma-separated";
  return { sessionKeys: list(env, "SESSION_KEYS", (key) => /^[0-9a-f]{64}$/i.test(key), rule) };
}
