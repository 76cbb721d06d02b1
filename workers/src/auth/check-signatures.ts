import { AnchorEvalError, isSignedBy, requireTrusted } from "anchoreval";
import { encodeSignatures, parseSignatures } from "anchoreval/bundle";
import { listSetting } from "../list-setting.ts";
import { HttpProblem } from "../problem.ts";

/**
 * Checks the signatures that come with a manifest: each must be right, and one by a trusted key where keys are set.
 * @param header - `key.signature`, comma-separated
 * @param trusted - the setting TRUSTED_KEYS
 * @returns manifest.sig, null where there are none
 * @throws AnchorEvalError `bundle_untrusted`; HttpProblem `misconfigured` where the setting has what is no key
 */
export async function checkSignatures(
  header: string | undefined,
  manifest: Uint8Array,
  trusted: string | undefined,
): Promise<Uint8Array | null> {
  const bytes = header === undefined ? null : readHeader(header);
  for (const own of (bytes && parseSignatures(bytes)) ?? [])
    if (!(await isSignedBy(manifest, own)))
      throw new AnchorEvalError("bundle_untrusted", `the signature by ${own.key} is not one of this manifest`);
  if (!trusted) return bytes;
  try {
    await requireTrusted(manifest, bytes, listSetting(trusted), "the bundle");
  } catch (error) {
    if (error instanceof AnchorEvalError && error.code === "invalid_option")
      throw new HttpProblem(
        "misconfigured",
        "the setting TRUSTED_KEYS has what is no key: anchoreval keygen prints them",
      );
    throw error;
  }
  return bytes;
}

function readHeader(header: string): Uint8Array {
  const signatures = header.split(",").map((part) => {
    const [key = "", signature = ""] = part.trim().split(".");
    return { key, signature };
  });
  const bytes = encodeSignatures(signatures);
  if (parseSignatures(bytes) === null)
    throw new HttpProblem("invalid_request", "Anchoreval-Signature has key.signature in base64url, comma-separated");
  return bytes;
}
