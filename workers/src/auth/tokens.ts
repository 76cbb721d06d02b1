import { z } from "@hono/zod-openapi";
import { isAccessScope, SHA256 } from "anchoreval/bundle";

/** What a token allows with a benchmark: `publish` bundles of it, `read` it where it is protected. */
export type Action = "publish" | "read";

/** One token as the secret `TOKENS` keeps it: never itself, only its SHA-256. `anchoreval token` makes both. */
export interface TokenRecord {
  /** For logs and rotation. */
  readonly id: string;
  /** SHA-256 of the token's UTF-8 text, lowercase hex. */
  readonly sha256: string;
  /** `publish:<benchmark>`, `read:<benchmark>`; `*` for every benchmark. */
  readonly scopes: readonly string[];
  /** Last moment, ISO 8601 with its time zone; null for none. */
  readonly expires: string | null;
}

/** How far the caller's clock and this one may differ before an expiry counts. @unit milliseconds */
export const CLOCK_SKEW = 60_000;

const TokenRecords = z.array(
  z.object({
    id: z.string().min(1).max(64),
    sha256: z.string().regex(SHA256),
    scopes: z.array(z.string().refine(isAccessScope)).min(1),
    expires: z.iso.datetime({ offset: true }).nullable(),
  }),
);

/**
 * Reads the secret `TOKENS`.
 * @param secret - a JSON array of {@link TokenRecord}
 * @throws Error where it breaks a rule: nobody may come in by a list that was misread
 */
export function parseTokens(secret: string): readonly TokenRecord[] {
  return TokenRecords.parse(JSON.parse(secret));
}

/**
 * The record of a presented token. Every record's digest is compared, each to its end, so that the time taken tells
 * nothing of how near a guess was.
 * @returns null where none is it
 */
export async function findToken(records: readonly TokenRecord[], presented: string): Promise<TokenRecord | null> {
  const digest = new Uint8Array(await crypto.subtle.digest("SHA-256", new TextEncoder().encode(presented)));
  let found: TokenRecord | null = null;
  for (const record of records) if (equalDigest(digest, record.sha256)) found = record;
  return found;
}

/** Whether a token has ended, by this clock with its {@link CLOCK_SKEW}. */
export function hasExpired({ expires }: TokenRecord, now: number): boolean {
  return expires !== null && now > Date.parse(expires) + CLOCK_SKEW;
}

/** Whether a token allows an action with a benchmark. */
export function allows({ scopes }: TokenRecord, action: Action, benchmark: string): boolean {
  return scopes.includes(`${action}:${benchmark}`) || scopes.includes(`${action}:*`);
}

/** Compares all 32 bytes, whatever the first of them are. */
function equalDigest(digest: Uint8Array, hex: string): boolean {
  let difference = 0;
  for (let k = 0; k < digest.length; k++) difference |= digest[k]! ^ Number.parseInt(hex.slice(2 * k, 2 * k + 2), 16);
  return difference === 0;
}
