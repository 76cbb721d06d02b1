// How often the negative control of `audit --permute` finds boards out whose answers were shuffled, and accuses real ones.
// usage: node bench/permuted.js FOLDER [--sets a,b] [--boards 10] [--shuffles 1] [--dims 2]
// FOLDER holds a folder a set, each with responses.csv.gz and items.jsonl.gz.
import { parseArgs } from "node:util";
import { createRandom } from "anchoreval/internal/core/numeric/random";
import { resolveBackend } from "../offline-trainer/dist/backends/resolve-backend.js";
import {
  negativeControls,
  shuffledAnswers,
  SHUFFLES,
} from "../offline-trainer/dist/extensions/audit/negative-control.js";
import { calibratedModels, scenarioGroups } from "../offline-trainer/dist/matrix/benchmark.js";
import { DEFAULT_SETTINGS } from "../offline-trainer/dist/methods/settings.js";
import { readLeaderboard } from "./read-leaderboard.js";

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    sets: {
      type: "string",
      default: "helm-lite,helm-legalbench,openllm2-official,glue-anchorpoints,zeroeval,swebench-lite,cruxeval",
    },
    boards: { type: "string", default: "10" },
    shuffles: { type: "string", default: "1" },
    dims: { type: "string", default: "2" },
  },
});
const [folder] = positionals;
if (folder === undefined) {
  console.error("usage: node bench/permuted.js FOLDER [--sets a,b] [--boards 10] [--shuffles 1] [--dims 2]");
  process.exit(2);
}
const { backend } = await resolveBackend("cpu");
const settings = { configuration: DEFAULT_SETTINGS, dims: Number(values.dims), heldOut: 0.1, backend };
const control = (matrix, seed) => negativeControls(matrix, { ...settings, seed, shuffles: Number(values.shuffles) });

const totals = { real: [0, 0], items: [0, 0], models: [0, 0] };
const count = (key, found, of) => (totals[key] = [totals[key][0] + found, totals[key][1] + of]);
for (const set of values.sets.split(",")) {
  const matrix = await readLeaderboard(folder, set);
  const real = await control(matrix, 1);
  const accused = real.filter(({ asGoodAsNoise }) => asGoodAsNoise.length > 0);
  count("real", accused.length, real.length);
  const line = [`${set}: ${accused.length} of ${real.length} scenarios accused`];
  const groups = scenarioGroups(matrix, DEFAULT_SETTINGS);
  for (const kind of SHUFFLES) {
    let found = 0;
    let of = 0;
    for (let board = 0; board < Number(values.boards); board++) {
      // One scenario a board: each is a board of its own.
      const group = groups[board % groups.length];
      const random = createRandom(`${set} ${board}`);
      const permuted = shuffledAnswers(group, calibratedModels(group), kind, random);
      const [{ asGoodAsNoise }] = await control(permuted, board);
      if (asGoodAsNoise.includes(kind)) found++;
      of++;
    }
    count(kind, found, of);
    line.push(`shuffled within ${kind}: ${found} of ${of} found out`);
  }
  console.log(line.join("; "));
}
console.log(
  `all: ${totals.real.join(" of ")} scenarios accused; ${SHUFFLES.map((kind) => `shuffled within ${kind}: ${totals[kind].join(" of ")} found out`).join("; ")}`,
);
