import { randomInt } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import { AnchorEvalError } from "anchoreval/internal/core/errors";

/** How long a store is asked for. */
export interface Persistence {
  /** Waits before another attempt. @unit milliseconds @default setTimeout */
  readonly pause?: (milliseconds: number) => Promise<unknown>;
  readonly signal?: AbortSignal;
}

const ATTEMPTS = 6;
/** R2 takes one write a second for a key: the next attempt comes later than that. @unit milliseconds */
const WAIT = 1000;
/** Limit for one attempt, a large file over a slow line. @unit milliseconds */
const TIMEOUT = 300_000;

/**
 * Sends a request until it is answered: what fails for the network, 429, 409 or 5xx is sent again. What was carried out
 * unheard is carried out twice: the request must bear that.
 * @param address - for messages
 * @param send - one attempt
 * @throws AnchorEvalError `unavailable` after the last attempt, `aborted`, and whatever of these `send` throws
 */
export async function persistentFetch(
  address: string,
  { pause = sleep, signal }: Persistence,
  send: (signal: AbortSignal) => Promise<Response>,
): Promise<Response> {
  let failure: unknown;
  for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
    if (attempt > 0) await pause(WAIT + randomInt(WAIT * attempt));
    if (signal?.aborted) throw new AnchorEvalError("aborted", `${address}: aborted by the caller`);
    try {
      const limit = AbortSignal.timeout(TIMEOUT);
      const response = await send(signal ? AbortSignal.any([signal, limit]) : limit);
      if (response.status !== 429 && response.status !== 409 && response.status < 500) return response;
      failure = new Error(`${address}: ${response.status}: ${(await response.text()).slice(0, 500)}`);
    } catch (cause) {
      if (cause instanceof AnchorEvalError) throw cause;
      if (signal?.aborted) throw new AnchorEvalError("aborted", `${address}: aborted by the caller`, { cause });
      failure = cause;
    }
  }
  throw new AnchorEvalError("unavailable", `${address}: no answer in ${ATTEMPTS} attempts`, { cause: failure });
}

/** A key as the path of an address. @example keyPath("bundles/a b/index.json") // "bundles/a%20b/index.json" */
export function keyPath(key: string): string {
  return key.split("/").map(encodeURIComponent).join("/");
}
