import { type HarnessWriter, loggedScore, type Style, type WrittenAttempt, type WrittenRun } from "./board.ts";
import { isoDate, jsonText, lineBytes, put } from "./files.ts";

/** Records of Every Eval Ever: lines of samples, with their aggregate file beside. */
export const eeeWriter: HarnessWriter = {
  from: "eee",
  repeats: true,
  failedScore: null,
  isSplit: true,
  hasContents: true,
  idOf: ({ id }) => String(id),
  write(folder, runs, style) {
    for (const [k, run] of runs.entries()) {
      const place = `${run.task}/${run.model}/${style.is("other file names") ? style.random.below(1e9) : k}`;
      const rows = run.samples.flatMap((sample) => sample.attempts.map((attempt) => ({ sample, attempt })));
      if (style.is("lines in another order")) style.random.shuffle(rows);
      const lines = rows.map(({ sample, attempt }) =>
        JSON.stringify({
          schema_version: "0.3.0",
          model_id: run.model,
          evaluation_name: run.task,
          evaluation_result_id: "acc",
          sample_id: String(sample.id),
          input: { raw: inputOf(sample.question, style), reference: [sample.target] },
          evaluation: { score: scoreIn(attempt, style) },
          ...(attempt.failed && { error: "timeout" }),
        }),
      );
      const ending = style.is("a name of gzip") ? ".jsonl.gz" : ".jsonl";
      put(folder, `${place}_samples${ending}`, lineBytes(lines, style));
      put(folder, `${place}.json`, jsonText(aggregateOf(run, style), style));
    }
  },
};

function scoreIn(attempt: WrittenAttempt, style: Style): unknown {
  const score = loggedScore(attempt, null);
  return score === 0 && style.is("false for 0") ? false : score;
}

function inputOf(question: string, style: Style): string {
  return style.is("decomposed characters") ? question.normalize("NFD") : question;
}

function aggregateOf({ model, task, ended, temperature }: WrittenRun, style: Style): object {
  const seconds = style.is("seconds since 1970");
  return {
    schema_version: "0.3.0",
    evaluation_id: `${task}/${model}`,
    evaluation_timestamp: seconds ? String(ended / 1000) : isoDate(ended, style),
    model_info: { id: model, name: model },
    eval_library: { name: "toy", version: "1" },
    evaluation_results: [
      {
        evaluation_result_id: "acc",
        evaluation_name: task,
        metric_config: { metric_name: "acc", lower_is_better: false },
        score_details: {},
        generation_config: { generation_args: { temperature } },
      },
    ],
  };
}
