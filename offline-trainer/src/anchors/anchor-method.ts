import type { AnchorSet, EstimatorId } from "anchoreval/internal/core/estimators/types";
import type { ItemBank } from "anchoreval/internal/core/irt/item-bank";
import type { RandomSource } from "anchoreval/internal/core/numeric/random";
import type { CalibratedScenario } from "../calibrate/bank.ts";
import type { Scenario } from "../matrix/benchmark.ts";
import type { ItemInfo, ResponseMatrix } from "../matrix/response-matrix.ts";

/** The input of a choice of anchors: one scenario of the source models, nothing else. */
export interface AnchorInput {
  readonly scenario: string;
  /** The scenario's items; on threads without their texts. */
  readonly items: readonly ItemInfo[];
  /** Item weights, summing to 1. */
  readonly weights: Float64Array;
  /** Mean score of every item among the source models, in [0,1]; NaN where none has answered it. */
  readonly accuracy: Float64Array;
  readonly bank: ItemBank;
  /** Names of the source models. */
  readonly models: readonly string[];
  /** Family of every source model. */
  readonly families: ArrayLike<number>;
  /** Abilities of the source models on the bank's scale, M×D row-major. */
  readonly abilities: Float64Array;
  /** The source models' scores on item i as a vector, missing ones filled with the item's mean; ½ where all are. */
  readonly column: (item: number) => Float64Array;
  /** Sizes asked for, ascending, each below the number of items. */
  readonly sizes: readonly number[];
  /** The preparation's own stream; every draw has another. */
  readonly random: RandomSource;
  /** The anchors are a bundle's, not a fold's. */
  readonly final: boolean;
  /** Of the method's {@link AnchorMethod.know}. */
  readonly knowledge?: unknown;
  /** The design that a search chose, where the fit has one. */
  readonly design?: unknown;
  /** Ties drawn samples to earlier ones. */
  readonly coordination?: SampleCoordination;
}

/** Changes the probabilities of nested draws, so that samples keep items that earlier samples had. */
export interface SampleCoordination {
  /** Sizes that are drawn beside those asked for. */
  readonly sizes: readonly number[];
  /** @returns a function of one draw's levels, largest first: probabilities of the pool's items, with the same sum */
  readonly begin: () => (pool: readonly number[], probabilities: Float64Array, size: number) => Float64Array;
}

/** Chosen anchors of one scenario. */
export interface ChosenAnchors {
  /** By size. */
  readonly sets: ReadonlyMap<number, AnchorSet>;
  /** Whether the smaller are part of the larger. */
  readonly nested: boolean;
}

/** One scenario's anchors, ready to be drawn again and again: all is done that doesn't depend on the draw. */
export interface PreparedAnchors {
  readonly draw: (random: RandomSource) => ChosenAnchors | Promise<ChosenAnchors>;
  /**
   * Of a choice on purpose: a second set for every size, chosen in the same way from the items that the first of that size
   * left, for the same full score. Needs twice as many items as the size.
   */
  readonly second?: () => ReadonlyMap<number, AnchorSet>;
  /** Notes on the choice for the manifest: `fit[key][scenario]`. */
  readonly notes?: () => Promise<Readonly<Record<string, unknown>>>;
}

/** Where a thread loads a value from: a module's URL and the name of its export. */
export interface ValueSource {
  readonly module: string;
  readonly name: string;
}

/** A way to choose the anchors of a scenario. */
export interface AnchorMethod {
  /** The name that the manifest records and the setting `selection` takes. */
  readonly name: string;
  readonly source: ValueSource;
  /** Anchors have known inclusion probabilities. */
  readonly drawn: boolean;
  /** The estimator that reads these anchors best: `score` where none is asked for. */
  readonly estimator: EstimatorId;
  /** The score map that is fitted with these anchors where none is asked for. @default by the estimator */
  readonly scoreMap?: "mean" | "additive";
  /** It can choose a second form of other items ({@link PreparedAnchors.second}). */
  readonly second?: boolean;
  /** Knowledge of the items apart from answers, texts among it: plain data, made once for all folds. */
  readonly know?: (items: readonly ItemInfo[], scenario: string) => unknown;
  /** Shares of the scenarios, relative and above 0, of the anchors of a form of a total. @default all the same */
  readonly shares?: (
    scenarios: readonly { readonly id: string }[],
    knowledge: ReadonlyMap<string, unknown> | undefined,
  ) => ArrayLike<number>;
  readonly prepare: (input: AnchorInput) => PreparedAnchors;
}

