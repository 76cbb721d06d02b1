import type { BareCall, BridgeCall } from "../cli/src/bridge-call.ts";

/** The features' calls of the bridge that other languages talk to; what a call imports is loaded when it comes. */
export const CALLS: Readonly<Record<string, () => Promise<BridgeCall>>> = {
  adaptive: async () => (await import("./adaptive/cli/bridge.ts")).nextTurn,
  "adaptive-answers": async () => (await import("./adaptive/cli/bridge.ts")).checkAnswers,
  "adaptive-samples": async () => (await import("./adaptive/cli/bridge.ts")).poolSamples,
  compare: async () => (await import("./compare/cli/bridge.ts")).compareModels,
  rank: async () => (await import("./compare/cli/bridge.ts")).rankModels,
  check: async () => (await import("./compare/cli/bridge.ts")).checkModels,
};

/** Those that need no bundle. */
export const BARE_CALLS: Readonly<Record<string, () => Promise<BareCall>>> = {
  judge: async () => (await import("./judge/cli.ts")).estimateSent,
};
