import { loadBundle, type Bundle } from "anchoreval";
import { folderSource } from "anchoreval/node";
import { describe, expect, it } from "vitest";
import { allAnchors, formAnchors } from "anchoreval/internal/logs/anchor-names";
import { checkAnchoredTask, type AnchoredTask } from "../../../../cli/src/run/lm-eval-tasks.ts";
import { documentOf } from "../../../support/harness-tasks.ts";
import { loggedContent, taskOf, writeBundle } from "../../../support/logged-bundle.ts";
import { expectRefusal, refusal } from "../../../support/refusal.ts";
import { tempFolder } from "../../../support/temp-folder.ts";

const folder = tempFolder();
let bundles = 0;
const bundleWith = (protocol: Record<string, string | number | boolean>): Promise<Bundle> =>
  loadBundle(folderSource(writeBundle(folder.path(`bundle-${++bundles}`), loggedContent(protocol))));

/** What the Python package sends of the form's tasks. */
function seen(bundle: Bundle, own: Partial<AnchoredTask["tasks"][string]> = {}): AnchoredTask {
  const anchors = formAnchors(allAnchors(bundle), "20");
  const tasks: Record<string, AnchoredTask["tasks"][string]> = {};
  for (const task of new Set(anchors.map(taskOf))) {
    const documents = anchors
      .filter((anchor) => taskOf(anchor) === task)
      .map(({ index }) => {
        return [String(index), [index, documentOf(task, index), String(index % 4)]] as const;
      });
    tasks[task] = {
      ...{ version: 1, shots: 5, metrics: ["acc", "acc_norm"], filters: ["none", "cut"] },
      ...own,
      documents: Object.fromEntries(documents),
    };
  }
  const items = anchors.map((anchor) => [anchor.item_id, taskOf(anchor), anchor.index] as const);
  return { form: "20", items, tasks, chatTemplate: false };
}

const check = (bundle: Bundle, task: AnchoredTask) =>
  checkAnchoredTask(bundle, formAnchors(allAnchors(bundle), task.form), task);

describe("checkAnchoredTask", () => {
  it("scores by the metric and filter of the bundle's models", async () => {
    const bundle = await bundleWith({ harness: "lm-eval", shots: 5, "metric/alpha": "acc_norm", filter: "none" });
    const { scored, remarks } = check(bundle, seen(bundle));
    expect(scored["alpha"]).toEqual({ metrics: ["acc_norm"], filters: ["none"] });
    expect(scored["beta_first"]).toEqual({ metrics: ["acc", "acc_norm"], filters: ["none"] });
    expect(remarks).toEqual([]);
  });

  it("by all, where the models were run with another harness, which is said, as other settings are", async () => {
    const bundle = await bundleWith({ harness: "helm", shots: 0, metric: "acc", chatTemplate: true });
    const { scored, remarks } = check(bundle, seen(bundle));
    expect(scored["alpha"]).toEqual({ metrics: ["acc", "acc_norm"], filters: ["none", "cut"] });
    const fitted = "in those of the models that the bundle was fitted on: the scores may not compare";
    expect(remarks).toEqual([
      "the models that the bundle was fitted on were run with helm, not with lm-eval, which may prompt and score otherwise",
      `alpha and 2 more: few-shot examples: 5 in this run, 0 ${fitted}`,
      `alpha and 2 more: chat template: false in this run, true ${fitted}`,
      `alpha and 2 more: metric: acc_norm in this run, acc ${fitted}`,
    ]);
  });

  it("refuses a task without the bundle's metric", async () => {
    const bundle = await bundleWith({ harness: "lm-eval", metric: "em" });
    const error = refusal(() => check(bundle, seen(bundle)));
    expectRefusal(
      error,
      "invalid_option",
      "alpha has no metric em, by which the bundle's models were scored: it has acc",
    );
  });

  it("refuses other documents, missing documents, and a file of other items", async () => {
    const bundle = await bundleWith({ harness: "lm-eval", metric: "acc" });
    const task = seen(bundle);
    const { alpha, ...others } = task.tasks;
    const ids = Object.keys(alpha!.documents);
    const without = { ...alpha!, documents: Object.fromEntries(Object.entries(alpha!.documents).slice(1)) };
    expectRefusal(
      refusal(() => check(bundle, { ...task, tasks: { ...others, alpha: without } })),
      "item_changed",
      "1 of 40 anchors aren't in the harness's tasks",
    );
    const [place, , target] = alpha!.documents[ids[0]!]!;
    const changed = {
      ...alpha!,
      documents: { ...alpha!.documents, [ids[0]!]: [place, { question: "other" }, target] as const },
    };
    expectRefusal(
      refusal(() => check(bundle, { ...task, tasks: { ...others, alpha: changed } })),
      "item_changed",
      "1 of 40 anchors have other content",
    );
    expectRefusal(
      refusal(() => check(bundle, { ...task, items: task.items.slice(1) })),
      "invalid_data",
      "the task's file names other items than form 20 has: export it again",
    );
  });
});
