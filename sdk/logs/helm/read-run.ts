import { sha256Text } from "../../core/bundle/digest.ts";
import { AnchorEvalError } from "../../core/errors.ts";
import { canonicalJson, numberOf, record } from "../json.ts";
import { UNTOLD_RUN, UNTOLD_TASK, type RunResults } from "../run-log.ts";

/** A HELM run, from its `run_spec.json` and `stats.json`. */
export interface HelmRun {
  /** The run's name without its model: `mmlu:subject=anatomy`. */
  readonly task: string;
  readonly model: string;
  /** The group that HELM reports the run in first. */
  readonly group: string;
  readonly trials: number;
  readonly results: RunResults;
}

/** Arguments of a run's name that name the model. */
const MODEL_ARGUMENTS = /^(model|model_deployment)=/;

/**
 * Reads what describes a run.
 * @param spec - run_spec.json, parsed
 * @param stats - stats.json, parsed
 * @param file - names the run in messages
 * @throws AnchorEvalError `invalid_data` where it isn't one
 */
export function readHelmRun(spec: unknown, stats: unknown, file: string): HelmRun {
  const { name, adapter_spec: adapter, groups } = record(spec);
  const { model, model_deployment: deployment } = record(adapter);
  if (
    typeof name !== "string" ||
    (typeof model !== "string" && typeof deployment !== "string") ||
    !Array.isArray(stats)
  )
    throw new AnchorEvalError(
      "invalid_data",
      `${file}: this is no run of HELM: run_spec.json has no name and model, or stats.json is no list`,
    );
  const task = taskName(name);
  const asked = record(adapter);
  const first: unknown = Array.isArray(groups) ? groups[0] : undefined;
  const group = typeof first === "string" ? first : task;
  const aggregates = aggregatesOf(stats);
  return {
    task,
    model: (typeof model === "string" && model !== "" ? model : deployment) as string,
    group,
    trials: numberOf(asked.num_train_trials) ?? 1,
    results: {
      ...UNTOLD_RUN,
      model: (model ?? deployment) as string,
      modelArguments: typeof deployment === "string" ? deployment : null,
      systemInstruction: promptDigest(asked),
      generation: canonicalJson({
        max_tokens: asked.max_tokens,
        stop_sequences: asked.stop_sequences,
        temperature: asked.temperature,
      }),
      solver: typeof asked.method === "string" ? asked.method : null,
      tasks: new Map([
        [
          task,
          {
            ...UNTOLD_TASK,
            shots: numberOf(asked.max_train_instances),
            aggregates,
            documents: documentsOf(aggregates),
          },
        ],
      ]),
      groups: group === task ? new Map() : new Map([[group, { children: [task], aggregates }]]),
    },
  };
}

/** The run's name without the arguments that name its model, wherever they stand. */
function taskName(name: string): string {
  const colon = name.indexOf(":");
  if (colon < 0) return name;
  const kept = name
    .slice(colon + 1)
    .split(",")
    .filter((argument) => !MODEL_ARGUMENTS.test(argument));
  return kept.length === 0 ? name.slice(0, colon) : `${name.slice(0, colon)}:${kept.join(",")}`;
}

/** Means over the split's instances as they are by `metric,split`: those of perturbed ones are left aside. */
function aggregatesOf(stats: readonly unknown[]): Map<string, number> {
  const aggregates = new Map<string, number>();
  for (const entry of stats) {
    const { name, mean } = record(entry);
    const { name: metric, split, perturbation } = record(name);
    if (
      typeof metric === "string" &&
      typeof split === "string" &&
      perturbation === undefined &&
      typeof mean === "number"
    )
      aggregates.set(`${metric},${split}`, mean);
  }
  return aggregates;
}

/** HELM counts a run's instances by split. */
function documentsOf(aggregates: ReadonlyMap<string, number>): { all: number; run: number } | null {
  const count = aggregates.get("num_instances,test") ?? aggregates.get("num_instances,valid");
  return count === undefined ? null : { all: count, run: count };
}

/** Everything of a prompt that isn't the item or an example. */
function promptDigest(adapter: Record<string, unknown>): string {
  const fields = Object.entries(adapter).filter(([name]) => name === "instructions" || /_(prefix|suffix)$/.test(name));
  return sha256Text(canonicalJson(Object.fromEntries(fields))).slice(0, 16);
}
