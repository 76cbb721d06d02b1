import { randomInt } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import { type Bound, readBody, readReason } from "anchoreval/internal/bundles/body";
import { AnchorEvalError } from "anchoreval/internal/core/errors";

/** How long a store is asked for. */
export interface Persistence {
  /** Waits before another attempt. @unit milliseconds @default setTimeout */
  readonly pause?: (milliseconds: number) => Promise<unknown>;
  readonly signal?: AbortSignal;
}

/** An answer that was read to its end. */
export interface WholeAnswer extends Pick<Response, "status" | "statusText" | "headers" | "url"> {
  /** Of a refusal, what {@link readReason} reads. */
  readonly bytes: Uint8Array<ArrayBuffer>;
}

const ATTEMPTS = 6;
/** R2 takes one write a second for a key: the next attempt comes later than that. @unit milliseconds */
const WAIT = 1000;
/** Limit for one attempt, a large file over a slow line. @unit milliseconds */
const TIMEOUT = 300_000;

/**
 * Sends a request until it is answered whole: what fails for the network, 429, 409 or 5xx is sent again. What was carried out
 * unheard is carried out twice: the request must bear that.
 * @param address - for messages
 * @param bound - of the answer
 * @param send - one attempt
 * @throws AnchorEvalError `unavailable` after the last attempt, `aborted`, and whatever of these `send` throws or the bound
 * refuses with
 */
export async function persistentFetch(
  address: string,
  { pause = sleep, signal }: Persistence,
  bound: Bound,
  send: (signal: AbortSignal) => Promise<Response>,
): Promise<WholeAnswer> {
  let failure: unknown;
  for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
    if (attempt > 0) await pause(WAIT + randomInt(WAIT * attempt));
    if (signal?.aborted) throw new AnchorEvalError("aborted", `${address}: aborted by the caller`);
    try {
      const limit = AbortSignal.timeout(TIMEOUT);
      const response = await send(signal ? AbortSignal.any([signal, limit]) : limit);
      const { status, statusText, headers, url } = response;
      const bytes = response.ok
        ? (await readBody(response, bound)).bytes
        : new TextEncoder().encode(await readReason(response));
      const answer = { status, statusText, headers, url, bytes };
      if (status !== 429 && status !== 409 && status < 500) return answer;
      failure = new Error(`${address}: ${status}: ${textOf(answer).slice(0, 500)}`);
    } catch (cause) {
      if (cause instanceof AnchorEvalError) throw cause;
      if (signal?.aborted) throw new AnchorEvalError("aborted", `${address}: aborted by the caller`, { cause });
      failure = cause;
    }
  }
  throw new AnchorEvalError("unavailable", `${address}: no answer in ${ATTEMPTS} attempts`, { cause: failure });
}

/** @example textOf(await persistentFetch(address, options, bound, send)).includes("<Code>NoSuchBucket</Code>") */
export function textOf({ bytes }: Pick<WholeAnswer, "bytes">): string {
  return new TextDecoder().decode(bytes);
}

/** A key as the path of an address. @example keyPath("bundles/a b/index.json") // "bundles/a%20b/index.json" */
export function keyPath(key: string): string {
  return key.split("/").map(encodeURIComponent).join("/");
}