/** The input of the choice of a scenario's anchors. @param scenario - with the source models' answers */
export function anchorInput(
  { id, matrix, families, weights }: Scenario,
  { rows, bank, accuracy, calibration }: CalibratedScenario,
  {
    knowledge,
    random,
    ...options
  }: Pick<AnchorInput, "sizes" | "random" | "final" | "design"> & {
    readonly knowledge?: ReadonlyMap<string, unknown> | undefined;
  },
): AnchorInput {
  return {
    ...options,
    scenario: id,
    items: matrix.items,
    weights,
    accuracy,
    bank,
    models: rows.map((row) => matrix.subjects[row]!),
    families: Int32Array.from(rows, (row) => families[row]!),
    abilities: calibration.theta,
    column: filledColumns(matrix, rows, accuracy),
    random: random.fork("design of the forms").fork(id),
    knowledge: knowledge?.get(id),
  };
}

/** Columns that are read together: a matrix is read along its rows. Chosen, not measured. */
const COLUMN_TILE = 64;

/** The models' scores by item, missing ones filled with the item's mean; ½ where all are. */
function filledColumns(matrix: ResponseMatrix, rows: ArrayLike<number>, accuracy: Float64Array): AnchorInput["column"] {
  const { scores, observed, items, stride } = matrix;
  const models = rows.length;
  let first = -COLUMN_TILE;
  let tile = new Float64Array();
  const read = (begin: number): void => {
    const width = Math.min(COLUMN_TILE, items.length - begin);
    const means = accuracy.subarray(begin, begin + width).map((mean) => (Number.isNaN(mean) ? 0.5 : mean));
    first = begin;
    tile = new Float64Array(width * models);
    for (let k = 0; k < models; k++) {
      const from = rows[k]! * stride + begin;
      for (let j = 0; j < width; j++)
        tile[j * models + k] = observed !== null && observed[from + j] === 0 ? means[j]! : scores[from + j]!;
    }
  };
  return (item) => {
    if (item < first || item >= first + COLUMN_TILE) read(item - (item % COLUMN_TILE));
    return tile.subarray((item - first) * models, (item - first + 1) * models);
  };
}

/**
 * Prepares the choice of a scenario's anchors for every size. A size of at least all items takes the scenario whole.
 * @param input - sizes of any kind, in any order
 */
export function prepareAnchors(method: AnchorMethod, input: AnchorInput): PreparedAnchors {
  const count = input.weights.length;
  const sizes = [...new Set(input.sizes.filter((size) => size < count))].sort((x, y) => x - y);
  const prepared = sizes.length > 0 ? method.prepare({ ...input, sizes }) : null;
  const items = Uint32Array.from(byAccuracy(input.accuracy));
  const whole = {
    items,
    inclusion: new Float64Array(count).fill(1),
    mass: Float64Array.from(items, (i) => input.weights[i]!),
  };
  return {
    ...prepared,
    draw: async (random) => {
      const chosen = await prepared?.draw(random);
      const sets = new Map(chosen?.sets);
      for (const size of input.sizes) if (size >= count) sets.set(size, whole);
      return { sets, nested: chosen?.nested ?? true };
    },
  };
}

/** Items ordered from hard to easy for the source models; ties by position. Unanswered items stand in the middle. */
export function byAccuracy(accuracy: Float64Array): number[] {
  const at = (i: number): number => (Number.isNaN(accuracy[i]!) ? 0.5 : accuracy[i]!);
  return Array.from({ length: accuracy.length }, (_, i) => i).sort((x, y) => at(x) - at(y) || x - y);
}

/** Sorts items in the order of {@link byAccuracy}. @param accuracy - of all items */
export function hardFirst(accuracy: Float64Array): (items: Iterable<number>) => number[] {
  const rank = new Map(byAccuracy(accuracy).map((item, position) => [item, position]));
  return (items) => [...items].sort((x, y) => rank.get(x)! - rank.get(y)!);
}
