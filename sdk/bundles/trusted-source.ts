import { fromBase64Url } from "./bytes.ts";
import { type ManifestSignature, parseSignatures, PUBLIC_KEY } from "../core/bundle/signature.ts";
import type { BundleSource } from "../core/bundle/bundle.ts";
import { AnchorEvalError, invalidOption } from "../core/errors.ts";

/**
 * A source whose bundle one of these keys must have signed: else its manifest can't be read. The manifest has the digests
 * of all other files.
 * @param trusted - public keys in base64url, as `anchoreval keys make` prints them; or a root of trust, which may replace them
 * @throws AnchorEvalError from `read`: `bundle_untrusted`, `invalid_option`, `unsupported`, what the source throws
 * @example await loadRouting(trustedSource(httpSource("https://evals.example.com/v1/bundles/quiz/1.0.0"), [key]))
 */
export function trustedSource(
  source: BundleSource,
  trusted: readonly string[] | ((source: BundleSource) => BundleSource),
): BundleSource {
  if (typeof trusted === "function") return trusted(source);
  return guardedSource(source, false, (manifest, signatures) =>
    requireTrusted(manifest, signatures, trusted, source.name),
  );
}

/**
 * A source whose manifest passes a check before anybody has it. Without its card, which nobody signed.
 * @param asksTrust - whether trust.json is read beside the manifest
 */
export function guardedSource(
  source: BundleSource,
  asksTrust: boolean,
  check: (manifest: Uint8Array, signatures: Uint8Array | null, trust: Uint8Array | null) => Promise<void>,
): BundleSource {
  return {
    name: source.name,
    ...(source.expected && { expected: source.expected }),
    ...(source.readYank && { readYank: (call) => source.readYank!(call) }),
    ...(source.readNow && { readNow: (file, fileBytes) => source.readNow!(file, fileBytes) }),
    ...(source.readSignatures && { readSignatures: (call) => source.readSignatures!(call) }),
    read: async (file, options = {}) => {
      if (file !== "manifest.json") return source.read(file, options);
      const { range, ...rest } = options;
      const [manifest, signatures, trust] = await Promise.all([
        source.read(file, rest),
        source.readSignatures?.(rest) ?? null,
        (asksTrust && source.readTrust?.(rest)) || null,
      ]);
      if (manifest === null) return null;
      await check(manifest, signatures, trust);
      return range ? manifest.subarray(range.begin, range.end) : manifest;
    },
  };
}

/** 2^255 − 19: a point of the curve is written as its y below this (RFC 8032, §5.1.2), with a bit for the sign of x. */
const PRIME = 2n ** 255n - 19n;

/**
 * The y of the points whose order divides 8: 0, 1, −1, and the two of order 8. Under such a key one signature fits many messages.
 * @see Chalkias et al. (2020), Taming the many EdDSAs, table 1
 */
const SMALL_ORDER: ReadonlySet<bigint> = new Set([
  0n,
  1n,
  PRIME - 1n,
  0x05fc536d880238b13933c6d305acdfd5f098eff289f4c345b027b2c28f95e826n,
  0x7a03ac9277fdc74ec6cc392cfa53202a0f67100d760b3cba4fd84d3d706a17c7n,
]);

/**
 * Why a text can't be somebody's public key of Ed25519, or null.
 * @example keyProblem("AQAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA") // "is a point of small order, under which …"
 */
export function keyProblem(key: string): string | null {
  if (!PUBLIC_KEY.test(key)) return "is no public key of Ed25519";
  let y = 0n;
  for (const [k, byte] of fromBase64Url(key)!.entries()) y += BigInt(k === 31 ? byte & 127 : byte) << BigInt(8 * k);
  if (y >= PRIME) return "is no public key of Ed25519: its point is written as nobody writes it (RFC 8032)";
  return SMALL_ORDER.has(y) ? "is a point of small order, under which one signature fits many messages: it is nobody's key" : null; // prettier-ignore
}

/**
 * Whether a signature is one of this manifest by its own key: that says nothing of whose key it is.
 * @throws AnchorEvalError `unsupported` where the platform has no Ed25519
 * @example
 * const mine = (await Promise.all(parseSignatures(signatures)!.map((own) => isSignedBy(manifest, own)))).some(Boolean);
 */
export async function isSignedBy(manifest: Uint8Array, { key, signature }: ManifestSignature): Promise<boolean> {
  if (keyProblem(key) !== null) return false;
  const subtle = (globalThis as { crypto?: { subtle?: SubtleCrypto } }).crypto?.subtle;
  try {
    if (!subtle) throw new Error("crypto.subtle is not there: a page needs https");
    const imported = await subtle.importKey("raw", fromBase64Url(key)!, { name: "Ed25519" }, false, ["verify"]);
    return await subtle.verify("Ed25519", imported, fromBase64Url(signature)!, manifest as Uint8Array<ArrayBuffer>);
  } catch (cause) {
    if (subtle && (cause as Error).name === "DataError") return false; // no point of the curve
    throw new AnchorEvalError("unsupported", "this runtime can't check signatures: it has no Ed25519 (Web Crypto)", {
      cause,
    });
  }
}

/**
 * Refuses a manifest that no trusted key signed.
 * @param signatures - manifest.sig, null where there is none
 * @param trusted - public keys in base64url; several while one replaces another
 * @param name - of the bundle, for messages
 * @throws AnchorEvalError `bundle_untrusted`; `invalid_option` for a list without keys, or with what is none; `unsupported`
 * @example await requireTrusted(manifestBytes, signatureBytes, ["11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo"], "helm-lite 1.0.0");
 */
export async function requireTrusted(
  manifest: Uint8Array,
  signatures: Uint8Array | null,
  trusted: readonly string[],
  name: string,
): Promise<void> {
  if (trusted.length === 0) throw invalidOption("no key is trusted: every bundle would be refused");
  for (const key of trusted) {
    const problem = keyProblem(key);
    if (problem !== null) throw invalidOption(`${key} ${problem}`);
  }
  const signed = signatures && parseSignatures(signatures);
  for (const signature of signed ?? [])
    if (trusted.includes(signature.key) && (await isSignedBy(manifest, signature))) return;
  const why = signatures
    ? signed
      ? `signed by ${signed.map(({ key }) => key).join(", ")}, of which none is trusted and right`
      : "its signatures can't be read"
    : "it has no signature";
  throw new AnchorEvalError("bundle_untrusted", `${name} is refused, no trusted key signed it: ${why}`);
}
