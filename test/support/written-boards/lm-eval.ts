import { type HarnessWriter, loggedScore, type Style, type WrittenRun } from "./board.ts";
import { fileDate, jsonText, lineBytes, put } from "./files.ts";

/** Logs of lm-evaluation-harness: samples and results of a run beside each other. */
export const lmEvalWriter: HarnessWriter = {
  from: "lm-eval",
  repeats: false,
  failedScore: 0,
  isSplit: true,
  hasContents: true,
  idOf: ({ id }) => String(id),
  write(folder, runs, style) {
    for (const [k, run] of runs.entries()) {
      const date = fileDate(run.ended);
      const place = `${style.is("another folder") ? `copy-${k}/` : ""}${run.model.replace("/", "__")}`;
      const old = style.is("before 0.4.7");
      const lines = run.samples.map((sample) => JSON.stringify(lineOf(sample, old, style)));
      const name = `samples_${run.task}_${date}.jsonl${style.is("a name of gzip") ? ".gz" : ""}`;
      put(folder, `${place}/${name}`, lineBytes(lines, style));
      put(folder, `${place}/results_${date}.json`, jsonText(resultsOf(run, style), style));
    }
  },
};

function lineOf(sample: WrittenRun["samples"][number], old: boolean, style: Style): object {
  const [attempt] = sample.attempts;
  const { failed } = attempt!;
  const score = loggedScore(attempt!, 0);
  const text = style.is("decomposed characters") ? sample.question.normalize("NFD") : sample.question;
  return {
    doc_id: sample.id,
    doc: { question: text, answer: sample.target },
    target: sample.target,
    arguments: {},
    resps: [[failed ? "" : "x"]],
    filtered_resps: ["x"],
    ...(!old && { filter: "none", metrics: ["acc"] }),
    doc_hash: "d",
    prompt_hash: "p",
    target_hash: "t",
    acc: score === 1 && style.is("true for 1") ? true : score,
  };
}

function resultsOf({ model, task, samples, temperature }: WrittenRun, style: Style): object {
  const metrics = [{ metric: "acc", aggregation: "mean", higher_is_better: true }];
  return {
    results: { [task]: { alias: task } },
    configs: {
      [task]: { task, metric_list: metrics, ...(style.is("a filter list") && { filter_list: [{ name: "none" }] }) },
    },
    versions: { [task]: 1 },
    "n-shot": { [task]: 0 },
    higher_is_better: { [task]: { acc: true } },
    "n-samples": { [task]: { original: 20, effective: samples.length } },
    group_subtasks: {},
    config: {
      ...{ model: "hf", model_args: `pretrained=${model}` },
      ...(temperature !== undefined && { gen_kwargs: `temperature=${temperature}` }),
    },
    model_name: model,
    lm_eval_version: "0.4.13",
    chat_template: null,
    system_instruction: null,
  };
}
