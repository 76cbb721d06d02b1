import { sha256 } from "../../../sdk/bundles/bytes.ts";
import { guardedSource, requireTrusted } from "../../../sdk/bundles/trusted-source.ts";
import type { BundleSource } from "../../../sdk/core/bundle/bundle.ts";
import type { Manifest } from "../../../sdk/core/bundle/manifest.ts";
import { compareVersions } from "../../../sdk/core/bundle/names.ts";
import { parseManifest } from "../../../sdk/bundles/parse-manifest.ts";
import { parseSignatures } from "../../../sdk/core/bundle/signature.ts";
import { checkNames, invalidOption } from "../../../sdk/core/errors.ts";
import {
  checkRoots,
  currentRoot,
  followRoots,
  isEnding,
  revokedBy,
  type RootChain,
  signersOf,
  untrusted,
} from "./root-chain.ts";
import {
  encodeTrustFile,
  type IndexStatement,
  parseIndexStatement,
  parseTrustFile,
  type RootStatement,
  type SignedStatement,
  type TrustFile,
} from "./statements.ts";

/** A reader's store of the newest root and index that it has seen, so that no host can show it older ones again. @inline */
export interface TrustMemory {
  /** The text that was written last under a key, null where none was. Keys are any text. */
  read(key: string): string | null | Promise<string | null>;
  write(key: string, text: string): unknown;
}

/**
 * How long `latest` may lag behind an index that was just issued, before or after that by the reader's clock: a Worker keeps its
 * index for a minute, and caches before it the answer for another. @unit milliseconds
 */
const LATEST_LAG = 120_000;

/**
 * A root of trust, for `trustedKeys`. What is loaded must be signed by a key that the newest root lists for bundles; the root
 * is followed from the given one by what the host publishes beside the bundle. Where the root lists keys for indexes,
 * the host must also have an index, signed by one and in date, that names the bundle's version with the bundle's digest.
 * @param root - the content of root.json, from whom you trust and not from the host
 * @param options - `memory`: without it, a host can show an older root or index than it did before, as long as these haven't
 * expired; in a page `{ read: (key) => localStorage.getItem(key), write: (key, text) => localStorage.setItem(key, text) }`.
 * `onWarning`: told of an index that is overdue, a root that expires within 30 days, a yanked version; `console.warn` unless
 * given. `now`: milliseconds since 1970
 * @throws AnchorEvalError `invalid_option` where the text is no root; where something is read, `bundle_untrusted`
 * @example await loadBundle("https://evals.example.com/v1/bundles/quiz/1.0.0", { trustedKeys: trustRoot(rootJson) })
 */
export function trustRoot(
  root: string,
  options: {
    readonly memory?: TrustMemory;
    readonly onWarning?: (message: string) => void;
    readonly now?: () => number;
  } = {},
): (source: BundleSource) => BundleSource {
  checkNames(options, { memory: true, onWarning: true, now: true });
  const pinned = parseTrustFile(new TextEncoder().encode(root));
  if (pinned === null) throw invalidOption("the root of trust is no root.json; ask its publisher for it");
  const { memory = null, onWarning = console.warn, now = Date.now } = options;
  let checked: RootChain | undefined;
  const pinnedRoots = async (): Promise<RootChain> =>
    (checked ??= await checkRoots(pinned.roots, "the trusted root.json"));
  const check = { pinnedRoots, memory, onWarning, now };
  return (source) => guardedSource(source, true, (...read) => checkTrust(check, source, ...read));
}

interface TrustCheck {
  /** The root that the reader was given, checked once. */
  readonly pinnedRoots: () => Promise<RootChain>;
  readonly memory: TrustMemory | null;
  readonly onWarning: (message: string) => void;
  readonly now: () => number;
}

async function checkTrust(
  check: TrustCheck,
  source: BundleSource,
  manifest: Uint8Array,
  signatures: Uint8Array | null,
  published: Uint8Array | null,
): Promise<void> {
  const { name } = source;
  const trust = published && parseTrustFile(published);
  if (published && !trust) throw untrusted(`${name}: its trust.json can't be read`);
  const chain = await newestRoot(check, trust?.roots ?? [], name);
  const root = currentRoot(chain, check.now());
  if (isEnding(root, check.now()))
    check.onWarning(`root ${root.version} expires at ${root.expires}: ask its publisher for the next one`);
  await requireBundleKey(chain, manifest, signatures, name);
  // A folder is its owner's own copy: nobody answers there who could hold a newer index back.
  if (root.index.length === 0 || !source.readTrust) return;
  const parsed = parseManifest(manifest);
  const index = await newestIndex(check, chain, trust?.index, parsed, name);
  await requireListed(check, index, parsed, manifest, name);
  if (/\/latest(\/files)?$/.test(name)) await requireLatest(check, chain, index, parsed, name);
}

