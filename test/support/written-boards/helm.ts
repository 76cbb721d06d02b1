import { type HarnessWriter, loggedScore, type Style, type WrittenRun } from "./board.ts";
import { jsonText, put } from "./files.ts";

/** Runs of HELM: a folder of four files each, in the suite that their date makes. */
export const helmWriter: HarnessWriter = {
  from: "helm",
  repeats: true,
  failedScore: 0,
  isSplit: true,
  hasContents: true,
  idOf: ({ id }) => `id${id}`,
  write(folder, runs, style) {
    for (const run of runs) {
      // Suites are newer the higher their names count.
      const suite = `v1.${Math.floor(run.ended / 60_000)}`;
      const name = `${run.task}:model=${run.model.replace("/", "_")}`;
      const put_ = (file: string, value: unknown): unknown =>
        put(folder, `${suite}/${name}/${file}`, jsonText(value, style));
      put_("run_spec.json", {
        name,
        adapter_spec: {
          ...{ method: "generation", model: run.model, model_deployment: run.model, max_train_instances: 0 },
          temperature: run.temperature ?? 0,
        },
        groups: [run.task],
      });
      const trials = rowsOf(run, style);
      put_("stats.json", [{ name: { name: "num_instances", split: "test" }, mean: 20 }]);
      put_(
        "per_instance_stats.json",
        trials.flatMap((trial) => statsOf(trial, style)),
      );
      put_("scenario_state.json", { request_states: trials.map(stateOf) });
    }
  },
};

interface Trial {
  readonly sample: WrittenRun["samples"][number];
  readonly trial: number;
}

function rowsOf({ samples }: WrittenRun, style: Style): Trial[] {
  const rows = samples.flatMap((sample) => sample.attempts.map((_, trial) => ({ sample, trial })));
  return style.is("entries in another order") ? style.random.shuffle(rows) : rows;
}

function statsOf({ sample, trial }: Trial, style: Style): object[] {
  const score = loggedScore(sample.attempts[trial]!, 0);
  const entry = (stats: readonly object[]): object => ({
    instance_id: `id${sample.id}`,
    train_trial_index: trial,
    stats,
  });
  const stat = (name: string, mean: unknown): object => ({ name: { name, split: "test" }, count: 1, sum: mean, mean });
  const scored = stat("exact_match", score);
  const asked = stat("num_prompt_tokens", 12);
  return style.is("an entry for each metric's class") ? [entry([asked]), entry([scored])] : [entry([asked, scored])];
}

function stateOf({ sample, trial }: Trial): object {
  const { failed } = sample.attempts[trial]!;
  return {
    instance: {
      id: `id${sample.id}`,
      split: "test",
      input: { text: sample.question },
      references: [{ output: { text: sample.target }, tags: ["correct"] }],
    },
    train_trial_index: trial,
    result: failed
      ? { success: false, error: "rate limit", completions: [] }
      : { success: true, completions: [{ text: "x" }] },
  };
}
