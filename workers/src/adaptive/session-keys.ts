import { listSetting } from "../list-setting.ts";
import { HttpProblem } from "../problem.ts";

/** What adaptive evaluations are set up with. */
export interface AdaptiveSettings {
  /**
   * Keys that sign the states of adaptive evaluations, a secret: 64 hexadecimal digits each, comma-separated. The first
   * signs; all are accepted, so that one is replaced by putting the next before it. Without it there are no adaptive
   * evaluations.
   */
  readonly SESSION_KEYS?: string;
}

const KEY = /^[0-9a-f]{64}$/i;

/**
 * The keys of the setting, for HMAC-SHA-256.
 * @throws HttpProblem `not_implemented` (501) without any; `misconfigured` (500) where one breaks the form
 */
export async function sessionKeys({ SESSION_KEYS }: AdaptiveSettings): Promise<CryptoKey[]> {
  const keys = listSetting(SESSION_KEYS);
  if (keys.length === 0)
    throw new HttpProblem(
      "not_implemented",
      "this Worker has no secret SESSION_KEYS, which signs the states of adaptive evaluations: its docs/deploy.md says how to make one",
    );
  if (!keys.every((key) => KEY.test(key)))
    throw new HttpProblem(
      "misconfigured",
      "the secret SESSION_KEYS is 64 hexadecimal digits, or several, comma-separated",
    );
  return Promise.all(
    keys.map((key) =>
      crypto.subtle.importKey(
        "raw",
        Uint8Array.from({ length: 32 }, (_, k) => Number.parseInt(key.slice(2 * k, 2 * k + 2), 16)),
        { name: "HMAC", hash: "SHA-256" },
        false,
        ["sign", "verify"],
      ),
    ),
  );
}
