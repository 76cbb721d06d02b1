import { indexKey, logKey, trustKey } from "../../../sdk/core/bundle/names.ts";
import { AnchorEvalError } from "../../../sdk/core/errors.ts";
import { type BundleIndex, completeIndex, parseIndex } from "../../../sdk/bundles/bundle-index.ts";
import { type BundleStore, changeObject } from "../../../sdk/bundles/bundle-store.ts";
import { headOf, readLog, requireHead } from "../../../sdk/bundles/publication-log.ts";
import { type RootChain, signersOf } from "./root-chain.ts";
import {
  encodeTrustFile,
  type IndexStatement,
  parseIndexStatement,
  parseTrustFile,
  signedBytes,
  type TrustFile,
} from "./statements.ts";
import { lostVersion } from "./trust-root.ts";

export interface IndexSigning {
  /** The root that is published beside it. */
  readonly chain: RootChain;
  /** The public key that signs, and what it makes of bytes: a signature in base64url. */
  readonly key: string;
  readonly sign: (bytes: Uint8Array) => string | Promise<string>;
  /** Milliseconds since 1970. */
  readonly now: number;
  /** Readers warn after so long. @unit milliseconds */
  readonly due: number;
  /** Readers refuse after so long. @unit milliseconds */
  readonly life: number;
  /** A younger one that says the same stays. @unit milliseconds */
  readonly renewAfter: number;
}

/**
 * Signs a benchmark's index as it is in the store, with a date, and publishes it with the root as `trust.json`. Numbers rise
 * by one; of two that sign at once the later one signs what the earlier one wrote, or lets it stand.
 * @returns trust.json as it is now
 * @throws AnchorEvalError `not_found` where nothing is published; `bundle_corrupt` where a version went or changed that was signed before, where the log isn't
 * one that goes on from the signed head, or where trust.json there is nobody's of the root's; `unavailable`
 */
export async function signIndex(store: BundleStore, benchmark: string, signing: IndexSigning): Promise<TrustFile> {
  const { chain, key, sign, now } = signing;
  const roots = chain.map((link) => link.source);
  const bytes = await changeObject(store, trustKey(benchmark), async (there) => {
    const last = there && (await readLast(there, chain, `${store.name}: ${trustKey(benchmark)}`));
    const index = await readIndex(store, benchmark, last?.index ?? null);
    if (index.versions.length === 0)
      throw new AnchorEvalError("not_found", `no benchmark ${benchmark} is published here`);
    const log = await readLog(store, benchmark);
    const logName = `${store.name}: ${logKey(benchmark)}`;
    if (index.log) requireHead(log, index.log, logName, "its index");
    if (last?.index.log) requireHead(log, last.index.log, logName, "the index that was signed last");
    const head = index.log ?? headOf(log);
    const content = contentOf({ ...index, ...(head && { log: head }) });
    const lost = last && lostVersion(last.index, content);
    if (lost)
      throw new AnchorEvalError(
        "bundle_corrupt",
        `${store.name}: the index of ${benchmark} isn't signed: it ${lost}, though versions never change; restore that one`,
      );
    const isSame = last !== null && JSON.stringify(contentOf(last.index)) === JSON.stringify(content);
    const age = last === null ? Infinity : now - Date.parse(last.index.issued);
    const isCurrent = last?.key === key && JSON.stringify(last.file.roots) === JSON.stringify(roots);
    if (isSame && isCurrent && age < signing.renewAfter) return there!;
    const dateAfter = (time: number): string => new Date(now + time).toISOString();
    const statement: IndexStatement = {
      type: "index",
      benchmark,
      number: (last?.index.number ?? 0) + 1,
      issued: dateAfter(0),
      due: dateAfter(signing.due),
      expires: dateAfter(signing.life),
      latest: content.latest,
      versions: content.versions,
      ...(content.log && { log: content.log }),
    };
    const signed = JSON.stringify(statement);
    const signature = await sign(signedBytes("index", signed));
    return encodeTrustFile({ roots, index: { signed, signatures: [{ key, signature }] } });
  });
  return parseTrustFile(bytes)!;
}

/**
 * The index in the store. Where it lacks what was signed, the folders are asked: whoever signed before there was an index.json may
 * have seen a version that its first writer hadn't yet.
 */
async function readIndex(store: BundleStore, benchmark: string, last: IndexStatement | null): Promise<BundleIndex> {
  const there = await store.get(indexKey(benchmark));
  const index = there && parseIndex(there.bytes);
  if (index !== null && (last === null || lostVersion(last, contentOf(index)) === null)) return index;
  const signed = last?.versions.map(({ version }) => version) ?? [];
  const whole = await completeIndex(store, benchmark, index, signed);
  return { ...whole, ...(index?.log && { log: index.log }) };
}

function contentOf({ latest, versions, log }: BundleIndex | IndexStatement) {
  return {
    latest,
    versions: versions.map(({ version, digest, yanked, reason }) => ({
      ...{ version, digest, yanked },
      ...(reason !== undefined && { reason }),
    })),
    ...(log && { log }),
  };
}

/** The signed index that is there, by a key that any version of the root lists. */
async function readLast(
  there: Uint8Array,
  chain: RootChain,
  name: string,
): Promise<{ readonly file: TrustFile; readonly index: IndexStatement; readonly key: string } | null> {
  const file = parseTrustFile(there);
  const index = file?.index && parseIndexStatement(file.index);
  const listed = chain.flatMap(({ statement }) => statement.index);
  const [key] = file?.index ? await signersOf("index", file.index, listed) : [];
  if (file && index && key !== undefined) return { file, index, key };
  if (file && !file.index) return null;
  throw new AnchorEvalError(
    "bundle_corrupt",
    `${name} is damaged, or signed by a key that no version of this root lists: restore it, or remove it to number indexes from 1`,
  );
}
