import { AnchorEvalError } from "../core/errors.ts";

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
      throw new AnchorEvalError(
        "invalid_option",
        "ANCHOREVAL_READ_TOKENS has an entry that isn't HOST=TOKEN (comma-separated, for example evals.example.com=anchoreval_…)",
      );
    if (host!.toLowerCase() !== address.host) continue;
    if (address.protocol !== "https:" && !/^(localhost|127\.0\.0\.1|\[::1\])$/.test(address.hostname))
      throw new AnchorEvalError(
        "invalid_option",
        `ANCHOREVAL_READ_TOKENS has a token for ${address.host}, which isn't sent over http: take https`,
      );
    return token;
  }
  return null;
}
