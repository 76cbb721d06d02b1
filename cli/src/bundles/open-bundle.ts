import { invalidOption } from "anchoreval/internal/core/errors";
import { loadBundle } from "anchoreval/internal/bundles/load-bundle";
import { httpSource } from "anchoreval/internal/bundles/sources";
import type { Bundle, BundleSource } from "anchoreval/internal/core/bundle/bundle";
import { placedSource } from "anchoreval/internal/node/shipped-bundles";
import { trustedSource } from "anchoreval/internal/bundles/trusted-source";
import { option, type OptionReader, type OptionSpecs } from "../program/command.ts";
import { warn } from "../program/output.ts";
import { TRUSTED_FILES } from "../../../features/cli-bundles.ts";

/** The bundle that a command reads. */
export const BUNDLE_OPTION = {
  bundle: option(
    "BUNDLE",
    "the bundle: a folder, an address, or a name (anchoreval show); PLACE#sha256:… takes only the one of this digest",
    { required: true },
  ),
} as const satisfies OptionSpecs;

/**
 * The source that a command's `BUNDLE` means: a folder, an HTTP address of a Worker's bundle or of any static host's
 * folder, or the name of a bundle that comes with the package. A Worker's address without a version means the latest.
 * `#sha256:…` at the end of each pins the bundle's digest.
 * Where ANCHOREVAL_TRUSTED_KEYS lists public keys, comma-separated, or names a root.json, one of its keys must have signed
 * it; what ANCHOREVAL_READ_TOKENS has for the host is sent as a bearer token.
 * @example openBundle("https://evals.example.com/v1/bundles/helm-lite")
 */
export function openBundle(place: string): BundleSource {
  return yankTold(whereTrusted(placedSource(place, webSource)));
}

/** Says on standard error, once, that what is read was taken back by its publisher. */
function yankTold(source: BundleSource): BundleSource {
  if (!source.readYank) return source;
  let asked: ReturnType<NonNullable<BundleSource["readYank"]>> | undefined;
  const readYank: BundleSource["readYank"] = (options) =>
    (asked ??= source.readYank!(options).then((yank) => {
      if (yank?.yanked) warn(`${source.name}: this version was yanked by its publisher: ${yank.reason}`);
      return yank;
    }));
  return {
    ...source,
    readYank,
    read: async (file, options = {}) => {
      const { signal } = options;
      const yank = file === "manifest.json" ? readYank(signal && { signal }) : null;
      const bytes = await source.read(file, options);
      await yank;
      return bytes;
    },
  };
}

/** A source whose bundle must be signed where ANCHOREVAL_TRUSTED_KEYS says by whom. */
export function whereTrusted(source: BundleSource): BundleSource {
  const keys = process.env["ANCHOREVAL_TRUSTED_KEYS"];
  return keys ? trustedSource(source, readTrusted(keys)) : source;
}

/** Reads whom ANCHOREVAL_TRUSTED_KEYS names: public keys, comma-separated, or a file. @throws AnchorEvalError as its reader */
export function readTrusted(setting: string): readonly string[] | ((source: BundleSource) => BundleSource) {
  for (const read of TRUSTED_FILES) {
    const trusted = read(setting);
    if (trusted !== null) return trusted;
  }
  return setting.split(",").map((part) => part.trim());
}

/** Loads the bundle of `--bundle`, with the form of `--form` where that is given. */
export function readBundle(options: OptionReader, signal: AbortSignal): Promise<Bundle> {
  const form = options.text("form");
  return loadBundle(openBundle(options.required("bundle")), { signal, ...(form !== undefined && { form }) });
}

/**
 * True for a `BUNDLE` of one version, whatever is published later.
 * @example isPinned("https://evals.example.com/v1/bundles/helm-lite/latest") // false
 */
export function isPinned(place: string): boolean {
  return (
    place.includes("#sha256:") ||
    !/^https?:/i.test(place) ||
    !/\/v1\/bundles\/[^/]+(\/latest)?\/?$/.test(new URL(place).pathname)
  );
}

function webSource(url: URL): BundleSource {
  if (/\/v1\/bundles\/[^/]+\/?$/.test(url.pathname)) url.pathname = `${url.pathname.replace(/\/$/, "")}/latest`;
  return httpSource(url, readPolicy(url));
}

/** How an address is asked: with the token of its host, where there is one. @throws AnchorEvalError as `readToken` */
export function readPolicy(url: URL): { readonly headers?: Readonly<Record<string, string>> } {
  const token = readToken(url, process.env["ANCHOREVAL_READ_TOKENS"]);
  return token === null ? {} : { headers: { authorization: `Bearer ${token}` } };
}

/**
 * The token to read from an address with: that of its host in ANCHOREVAL_READ_TOKENS, `HOST=TOKEN` comma-separated; null
 * where it has none. Bound to hosts, so that no other is ever sent it.
 * @throws AnchorEvalError `invalid_option` for a list that can't be read, or a token that would go unencrypted to another
 * machine
 * @example readToken(new URL("https://evals.example.com/v1/bundles/quiz/1.0.0"), "evals.example.com=anchoreval_…")
 */
export function readToken(address: URL, tokens: string | undefined): string | null {
  for (const entry of tokens?.split(",") ?? []) {
    if (entry.trim() === "") continue;
    const [, host, token] = /^\s*([^\s=/]+)=(\S+)\s*$/.exec(entry) ?? [];
    if (token === undefined)
      throw invalidOption(
        "ANCHOREVAL_READ_TOKENS has an entry that isn't HOST=TOKEN (comma-separated, for example evals.example.com=anchoreval_…)",
      );
    if (host!.toLowerCase() !== address.host) continue;
    if (address.protocol !== "https:" && !/^(localhost|127\.0\.0\.1|\[::1\])$/.test(address.hostname))
      throw invalidOption(
        `ANCHOREVAL_READ_TOKENS has a token for ${address.host}, which isn't sent over http: take https`,
      );
    return token;
  }
  return null;
}
