import { AnchorEvalError } from "anchoreval/internal/core/errors";
import { createRandom } from "anchoreval/internal/core/numeric/random";
import type { CalibrationWork } from "../../../offline-trainer/src/calibrate/calibration-work.ts";
import { learnings } from "../../../offline-trainer/src/fit/folds.ts";
import { planForms } from "../../../offline-trainer/src/fit/form-plans.ts";
import { learningWork } from "../../../offline-trainer/src/fit/learn.ts";
import { describeBenchmark, observedModels, pooledParts } from "../../../offline-trainer/src/matrix/benchmark.ts";
import { replicateNames, replicateWords } from "../../../offline-trainer/src/matrix/alike/replicates.ts";
import { type ResponseMatrix, unvariedScenarios } from "../../../offline-trainer/src/matrix/response-matrix.ts";
import { withKnowledge, type Method } from "../../../offline-trainer/src/methods/method.ts";
import {
  extrapolationSplit,
  folds,
  interpolationSplit,
  newestSplit,
  type Split,
  splitByGroups,
  type SplitInput,
  strength,
  TARGET_OBSERVED,
} from "../../../offline-trainer/src/matrix/splits.ts";
import { familyGroups, joinGroups } from "../../../offline-trainer/src/matrix/families.ts";
import { total } from "../../../offline-trainer/src/numeric/statistics.ts";
import type { CellInput } from "./cell.ts";

/** The ways to hold models out, by name. */
export const SPLITS = ["interpolation", "extrapolation", "family", "newest"] as const;

/** A way to hold models out. */
export type SplitName = (typeof SPLITS)[number];

/** The splits, sizes and seeds of a back-test. */
export interface BacktestPlanOptions {
  readonly split: SplitName;
  readonly sizes: readonly number[];
  readonly seeds: number;
  /** @default 0 */
  readonly firstSeed?: number;
  readonly method: Method;
  readonly scenarios?: readonly string[];
  /** Source models that are learned from at most, drawn at random from the split's. @default all */
  readonly sources?: number;
  /** Names of the targets, instead of the split's own choice; all others are sources. */
  readonly targets?: readonly string[];
  /** Family by model name. */
  readonly families?: ReadonlyMap<string, string>;
  /** Date by row, for `newest`. */
  readonly dates?: readonly string[];
  /** Extrapolation ranks the models over all scenarios, also where each is estimated by itself. */
  readonly rankedTogether?: boolean;
}

/** A cell and the seed that it belongs to; the folds of one seed share it. */
export interface PlannedCell extends CellInput {
  readonly seedIndex: number;
}

/**
 * All cells of a back-test: copies of models count as one, as in a fit. Splits of models are the same for all scenarios
 * that are pooled; extrapolation ranks the models by their {@link strength} over those scenarios, or over all.
 * @throws AnchorEvalError `invalid_data` where a split leaves too few models
 */
export function planCells(matrix: ResponseMatrix, options: BacktestPlanOptions): PlannedCell[] {
  const { split, sizes, seeds } = options;
  const { settings } = options.method;
  const benchmark = describeBenchmark(matrix, { ...settings, ...options });
  const { models: names, copies } = benchmark;
  const rows = new Map(matrix.subjects.map((name, row) => [name, row]));
  const asked: BacktestPlanOptions = {
    ...options,
    ...(options.targets && { targets: options.targets.map((name) => copies.get(name) ?? name) }),
    ...(options.dates && { dates: names.map((name) => options.dates![rows.get(name)!]!) }),
  };
  const method = withKnowledge(options.method, benchmark);
  planForms(benchmark.scenarios, method, { sizes });
  const unvaried = unvariedScenarios(matrix);
  if (benchmark.scenarios.every(({ id }) => unvaried.includes(id)))
    throw new AnchorEvalError(
      "invalid_data",
      `no variance in ${unvaried.join(", ")}: the ${matrix.subjects.length} models have the same score on every item, so that all count as copies of one and none can be held out`,
    );
  const cells: PlannedCell[] = [];
  const together = options.rankedTogether ? observedModels(benchmark) : null;
  for (const part of pooledParts(benchmark, settings.linked)) {
    const models = observedModels(part);
    const { full, eligible } = together ?? models;
    const scores = strength(full);
    const input: SplitInput = { groups: part.replicates, eligible };
    for (let seedIndex = 0; seedIndex < seeds; seedIndex++) {
      const seed = (options.firstSeed ?? 0) + seedIndex;
      const cut = (sources: readonly number[]): readonly number[] =>
        options.sources === undefined
          ? sources
          : createRandom(seed)
              .fork("sources")
              .shuffle([...sources])
              .slice(0, options.sources)
              .sort((x, y) => x - y);
      const candidates = splitsOf(asked, input, scores, names, seed).map((whole) => {
        const split = { ...whole, sources: cut(whole.sources) };
        const scenarios = models.scenarioSplits(split);
        return { ...(together ? joined(scenarios) : split), scenarios };
      });
      const tooFew = candidates
        .map(({ scenarios }) => ({
          sources: Math.min(...scenarios.map(({ sources }) => sources.length)),
          targets: Math.max(...scenarios.map(({ targets }) => targets.length)),
        }))
        .find(({ sources, targets }) => sources < 5 || targets === 0);
      const replicates = replicateNames(names, part.replicates);
      const alike = replicates.flat().length > names.length / 2 ? replicateWords(replicates) : "";
      if (tooFew || candidates.length === 0)
        throw new AnchorEvalError(
          "invalid_data",
          `${split} leaves ${tooFew ? `${tooFew.sources} source models and ${tooFew.targets} targets` : "no fold with source models and targets"} in ${part.scenarios.map(({ id }) => id).join(", ")}: at least 5 and 1 are needed (targets have at least ${100 * TARGET_OBSERVED} % of the weight observed${alike === "" ? "" : `; models whose answers agree beyond chance are on one side together: ${alike}`})`,
        );
      for (const candidate of candidates)
        cells.push({ benchmark: part, split: candidate, sizes, seed, seedIndex, method });
    }
  }
  return cells;
}

