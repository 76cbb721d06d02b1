import type { LogReader } from "../sdk/node/logs/log-files.ts";
/** The features' readers of harnesses' logs, by the harness's name; each is loaded when its logs come. */
export declare const LOG_READERS: {
    readonly helm: () => Promise<LogReader>;
    readonly lighteval: () => Promise<LogReader>;
    readonly eee: () => Promise<LogReader>;
    readonly opencompass: () => Promise<LogReader>;
};
