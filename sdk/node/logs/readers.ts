import { LOG_READERS } from "../../../features/node.ts";
import type { LogReader } from "./log-files.ts";

/**
 * Readers of harnesses' logs by the harness's name; each is loaded when its logs come, so that who only wants the names, as
 * the help does, loads none.
 */
export const READERS = {
  "lm-eval": async () => (await import("./lm-eval-logs.ts")).lmEvalLogs,
  inspect: async () => (await import("./inspect-logs.ts")).inspectLogs,
  ...LOG_READERS,
} as const satisfies Record<string, () => Promise<LogReader>>;

export type HarnessName = keyof typeof READERS;

/** The harnesses whose logs are read. */
export const HARNESSES = Object.keys(READERS) as readonly HarnessName[];

/**
 * Whether a word is the name of one of them, as a manifest's protocol may have it.
 * @example isHarness("lm-eval") // true
 */
export function isHarness(name: unknown): name is HarnessName {
  return (HARNESSES as readonly unknown[]).includes(name);
}
