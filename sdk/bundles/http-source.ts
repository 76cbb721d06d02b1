import type { BundleSource } from "../core/bundle/source.ts";
import { AnchorEvalError } from "../core/errors.ts";
import { requestBytes, type RequestPolicy } from "../client/request.ts";

/**
 * Reads a bundle over HTTP: from a Worker (`…/v1/bundles/{benchmark}/{version}`) or any static host's folder. Byte
 * ranges are asked for; a host without them is read whole.
 * @example httpSource("https://static.example.com/bundles/helm-lite/1.0.0/")
 */
export function httpSource(url: string | URL, policy: RequestPolicy = {}): BundleSource {
  if (!URL.canParse(url))
    throw new AnchorEvalError(
      "invalid_option",
      `${String(url)} is not a URL; a folder is read by folderSource of anchoreval/node`,
    );
  const base = new URL(url);
  base.search = "";
  base.hash = "";
  base.pathname = base.pathname.replace(/\/+$/, "");
  if (/\/v1\/bundles\/[^/]+\/[^/]+$/.test(base.pathname)) base.pathname += "/files";
  const root = base.href.replace(/\/$/, ""); // a host's root keeps its slash
  return {
    name: root,
    read: async (file, { range, signal } = {}) => {
      const response = await requestBytes(
        `${root}/${file}`,
        { headers: range ? { range: `bytes=${range.begin}-${range.end - 1}` } : {} },
        { ...policy, ...(signal && { signal }) },
      );
      if (response === null) return null;
      return range && response.status === 200 ? response.bytes.subarray(range.begin, range.end) : response.bytes;
    },
  };
}
