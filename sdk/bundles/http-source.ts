import { SIGNATURE_FILE } from "../core/bundle/signature.ts";
import type { BundleSource } from "../core/bundle/bundle.ts";
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
  const get = (file: string, headers: Record<string, string>, signal?: AbortSignal) =>
    requestBytes(`${root}/${file}`, { headers }, { ...policy, ...(signal && { signal }) });
  return {
    name: root,
    readSignatures: async ({ signal } = {}) => (await get(SIGNATURE_FILE, {}, signal))?.bytes ?? null,
    read: async (file, { range, signal } = {}) => {
      const response = await get(file, range ? { range: `bytes=${range.begin}-${range.end - 1}` } : {}, signal);
      if (response === null) return null;
      return range && response.status === 200 ? response.bytes.subarray(range.begin, range.end) : response.bytes;
    },
  };
}
