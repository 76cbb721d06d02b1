import type { LogReader } from "../sdk/node/logs/log-files.ts";

/** The features' readers of harnesses' logs, by the harness's name; each is loaded when its logs come. */
export const LOG_READERS = {
  helm: async () => (await import("./helm/node.ts")).helmLogs,
  lighteval: async () => (await import("./lighteval/node.ts")).lightevalLogs,
  eee: async () => (await import("./eee/node.ts")).eeeLogs,
  opencompass: async () => (await import("./opencompass/node.ts")).openCompassLogs,
  "swe-bench": async () => (await import("./swe-bench/node.ts")).sweBenchLogs,
  "terminal-bench": async () => (await import("./terminal-bench/node.ts")).terminalBenchLogs,
} as const satisfies Record<string, () => Promise<LogReader>>;
