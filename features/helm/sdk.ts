import { type ItemContent, sha256Text } from "../../sdk/core/bundle/digest.ts";
import { DataIssues } from "../../sdk/tables/data-issues.ts";
import { attemptFailure, failureReason } from "../../sdk/logs/attempts.ts";
import { chooseMetric } from "../../sdk/logs/choices.ts";
import { type LoggedCost, totalOf } from "../../sdk/logs/cost.ts";
import { type Fields, canonicalJson, list, record, textOf, filledText, numberOf } from "../../sdk/logs/json.ts";
import {
  type LoggedSample,
  type RunSamples,
  UNTOLD_RUN,
  UNTOLD_TASK,
  type RunLog,
  type RunResults,
} from "../../sdk/logs/run-log.ts";
import {
  type LoggedRow,
  scoreRows,
  contentFields,
  emptyRun,
  invalidLog,
  type SampleOptions,
} from "../../sdk/logs/score-rows.ts";
import { lookUp } from "../../sdk/core/bundle/names.ts";

interface HelmSampleOptions extends SampleOptions {
  /** The group that HELM reports the run in, whose main metric is the score by default. */
  readonly group: string;
}

interface Instance extends Pick<LoggedSample, "hash" | "text"> {
  readonly split: string | null;
  /** Why a trial got no answer, by the trial. */
  readonly failures: Map<unknown, string>;
}

/**
 * The samples of one run of HELM: every instance as it is, its train trials as attempts; perturbed ones are left out.
 * @param stats - per_instance_stats.json, parsed
 * @param state - scenario_state.json, parsed; null where it isn't there: items are known by their ids alone
 * @throws AnchorEvalError `invalid_data` naming file and instance; `invalid_option` with a list where no metric was chosen
 * and HELM's main one isn't known, or not the one that was
 */
export function readHelmSamples(stats: unknown, state: unknown, options: HelmSampleOptions): RunSamples {
  const { file } = options;
  if (!Array.isArray(stats)) throw invalidLog(file, "per_instance_stats.json is no list of instances");
  const issues = new DataIssues(file, { row: "instance" });
  const instances = instancesOf(state, issues);
  const split = evaluatedSplit(stats);
  const values = new Map<string, Map<unknown, Map<string, number>>>();
  const metrics = new Set<string>();
  const perturbed = new Set<string>();
  const twice = new Map<string, string>();
  stats.forEach((entry: unknown, position) => {
    const { instance_id: id, train_trial_index: trial, perturbation, stats: entries } = record(entry);
    if (typeof id !== "string" || !Array.isArray(entries))
      throw invalidLog(file, `per_instance_stats.json: entry ${position + 1} has no instance_id and stats`);
    if (perturbation != null) return void perturbed.add(id);
    const trials = values.get(id) ?? new Map<unknown, Map<string, number>>();
    values.set(id, trials);
    // HELM has an entry a metric's class: several of one trial, each with other metrics.
    const means = trials.get(trial) ?? new Map<string, number>();
    trials.set(trial, means);
    for (const stat of entries) {
      const { name, mean } = record(stat);
      const { name: metric, split: where, perturbation: changed } = record(name);
      if (typeof metric !== "string" || where !== split || changed != null) continue;
      if (!NO_SCORE.test(metric)) metrics.add(metric);
      if (typeof mean !== "number") continue;
      const before = means.get(metric);
      if (before !== undefined && before !== mean) twice.set(metric, `${id}, train trial ${String(trial)}`);
      means.set(metric, mean);
    }
  });
  issues.refuse();
  if (values.size === 0) return emptyRun(options.task);
  const { metric: asked, task, group } = options;
  const main = lookUp(MAIN_METRICS, group);
  const usual = main !== undefined && metrics.has(main) ? main : undefined;
  const reasons = new Map(Array.from(metrics, (name) => [name, null]));
  const metric = chooseMetric(reasons, { file, task, metric: asked ?? usual });
  if (twice.has(metric))
    throw invalidLog(file, `per_instance_stats.json has ${metric} twice with other values: ${twice.get(metric)!}`);
  const rows = [...values].flatMap(([id, trials]): LoggedRow[] => {
    const { split: where = null, failures, hash = null, text = null } = instances.get(id) ?? {};
    if (where !== null && where !== split) return [];
    return [...trials].map(([trial, stats]) => ({
      ...{ row: id, id, attempt: String(trial), values: new Map([[metric, stats.get(metric) ?? null]]) },
      ...{ failure: failures?.get(trial) ?? null, cost: costOf(stats), hash, text },
    }));
  });
  const remarks = [
    ...(state === null ? ["there is no scenario_state.json: which answers failed isn't known"] : []),
    ...(perturbed.size > 0 ? [`perturbed versions of ${perturbed.size} instances are left out`] : []),
  ];
  return scoreRows(rows, { metric, filter: split, issues, remarks, noun: "train trial", item: "instance" }, options);
}