/** The root that is followed from the pinned one through the remembered one to what the host has; the newest is remembered. */
async function newestRoot(
  { pinnedRoots, memory }: TrustCheck,
  published: readonly SignedStatement[],
  name: string,
): Promise<RootChain> {
  const pinned = await pinnedRoots();
  const key = `root ${await sha256(new TextEncoder().encode(pinned.at(-1)!.source.signed))}`;
  const text = (await memory?.read(key)) ?? null;
  const remembered = text === null ? pinned : await followRoots(pinned, recalled(text).roots, "the remembered root");
  const chain = await followRoots(remembered, published, name);
  if (chain.length > remembered.length)
    await memory?.write(key, new TextDecoder().decode(encodeTrustFile({ roots: chain.map((link) => link.source) })));
  return chain;
}

/** Reads a remembered text; one that is damaged is told of, since going on without it would forget. */
function recalled(text: string): TrustFile {
  const trust = parseTrustFile(new TextEncoder().encode(text));
  if (trust) return trust;
  throw untrusted("what was remembered of the newest root and index is damaged: remove it to begin anew");
}

/**
 * Refuses a manifest that no key signed which the root lists for bundles.
 * @throws AnchorEvalError `bundle_untrusted`, naming the root that took a key's right back; `unsupported`
 */
export async function requireBundleKey(
  chain: RootChain,
  manifest: Uint8Array,
  signatures: Uint8Array | null,
  name: string,
): Promise<void> {
  const { statement: root } = chain.at(-1)!;
  const signers = ((signatures && parseSignatures(signatures)) ?? []).map(({ key }) => key);
  const revoked = signers.find((key) => revokedBy(chain, "bundles", key) !== null);
  if (revoked !== undefined && !signers.some((key) => root.bundles.includes(key)))
    throw untrusted(
      `${name} is refused: it is signed by ${revoked}, which root ${revokedBy(chain, "bundles", revoked)} revoked`,
    );
  if (root.bundles.length === 0) throw untrusted(`${name} is refused: root ${root.version} lists no key for bundles`);
  await requireTrusted(manifest, signatures, root.bundles, name);
}

/** The host's signed index, of this benchmark, in date, and no older than the one that was seen there; it is remembered. */
async function newestIndex(
  { memory, now, onWarning }: TrustCheck,
  chain: RootChain,
  published: SignedStatement | undefined,
  { benchmark }: Manifest,
  name: string,
): Promise<IndexStatement> {
  const { statement: root } = chain.at(-1)!;
  if (!published)
    throw untrusted(`${name} has no signed index, which root ${root.version} asks for: its publisher has to sign one`);
  const index = await requireIndexKey(chain, published, name);
  if (index.benchmark !== benchmark)
    throw untrusted(`${name} has the signed index of ${index.benchmark}, and the bundle is of ${benchmark}`);
  const words = `the signed index of ${name}, number ${index.number} of ${index.issued},`;
  if (now() >= Date.parse(index.expires))
    throw untrusted(`${words} expired at ${index.expires}: a newer one is held back, or its publisher stopped signing`);

  const key = `index ${placeOf(name, root)}`;
  const text = (await memory?.read(key)) ?? null;
  const last = text === null ? undefined : recalled(text).index;
  const seen = last && parseIndexStatement(last);
  if (seen) {
    if (index.number < seen.number)
      throw untrusted(`${words} is older than number ${seen.number}, which was seen there before (rollback)`);
    if (index.number === seen.number && published.signed !== last.signed)
      throw untrusted(`${words} is another one than the number ${seen.number} that was seen there before (fork)`);
    const lost = lostVersion(seen, index);
    if (lost !== null) throw untrusted(`${words} ${lost} (fork)`);
    if (seen.log && (index.log?.entries ?? 0) < seen.log.entries)
      throw untrusted(
        `${words} has a shorter log of publications than the ${seen.log.entries} lines seen before (rollback)`,
      );
    if (seen.log && index.log?.entries === seen.log.entries && index.log.head !== seen.log.head)
      throw untrusted(`${words} has another log of publications than was seen there before (fork)`);
  }
  if (index.number !== seen?.number) {
    const roots = chain.map((link) => link.source);
    await memory?.write(key, new TextDecoder().decode(encodeTrustFile({ roots, index: published })));
  }
  if (now() >= Date.parse(index.due))
    onWarning(
      `${words} is overdue since ${index.due}: a newer one may be held back; it is refused from ${index.expires}`,
    );
  return index;
}

