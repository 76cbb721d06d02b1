import type { BundleSource } from "../core/bundle/bundle.ts";
import { requireTrusted } from "./verify-manifest.ts";

/**
 * A source whose bundle one of these keys must have signed: else its manifest can't be read. The manifest has the digests
 * of all other files.
 * @param trusted - public keys in base64url, as `anchoreval keygen` prints them
 * @throws AnchorEvalError from `read`: `bundle_untrusted`, `invalid_option`, `unsupported`, what the source throws
 * @example await loadRouting(trustedSource(httpSource("https://evals.example.com/v1/bundles/quiz/1.0.0"), [key]))
 */
export function trustedSource(source: BundleSource, trusted: readonly string[]): BundleSource {
  return {
    name: source.name,
    read: async (file, options = {}) => {
      if (file !== "manifest.json") return source.read(file, options);
      const { range, ...rest } = options;
      const [manifest, signatures] = await Promise.all([
        source.read(file, rest),
        source.readSignatures?.(rest) ?? null,
      ]);
      if (manifest === null) return null;
      await requireTrusted(manifest, signatures, trusted, source.name);
      return range ? manifest.subarray(range.begin, range.end) : manifest;
    },
    ...(source.readSignatures && { readSignatures: (options) => source.readSignatures!(options) }),
  };
}
