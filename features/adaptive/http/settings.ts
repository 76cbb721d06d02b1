import { list } from "../../../workers/src/platform/read-setting.ts";

/** The Worker's setting of adaptive evaluations. */
export interface SessionEnv {
  /**
   * Keys that sign the states of adaptive evaluations, a secret: 64 hexadecimal digits each, comma-separated. The first
   * signs and all are accepted, so a key is replaced by putting its successor in front. Without it there are no adaptive
   * evaluations.
   */
  readonly SESSION_KEYS?: string;
}

export const SESSION_NAMES = { SESSION_KEYS: true } as const;

const isKey = (key: string): boolean => /^[0-9a-f]{64}$/i.test(key);

export interface SessionSettings {
  /** Keys of 64 hexadecimal digits. */
  readonly sessionKeys: readonly string[];
}

/** @throws HttpProblem `misconfigured` */
export function sessionSettings({ SESSION_KEYS }: SessionEnv): SessionSettings {
  const rule = "is one or more keys of 64 hexadecimal digits, comma-separated";
  return { sessionKeys: list(SESSION_KEYS, "SESSION_KEYS", isKey, rule) };
}
