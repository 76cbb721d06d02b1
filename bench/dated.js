// Few, dated models: what errs by how much where they are held out by chance, by date, by scaffold or maker, and as they came out.
// usage: node bench/dated.js FOLDER [--sets swebench-verified-bash,livecodebench-v6,…] [--seeds 5]
// FOLDER holds a folder a set, each with responses.csv.gz and items.jsonl.gz.
//
// "By chance", "newest five" and "scaffold" or "maker" are back-tests of `anchoreval backtest`. "Best so far": each model that
// scores higher than all that came out on days before its own is held out, and they alone are learned from; from the
// sixteenth model on, as a fit needs some. Errors and half-widths are in points, random items' beside them.
import { runBacktest, scoreAt, submatrix } from "anchoreval-trainer";
import { BUNDLES } from "../bundles/sources.js";
import { mean, method, readLeaderboard } from "./fitted-bundle.js";
import { readOptions } from "./options.js";

/** Days on which the models of swebench-verified-bash came out, as their makers announced them. */
const SWE_BENCH_VERIFIED = {
  "Qwen2.5-Coder 32B Instruct": "2024-11-12",
  "Claude 3.7 Sonnet (20250219)": "2025-02-24",
  "Llama 4 Maverick Instruct": "2025-04-05",
  "o3 (2025-04-16)": "2025-04-16",
  "o4-mini (2025-04-16)": "2025-04-16",
  "Gemini 2.5 Pro (2025-05-06)": "2025-05-06",
  "Claude 4 Sonnet (20250514)": "2025-05-22",
  "Claude 4 Opus (20250514)": "2025-05-22",
  "Kimi K2 Instruct": "2025-07-11",
  "Qwen3-Coder 480B/A35B Instruct": "2025-07-22",
  "GLM-4.5 (2025-08-22)": "2025-07-28",
  "gpt-oss-120b": "2025-08-05",
  "GPT-5 (2025-08-07) (medium reasoning)": "2025-08-07",
  "GPT-5 mini (2025-08-07) (medium reasoning)": "2025-08-07",
  "GPT-5 nano (2025-08-07) (medium reasoning)": "2025-08-07",
  "Claude 4.5 Sonnet (20250929)": "2025-09-29",
  "GLM-4.6 (T=1)": "2025-09-30",
  "Minimax M2": "2025-10-27",
  "Kimi K2 Thinking": "2025-11-06",
  "GPT-5.1 (2025-11-13) (medium reasoning)": "2025-11-12",
  "GPT-5.1-codex (medium reasoning)": "2025-11-12",
  "Gemini 3 Pro Preview (2025-11-18)": "2025-11-18",
  "Claude 4.5 Opus medium (20251101)": "2025-11-24",
  "DeepSeek V3.2 Reasoner": "2025-12-01",
  "Devstral (2512)": "2025-12-09",
  "Devstral small (2512)": "2025-12-09",
  "GPT-5.2 (2025-12-11)": "2025-12-11",
  "GPT-5.2 (2025-12-11) (high reasoning)": "2025-12-11",
};

/** Names of agents by the leaderboards of Terminal-Bench and SWE-bench: a day, a scaffold, mostly a model. */
const DATED_NAME = /^(\d{4})(\d\d)(\d\d)_([a-z]+)/i;
/** Names of another form. */
const OTHER_NAMES = { "ob1-09-10-25": { released: "2025-09-10", scaffold: "ob1" } };
/** Scaffolds that were renamed. */
const RENAMED = { navie: "appmap", opendevin: "openhands" };

const BOARDS = {
  "swebench-verified-bash": { sizes: [20, 50, 100], released: SWE_BENCH_VERIFIED },
  "livecodebench-v6": {
    sizes: [20, 50, 100],
    released: BUNDLES.find(({ name }) => name === "livecodebench-v6").released,
  },
  "terminal-bench-1": { sizes: [20, 40] },
  "swebench-lite": { sizes: [20, 50, 100] },
};
const NEWEST = 5;
/** Models that must have come out before one that is estimated from them. */
const LEAST_EARLIER = 15;

