import { join } from "node:path";
import { groupItems, readResponses, scoreAt, submatrix } from "anchoreval-trainer";
import { textHash } from "anchoreval/internal/core/bundle/digest";

/*
 * The benchmarks that the project ships bundles of: what they are fitted from, and what nobody could tell from the figures.
 * `read` gives the response matrix. `protocol` has `ids`, how a harness finds an item: `doc_id`, by its anchor's task and
 * doc_id; any other word, the field of the document that has it. `released` has the days on which the models came out, as their
 * makers announced them, where somebody has looked them up. A benchmark that no harness can be told to ask isn't here.
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
    released: {
      "Llama-2-7b-hf": "2023-07-18",
      "Llama-2-13b-hf": "2023-07-18",
      "Llama-2-70b-hf": "2023-07-18",
      "Mistral-7B-v0.1": "2023-09-27",
      "Mistral-7B-Instruct-v0.1": "2023-09-27",
      "Yi-6B": "2023-11-02",
      "Yi-34B": "2023-11-02",
      "Yi-6b-Chat": "2023-11-23",
      "Mistral-7B-Instruct-v0.2": "2023-12-11",
      "Mixtral-8x7B-v0.1": "2023-12-11",
      "Mixtral-8x7B-Instruct-v0.1": "2023-12-11",
      "Qwen1.5-7B-Chat": "2024-02-04",
      "Qwen1.5-72B-Chat": "2024-02-04",
      "gemma-7b": "2024-02-21",
      "c4ai-command-r-v01": "2024-03-11",
      "Mistral-7B-v0.2-hf": "2024-03-23",
      "Meta-Llama-3-8B": "2024-04-18",
      "Meta-Llama-3-70B": "2024-04-18",
      "Phi-3-mini-4k-instruct": "2024-04-23",
      "Qwen1.5-110B": "2024-04-25",
      "DeepSeek-Coder-V2": "2024-06-17",
      "mathstral-7B": "2024-07-16",
      "Meta-Llama-3_1-8B": "2024-07-23",
      "Meta-Llama-3_1-8B-Instruct": "2024-07-23",
      "Meta-Llama-3_1-70B": "2024-07-23",
      "Meta-Llama-3_1-70B-Instruct": "2024-07-23",
      "jamba-1.5-large": "2024-08-22",
      "gemini-1.5-flash-002": "2024-09-24",
      "gemini-1.5-pro-002": "2024-09-24",
    },
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
    released: {
      "Claude-3-Haiku": "2024-03-13",
      "GPT-4-Turbo-2024-04-09": "2024-04-09",
      "GPT-4O-mini-2024-07-18": "2024-07-18",
      "GPT-4O-2024-08-06": "2024-08-06",
      "Claude-3.5-Sonnet-20241022": "2024-10-22",
      "Gemini-Flash-2.0-Exp": "2024-12-11",
      "Gemini-Flash-2.0-Thinking-12-19": "2024-12-19",
      "DeepSeek-V3": "2024-12-26",
      "Gemini-Flash-2.0-Thinking-01-21": "2025-01-21",
      "O3-Mini-2025-01-31 (High)": "2025-01-31",
      "O3-Mini-2025-01-31 (Low)": "2025-01-31",
      "O3-Mini-2025-01-31 (Med)": "2025-01-31",
      "Claude-3.7-Sonnet": "2025-02-24",
      "QwQ-32B_temp": "2025-03-05",
      "Gemini-2.5-Pro-03-25": "2025-03-25",
      "O3 (High)": "2025-04-16",
      "O4-Mini (High)": "2025-04-16",
      "O4-Mini (Low)": "2025-04-16",
      "O4-Mini (Medium)": "2025-04-16",
      "Gemini-2.5-Flash-04-17": "2025-04-17",
      "Grok-3-Mini (High)": "2025-04-18",
      "Qwen3-235B-A22B": "2025-04-28",
      "Gemini-2.5-Pro-05-06": "2025-05-06",
      "Gemini-2.5-Flash-05-20": "2025-05-20",
      "Claude-Opus-4": "2025-05-22",
      "Claude-Opus-4 (Thinking)": "2025-05-22",
      "Claude-Sonnet-4": "2025-05-22",
      "Claude-Sonnet-4 (Thinking)": "2025-05-22",
      "DeepSeek-R1-0528": "2025-05-28",
      "Gemini-2.5-Pro-06-05": "2025-06-05",
      "EXAONE-4.0-32B": "2025-07-15",
      "OpenReasoning-Nemotron-32B": "2025-07-18",
      "XBai-o4-medium": "2025-08-01",
    },
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
