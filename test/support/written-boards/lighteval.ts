import { parquetWriteBuffer } from "hyparquet-writer";
import { type HarnessWriter, loggedScore, type WrittenRun } from "./board.ts";
import { fileDate, jsonText, put } from "./files.ts";

/** Details of lighteval, with their results beside. */
export const lightevalWriter: HarnessWriter = {
  from: "lighteval",
  repeats: false,
  failedScore: 0,
  isSplit: true,
  hasContents: true,
  idOf: ({ id }) => String(id),
  write(folder, runs, style) {
    for (const run of runs) {
      const date = fileDate(run.ended);
      const name = `details_${run.task}|0_${date}.parquet`;
      put(folder, `details/${run.model}/${date}/${name}`, detailsOf(run, style.is("another codec")));
      put(folder, `results/${run.model}/results_${date}.json`, jsonText(resultsOf(run), style));
    }
  },
};

const text = (name: string) =>
  ({ name, type: "BYTE_ARRAY", converted_type: "UTF8", repetition_type: "OPTIONAL" }) as const;
const group = (name: string, children: number) =>
  ({ name, num_children: children, repetition_type: "OPTIONAL" }) as const;
const list = (name: string) =>
  [
    { name, num_children: 1, repetition_type: "OPTIONAL", converted_type: "LIST" },
    { name: "list", num_children: 1, repetition_type: "REPEATED" },
    text("element"),
  ] as const;

function detailsOf({ samples }: WrittenRun, codec: boolean): Uint8Array {
  const first = samples.map(({ attempts }) => attempts[0]!);
  return new Uint8Array(
    parquetWriteBuffer({
      codec: codec ? "UNCOMPRESSED" : "SNAPPY",
      schema: [
        { name: "root", num_children: 3 },
        ...[group("doc", 3), text("id"), text("query"), ...list("choices")],
        ...[group("metric", 1), { name: "acc", type: "DOUBLE", repetition_type: "OPTIONAL" } as const],
        ...[group("model_response", 1), ...list("text")],
      ],
      columnData: [
        {
          name: "doc",
          data: samples.map(({ id, question, target }) => ({ id: String(id), query: question, choices: [target] })),
        },
        { name: "metric", data: first.map((attempt) => ({ acc: loggedScore(attempt, 0) })) },
        { name: "model_response", data: first.map(({ failed }) => ({ text: [failed ? "" : "x"] })) },
      ],
    }),
  );
}

function resultsOf({ model, task, samples, temperature }: WrittenRun): object {
  const metric = { metric_name: "acc", corpus_level_fn: "mean", higher_is_better: true };
  return {
    config_general: {
      model_name: model,
      lighteval_sha: "?",
      model_config: { model_name: model, generation_parameters: { temperature } },
    },
    config_tasks: {
      [`${task}|0`]: { metrics: [metric], version: 0, original_num_docs: 20, effective_num_docs: samples.length },
    },
    results: { [`${task}|0`]: {} },
  };
}
