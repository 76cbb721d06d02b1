import { inTime } from "../platform/deadline.ts";
import type { RateLimiter } from "../platform/env.ts";
import { logLine, traceOf } from "../platform/observe.ts";
import { HttpProblem } from "../platform/problem.ts";
import type { Caller } from "./access.ts";

/** The `period` of `[[ratelimits]]` in wrangler.toml, which the binding does not reveal. @unit seconds */
export const RATE_PERIOD = 10;

/** Longest wait for the limiter. @unit milliseconds */
const LIMIT = 500;

/** Units of work that a model costs whatever its answers, and that an answer costs; so many are one count of the limiter. */
const [MODEL, ANSWER, COUNT] = [100, 1, 500];
/** Most counts of one request: a limit below would refuse it for good. */
const MOST_COUNTS = 40;
/** Counts of an adaptive evaluation's beginning: who begins one again and again may keep the luckiest. */
export const BEGIN_COUNTS = 30;
/** About as long is an answer in JSON, where answers aren't counted one by one. @unit bytes */
const ANSWER_BYTES = 20;

/** Counts work against a caller. @throws HttpProblem `rate_limited` (429) */
export type Meter = (counts: number) => Promise<void>;

/**
 * The counts of a request by its work, of which the request itself has been the first.
 * @param work - answers, or the bytes that hold them
 * @example countsOf({ models: 1, answers: 100 }) // 0
 * @example countsOf({ models: 100, answers: 10_000 }) // 39
 */
export function countsOf(work: { models: number; answers: number } | { models: number; bytes: number }): number {
  const answers = "answers" in work ? work.answers : work.bytes / ANSWER_BYTES;
  const counts = Math.ceil((MODEL * work.models + ANSWER * answers) / COUNT);
  return Math.max(0, Math.min(counts, MOST_COUNTS) - 1);
}

/**
 * Counts against the token's id, or else against the caller's network. Callers with an invalid token are counted by
 * network. Requests with neither come from other Workers of the account and are not counted. A limiter that fails lets
 * requests through.
 * @param limiter - none: nothing is counted
 * @param caller - resolves once the caller is known; its rejection is handled elsewhere
 * @param address - the header `cf-connecting-ip`
 */
export async function meterOf(
  limiter: RateLimiter | undefined,
  caller: Promise<Caller>,
  address: string | undefined,
): Promise<Meter> {
  const token = await caller.then(
    (identified) => identified.token,
    () => null,
  );
  const key = token !== null ? `token:${token}` : address !== undefined ? `network:${networkOf(address)}` : null;
  return async (counts) => {
    if (key === null || limiter === undefined) return;
    const allowed = await Promise.all(Array.from({ length: counts }, () => isAllowed(limiter, key)));
    if (allowed.every(Boolean)) return;
    throw new HttpProblem("rate_limited", `too many requests, or too much work at once: wait ${RATE_PERIOD} s`, {
      headers: { "retry-after": String(RATE_PERIOD) },
    });
  };
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
