import { type LogReader } from "../../sdk/node/logs/log-files.ts";
/**
 * Records of Every Eval Ever: instance-level JSON lines (`<id>_samples.jsonl`), each with its aggregate file (`<id>.json`)
 * beside it. A file may have several tasks, by `evaluation_name`; each is a run.
 */
export declare const eeeLogs: LogReader;
