import { writeFileSync } from "node:fs";

/** One sample's epochs as Inspect logs them. */
interface InspectSample {
  readonly id: string | number;
  readonly epoch?: number;
  readonly input?: unknown;
  readonly target?: string | readonly string[];
  readonly scores?: Readonly<Record<string, unknown>>;
  readonly error?: unknown;
  /** `total_tokens` by model, or all that `model_usage` says. */
  readonly tokens?: Readonly<Record<string, unknown>>;
  /** `working_time`. */
  readonly seconds?: unknown;
}

export interface InspectRun {
  readonly model: string;
  readonly task: string;
  readonly created?: string;
  readonly status?: string;
  readonly version?: string | number;
  readonly epochs?: number;
  readonly solver?: string;
  /** Generation settings. */
  readonly generation?: Readonly<Record<string, unknown>>;
  /** Means by scorer. */
  readonly means?: Readonly<Record<string, number>>;
  readonly samples: readonly InspectSample[];
}

/** A log in Inspect's JSON format, with the fields that are read. */
export function inspectLog(run: InspectRun): object {
  const { model, task, created = "2026-01-01T00:00:00+00:00", status = "success", version = 0, epochs = 1 } = run;
  return {
    version: 2,
    status,
    eval: {
      created,
      task,
      task_version: version,
      model,
      model_args: {},
      dataset: { samples: run.samples.length, sample_ids: [...new Set(run.samples.map(({ id }) => id))] },
      config: { epochs },
      packages: { inspect_ai: "0.3.285" },
    },
    plan: {
      steps: [{ solver: run.solver ?? "generate", params: {}, params_passed: {} }],
      config: run.generation ?? {},
    },
    results: {
      scores: Object.entries(run.means ?? {}).map(([name, value]) => ({
        name,
        scorer: name,
        metrics: { accuracy: { name: "accuracy", value } },
      })),
    },
    stats: {},
    samples: run.samples.map(({ id, epoch = 1, input, target = "x", scores = {}, error, tokens = {}, seconds }) => ({
      id,
      epoch,
      input: input ?? `Question ${id}?`,
      target,
      scores: Object.fromEntries(Object.entries(scores).map(([name, value]) => [name, { value }])),
      ...(error !== undefined && { error }),
      model_usage: Object.fromEntries(
        Object.entries(tokens).map(([name, total]) => [
          name,
          typeof total === "object" ? total : { total_tokens: total },
        ]),
      ),
      ...(seconds !== undefined && { working_time: seconds, total_time: 9999 }),
    })),
  };
}

/** Writes a log as a `.json` file. @returns its path */
export function writeInspectLog(path: string, run: InspectRun): string {
  writeFileSync(path, JSON.stringify(inspectLog(run)));
  return path;
}
