import {
  encodeTrustFile,
  type RootStatement,
  type SignedStatement,
  signedBytes,
} from "anchoreval/internal/features/trust/sdk/statements";
import type { SigningKey } from "./signing-key.ts";

/** Where the clocks of these tests stand. */
export const NOW = Date.parse("2027-01-01T00:00:00Z");
export const DAY = 86_400_000;
export const at = (time: number): string => new Date(time).toISOString();

/** A statement with these keys' signatures. */
export async function sign(
  type: "root" | "index",
  statement: object,
  signers: readonly SigningKey[],
): Promise<SignedStatement> {
  const signed = JSON.stringify(statement);
  const signatures = await Promise.all(signers.map((key) => key.signature(signedBytes(type, signed))));
  return { signed, signatures };
}

/** A root's statement; valid for a year unless told otherwise. */
export function rootOf(
  version: number,
  keys: Readonly<Record<"keys" | "bundles" | "index", readonly SigningKey[]>>,
  more: Partial<RootStatement> = {},
): RootStatement {
  const named = (own: readonly SigningKey[]): string[] => own.map(({ key }) => key);
  return {
    type: "root",
    version,
    expires: at(NOW + 365 * DAY),
    threshold: 2,
    keys: named(keys.keys),
    bundles: named(keys.bundles),
    index: named(keys.index),
    ...more,
  };
}

/** root.json of some versions. */
export function rootJson(...roots: readonly SignedStatement[]): string {
  return new TextDecoder().decode(encodeTrustFile({ roots }));
}
