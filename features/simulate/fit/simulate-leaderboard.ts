import { createRandom } from "anchoreval/internal/core/numeric/random";
import type { ItemInfo, ResponseMatrix } from "../../../offline-trainer/src/matrix/response-matrix.ts";
import { scenarioSlices } from "../../../offline-trainer/src/matrix/scenarios.ts";
import { deleteAnswers, drawAnswers, familyEffects, modelProbabilities, redrawAnswers, type World } from "./answers.ts";
import { drawItemParameters, writeTexts } from "./items.ts";
import { drawAbilities, drawFamilies } from "./models.ts";
import { planScenarios, type ScenarioPlan } from "./scenarios.ts";
import { simulateSettings, type SimulateOptions } from "./settings.ts";
import { reorderAbilities, setFullScores, type SimulatedTruth } from "./truth.ts";

/** A simulated leaderboard, and the truth it was drawn from. */
export interface SimulatedLeaderboard {
  readonly matrix: ResponseMatrix;
  readonly truth: SimulatedTruth;
}

/**
 * Draws a leaderboard that looks like a real one: families of related models that get stronger over time, abilities
 * that are correlated across scenarios, floors and ceilings, redundant, mislabelled and inexplicable items, missing
 * answers. It is not the model that is fitted: see `answers.ts` for the response functions. Every stage draws
 * from a stream of its own name, so that a setting changes only what it describes.
 * @param settings - see SIMULATE_OPTIONS
 * @param progress - called with the number of models done
 * @throws AnchorEvalError `invalid_option`
 * @example const { matrix, truth } = simulateLeaderboard({ models: 100, items: 2000, scenarios: 3, seed: 7 });
 */
export function simulateLeaderboard(
  settings: Partial<SimulateOptions> = {},
  progress?: (models: number) => void,
): SimulatedLeaderboard {
  const options = simulateSettings(settings);
  const random = createRandom(`simulate/${options.seed}`);
  const scenarios = planScenarios(options, random.fork("scenarios"));
  const models = drawFamilies(options, random.fork("families"));
  const world: World = {
    options,
    models,
    scenarios,
    abilities: drawAbilities(models, scenarios, options, random.fork("abilities")),
    items: drawItemParameters(scenarios, options, random.fork("items")),
    effects: familyEffects(options.items, options.familyItemSd, random.fork("family-effects")),
  };
  const texts = options.text ? writeTexts(world.items, scenarios, options.dims - 1, random.fork("texts")) : null;
  const items = itemInfos(scenarios, texts);
  const slices = { items: scenarioSlices(items, "items"), subscenarios: scenarioSlices(items, "subscenarios") };

  // Models are drawn oldest first; `rows` has the model of each row, and turned around the row of each model.
  const rows = [...models.keys()];
  if (options.order === "newest-first") rows.reverse();

  const columns = options.items;
  const size = models.length * columns;
  const scores = scenarios.some(({ passRates }) => passRates) ? new Float32Array(size) : new Uint8Array(size);
  const observed = new Uint8Array(size).fill(1);
  const fullScores = (): Float64Array => new Float64Array(models.length * scenarios.length);
  const expected = { items: fullScores(), subscenarios: fullScores() };
  const realised = { items: fullScores(), subscenarios: fullScores() };
  const probabilities = new Float64Array(columns);
  const fresh = scores.slice(0, columns);
  const local = random.fork("local");
  models.forEach(({ replicateOf }, model) => {
    const row = rows[model]!;
    const answers = scores.subarray(row * columns, (row + 1) * columns);
    modelProbabilities(world, replicateOf ?? model, local, probabilities);
    drawAnswers(probabilities, scenarios, options, random.fork("answers").fork(String(model)), fresh);
    if (replicateOf === null) answers.set(fresh);
    else {
      // An original is older than its reruns, so that its row is there.
      const begin = rows[replicateOf]! * columns;
      const original = scores.subarray(begin, begin + columns);
      redrawAnswers(original, fresh, options.replicateRedraw, random.fork("redrawn").fork(String(model)), answers);
    }
    for (const weighting of ["items", "subscenarios"] as const) {
      setFullScores(expected[weighting], row, slices[weighting], probabilities);
      setFullScores(realised[weighting], row, slices[weighting], answers);
    }
    const mask = observed.subarray(row * columns, (row + 1) * columns);
    const times = { model: options.years > 0 ? models[model]!.time / options.years : 1, items: world.items.time };
    deleteAnswers(scenarios, options, random.fork("missing").fork(String(model)), times, mask);
    progress?.(model + 1);
  });
  // Only now: reruns are drawn from the whole rows of their originals.
  for (let at = 0; at < size; at++) if (observed[at] === 0) scores[at] = 0;
  return {
    matrix: {
      subjects: rows.map((model) => models[model]!.name),
      items,
      stride: columns,
      scores,
      observed: observed.includes(0) ? observed : null,
    },
    truth: {
      options,
      scenarios,
      models: rows.map((model) => {
        const { name, family, date, replicateOf } = models[model]!;
        return { name, family, date, replicateOf: replicateOf === null ? null : rows[replicateOf]! };
      }),
      abilities: reorderAbilities(world.abilities, rows),
      items: world.items,
      expected,
      realised,
    },
  };
}

function itemInfos(scenarios: readonly ScenarioPlan[], texts: readonly string[] | null): ItemInfo[] {
  return scenarios.flatMap(({ id, begin, subscenarios }) => {
    const parts = subscenarios.flatMap(({ id: part, items }) => new Array<string | null>(items).fill(part));
    return parts.map((part, k) => ({
      item_id: `${id}/${k}`,
      scenario: id,
      ...(part !== null && { subscenario: part }),
      ...(texts && { text: texts[begin + k]! }),
    }));
  });
}

/**
 * The leaderboard of `npm run demo`: 120 models × 2 000 items in 3 scenarios, of which one has subscenarios and one is
 * multiple choice; every answer is there, so that each model's true score is known.
 */
export function demoLeaderboard(seed: number): SimulatedLeaderboard {
  return simulateLeaderboard({
    seed,
    models: 120,
    items: 2000,
    scenarios: 3,
    dims: 3,
    scenarioSpread: 0.3,
    subscenarioShare: 1 / 3,
    choiceShare: 1 / 3,
    saturatedShare: 0,
    hardShare: 0,
    flatShare: 0,
    missingCells: 0,
    missingBlocks: 0,
    prefixRuns: 0,
  });
}
