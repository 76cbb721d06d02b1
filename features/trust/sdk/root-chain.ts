import { isSignedBy } from "../../../sdk/bundles/trusted-source.ts";
import { AnchorEvalError } from "../../../sdk/core/errors.ts";
import { parseRoot, rootProblem, type RootStatement, type SignedStatement, signedBytes } from "./statements.ts";

/** One version of a root whose signatures were checked. */
interface RootLink {
  readonly statement: RootStatement;
  readonly source: SignedStatement;
}

/** Versions of a root, oldest first, each one more than the one before; at least one. */
export type RootChain = readonly RootLink[];

/** Most versions of a root that a file may have: every one takes several signatures' arithmetic. */
const MOST_ROOTS = 64;

/**
 * Checks a root's versions: each is signed by a threshold of its own keys, and each but the first by a threshold of the keys
 * of the one before it.
 * @param name - where they come from, for messages
 * @throws AnchorEvalError `bundle_untrusted`, `unsupported`
 */
export function checkRoots(roots: readonly SignedStatement[], name: string): Promise<RootChain> {
  return followRoots([], roots, name);
}

/**
 * Follows a known root to the newest that a file has. Older ones than the known ones are passed over: a host that lags
 * behind takes nothing away.
 * @throws AnchorEvalError `bundle_untrusted` for a version that is missing, damaged, not signed enough, or another than the
 * one that is known by its number
 */
export async function followRoots(
  known: RootChain,
  roots: readonly SignedStatement[],
  name: string,
): Promise<RootChain> {
  if (roots.length > MOST_ROOTS) throw untrusted(`${name} has more than ${MOST_ROOTS} versions of a root`);
  const chain = [...known];
  for (const source of roots) {
    const statement = parseRoot(source);
    if (statement === null) throw untrusted(`${name} has a root that can't be read`);
    const newest = chain.at(-1);
    const { version } = statement;
    const problem = rootProblem(statement);
    if (problem !== null) throw untrusted(`${name}: root ${version} ${problem}`);
    const same = chain.find((link) => link.statement.version === version);
    if (same && same.source.signed !== source.signed)
      throw untrusted(`${name} has another root ${version} than the one that is known: one of them is forged`);
    if (newest && version <= newest.statement.version) continue;
    if (newest && version !== newest.statement.version + 1)
      throw untrusted(
        `${name} has root ${version} without root ${newest.statement.version + 1}: nobody who trusts root ${newest.statement.version} can follow; ask its publisher for a newer root.json`,
      );
    if (newest) await requireThreshold(source, newest.statement, version, name);
    await requireThreshold(source, statement, version, name);
    chain.push({ statement, source });
  }
  return chain;
}

/** Requires signatures of a root's version by as many different keys as another version, or its own, asks for. */
async function requireThreshold(
  source: SignedStatement,
  by: RootStatement,
  version: number,
  name: string,
): Promise<void> {
  const signers = await signersOf("root", source, by.keys);
  if (signers.length >= by.threshold) return;
  throw untrusted(
    `${name}: root ${version} has ${signers.length} of the ${by.threshold} signatures that root ${by.version} asks for`,
  );
}

/** Those of some keys that signed a statement, by the first signature of each: a file of many costs no more. */
export async function signersOf(
  type: "root" | "index",
  { signed, signatures }: SignedStatement,
  keys: readonly string[],
): Promise<string[]> {
  const bytes = signedBytes(type, signed);
  const signers: string[] = [];
  for (const key of new Set(keys)) {
    const own = signatures.find((candidate) => candidate.key === key);
    if (own && (await isSignedBy(bytes, own))) signers.push(key);
  }
  return signers;
}

/**
 * The newest version of a chain.
 * @param now - milliseconds since 1970
 * @throws AnchorEvalError `bundle_untrusted` where it has expired
 */
export function currentRoot(chain: RootChain, now: number): RootStatement {
  const { statement } = chain.at(-1)!;
  if (now >= Date.parse(statement.expires))
    throw untrusted(
      `root ${statement.version} expired at ${statement.expires}, and no newer one is known: whoever keeps it renews it by anchoreval keys root FILE --expires DATE`,
    );
  return statement;
}

/** Whether a root is in its last 30 days, of which readers and publishers are warned. */
export function isEnding({ expires }: RootStatement, now: number): boolean {
  return Date.parse(expires) - now < 30 * 86_400_000;
}

/** The version of a chain that took back what a key might sign; null for a key that no version let sign, or that still may. */
export function revokedBy(chain: RootChain, role: "bundles" | "index", key: string): number | null {
  const last = chain.findLastIndex(({ statement }) => statement[role].includes(key));
  return last < 0 ? null : (chain[last + 1]?.statement.version ?? null);
}

export function untrusted(message: string): AnchorEvalError {
  return new AnchorEvalError("bundle_untrusted", message);
}
