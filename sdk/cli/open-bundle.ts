import { fileURLToPath } from "node:url";
import { httpSource } from "../bundles/sources.ts";
import type { BundleSource } from "../core/bundle/bundle.ts";
import { AnchorEvalError } from "../core/errors.ts";
import { folderSource } from "../node/folder.ts";
import { trustedSource } from "../bundles/trusted-source.ts";
import { readToken } from "./read-token.ts";

/**
 * The source that a command's `DIR|URL` means: a folder, or an HTTP address of a Worker's bundle or of any static
 * host's folder. A Worker's address without a version means the latest. Where ANCHOREVAL_TRUSTED_KEYS lists public keys,
 * comma-separated, one of them must have signed it; what ANCHOREVAL_READ_TOKENS has for the host is sent as a bearer token.
 * @example openBundle("https://evals.example.com/v1/bundles/helm-lite")
 */
export function openBundle(place: string): BundleSource {
  const keys = process.env["ANCHOREVAL_TRUSTED_KEYS"];
  const source = sourceAt(place);
  return keys
    ? trustedSource(
        source,
        keys.split(",").map((key) => key.trim()),
      )
    : source;
}

/**
 * Whether `DIR|URL` names one version, whatever is published later.
 * @example isPinned("https://evals.example.com/v1/bundles/helm-lite/latest") // false
 */
export function isPinned(place: string): boolean {
  return !/^https?:/i.test(place) || !/\/v1\/bundles\/[^/]+(\/latest)?\/?$/.test(new URL(place).pathname);
}

function sourceAt(place: string): BundleSource {
  if (!/^[a-z][a-z0-9+.-]+:\/\//i.test(place)) return folderSource(place);
  let url: URL;
  try {
    url = new URL(place);
  } catch (cause) {
    throw new AnchorEvalError("invalid_option", `${place} is no address`, { cause });
  }
  if (url.protocol === "file:") return folderSource(fileURLToPath(url));
  if (url.protocol !== "http:" && url.protocol !== "https:")
    throw new AnchorEvalError("invalid_option", `a bundle is read from a folder or over http(s); got ${place}`);
  if (/\/v1\/bundles\/[^/]+\/?$/.test(url.pathname)) url.pathname = `${url.pathname.replace(/\/$/, "")}/latest`;
  const token = readToken(url, process.env["ANCHOREVAL_READ_TOKENS"]);
  return httpSource(url, token === null ? {} : { headers: { authorization: `Bearer ${token}` } });
}
