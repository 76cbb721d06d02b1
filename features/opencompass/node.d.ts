import type { LogReader } from "../../sdk/node/logs/log-files.ts";
/**
 * The results of OpenCompass, `RUN/results/MODEL/DATASET.json`, with the run's predictions, configuration and summary
 * beside. Runs are newer the later their folder's name sorts, which is their date. The folder names the model.
 */
export declare const openCompassLogs: LogReader;
