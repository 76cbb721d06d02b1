import { join } from "node:path";
import { loadBundle } from "anchoreval";
import {
  bundleFiles,
  customised,
  fit,
  groupItems,
  readResponses,
  recommended,
  resolveBackend,
  submatrix,
} from "anchoreval-trainer";
import { planCells } from "anchoreval-trainer/internal/features/backtest/fit/plan-cells";
import { withoutCopies } from "anchoreval-trainer/internal/matrix/alike/copies";

/** The recommended method, every item weighing the same. */
export const method = await customised(recommended, { weighting: "items" });
const { backend } = await resolveBackend("cpu");

/**
 * A set of a folder of leaderboards, FOLDER/SET/responses.csv.gz and items.jsonl.gz, as a fit has it: its items grouped, copies
 * of models counted as one. @param word - SET, or SET:x+y of some of its scenarios
 */
export async function readLeaderboard(folder, word) {
  const [set, only] = word.split(":");
  const { matrix } = await readResponses(join(folder, set, "responses.csv.gz"), {
    items: join(folder, set, "items.jsonl.gz"),
  });
  const board = withoutCopies(groupItems(matrix)).matrix;
  if (only === undefined) return board;
  const columns = [...board.items.keys()].filter((i) => only.split("+").includes(board.items[i].scenario));
  return submatrix(board, [...board.subjects.keys()], columns);
}

/**
 * A bundle of some responses by {@link method}, in memory, and what it was loaded from.
 * @param options - of the fit: sizes and seed, and others
 * @param finish - changes the content before its files are made
 */
export async function fittedBundle(responses, options, finish = (content) => content) {
  const facts = { benchmark: "board", version: "1.0.0", created: "2026-01-01T00:00:00Z" };
  const { content } = await fit(responses, { ...facts, backend, method, ...options });
  const files = bundleFiles({ content: finish(content) });
  const read = async (name, range) => {
    const bytes = files.get(name) ?? null;
    return bytes && range ? bytes.subarray(range.begin, range.end) : bytes;
  };
  const source = { name: "fitted", read };
  return { source, bundle: await loadBundle(source) };
}

/**
 * Splits of a board by chance, each with a bundle of its source models.
 * @param options - sizes of the forms, and seeds
 */
export async function* fittedSplits(matrix, { sizes, seeds }) {
  const items = [...matrix.items.keys()];
  for (const { split, seed } of planCells(matrix, { split: "interpolation", sizes, seeds, method })) {
    const learned = submatrix(matrix, split.sources, items);
    yield { split, seed, ...(await fittedBundle(learned, { sizes, seed })) };
  }
}

/**
 * A model's answers to a form and its full scores.
 * @returns given its scores on all items, NaN where it has none, and the scenarios that it is asked
 */
export function modelAnswers(matrix, bundle, form) {
  const scenarios = [...bundle.scenarios].map(([id, { forms }]) => {
    const asked = new Set(forms.get(form).itemIds);
    const own = [...matrix.items.keys()].filter((i) => matrix.items[i].scenario === id);
    return { id, own, anchors: own.filter((i) => asked.has(matrix.items[i].item_id)) };
  });
  return (scores, ids = scenarios.map(({ id }) => id)) => ({
    responses: Object.fromEntries(
      scenarios
        .filter(({ id }) => ids.includes(id))
        .flatMap(({ anchors }) => anchors)
        .filter((i) => !Number.isNaN(scores[i]))
        .map((i) => [matrix.items[i].item_id, scores[i]]),
    ),
    truths: new Map(scenarios.map(({ id, own }) => [id, mean(own.map((i) => scores[i]))])),
  });
}

/** Whether an interval holds a value, but for rounding. */
export function holds({ low, high }, value) {
  return low <= value + 1e-12 && value <= high + 1e-12;
}

export function mean(values) {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}

/** Hundredths of a score, with two decimals. */
export function points(fraction) {
  return (100 * fraction).toFixed(2);
}
