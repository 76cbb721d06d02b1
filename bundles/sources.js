import { join } from "node:path";
import { groupItems, readItems, readResponses, responseMatrix, scoreAt, submatrix } from "anchoreval-trainer";
import { textHash } from "anchoreval/internal/core/bundle/digest";
import { numpyChoice } from "./numpy-choice.js";

/*
 * The benchmarks that the project ships bundles of: what they are fitted from, and what nobody could tell from the figures.
 * `read` gives the response matrix. `protocol` has `ids`, how a harness finds an item: `doc_id`, by its anchor's task and
 * doc_id; `source`, not at all, since the ids are the source's own; any other word, the field of the document that has it.
 */

const REPACKED = {
  source: "socialfoundations/benchmark-prediction at 2e98c82 (2025-06-08)",
  licence: "MIT",
  created: "2025-06-08T00:00:00Z",
};
const ZEROEVAL = {
  source: "WildEval/ZeroEval at 8c1485e (2025-04-14)",
  licence: "Apache-2.0",
  created: "2025-04-14T00:00:00Z",
  measured:
    "the ZeroEval leaderboard: answers in JSON, graded again from its models' outputs by its own rules (the same number, of CRUXEval the same text)",
  newest: "2024-12",
};
const GSM_VERIFIED =
  "Questions were compared with test.jsonl of openai/grade-school-math: in five stretches from the 213th to the 1119th all 146 begin with the same words, of which 17 were compared whole, by hash, and some of the first 28 and the last 30 by eye; which of 1000 of them are hard agrees with HELM's run of the same items (r = .81, at least .78 in each hundred; place by place .00).";
const GSM_IDS = `lm-evaluation-harness: the \`doc_id\` of task \`gsm8k\`, the question's place in the test split. Inspect: found in the logs of a task \`gsm8k\` by the question's text, whose hash every item has. HELM: \`id\` and 7473 more than the place, as it numbers the training split first. ${GSM_VERIFIED}`;