/** Parts that models are held out in, by whole families. Chosen, not measured: as many as a fit has folds. */
const FAMILY_FOLDS = 5;

/**
 * The calibrations of all cells, split by split and method by method.
 * @param plan - `wholeFits`: a cell is a fit with its folds, on a thread; else it is learned from once, all on one thread
 */
export function cellsWork(
  { subjects, items }: Pick<ResponseMatrix, "subjects" | "items">,
  splits: readonly SplitName[],
  methods: readonly Method[],
  plan: Pick<BacktestPlanOptions, "seeds" | "scenarios" | "sources"> & { readonly wholeFits: boolean },
): CalibrationWork {
  const { seeds, scenarios = [], sources, wholeFits } = plan;
  const cells = splits.map((split) => seeds * (split === "family" ? FAMILY_FOLDS : 1));
  const board = {
    subjects: subjects.slice(0, sources),
    items: items.filter(({ scenario }) => scenarios.length === 0 || scenarios.includes(scenario)),
  };
  const works = methods.map((method) =>
    learningWork(board, method, {
      times: total(cells) * (wholeFits ? learnings(method, board.subjects.length) : 1),
      cores: wholeFits ? Math.max(...cells) : 1,
    }),
  );
  return {
    ...works[0]!,
    dims: Math.max(...works.map(({ dims }) => dims)),
    calibrations: total(works.map(({ calibrations }) => calibrations)),
  };
}

/** The models that are in one part at least. */
function joined(splits: readonly Split[]): Split {
  const union = (pick: keyof Split): number[] =>
    [...new Set(splits.flatMap((split) => [...split[pick]]))].sort((x, y) => x - y);
  return { sources: union("sources"), targets: union("targets") };
}

function splitsOf(
  options: BacktestPlanOptions,
  input: SplitInput,
  scores: ArrayLike<number>,
  names: readonly string[],
  seed: number,
): Split[] {
  if (options.targets) {
    const wanted = new Set(options.targets);
    const unknown = options.targets.filter((name) => !names.includes(name));
    if (unknown.length > 0)
      throw new AnchorEvalError(
        "invalid_data",
        `the responses have no model ${unknown.slice(0, 5).join(", ")}, named as a target`,
      );
    const held = names.flatMap((name, m) => (wanted.has(name) ? [m] : []));
    const { sources } = splitByGroups(input, new Set(held.map((m) => input.groups[m]!)));
    return [{ sources, targets: held.filter((m) => input.eligible[m]) }];
  }
  const random = createRandom(seed).fork("split");
  switch (options.split) {
    case "interpolation":
      return [interpolationSplit(input, random)];
    case "extrapolation":
      return [extrapolationSplit({ ...input, scores, names })];
    case "newest":
      return [newestSplit(input, options.dates ?? null)];
    case "family": {
      const families = familyGroups(names, options.families);
      return folds({ ...input, groups: joinGroups(families, input.groups) }, FAMILY_FOLDS, random);
    }
  }
}
