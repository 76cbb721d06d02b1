import { inTime } from "../in-time.ts";
import { logLine, traceOf } from "../observe/log.ts";
import { HttpProblem } from "../problem.ts";
import type { Caller } from "./caller.ts";
import { networkOf } from "./network-of.ts";

/** The platform's rate limit binding. It counts in each colo by itself. */
export interface RateLimiter {
  limit(options: { key: string }): Promise<{ success: boolean }>;
}

/** The `period` of `[[ratelimits]]` in wrangler.toml: the binding doesn't tell. @unit seconds */
export const RATE_PERIOD = 10;

/** Longest wait for the limiter. @unit milliseconds */
const LIMIT = 500;

/**
 * Counts a request for the token's id, or else for the caller's network, before anything is done for it. Who sends a
 * wrong token is counted by the network. Requests of neither come from other Workers of the account: not counted.
 * A limiter that fails lets requests through.
 * @param caller - who that is, when it is known; may fail, for the reader of it to handle
 * @param address - the header `cf-connecting-ip`
 * @throws HttpProblem `rate_limited` (429)
 */
export async function limitRate(
  limiter: RateLimiter,
  caller: Promise<Caller>,
  address: string | undefined,
): Promise<void> {
  const token = await caller.then(
    (known) => known.token,
    () => null,
  );
  const key = token !== null ? `token:${token}` : address !== undefined ? `network:${networkOf(address)}` : null;
  if (key === null) return;
  if (await isAllowed(limiter, key)) return;
  throw new HttpProblem("rate_limited", `too many requests: wait ${RATE_PERIOD} s, and ask for models in batches`, {
    headers: { "retry-after": String(RATE_PERIOD) },
  });
}

async function isAllowed(limiter: RateLimiter, key: string): Promise<boolean> {
  try {
    return (await inTime(limiter.limit({ key }), LIMIT, "the rate limiter")).success;
  } catch (error) {
    logLine("error", "rate_limiter_failed", { error: traceOf(error) });
    return true;
  }
}
