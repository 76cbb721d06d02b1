import { loadBundle } from "anchoreval";
import { allAnchors } from "anchoreval/internal/logs/anchor-names";
import { folderSource } from "anchoreval/node";
import { describe, expect, test } from "vitest";
import { commandsIn } from "../../support/exported-commands.ts";
import { solvingModels } from "../../support/form-round-trip.ts";
import { hasModules, PYTHON } from "../../support/harness-tasks.ts";
import { tempFolder } from "../../support/temp-folder.ts";

const folder = tempFolder();
const { shell, succeed, expectEstimate } = commandsIn(folder.path(""));

/** The harness's own program where there is no Docker: of instances that are judged already it only asks what runs there. */
const WITHOUT_DOCKER = `
import docker, runpy, sys

class Nothing:
    def list(self, **_):
        return []

class Client:
    images = containers = Nothing()

docker.from_env = lambda **_: Client()
runpy.run_module("swebench.harness.run_evaluation", run_name="__main__", alter_sys=True)
`;

const IDS = Array.from(
  { length: 60 },
  (_, k) => `${k % 2 === 0 ? "django__django" : "matplotlib__matplotlib.js"}-${100 + k}`,
);

describe.skipIf(!hasModules("swebench"))(
  "swebench (skipped without it: ANCHOREVAL_TEST_PYTHON names an interpreter that has it)",
  () => {
    test("takes a form's instances, and its report of patches gives their score", { timeout: 180_000 }, async () => {
      const rows = Array.from(solvingModels(IDS), ([model, solved]) => `${model},${IDS.map((id) => Number(solved.has(id))).join(",")}\n`); // prettier-ignore
      folder.write("responses.csv", `model,${IDS.map((id) => `swe/${id}`).join(",")}\n${rows.join("")}`);
      folder.write("items.csv", `item_id,scenario\n${IDS.map((id) => `swe/${id},swe\n`).join("")}`);
      const tables = ["--responses", "responses.csv", "--items", "items.csv"];
      await succeed("fit", ...tables, "--anchors", "20", "--name", "swe@1.0.0", "--out", "bundle");
      const said = await succeed("export", "--bundle", "bundle", "--to", "swe-bench", "--out", "out");
      const [, command] = /^ +python -m swebench\.harness\.run_evaluation --dataset_name DATASET (.*)$/m.exec(said)!;

      folder.write("dataset.json", JSON.stringify(IDS.map((id) => ({ instance_id: id }))));
      folder.write("without-docker.py", WITHOUT_DOCKER);
      const bundle = folder.path("bundle");
      const answers: Record<string, number> = {};
      const patches: Record<string, object> = {};
      // The first patch is empty, the second has a broken report, of the others every third isn't right.
      for (const [k, { item_id }] of allAnchors(await loadBundle(folderSource(bundle))).entries()) {
        const id = item_id.split("/")[1]!;
        answers[item_id] = Number(k > 1 && k % 3 > 0);
        patches[id] = { instance_id: id, model_name_or_path: "lab/m", model_patch: k === 0 ? "" : "diff" };
        const report = k === 1 ? "" : JSON.stringify({ [id]: { resolved: answers[item_id] === 1 } });
        if (k > 0) folder.write(`logs/run_evaluation/anchors/lab__m/${id}/report.json`, report);
      }
      folder.write("anchors/preds.json", JSON.stringify(patches));
      const ended = await shell(`${PYTHON} without-docker.py --dataset_name dataset.json ${command}`);
      expect(ended.code, ended.said).toBe(0);
      expect(ended.said).toContain("Total instances: 20\nInstances submitted: 20\nInstances completed: 19\n");
      await expectEstimate(bundle, answers, { form: "20", from: "swe-bench", logs: "lab__m.anchors.json" });
    });
  },
);