export const BUNDLES = [
  {
    name: "gsm8k",
    version: "1.0.0",
    description: "GSM8K: 1319 word problems of primary school, the test split",
    ...ZEROEVAL,
    protocol: { harness: "ZeroEval", shots: 0, metric: "exact_match", ids: "doc_id" },
    ids: GSM_IDS,
    read: async (folder) => scenariosOf(await readZeroEval(folder), ["gsm8k"]),
  },
  {
    name: "zeroeval",
    version: "1.0.0",
    description: "ZeroEval's GSM8K, MATH level 5 and CRUXEval (output)",
    ...ZEROEVAL,
    protocol: {
      harness: "ZeroEval",
      shots: 0,
      metric: "exact_match",
      "ids/gsm8k": "doc_id",
      "ids/math-l5": "source",
      "ids/crux": "source",
    },
    ids: `gsm8k: as in the bundle gsm8k. math-l5: ZeroEval's own order; no harness has these 721 items as a task. crux: the number of CRUXEval's sample (verified: which items are hard agrees with CRUXEval's own leaderboard, r = .82, at least .76 in each hundred); no harness has it as a task either.`,
    read: readZeroEval,
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
    ids: "An id is the field `question_id` of a document in the tasks `mmlu_pro_…` of lm-evaluation-harness, as in the data set; it isn't the place of the document. The files of the source have the field themselves. Ids in Inspect and HELM are not verified.",
    read: async (folder) => {
      const matrix = await readSet(folder, "mmlu-pro");
      return named(matrix, ({ item_id, subscenario }) => ({
        item_id: item_id.slice("mmlu_pro/".length),
        task: `mmlu_pro_${subscenario.replaceAll(" ", "_")}`,
      }));
    },
  },
  {
    name: "helm-lite",
    version: "1.0.0",
    description: "HELM Lite: GSM8K, MATH level 1, MedQA, MMLU (5 subjects) and OpenBookQA",
    ...REPACKED,
    measured: "Stanford CRFM, the HELM Lite leaderboard",
    newest: "2024-12",
    protocol: {
      harness: "helm",
      suite: "lite",
      "metric/gsm": "final_number_exact_match",
      "ids/gsm": "doc_id",
      "ids/math": "source",
      "ids/med_qa": "source",
      "ids/mmlu": "source",
      "ids/openbookqa": "source",
    },
    ids: `gsm: HELM's instance id, of the 1000 test questions that it samples by numpy's seed 0, and the hash of the question's text. ${GSM_VERIFIED} The others: places in the source's order, which nothing in the data ties to instances.`,
    read: async (folder) => {
      const texts = await readItems(join(folder, "zeroeval/items.jsonl.gz"));
      const sampled = numpyChoice(0, 1319, 1000);
      return named(await readSet(folder, "helm-lite"), ({ item_id, scenario }) => {
        if (scenario !== "gsm") return {};
        const place = sampled[placeOf(item_id)];
        const { text } = texts.find((item) => item.item_id === `gsm/${place}`);
        const instance = `id${7473 + place}`;
        return { item_id: `gsm/${instance}`, task: "gsm", doc_id: instance, hash: textHash(text) };
      });
    },
  },
  {
    name: "legalbench",
    version: "1.0.0",
    description: "LegalBench as in HELM Lite: 2047 items of 5 tasks",
    ...REPACKED,
    measured: "Stanford CRFM, the HELM Lite leaderboard",
    newest: "2024-12 at most",
    anonymous: true,
    protocol: { harness: "helm", suite: "lite", ids: "source" },
    ids: "Places in the source's order, task by task; nothing in the data ties them to instances of HELM.",
    read: (folder) => readSet(folder, "helm-legalbench"),
  },
  {
    name: "open-llm-leaderboard-2",
    version: "1.0.0",
    description: "Open LLM Leaderboard 2: IFEval, MATH level 5 (5 of 7 subjects), MuSR, and ARC-Challenge",
    ...REPACKED,
    measured: "Hugging Face, the Open LLM Leaderboard 2, models of official providers",
    newest: "2025-03",
    seeds: 1,
    protocol: {
      harness: "lm-eval",
      "metric/leaderboard_musr_murder_mysteries": "acc_norm",
      "metric/leaderboard_musr_object_placements": "acc_norm",
      ids: "source",
    },
    ids: "musr: the source's order is that of eight devices, one after another, each with every eighth document. Undone, the items are documents of `leaderboard_musr_murder_mysteries` and `leaderboard_musr_object_placements`: of the 125 pairs of mysteries on one story, 122 then lie side by side, their answers correlated by −.46 on the mean (with seven devices −.04). Nothing tells in team_allocation. There, in ifeval, math_hard and arc_challenge ids are places in the source's order, which needn't be that of `doc_id`. math_hard lacks algebra and counting. arc_challenge has answers of the models that were run on it.",
    read: readOpenLlm,
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

function placeOf(itemId) {
  return Number(itemId.slice(itemId.lastIndexOf("/") + 1));
}

async function readZeroEval(folder) {
  const { matrix } = await readResponses(join(folder, "zeroeval/responses.csv.gz"), {
    items: join(folder, "zeroeval/items.jsonl.gz"),
  });
  return named(groupItems(matrix), ({ item_id, scenario, text }) => {
    if (scenario !== "gsm") return {};
    const place = placeOf(item_id);
    return { item_id: `gsm8k/${place}`, scenario: "gsm8k", task: "gsm8k", doc_id: place, hash: textHash(text) };
  });
}

/** Some scenarios, and the models that answered any of their items. */
function scenariosOf(matrix, ids) {
  const items = [...matrix.items.keys()].filter((i) => ids.includes(matrix.items[i].scenario));
  const models = [...matrix.subjects.keys()].filter((m) => items.some((i) => !Number.isNaN(scoreAt(matrix, m, i))));
  return submatrix(matrix, models, items);
}

/** The leaderboard's three scenarios with MuSR's order undone, and ARC-Challenge for those of its models that have it. */
async function readOpenLlm(folder) {
  const sizes = { murder_mysteries: 250, object_placements: 256 };
  const official = named(await readSet(folder, "openllm2-official"), ({ item_id, scenario, subscenario }) => {
    const size = scenario === "musr" ? sizes[subscenario] : undefined;
    if (size === undefined) return { item_id: ownId(item_id) };
    const [task, doc_id] = [`leaderboard_musr_${subscenario}`, documentOf(placeOf(item_id), size)];
    return { item_id: `${task}/${doc_id}`, task, doc_id };
  });
  const arc = named(await readSet(folder, "openllm2-arc"), ({ item_id }) => ({ item_id: ownId(item_id) }));
  const rows = new Map(arc.subjects.map((name, row) => [name, row]));
  const items = [...official.items, ...arc.items];
  const scores = new Float64Array(official.subjects.length * items.length);
  official.subjects.forEach((name, m) => {
    const row = rows.get(name);
    items.forEach((_, i) => {
      const own = i - official.items.length;
      scores[m * items.length + i] =
        own < 0 ? scoreAt(official, m, i) : row === undefined ? NaN : scoreAt(arc, row, own);
    });
  });
  return responseMatrix(official.subjects, items, scores);
}

/** A place in the source's order, told apart from `task/doc_id`, which a log's documents are found by. */
function ownId(itemId) {
  const at = itemId.lastIndexOf("/");
  return `${itemId.slice(0, at)}#${itemId.slice(at + 1)}`;
}

/** The document at a place in the logs of several devices, one device after another, each with every so manieth document. */
export function documentOf(place, size, devices = 8) {
  let begin = 0;
  for (let device = 0; ; device++) {
    const count = Math.ceil((size - device) / devices);
    if (place < begin + count) return device + devices * (place - begin);
    begin += count;
  }
}
