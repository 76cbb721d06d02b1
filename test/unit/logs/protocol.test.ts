import {
  fittedCall,
  flatProtocol,
  idScheme,
  protocolDifferences,
  taskProtocol,
  type TaskProtocol,
} from "anchoreval/internal/logs/protocol";
import { describe, expect, it } from "vitest";
import { expectRefusal, refusal } from "../../support/refusal.ts";

const one: TaskProtocol = {
  ...taskProtocol(null, { task: "a", metric: "acc", filter: "none" }),
  shots: 5,
  chatTemplate: false,
  taskVersion: "1",
};

describe("flatProtocol", () => {
  it("has one value where all tasks and runs agree, else by task, and mixed where runs differ", () => {
    const flat = flatProtocol(
      "lm-eval",
      new Map([
        ["a", [one, one]],
        [
          "b",
          [
            { ...one, shots: 0, metric: "em" },
            { ...one, shots: 0, metric: "em", chatTemplate: true },
          ],
        ],
      ]),
    );
    expect(flat).toEqual({
      harness: "lm-eval",
      taskVersion: "1",
      "shots/a": 5,
      "shots/b": 0,
      "chatTemplate/a": false,
      "chatTemplate/b": "mixed",
      "metric/a": "acc",
      "metric/b": "em",
      filter: "none",
    });
  });
});

describe("protocolDifferences", () => {
  const bundle = { shots: 5, "metric/a": "acc", "metric/b": "em", chatTemplate: "mixed" };

  it("compares what both tell, by task where the bundle does", () => {
    expect(protocolDifferences(bundle, "a", one)).toEqual([]);
    expect(protocolDifferences(bundle, "b", { ...one, shots: 0 })).toEqual([
      { field: "shots", bundle: "5", run: "0" },
      { field: "metric", bundle: "em", run: "acc" },
    ]);
    expect(protocolDifferences({}, "a", one)).toEqual([]);
  });
});

describe("idScheme", () => {
  it("is the scenario's own, else that of all, else by document", () => {
    const protocol = { ids: "source", "ids/gsm8k": "doc_id", shots: 0 };
    expect(idScheme(protocol, "gsm8k")).toBe("doc_id");
    expect(idScheme(protocol, "crux")).toBe("source");
    expect(idScheme({ ids: "question_id" }, "mmlu_pro")).toBe("question_id");
    expect(idScheme({ shots: 0 }, "gsm8k")).toBe("doc_id");
  });
});

describe("fittedCall", () => {
  const calls = {
    "taskCall/a": '["q.py@a","-T","n=1"]',
    "taskCall/b": "mixed",
    "taskCall/c": "q.py",
    "taskCall/d": "[1]",
  };
  const protocol = { harness: "inspect", ...calls };

  it("is the task's words for the harness of the runs, null where nothing says them or runs differed", () => {
    expect(fittedCall(protocol, "inspect", "a")).toEqual(["q.py@a", "-T", "n=1"]);
    expect(fittedCall(protocol, "lm-eval", "a")).toBeNull();
    expect(fittedCall(protocol, "inspect", "b")).toBeNull();
    expect(fittedCall({ harness: "inspect", shots: 0 }, "inspect", "a")).toBeNull();
  });

  it.each(["c", "d"])("refuses what is no list of words: %s", (task) => {
    const error = refusal(() => fittedCall(protocol, "inspect", task));
    expectRefusal(error, "bundle_invalid", "taskCall is no JSON list of words");
  });
});
