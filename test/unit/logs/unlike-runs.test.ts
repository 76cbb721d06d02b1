import { readEeeAggregate } from "anchoreval/internal/features/eee/sdk";
import { readHelmRun } from "anchoreval/internal/features/helm/sdk";
import { readInspectHeader } from "anchoreval/internal/logs/inspect/read-header";
import { readLightevalResults } from "anchoreval/internal/features/lighteval/sdk";
import { readLmEvalResults } from "anchoreval/internal/logs/lm-eval/read-results";
import { readOpenCompassConfig, openCompassResults } from "anchoreval/internal/features/opencompass/sdk/read-results";
import type { RunResults } from "anchoreval/internal/logs/run-log";
import { unlikeRuns } from "anchoreval/internal/logs/unlike-runs";
import { describe, expect, test } from "vitest";

type Fields = Readonly<Record<string, unknown>>;

const lmEval = (config: Fields): RunResults =>
  readLmEvalResults(JSON.stringify({ results: {}, configs: {}, config }), "r.json");
const inspect = (own: Fields): RunResults =>
  readInspectHeader({ status: "success", eval: { task: "t", model: "m", ...own } }, "l.json").results;
const eee = (model: Fields): RunResults =>
  readEeeAggregate({ evaluation_id: "e", evaluation_results: [], model_info: { id: "m", ...model } })!.results;
const lighteval = (model: Fields): RunResults =>
  readLightevalResults({ config_general: { model_config: model }, config_tasks: {}, results: {} }, "r.json", 0);
const helm = (deployment: string): RunResults =>
  readHelmRun({ name: "t", adapter_spec: { model: "m", model_deployment: deployment }, groups: [] }, [], "s").results;
const opencompass = (fields: string): RunResults =>
  openCompassResults("a", new Map(), {
    config: readOpenCompassConfig(`models=[dict(abbr="a",${fields})]\ndatasets=[]\n`),
    summary: null,
  });

const PLAIN = "pretrained=org/a,dtype=float16";

/** Two runs of what is called one model, and the field in which they differ. */
const UNLIKE: readonly (readonly [string, RunResults, RunResults])[] = [
  ["load_in_4bit", lmEval({ model_args: PLAIN }), lmEval({ model_args: `${PLAIN},load_in_4bit=True` })],
  ["load_in_4bit", lmEval({ model_args: { load_in_4bit: true } }), lmEval({ model_args: { load_in_4bit: false } })],
  ["peft", lmEval({ model_args: PLAIN }), lmEval({ model_args: `${PLAIN},peft=org/lora` })],
  ["model_sha", lmEval({ model_sha: "abc" }), lmEval({ model_sha: "def" })],
  ["model_dtype", lmEval({ model_dtype: "torch.float16" }), lmEval({ model_dtype: "torch.bfloat16" })],
  ["model", lmEval({ model: "hf" }), lmEval({ model: "vllm" })],
  ["model_path", inspect({ model_args: { model_path: "/ckpt/1" } }), inspect({ model_args: { model_path: "/ckpt/2" } })],
  ["dtype", inspect({ model_args: {} }), inspect({ model_args: { dtype: "int8" } })],
  ["quantization", eee({ additional_details: { quantization: "none" } }), eee({ additional_details: { quantization: "int4" } })],
  ["inference_engine", eee({ inference_engine: { name: "vllm" } }), eee({ inference_engine: { name: "llama.cpp" } })],
  ["load_in_4bit", eee({ additional_details: { model_args: PLAIN } }), eee({ additional_details: { model_args: `${PLAIN},load_in_4bit=True` } })],
  ["dtype", lighteval({ model_name: "m", dtype: "float16" }), lighteval({ model_name: "m", dtype: "4bit" })],
  ["azure/m", helm("openai/m"), helm("azure/m")],
  ["path", opencompass('path="org/a"'), opencompass('path="org/b"')],
]; // prettier-ignore

/** Two runs of one model, differently written or on other machines. */
const ALIKE: readonly (readonly [RunResults, RunResults])[] = [
  [lmEval({ model_args: PLAIN }), lmEval({ model_args: "dtype=float16,pretrained=org/a" })],
  [lmEval({ model_args: PLAIN }), lmEval({ model_args: { dtype: "float16", pretrained: "org/a" } })],
  [lmEval({ model_args: `${PLAIN},trust_remote_code=true` }), lmEval({ model_args: PLAIN })],
  [lmEval({ model_args: `${PLAIN},parallelize=True` }), lmEval({ model_args: `${PLAIN},parallelize=true` })],
  [lmEval({ model_args: `${PLAIN},batch_size=8,cache_dir=/a` }), lmEval({ model_args: `${PLAIN},cache_dir=/b` })],
  [lmEval({ model_args: "x={'a': 1, 'b': 2},y=1" }), lmEval({ model_args: "y=1,x={'a': 1, 'b': 2}" })],
  [lmEval({ model_sha: "abc" }), lmEval({ model_sha: "" })], // found without a network
  [lmEval({ model_sha: "abc", date: 1, random_seed: 0 }), lmEval({ model_sha: "abc", date: 2, random_seed: 7 })],
  [inspect({ model_args: { device: "cuda:0" } }), inspect({ model_args: {} })],
  [inspect({ model_base_url: "http://127.0.0.1:1/v1" }), inspect({ model_base_url: "http://127.0.0.1:2/v1" })],
  [eee({}), eee({ additional_details: { quantization: "int4" } })],
  [lighteval({ model_name: "m", batch_size: 1 }), lighteval({ model_name: "m", batch_size: 8 })],
  [opencompass('path="a",run_cfg=dict(num_gpus=1)'), opencompass('path="a",run_cfg=dict(num_gpus=2)')],
  [opencompass('path="a"'), openCompassResults("a", new Map(), { config: null, summary: null })],
];

describe("runs of one model on several tasks", () => {
  test.each(UNLIKE)("are told apart by %s, whichever task has it", (field, one, other) => {
    for (const [left, right] of [
      [one, other],
      [other, one],
    ] as const) {
      // prettier-ignore
      const logs = [{ task: "quiz", results: left }, { task: "sums", results: left }, { task: "math", results: right }]; // prettier-ignore
      const said = unlikeRuns(logs);
      expect(said).toHaveLength(1);
      expect(said[0]).toContain(field);
      expect(said[0]).toMatch(/on quiz and 1 more\b.* on math\b/);
    }
  });

  test.each(ALIKE)("are not, where only machines or the way of writing differ (%#)", (one, other) => {
    for (const results of [other, null, one])
      expect(unlikeRuns([{ task: "quiz", results: one }, { task: "math", results }])).toEqual([]); // prettier-ignore
  });

  test("are compared by their facts on one task too, by arguments where one run was chosen", () => {
    const [, one, other] = UNLIKE[3]!;
    expect(unlikeRuns([{ task: "quiz", results: one }, { task: "quiz", results: other }])).toHaveLength(1); // prettier-ignore
  });
});
