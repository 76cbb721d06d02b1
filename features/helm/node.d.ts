import type { LogReader } from "../../sdk/node/logs/log-files.ts";
/**
 * The runs of HELM: folders with `run_spec.json`, `stats.json` and `per_instance_stats.json`. Runs of several suites are
 * newer the higher the suite's name counts: v1.10.0 after v1.9.0. Remarks are on runs that HELM began and that have no
 * scores.
 */
export declare const helmLogs: LogReader;
