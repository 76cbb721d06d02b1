import { sha256Text } from "../../core/bundle/digest.ts";
import { canonicalJson, filledText, list, numberOf, record, textOf } from "../json.ts";
import { UNTOLD_RUN, UNTOLD_TASK, type RunLog, type RunResults } from "../run-log.ts";
import { invalidLog } from "../scores.ts";

/** Arguments of a run's name that name the model. */
const MODEL_ARGUMENTS = /^(model|model_deployment)=/;

/**
 * Reads what describes a run. Its task is the run's name without its model: `mmlu:subject=anatomy`; its group is the one
 * that HELM reports it in first.
 * @param spec - run_spec.json, parsed
 * @param stats - stats.json, parsed
 * @throws AnchorEvalError `invalid_data` where it isn't one
 */
export function readHelmRun(
  spec: unknown,
  stats: unknown,
  file: string,
): Pick<RunLog, "task" | "model"> & { readonly results: RunResults } {
  const { name, adapter_spec: adapter, groups } = record(spec);
  const asked = record(adapter);
  const [model, deployment] = [textOf(asked.model), textOf(asked.model_deployment)];
  if (typeof name !== "string" || (model === null && deployment === null) || !Array.isArray(stats))
    throw invalidLog(file, "this is no run of HELM: run_spec.json has no name and model, or stats.json is no list");
  const task = taskName(name);
  const group = textOf(list(groups)[0]) ?? task;
  const aggregates = aggregatesOf(stats);
  const shots = numberOf(asked.max_train_instances);
  return {
    task,
    model: (filledText(model) ?? deployment)!,
    results: {
      ...UNTOLD_RUN,
      model: model ?? deployment,
      modelArguments: deployment,
      systemInstruction: promptDigest(asked),
      generation: canonicalJson({
        max_tokens: asked.max_tokens,
        stop_sequences: asked.stop_sequences,
        temperature: asked.temperature,
      }),
      solver: textOf(asked.method),
      tasks: new Map([[task, { ...UNTOLD_TASK, shots, aggregates, documents: documentsOf(aggregates) }]]),
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
    if (typeof metric === "string" && typeof split === "string" && perturbation == null && typeof mean === "number")
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