/** Cost of a trial by HELM's own statistics; tokens by the model's tokenizer, of the prompt and of all answers. */
function costOf(trial: ReadonlyMap<string, number>): LoggedCost {
  const stat = (...names: string[]): number | undefined => names.flatMap((name) => trial.get(name) ?? [])[0];
  return {
    tokens: totalOf(stat("num_prompt_tokens"), stat("num_output_tokens", "num_completion_tokens")),
    seconds: stat("inference_runtime") ?? null,
  };
}

/** HELM evaluates on the test split, where there is none on the validation split. */
function evaluatedSplit(stats: readonly unknown[]): string {
  const splits = new Set<unknown>();
  for (const entry of stats) for (const stat of list(record(entry).stats)) splits.add(record(record(stat).name).split);
  return splits.has("test") || !splits.has("valid") ? "test" : "valid";
}

function instancesOf(state: unknown, issues: DataIssues): Map<string, Instance> {
  const instances = new Map<string, Instance>();
  for (const entry of list(record(state).request_states)) {
    const { instance: asked, result, train_trial_index: trial } = record(entry);
    const fields = record(asked);
    const { id, perturbation, split } = fields;
    if (typeof id !== "string" || perturbation != null) continue;
    const content = contentFields(instanceContent(fields));
    const instance = instances.get(id) ?? { split: textOf(split), failures: new Map<unknown, string>(), ...content };
    if (instance.hash !== content.hash)
      issues.add(
        { row: id, column: "id" },
        "other_content",
        "it is also the id of other content: two items need two ids",
      );
    instances.set(id, instance);
    const failure = requestFailure(record(result));
    if (failure !== null) instance.failures.set(trial, failure);
  }
  return instances;
}

function requestFailure({ success, error, completions }: Fields): string | null {
  if (success === false && !error) return failureReason("");
  const texts = Array.isArray(completions) ? completions.map((completion) => record(completion).text) : undefined;
  return attemptFailure(texts, error);
}

/** Input and right references; all references are choices where some are wrong. No examples, no instructions. */
function instanceContent({ input, references }: Fields): ItemContent | null {
  const { text, multimedia_content: media } = record(input);
  if (typeof text !== "string") return null;
  const all = list(references).map((reference) => {
    const { output, tags } = record(reference);
    return { text: textOf(record(output).text) ?? "", right: Array.isArray(tags) && tags.includes("correct") };
  });
  const right = all.filter((reference) => reference.right).map((reference) => reference.text);
  return {
    input: media === undefined || media === null ? text : `${text}\n${canonicalJson(media)}`,
    ...(right.length < all.length && { choices: all.map((reference) => reference.text) }),
    target: right,
  };
}

/** HELM's own main metrics, by its groups (schema_lite.yaml, schema_classic.yaml). */
const MAIN_METRICS: Readonly<Record<string, string>> = {
  gsm: "final_number_exact_match",
  math_chain_of_thought: "math_equiv_chain_of_thought",
  mmlu: "exact_match",
  openbookqa: "exact_match",
  commonsense: "exact_match",
  legalbench: "quasi_exact_match",
  med_qa: "quasi_exact_match",
  narrative_qa: "f1_score",
  natural_qa_openbook_longans: "f1_score",
  natural_qa_closedbook: "f1_score",
  boolq: "quasi_exact_match",
  imdb: "quasi_exact_match",
  truthful_qa: "exact_match",
};

/** Statistics of a request, not of an answer. */
const NO_SCORE =
  /^(num_|finish_reason_|inference_|training_|batch_size|prompt_truncated|logprob|max_prob|logprob_per_byte|bits_per_byte|perplexity|predicted_index|estimated_num)/;

/** Arguments of a run's name that name the model. */
const MODEL_ARGUMENTS = /^(model|model_deployment)=/;

/**
 * Reads what describes a run. Its task is the run's name without its model: `mmlu:subject=anatomy`; its group is the one
 * that HELM reports it in first.
 * @param spec - run_spec.json, parsed
 * @param stats - stats.json, parsed
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
function promptDigest(adapter: Fields): string {
  const fields = Object.entries(adapter).filter(([name]) => name === "instructions" || /_(prefix|suffix)$/.test(name));
  return sha256Text(canonicalJson(Object.fromEntries(fields))).slice(0, 16);
}
