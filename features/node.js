/** The features' readers of harnesses' logs, by the harness's name; each is loaded when its logs come. */
export const LOG_READERS = {
    helm: async () => (await import("./helm/node.js")).helmLogs,
    lighteval: async () => (await import("./lighteval/node.js")).lightevalLogs,
    eee: async () => (await import("./eee/node.js")).eeeLogs,
    opencompass: async () => (await import("./opencompass/node.js")).openCompassLogs,
};
