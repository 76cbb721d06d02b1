import { join } from "node:path";
import { groupItems, readResponses, scoreAt, submatrix } from "anchoreval-trainer";
import { textHash } from "anchoreval/internal/core/bundle/digest";

/*
 * The benchmarks that the project ships bundles of: what they are fitted from, and what nobody could tell from the figures.
 * `read` gives the response matrix. `protocol` has `ids`, how a harness finds an item: `doc_id`, by its anchor's task and
 * doc_id; any other word, the field of the document that has it. A benchmark that no harness can be told to ask isn't here.
 */

export const BUNDLES = [
  {
    name: "gsm8k",
    version: "1.0.0",
    description: "GSM8K: 1319 word problems of primary school, the test split",
    source: "WildEval/ZeroEval at 8c1485e (2025-04-14)",
    licence: "Apache-2.0",
    created: "2025-04-14T00:00:00Z",
    measured:
      "the ZeroEval leaderboard: answers in JSON, graded again from its models' outputs by its own rules (the same number)",
    newest: "2024-12",
    protocol: { harness: "ZeroEval", shots: 0, metric: "exact_match", ids: "doc_id" },
    ids: "lm-evaluation-harness: the `doc_id` of task `gsm8k`, the question's place in the test split. Inspect: found by the question's text, whose hash every item has, by `anchoreval run` before anything is asked and in the logs of a task `gsm8k`; `inspect_evals/gsm8k` (0.26) names its samples by their text. HELM: `id` and 7473 more than the place, as it numbers the training split first. Questions were compared with test.jsonl of openai/grade-school-math: in five stretches from the 213th to the 1119th all 146 begin with the same words, of which 17 were compared whole, by hash, and some of the first 28 and the last 30 by eye; which of 1000 of them are hard agrees with HELM's run of the same items (r = .81, at least .78 in each hundred; place by place .00).",
    read: readGsm8k,
  },
  {
    name: "mmlu-pro",
    version: "1.0.0",
    description: "MMLU-Pro: 12 032 questions with up to ten choices, in 14 subjects",
    source: "TIGER-AI-Lab/MMLU-Pro at f418b11 (2026-03-18), eval_results",
    licence: "Apache-2.0",
    created: "2026-03-18T00:00:00Z",
    measured: "the authors of MMLU-Pro, with their own script",
    newest: "2024-09",
    settings: { weighting: "items", dims: 2 },
    protocol: { harness: "MMLU-Pro", shots: 5, metric: "accuracy, no answer counts as wrong", ids: "question_id" },
    ids: "An id is the field `question_id` of a document in the tasks `mmlu_pro_…` of lm-evaluation-harness, as in the data set; it isn't the place of the document. The files of the source have the field themselves. It is also the sample's id in `inspect_evals/mmlu_pro` (0.26 and 0.28), whose texts nobody here has compared. Ids in HELM are not verified.",
    read: async (folder) => {
      const matrix = await readSet(folder, "mmlu-pro");
      return named(matrix, ({ item_id, subscenario }) => ({
        item_id: item_id.slice("mmlu_pro/".length),
        task: `mmlu_pro_${subscenario.replaceAll(" ", "_")}`,
      }));
    },
  },
  {
    name: "livecodebench-v6",
    version: "1.0.0",
    description: "LiveCodeBench v6, code generation: 1055 contest problems of May 2023 to April 2025",
    source:
      "LiveCodeBench (Jain et al. 2024), livecodebench.github.io, by the tables of all-the-noises.github.io at 929a82c (2025-12-10)",
    licence: "CC-BY-SA-4.0",
    terms:
      "Its files are under the same licence: whoever passes them on, changed or not, names LiveCodeBench and keeps it.",
    created: "2025-12-10T00:00:00Z",
    measured: "the LiveCodeBench leaderboard, pass@1 of up to ten samples; three of the models by their makers",
    newest: "2025-08",
    protocol: { harness: "livecodebench", metric: "pass@1", ids: "doc_id" },
    ids: "LiveCodeBench's `question_id`, as its runner's files and its site have it.",
    read: async (folder) =>
      named(await readSet(folder, "livecodebench-v6"), ({ item_id }) => {
        const question = item_id.slice(item_id.indexOf(".") + 1);
        return {
          item_id: `livecodebench/${question}`,
          scenario: "livecodebench",
          task: "livecodebench",
          doc_id: question,
        };
      }),
  },
  {
    name: "evalplus",
    version: "1.0.0",
    description: "HumanEval+ (164) and MBPP+ (378): one greedy answer, every test of EvalPlus passed",
    source: "EvalPlus's leaderboard, by the tables of all-the-noises.github.io at 929a82c (2025-12-10)",
    licence: "Apache-2.0",
    created: "2025-12-10T00:00:00Z",
    measured: "the EvalPlus leaderboard, with its own harness, one greedy answer a problem",
    newest: "2024-05",
    protocol: { harness: "evalplus", metric: "plus", ids: "doc_id" },
    ids: "The number in EvalPlus's `task_id`: `humaneval/0` is HumanEval/0, `mbpp/2` is Mbpp/2.",
    read: async (folder) =>
      named(await readSet(folder, "evalplus-code"), ({ item_id, scenario }) => {
        const [task, doc_id] = [scenario.slice(0, -1), Number(item_id.slice(item_id.lastIndexOf("/") + 1))];
        return { item_id: `${task}/${doc_id}`, task, doc_id };
      }),
  },
];

async function readSet(folder, set) {
  const { matrix } = await readResponses(join(folder, set, "responses.csv.gz"), {
    items: join(folder, set, "items.jsonl.gz"),
  });
  return named(groupItems(matrix), () => ({}));
}

/** A matrix whose items are described otherwise, and without their texts. */
function named(matrix, describe) {
  const items = matrix.items.map((item) => {
    const described = { ...item, ...describe(item) };
    delete described.text;
    return described;
  });
  return { ...matrix, items };
}

/** ZeroEval's items of GSM8K, and the models that answered any of them. */
async function readGsm8k(folder) {
  const { matrix } = await readResponses(join(folder, "zeroeval/responses.csv.gz"), {
    items: join(folder, "zeroeval/items.jsonl.gz"),
  });
  const items = [...matrix.items.keys()].filter((i) => matrix.items[i].scenario === "gsm");
  const models = [...matrix.subjects.keys()].filter((m) => items.some((i) => !Number.isNaN(scoreAt(matrix, m, i))));
  return named(groupItems(submatrix(matrix, models, items)), ({ item_id, text }) => {
    const place = Number(item_id.slice("gsm/".length));
    return { item_id: `gsm8k/${place}`, scenario: "gsm8k", task: "gsm8k", doc_id: place, hash: textHash(text) };
  });
}
