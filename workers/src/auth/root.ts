import { AnchorEvalError } from "anchoreval";
import { toBase64Url } from "anchoreval/internal/bundles/bytes";
import { checkRoots, currentRoot, type RootChain } from "anchoreval/internal/features/trust/sdk/root-chain";
import type { IndexSigning } from "anchoreval/internal/features/trust/sdk/sign-index";
import type { RootStatement, TrustFile } from "anchoreval/internal/features/trust/sdk/statements";
import { HttpProblem } from "../platform/problem.ts";

/** The root of TRUSTED_KEYS, its signatures checked. */
interface TrustedRoot {
  readonly chain: RootChain;
  readonly root: RootStatement;
}

/**
 * Checks the root of TRUSTED_KEYS.
 * @param now - milliseconds since 1970
 * @throws HttpProblem `misconfigured` where a signature is missing or the root has expired: its operator has to set another
 */
export async function trustedRoot(roots: TrustFile["roots"], now: number): Promise<TrustedRoot> {
  try {
    const chain = await checkRoots(roots, "its root.json");
    return { chain, root: currentRoot(chain, now) };
  } catch (error) {
    if (!(error instanceof AnchorEvalError && error.code === "bundle_untrusted")) throw error;
    throw new HttpProblem("misconfigured", `the setting TRUSTED_KEYS: ${error.message}`);
  }
}

/** An index is renewed on the first request after half a day, overdue after one, and refused after a week. */
const DAY = 86_400_000;

/**
 * How the Worker signs indexes.
 * @param key - PKCS #8
 * @throws HttpProblem `misconfigured` where the root doesn't list the key for indexes
 */
export async function indexSigning(
  { chain, root }: TrustedRoot,
  key: Uint8Array<ArrayBuffer>,
  now: number,
): Promise<IndexSigning> {
  const imported = await crypto.subtle.importKey("pkcs8", key, { name: "Ed25519" }, true, ["sign"]);
  const { x = "" } = (await crypto.subtle.exportKey("jwk", imported)) as JsonWebKey;
  if (!root.index.includes(x))
    throw new HttpProblem("misconfigured", `the setting INDEX_KEY: root ${root.version} doesn't list ${x} for indexes`);
  const sign = async (bytes: Uint8Array): Promise<string> =>
    toBase64Url(new Uint8Array(await crypto.subtle.sign("Ed25519", imported, bytes)));
  return { chain, key: x, sign, now, renewAfter: DAY / 2, due: DAY, life: 7 * DAY };
}
