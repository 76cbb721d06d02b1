import { z } from "@hono/zod-openapi";
import { isAccessScope, SHA256 } from "anchoreval/internal/core/bundle/names";

/** Permissions of a token: to `publish` bundles of a benchmark, or to `read` one that is protected. */
export type Action = "publish" | "read";

/** A token as the secret `TOKENS` stores it: only its SHA-256. `anchoreval keys token` makes a token and its record. */
export interface TokenRecord {
  /** For logs and rotation. */
  readonly id: string;
  /** SHA-256 of the token's UTF-8 text, lowercase hex. */
  readonly sha256: string;
  /** `publish:<benchmark>`, `read:<benchmark>`; `*` for every benchmark. */
  readonly scopes: readonly string[];
  /** When it expires, ISO 8601 with a time zone; null for never. */
  readonly expires: string | null;
}

/** Tolerated difference between the caller's clock and this one when a token expires. @unit milliseconds */
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
 * Parses the secret `TOKENS`.
 * @param secret - a JSON array of {@link TokenRecord}
 * @throws Error if it breaks any rule: a list that was misread must admit nobody
 */
export function parseTokens(secret: string): readonly TokenRecord[] {
  return TokenRecords.parse(JSON.parse(secret));
}

/**
 * Finds the record of a presented token. Every digest is compared in full, so timing reveals nothing about how close a
 * guess was.
 * @returns null if there is none
 */
export async function findToken(records: readonly TokenRecord[], presented: string): Promise<TokenRecord | null> {
  const digest = new Uint8Array(await crypto.subtle.digest("SHA-256", new TextEncoder().encode(presented)));
  let match: TokenRecord | null = null;
  for (const record of records) if (equalDigest(digest, record.sha256)) match = record;
  return match;
}

export function hasExpired({ expires }: TokenRecord, now: number): boolean {
  return expires !== null && now > Date.parse(expires) + CLOCK_SKEW;
}

export function allows({ scopes }: TokenRecord, action: Action, benchmark: string): boolean {
  return scopes.includes(`${action}:${benchmark}`) || scopes.includes(`${action}:*`);
}

/** Compares all 32 bytes in constant time. */
function equalDigest(digest: Uint8Array, hex: string): boolean {
  let difference = 0;
  for (let k = 0; k < digest.length; k++) difference |= digest[k]! ^ Number.parseInt(hex.slice(2 * k, 2 * k + 2), 16);
  return difference === 0;
}
