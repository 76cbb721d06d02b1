import { list } from "../../../workers/src/platform/read-setting.ts";

export interface SessionEnv {
  /**
   * Keys that sign the states of adaptive evaluations, a secret: 64 hexadecimal digits each, comma-separated. The first
   * signs and all are accepted, so a key is replaced by putting its successor in front. Without it there are no adaptive
   * evaluations.
   */
  readonly SESSION_KEYS?: string;
}

export const SESSION_NAMES = { SESSION_KEYS: true } as const;

export interface SessionSettings {
  readonly sessionKeys: readonly string[];
}

export function sessionSettings(env: SessionEnv): SessionSettings {
  const rule = "is one or more keys of 64 hexadecimal digits, comma-separated";
  return { sessionKeys: list(env, "SESSION_KEYS", (key) => /^[0-9a-f]{64}$/i.test(key), rule) };
}