/** Where an index is read, and by which keys: new ones begin anew, so that what was signed by a stolen one can't lock readers out. */
function placeOf(name: string, { index }: RootStatement): string {
  return `${name.replace(/[/@][^/@]+(\/files)?$/, "")} ${index.toSorted().join(" ")}`;
}

/**
 * The statement of an index that a key signed which the newest root lists for indexes.
 * @throws AnchorEvalError `bundle_untrusted`, `unsupported`
 */
async function requireIndexKey(chain: RootChain, published: SignedStatement, name: string): Promise<IndexStatement> {
  const { statement: root } = chain.at(-1)!;
  if ((await signersOf("index", published, root.index)).length > 0) {
    const index = parseIndexStatement(published);
    if (index) return index;
    throw untrusted(`${name}: its signed index can't be read`);
  }
  const signers = published.signatures.map(({ key }) => key);
  const revoked = signers.find((key) => revokedBy(chain, "index", key) !== null);
  throw untrusted(
    revoked === undefined
      ? `${name}: its index is signed by ${signers.join(", ") || "nobody"}, which root ${root.version} doesn't list for indexes, or wrongly`
      : `${name}: its index is signed by ${revoked}, which root ${revokedBy(chain, "index", revoked)} revoked`,
  );
}

/** Tells which version of an older index is gone or another bundle, since published versions stay; null for none. */
export function lostVersion(
  older: Pick<IndexStatement, "versions">,
  newer: Pick<IndexStatement, "versions">,
): string | null {
  for (const { version, digest } of older.versions) {
    const now = newer.versions.find((entry) => entry.version === version);
    if (!now) return `no longer names version ${version}`;
    if (now.digest !== digest) return `names another bundle as version ${version} than before`;
  }
  return null;
}

/** Refuses a bundle that the signed index doesn't name, or names by another digest. */
async function requireListed(
  { onWarning }: TrustCheck,
  index: IndexStatement,
  { version }: Manifest,
  bytes: Uint8Array,
  name: string,
): Promise<void> {
  const entry = index.versions.find((listed) => listed.version === version);
  if (!entry) throw untrusted(`${name}: its signed index doesn't name version ${version}`);
  const digest = `sha256:${await sha256(bytes)}`;
  if (entry.digest !== digest)
    throw untrusted(`${name}: version ${version} there is ${digest}, its signed index names ${entry.digest}`);
  if (entry.yanked)
    onWarning(`${name}: version ${version} was yanked by its publisher: ${entry.reason ?? "no reason was given"}`);
}

/**
 * Refuses another version as `latest` than the signed index names. In the minutes around its issue an older one is taken, which
 * the host's caches may still have, unless this reader has had a newer one there that isn't yanked: whoever may yank has a
 * new index issued at will.
 */
async function requireLatest(
  { memory, now }: TrustCheck,
  chain: RootChain,
  index: IndexStatement,
  { version }: Manifest,
  name: string,
): Promise<void> {
  const key = `latest ${placeOf(name, chain.at(-1)!.statement)}`;
  const [, seen] = /^\d+ (\S+)$/.exec((await memory?.read(key)) ?? "") ?? [];
  if (index.latest === version) {
    if (seen !== version) await memory?.write(key, `${index.number} ${version}`);
    return;
  }
  const words = `${name} answers with version ${version}, its signed index says ${index.latest ?? "none"}`;
  if (Math.abs(now() - Date.parse(index.issued)) > LATEST_LAG) throw untrusted(words);
  const isOffered = index.versions.some((entry) => entry.version === seen && !entry.yanked);
  if (seen !== undefined && isOffered && compareVersions(version, seen) < 0)
    throw untrusted(`${words}, and version ${seen} was seen there before (rollback)`);
}
