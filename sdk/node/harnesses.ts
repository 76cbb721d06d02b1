import type { Choose } from "../logs/choices.ts";
import type { ScaleOptions } from "../logs/score-scale.ts";
import type { RunLog, RunSamples } from "../logs/types.ts";
import { findHelmLogs, readHelmLog } from "./helm-logs.ts";
import { findInspectLogs, readInspectLog, type InspectOptions } from "./inspect-logs.ts";
import { findLmEvalLogs, readLmEvalLog } from "./lm-eval-logs.ts";

/** Harnesses whose logs are read. */
export const HARNESSES = ["lm-eval", "inspect", "helm"] as const;
export type HarnessName = (typeof HARNESSES)[number];

/** How a harness's logs are found on disk, and read. */
export interface Harness {
  readonly name: HarnessName;
  find(paths: readonly string[], options?: { readonly modelName?: string | undefined }): Promise<RunLog[]>;
  read(log: RunLog, options: ScaleOptions & { readonly metric: Choose; readonly filter: Choose }): Promise<RunSamples>;
}

/** @example await harnessNamed("inspect").find(["logs"]) */
export function harnessNamed(name: HarnessName, options: InspectOptions = {}): Harness {
  if (name === "lm-eval") return { name, find: findLmEvalLogs, read: readLmEvalLog };
  if (name === "helm") return { name, find: findHelmLogs, read: readHelmLog };
  return {
    name,
    find: (paths, find) => findInspectLogs(paths, { ...options, ...find }),
    read: (log, read) => readInspectLog(log, { ...options, ...read }),
  };
}
