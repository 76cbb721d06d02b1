import { AnchorEvalError } from "anchoreval";
import { createRandom } from "anchoreval/internal/core/numeric/random";
import type { ReadRun } from "anchoreval/internal/logs/choose-runs";
import type { LoggedSample, RunLog, RunSamples } from "anchoreval/internal/logs/run-log";
import { selectRuns } from "anchoreval/internal/logs/select-runs";
import { describe, expect, test } from "vitest";
import { expectRefusal, rejection } from "../../support/refusal.ts";

function logOf(task: string, file: string): RunLog {
  return { file, model: "org/m", task, date: "", resultsFile: null, results: null };
}

function samplesOf(task: string, scores: ReadonlyMap<number, number | null>): RunSamples {
  const samples = Array.from(scores, ([doc_id, score]): LoggedSample => ({
    ...{ task, doc_id, hash: null, text: null },
    attempts: [score === null ? { score, failure: "timeout" } : { score }],
  }));
  return { task, metric: "acc", filter: "none", samples, remarks: [] };
}

const keep = (run: ReadRun): ReadRun => run;

describe("runs that are read", () => {
  test("shards of one run give each document once, with its answer", async () => {
    for (let seed = 0; seed < 200; seed++) {
      const random = createRandom(`shards/${seed}`);
      const parts = Array.from({ length: 2 + random.below(3) }, () => new Map<number, number | null>());
      const truth = new Map<number, number | null>();
      for (let id = 0; id < 12; id++) {
        // Answered in one shard at most; tried in vain in any.
        const answered = id < parts.length ? id : random.below(parts.length + 1);
        parts.forEach((part, k) => {
          if (k === answered) part.set(id, random.below(2));
          else if (random.below(3) === 0) part.set(id, null);
        });
        const asked = parts.filter((part) => part.has(id));
        if (asked.length > 0) truth.set(id, parts[answered]?.get(id) ?? null);
      }
      const { runs, dropped } = await selectRuns(
        parts.map((_, k) => logOf("t", `${k}.jsonl`)),
        { errors: "missing", keep, read: ({ file }) => Promise.resolve(samplesOf("t", parts[Number.parseInt(file)]!)) },
      );
      const counted = runs.flatMap(({ samples }) => samples.map(({ doc_id, attempts: [own] }) => [doc_id, own!.score]));
      expect(counted.sort(), `seed ${seed}`).toEqual([...truth].sort());
      expect(dropped).toEqual([]);
    }
  });

  test("open choices are named for all tasks at once", async () => {
    const logs = ["a", "b", "b", "c"].map((task, k) => logOf(task, `${k}.jsonl`));
    const open = selectRuns(logs, {
      ...{ errors: "harness", keep },
      read: ({ task }) =>
        task === "c"
          ? Promise.resolve(samplesOf(task, new Map([[0, 1]])))
          : Promise.reject(new AnchorEvalError("invalid_option", `${task} has several metrics: choose one`)),
    });
    expectRefusal(
      await rejection(open),
      "invalid_option",
      "2 tasks need another choice of what is their score (`metric` TASK=M, `filter` TASK=F):\n  a has several metrics: choose one\n  b has several metrics: choose one",
    );
  });
});