const {
  values: { sets, seeds },
  positionals: [folder],
} = readOptions(import.meta.url, { sets: Object.keys(BOARDS).join(","), seeds: "5" }, 1);

for (const set of sets.split(",")) {
  if (!Object.hasOwn(BOARDS, set)) throw new Error(`--sets: ${Object.keys(BOARDS).join(", ")}, not ${set}`);
  const { sizes, released } = BOARDS[set];
  const matrix = await readLeaderboard(folder, set);
  const facts = matrix.subjects.map((name) => (released ? { released: released[name] } : factsOf(name)));
  const dates = facts.map((own) => own.released);
  const order = [...dates.keys()].sort((x, y) => dates[x].localeCompare(dates[y]) || x - y);
  const shared = { sizes, seeds: Number(seeds), method, provider: "cpu" };
  console.log(`${set}: ${matrix.subjects.length} models × ${matrix.items.length} items, n = ${sizes.join(" / ")}`);

  print("by chance", sizes, await served(matrix, { ...shared, split: "interpolation" }));
  const newest = order.slice(-NEWEST).map((m) => matrix.subjects[m]);
  print("newest five", sizes, await served(matrix, { ...shared, split: "newest", targets: newest }));
  const families = released ? undefined : new Map(matrix.subjects.map((name, m) => [name, facts[m].scaffold]));
  const groups = await served(matrix, { ...shared, split: "family", ...(families && { families }) });
  print(families ? "scaffold" : "maker", sizes, groups);

  const rows = [];
  for (const { model, earlier } of bestSoFar(matrix, order, dates)) {
    const then = submatrix(matrix, [...earlier, model], [...matrix.items.keys()]);
    rows.push(...(await served(then, { ...shared, split: "newest", targets: [matrix.subjects[model]] })));
  }
  print("best so far", sizes, rows);
}

/** Day and scaffold of an agent, by its name. */
function factsOf(name) {
  if (Object.hasOwn(OTHER_NAMES, name)) return OTHER_NAMES[name];
  const [, year, month, day, word] = DATED_NAME.exec(name);
  const scaffold = word.toLowerCase();
  return { released: `${year}-${month}-${day}`, scaffold: RENAMED[scaffold] ?? scaffold };
}

/** Models that are better than all before them, and those. */
function bestSoFar(matrix, order, dates) {
  const scores = matrix.subjects.map((_, m) => mean(matrix.items.map((_, i) => scoreAt(matrix, m, i))));
  return order.flatMap((model) => {
    const earlier = order.filter((m) => dates[m] < dates[model]);
    const isBest = earlier.every((m) => scores[m] < scores[model]);
    return earlier.length >= LEAST_EARLIER && isBest ? [{ model, earlier }] : [];
  });
}

/** Rows of what a bundle serves. */
async function served(matrix, options) {
  const { rows } = await runBacktest(matrix, options);
  return rows.filter(({ recommended }) => recommended);
}

/** Means over rows of each size. */
function print(label, sizes, rows) {
  const bySize = sizes.map((n) => rows.filter((row) => row.n === n));
  if (rows.length === 0) return console.log(`  ${label.padEnd(12)} no such model`);
  const models = bySize[0].reduce((sum, { targets }) => sum + targets, 0);
  const cells = (figure, digits) => bySize.map((own) => mean(own.map((row) => row[figure])).toFixed(digits)).join("/");
  const ratio = bySize
    .map((own) => (mean(own.map(({ mae }) => mae)) / mean(own.map(({ randomMae }) => randomMae))).toFixed(2))
    .join("/");
  console.log(
    `  ${label.padEnd(12)}${String(models).padStart(3)} models  error ${cells("mae", 1)}  random ${cells("randomMae", 1)}  ratio ${ratio}  coverage ${cells("coverage95", 3)}  ± ${cells("halfWidth95", 1)}  bias ${cells("bias", 1)}`,
  );
}
