import type { AnchorRecord } from "anchoreval/internal/core/bundle/manifest";
import { lookUp } from "anchoreval/internal/core/bundle/names";
import { fittedValue } from "anchoreval/internal/logs/protocol";
import { AnchorEvalError } from "anchoreval/internal/core/errors";
import type { ExportTarget } from "../../cli/src/bundles/export-target.ts";
import { quote } from "../../cli/src/bundles/form-anchors.ts";

/** The datasets of the splits that submissions and the site are of, and mini-SWE-agent's names for them. */
const DATASETS: Readonly<Record<string, readonly [dataset: string, subset: string]>> = {
  verified: ["SWE-bench/SWE-bench_Verified", "verified"],
  "bash-only": ["SWE-bench/SWE-bench_Verified", "verified"],
  lite: ["SWE-bench/SWE-bench_Lite", "lite"],
  test: ["SWE-bench/SWE-bench", "full"],
  multimodal: ["SWE-bench/SWE-bench_Multimodal", "multimodal"],
  multilingual: ["SWE-bench/SWE-bench_Multilingual", "multilingual"],
};

/** `OWNER__REPOSITORY-NUMBER`, an instance's name in every table of the benchmark. */
const INSTANCE = /(?:^|\/)([\w.-]+__[\w.-]+-\d+)$/;

/** Commands of mini-SWE-agent and of the benchmark's harness (swebench 2 to 5) on some instances alone. */
export const sweBenchExport: ExportTarget = {
  named: true,
  words: "instance ids, for swebench's --instance_ids and mini-SWE-agent's --filter",
  export({ bundle, anchors, base }) {
    const ids = anchors.map(instanceOf);
    const [list, filter] = [`${base}.instances.txt`, `${base}.filter.txt`];
    const split = fittedValue(bundle.manifest.protocol, "taskVersion", anchors[0]?.task ?? "");
    const [dataset = "DATASET", subset = "SUBSET"] = lookUp(DATASETS, String(split)) ?? [];
    const run = "anchors";
    return {
      files: [
        [list, ids.map((id) => `${id}\n`).join("")],
        [filter, `^(${ids.map((id) => id.replaceAll(".", "\\.")).join("|")})$\n`],
      ],
      extra: { instances: ids },
      run: {
        heading: "Run them (put in your model; another agent takes the instances of the first file):",
        commands: [
          `mini-extra swebench --subset ${subset} --split test --filter "$(cat ${quote(filter)})" --model MODEL --output anchors`,
          `python -m swebench.harness.run_evaluation --dataset_name ${dataset} --split test --predictions_path anchors/preds.json --run_id ${run} --instance_ids $(cat ${quote(list)})`,
        ],
        logs: `MODEL.${run}.json`,
        notes: [
          "In the report's name a / of the model's is __.",
          ...(dataset === "DATASET"
            ? [
                "The bundle doesn't say which of SWE-bench's datasets it is of: put it in, such as SWE-bench/SWE-bench_Verified and verified.",
              ]
            : []),
        ],
      },
    };
  },
};

function instanceOf({ item_id: id, doc_id: document }: AnchorRecord): string {
  const name = INSTANCE.exec(String(document ?? id))?.[1];
  if (name === undefined)
    throw new AnchorEvalError(
      "unsupported",
      `${id} names no instance of SWE-bench, which are called OWNER__REPOSITORY-NUMBER`,
    );
  return name;
}
