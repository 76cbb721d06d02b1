import { type LogReader } from "../../sdk/node/logs/log-files.ts";
/**
 * The details of lighteval, with their results files: among the same files, or in `results` beside `details`, as lighteval
 * writes them. The results file names the model, else the folder. A run has a task with one number of few-shot examples.
 */
export declare const lightevalLogs: LogReader;
