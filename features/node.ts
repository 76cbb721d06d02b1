import type { LogReader } from "../sdk/node/logs/log-files.ts";

/** The features' readers of harnesses' logs, by the harness's name; each is loaded when its logs come. */
export const LOG_READERS = {
  helm: async () => (await import("./helm/node.ts")).helmLogs,
  lighteval: async () => (await import("./lighteval/node.ts")).lightevalLogs,
  eee: async () => (await import("./eee/node.ts")).eeeLogs,
  opencompass: async () => (await import("./opencompass/node.ts")).openCompassLogs,
  "swe-bench": async () => (await import("./swe-bench/node.ts")).sweBenchLogs,
  livecodebench: async () => (await import("./livecodebench/node.ts")).liveCodeBenchLogs,
  evalplus: async () => (await import("./evalplus/node.ts")).evalPlusLogs,
  bfcl: async () => (await import("./bfcl/node.ts")).bfclLogs,
  "eval-arena": async () => (await import("./eval-arena/node.ts")).evalArenaLogs,
  "measurement-db": async () => (await import("./measurement-db/node.ts")).measurementDbLogs,
  "terminal-bench": async () => (await import("./terminal-bench/node.ts")).terminalBenchLogs,
} as const satisfies Record<string, () => Promise<LogReader>>;
