import { existsSync } from "node:fs";
import { join } from "node:path";
import { createRandom } from "anchoreval/internal/core/numeric/random";
import { readResponses } from "../../offline-trainer/dist/matrix/read-responses.js";
import { fullScores } from "../../offline-trainer/dist/matrix/scenarios.js";
import { replicateGroups } from "../../offline-trainer/dist/matrix/replicates.js";
import { simulateSettings } from "../../offline-trainer/dist/simulate/settings.js";
import { simulateLeaderboard } from "../../offline-trainer/dist/simulate/simulate-leaderboard.js";
import { eligibleTargets, interpolationSplit } from "../../offline-trainer/dist/matrix/splits.js";

/** What `anchoreval simulate` draws with the same options: six scenarios, 1 % of the answers missing. */
const SIMULATED = { models: 400, items: 1500, scenarios: 6, dims: 5, seed: 1 };

/**
 * The data set of a name: `simulated`, `simulated-N` with N items, or a folder of the folder with real leaderboards.
 * @returns the matrix and its splits; or why it is skipped
 */
export async function dataSet(name, folder) {
  const [simulated, items = SIMULATED.items] = /^simulated(?:-(\d+))?$/.exec(name) ?? [];
  if (simulated)
    return prepared(name, simulateLeaderboard(simulateSettings({ ...SIMULATED, items: Number(items) })).matrix);
  if (folder === undefined) return { name, skipped: "no folder with real leaderboards was given" };
  const [responses, described] = ["responses.csv.gz", "items.jsonl.gz"].map((file) => join(folder, name, file));
  if (!existsSync(responses)) return { name, skipped: `${name}/responses.csv.gz is not in the folder` };
  return prepared(name, (await readResponses(responses, { items: described })).matrix);
}

function prepared(name, matrix) {
  const weights = new Float64Array(matrix.items.length).fill(1 / matrix.items.length);
  const { score, observed } = fullScores(matrix, { begin: 0, count: matrix.items.length, weights });
  const input = { groups: replicateGroups(matrix), eligible: eligibleTargets([{ observed }]) };
  return {
    name,
    matrix,
    /** Score of every model on all items, each counting the same. */
    scores: score,
    split: (seed) => interpolationSplit(input, createRandom(seed).fork("split")),
  };
}
