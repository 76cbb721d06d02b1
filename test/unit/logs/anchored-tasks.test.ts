import { harnessNamed } from "anchoreval/internal/node/logs/harnesses";
import { describe, expect, it } from "vitest";
import { countedSample } from "../../support/counted-sample.ts";
import { tempFolder } from "../../support/temp-folder.ts";

const folder = tempFolder();
const DATE = "2026-01-02T03-04-05.000006";

/** Logs of a task of anchors: three documents of two tasks, under two filters, as its figures name their scores. */
function writeLogs(name: string, metric: string, filters: readonly string[]): string {
  const tasks = { alpha: { items: [["alpha/7", 7], ["alpha/3", 3]] }, beta: { field: "id", items: [["622", "622"]] } }; // prettier-ignore
  const config = { metadata: { version: "1.0.0", anchoreval: { form: "3", tasks } } };
  const results = {
    ...{ results: { x_anchored: {} }, configs: { x_anchored: config }, "n-shot": { x_anchored: 5 } },
    ...{ "n-samples": { x_anchored: { original: 3, effective: 3 } }, model_name: "made-up" },
  };
  folder.write(`${name}/results_${DATE}.json`, JSON.stringify(results));
  const figures = [metric, `${metric}_stderr`, `${metric}_low`, `${metric}_high`, `${metric}:alpha`];
  const lines = filters.flatMap((filter) =>
    [0, 1, 2].map((doc_id) => {
      const doc = { question: `question ${doc_id}` };
      const scores = Object.fromEntries(figures.map((figure) => [figure, doc_id === 1 ? 0 : 1]));
      return JSON.stringify({ doc_id, doc, target: "a", resps: [["a"]], filter, metrics: figures, ...scores });
    }),
  );
  folder.write(`${name}/samples_x_anchored_${DATE}.jsonl`, `${lines.join("\n")}\n`);
  return folder.path(name);
}

describe("logs of a task of anchors", () => {
  const lmEval = harnessNamed("lm-eval");
  const read = async (place: string, task: string, metric?: string, filter?: string) => {
    const logs = await lmEval.find([place]);
    expect(logs.map((log) => log.task)).toEqual(["alpha", "beta"]);
    return lmEval.read(
      logs.find((log) => log.task === task)!,
      { metric: () => metric, filter: () => filter },
    );
  };

  it("are those of the documents' own tasks, with their numbers there and the one metric", async () => {
    const place = writeLogs("plain", "acc", ["none"]);
    const { metric, filter, samples } = await read(place, "alpha");
    expect({ metric, filter }).toEqual({ metric: "acc", filter: "none" });
    expect(samples.map((own) => countedSample(own))).toMatchObject([
      { task: "alpha", doc_id: 7, score: 1, text: "question 0" },
      { task: "alpha", doc_id: 3, score: 0, text: "question 1" },
    ]);
    const beta = (await read(place, "beta")).samples;
    expect(beta).toMatchObject([{ task: "beta", doc_id: "622", attempts: [{ score: 1 }] }]);
    const [log] = await lmEval.find([place]);
    expect(log!.results!.tasks.get("alpha")).toMatchObject({ shots: 5, version: null, documents: null });
  });

  it("need a filter where there are several, as any log", async () => {
    const place = writeLogs("filtered", "acc", ["whole", "cut"]);
    await expect(read(place, "alpha")).rejects.toMatchObject({ code: "invalid_option" });
    expect((await read(place, "alpha", undefined, "cut")).samples).toHaveLength(2);
  });

  it("have one score under whatever metric and filter its tasks were scored by, where these differ", async () => {
    const place = writeLogs("mixed", "score", ["none"]);
    const { metric, filter, samples } = await read(place, "alpha", "acc_norm", "strict");
    expect({ metric, filter, scores: samples.map((own) => countedSample(own).score) }).toEqual({
      ...{ metric: "acc_norm", filter: "strict", scores: [1, 0] },
    });
    expect((await read(place, "alpha")).metric).toBe("score");
  });
});
