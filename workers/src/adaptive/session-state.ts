import { fromBase64Url, toBase64Url, type AdaptiveSession } from "anchoreval";
import { createRandom, type RandomSource } from "anchoreval/core";
import { HttpProblem } from "../problem.ts";

/** Longest state that is sent and taken back. @unit characters */
export const MAX_STATE = 32_768;

/** How long a session may take from its beginning. @unit milliseconds */
const LIFETIME = 7 * 24 * 3600 * 1000;

/** What a state says, signed and not secret: where the session stands, and which one it is. */
export interface SignedSession {
  /** Of this layout. */
  readonly v: 1;
  /** Random: names the session's draws together with the key. */
  readonly id: string;
  /** Milliseconds since 1970. */
  readonly expires: number;
  readonly session: AdaptiveSession;
}

/** A new session's name and end. */
export function newSession(now: number): Pick<SignedSession, "id" | "expires"> {
  return { id: crypto.randomUUID(), expires: now + LIFETIME };
}

/** The draws of a session: nobody without the key can foretell them, and the same session has the same ones again. */
export async function sessionDraws(key: CryptoKey, id: string): Promise<RandomSource> {
  const seed = await crypto.subtle.sign("HMAC", key, new TextEncoder().encode(`draws ${id}`));
  return createRandom(toBase64Url(new Uint8Array(seed)));
}

/**
 * A session as a state: deflated JSON and its HMAC-SHA-256, in base64url, a dot between.
 * @throws HttpProblem `payload_too_large` above {@link MAX_STATE}
 */
export async function signSession(session: SignedSession, key: CryptoKey): Promise<string> {
  const packed = await through(new TextEncoder().encode(JSON.stringify(session)), new CompressionStream("deflate-raw"));
  const signature = await crypto.subtle.sign("HMAC", key, packed);
  const state = `${toBase64Url(packed)}.${toBase64Url(new Uint8Array(signature))}`;
  if (state.length > MAX_STATE)
    throw new HttpProblem(
      "payload_too_large",
      `the state of this evaluation takes ${state.length} characters, ${MAX_STATE} at most: begin one with a smaller budget, of fewer scenarios or of one model`,
    );
  return state;
}

/**
 * The session of a state, and the key that signed it.
 * @throws HttpProblem `invalid_state` (422) for one that no key has signed; `state_expired` (410)
 */
export async function readSession(
  state: string,
  keys: readonly CryptoKey[],
  now: number,
): Promise<{ signed: SignedSession; key: CryptoKey }> {
  const [body, mac, ...rest] = state.split(".").map(fromBase64Url);
  if (!body?.length || !mac?.length || rest.length > 0)
    throw new HttpProblem("invalid_state", "the state is not one of this Worker's");
  for (const key of keys) {
    if (!(await crypto.subtle.verify("HMAC", key, mac, body))) continue;
    const json = await through(body, new DecompressionStream("deflate-raw"));
    const signed = JSON.parse(new TextDecoder().decode(json)) as SignedSession;
    if ((signed.v as number) !== 1)
      throw new HttpProblem("invalid_state", "the state is of another version of this Worker: begin anew");
    if (now > signed.expires)
      throw new HttpProblem(
        "state_expired",
        `this evaluation began more than ${LIFETIME / 86_400_000} days ago: begin anew`,
      );
    return { signed, key };
  }
  throw new HttpProblem("invalid_state", "the state's signature is none of this Worker's");
}

async function through(bytes: Uint8Array, transform: CompressionStream | DecompressionStream): Promise<Uint8Array> {
  const out = new Response(bytes).body!.pipeThrough(transform);
  return new Uint8Array(await new Response(out).arrayBuffer());
}
