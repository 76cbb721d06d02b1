import { inTime } from "../deadline.ts";
import type { RateLimiter } from "../env.ts";
import { logLine, traceOf } from "../observe.ts";
import { HttpProblem } from "../problem.ts";
import type { Caller } from "./access.ts";

/** The `period` of `[[ratelimits]]` in wrangler.toml, which the binding does not reveal. @unit seconds */
export const RATE_PERIOD = 10;

/** Longest wait for the limiter. @unit milliseconds */
const LIMIT = 500;

/**
 * Counts a request against the token's id, or else against the caller's network, before anything is done for it. Callers
 * with an invalid token are counted by network. Requests with neither come from other Workers of the account and are not
 * counted. A limiter that fails lets requests through.
 * @param caller - resolves once the caller is known; its rejection is handled elsewhere
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
  throw new HttpProblem("rate_limited", `too many requests: wait ${RATE_PERIOD} s, and send models in batches`, {
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

/**
 * The network that counts as one caller: an IPv4 address, or the /64 network that a single IPv6 line owns.
 * @example networkOf("2001:db8::7") // "2001:db8:0:0::/64"
 */
export function networkOf(address: string): string {
  if (!address.includes(":")) return address;
  const mapped = /^::ffff:([\d.]+)$/i.exec(address)?.[1];
  if (mapped !== undefined) return mapped;
  const [head = "", tail] = address.split("::");
  const first = hexGroups(head);
  const last = hexGroups(tail ?? "");
  const zeros = new Array<string>(Math.max(0, 8 - first.length - last.length)).fill("0");
  const groups = tail === undefined ? first : [...first, ...zeros, ...last];
  return `${groups.slice(0, 4).join(":")}::/64`;
}

function hexGroups(text: string): string[] {
  return text === "" ? [] : text.split(":").map((group) => Number.parseInt(group, 16).toString(16));
}
