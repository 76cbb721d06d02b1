import { createHash } from "node:crypto";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";

/**
 * Writes the logs of one run in the layout of lm-evaluation-harness with --log_samples, as version 0.4.13 does:
 * `<folder>/<Org__model>/results_<date>.json` and a `samples_<task>_<date>.jsonl` for each task. For tests and examples
 * that have no model to run; the documents and the answers are made up, the scores are those given.
 *
 * @param {string} folder - what the harness calls --output_path
 * @param {object} run - `{ model, date, tasks: { task: { documents: [{ id, question, score }] } }, groups?: { group:
 * { tasks, weighting } } }`, and what of the protocol is not the default; test/support/lm-eval-logs.ts has the types
 * @returns {string} the model's folder
 */
export function writeLogs(folder, run) {
  const { model, date, version = "0.4.13", shots = 0, chatTemplate = false, filter = "none", metric = "acc" } = run;
  const own = join(folder, model.replaceAll(/["<>:/|\\?*[\]]+/g, "__"));
  mkdirSync(own, { recursive: true });
  const tasks = Object.entries(run.tasks).map(([task, { documents, ...settings }]) => {
    const samples = documents.map((document) => sample(task, document, { metric, filter, shots }));
    const scores = documents.map(({ score }) => score).filter((score) => score !== null);
    return { task, samples, all: settings.all ?? documents.length, size: scores.length, score: mean(scores) };
  });
  for (const { task, samples } of tasks) {
    const lines = samples.map((line) => (run.legacy === true ? withoutNames(line) : line));
    writeFileSync(
      join(own, `samples_${task}_${date}.jsonl`),
      lines.map((line) => `${JSON.stringify(line)}\n`).join(""),
    );
  }

  const key = `${metric},${filter}`;
  const groups = Object.entries(run.groups ?? {}).map(([group, { tasks: names, weighting }]) => {
    const parts = names.flatMap((name) => tasks.filter(({ task }) => task === name));
    const weights = parts.map(({ size }) => (weighting === "items" ? size : 1));
    return { group, names, score: weightedMean(parts, weights), size: parts.reduce((sum, part) => sum + part.size, 0) };
  });
  const row = (name, size, score) => ({
    name,
    alias: name,
    sample_len: size,
    [key]: score,
    [`${metric}_stderr,${filter}`]: "N/A",
  });
  const byTask = (value) => Object.fromEntries(tasks.map((entry) => [entry.task, value(entry)]));
  const byGroup = (value) => Object.fromEntries(groups.map((entry) => [entry.group, value(entry)]));
  const groupRows = byGroup(({ group, size, score }) => row(group, size, score));
  const results = {
    results: { ...byTask(({ task, size, score }) => row(task, size, score)), ...groupRows },
    ...(groups.length > 0 && { groups: groupRows }),
    group_subtasks: byGroup(({ names }) => names),
    configs: byTask(({ task }) => ({
      task,
      output_type: "multiple_choice",
      num_fewshot: shots,
      metric_list: [{ metric, aggregation: "mean", higher_is_better: true }],
      ...(filter !== "none" && { filter_list: [{ name: filter, filter: [{ function: "take_first" }] }] }),
      metadata: { version: run.taskVersion ?? 1 },
    })),
    versions: { ...byTask(() => run.taskVersion ?? 1), ...byGroup(() => "N/A") },
    "n-shot": { ...byTask(() => shots), ...byGroup(() => shots) },
    higher_is_better: byTask(() => ({ [metric]: true })),
    "n-samples": byTask(({ all, samples }) => ({ original: all, effective: samples.length })),
    config: {
      model: "hf",
      model_args: `pretrained=${model}${run.modelArguments ?? ""}`,
      limit: null,
      gen_kwargs: null,
    },
    lm_eval_version: version,
    model_source: "hf",
    model_name: model,
    model_name_sanitized: own.slice(folder.length + 1),
    system_instruction: null,
    system_instruction_sha: null,
    fewshot_as_multiturn: chatTemplate,
    chat_template: chatTemplate ? "{{ messages }}" : null,
    chat_template_sha: chatTemplate ? sha256("{{ messages }}") : null,
  };
  writeFileSync(join(own, `results_${date}.json`), JSON.stringify(results, null, 2));
  return own;
}

/**
 * Documents of a task out of a row of a response matrix: one for each item, its question made up from the item's id.
 * @param items - as items.jsonl describes them
 * @param scoreAt - score of the item at an index; NaN where the model was not asked
 */
export function documentsOf(items, scoreAt) {
  return items.flatMap((item, index) => {
    const score = scoreAt(index);
    return Number.isNaN(score) ? [] : [{ id: index, question: item.text ?? `Question ${item.item_id}?`, score }];
  });
}

function sample(task, { id, question, score, empty = false }, { metric, filter, shots }) {
  const answer = id % 4;
  const doc = { question, subject: task, choices: ["A", "B", "C", "D"].map((letter) => `${letter}-${id}`), answer };
  const examples = Array.from({ length: shots }, (_, k) => `Example ${k}\nAnswer: A\n\n`).join("");
  const likelihoods = doc.choices.map((_, choice) => [[empty ? "" : `-${1 + ((choice + id) % 5)}.5`, "False"]]);
  const responses = empty ? likelihoods.map(() => [""]) : likelihoods;
  return {
    doc_id: id,
    doc,
    target: String(answer),
    arguments: Object.fromEntries(
      doc.choices.map((choice, c) => [
        `gen_args_${c}`,
        { arg_0: `${examples}${question}\nAnswer:`, arg_1: ` ${choice}` },
      ]),
    ),
    resps: responses,
    filtered_resps: responses.map(([first]) => first),
    filter,
    metrics: [metric],
    doc_hash: sha256(JSON.stringify(doc, null, 2)),
    prompt_hash: sha256(`${examples}${question}\nAnswer:`),
    target_hash: sha256(String(answer)),
    ...(score !== null && { [metric]: score }),
  };
}

/** As before 0.4.7: neither the filter nor the metrics are named. */
function withoutNames(line) {
  return Object.fromEntries(Object.entries(line).filter(([name]) => name !== "filter" && name !== "metrics"));
}

function mean(values) {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}

function weightedMean(parts, weights) {
  const total = weights.reduce((sum, weight) => sum + weight, 0);
  return parts.reduce((sum, { score }, part) => sum + weights[part] * score, 0) / total;
}

function sha256(text) {
  return createHash("sha256").update(text).digest("hex");
}
