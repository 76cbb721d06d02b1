import { AnchorEvalError } from "anchoreval/internal/core/errors";
import { groupBy } from "anchoreval/internal/logs/run-log";

/** Models below which nothing is calibrated, nor said of how scores go together (docs/decisions/calibration.md). */
export const LEAST_MODELS = 5;

/** One item as the input files describe it. Field names are those of items.jsonl. */
export interface ItemInfo {
  readonly item_id: string;
  readonly scenario: string;
  readonly subscenario?: string;
  readonly text?: string;
  /** Content hash, 64 hex digits. */
  readonly hash?: string;
  /** The harness's task, and the document's id in it. */
  readonly task?: string;
  readonly doc_id?: number | string;
}

/**
 * Scores of models (rows, "subjects") on items (columns), in [0,1] or missing. Missing is never zero.
 *
 * Dense and row-major: score of subject m on item i is `scores[m·stride + i]` where `observed` is null or
 * `observed[m·stride + i]` is 1; elsewhere there is none, and the stored number means nothing.
 */
export interface ResponseMatrix {
  readonly subjects: readonly string[];
  readonly items: readonly ItemInfo[];
  /** From one subject's cells to the next one's: N, or more in some columns of a larger matrix, whose cells these are. */
  readonly stride: number;
  /** Bytes where every score is 0 or 1, else float32. */
  readonly scores: Uint8Array | Float32Array;
  /** 1 = observed; null = everything is. */
  readonly observed: Uint8Array | null;
  /**
   * By scenario, the subjects' scores on more items than the matrix has, in [0,1], NaN where unknown.
   * @default none: a scenario's score is the mean over its items
   */
  readonly fullScores?: ReadonlyMap<string, Float64Array>;
}

/** Score of a subject on an item; NaN where it is missing. */
export function scoreAt(matrix: ResponseMatrix, subject: number, item: number): number {
  const at = subject * matrix.stride + item;
  return matrix.observed !== null && matrix.observed[at] === 0 ? NaN : matrix.scores[at]!;
}

/** Visits the observed scores of some models: with the place of the model in `rows`, and of the item. */
export function eachScore(
  { items, stride, scores, observed }: ResponseMatrix,
  rows: ArrayLike<number>,
  visit: (score: number, k: number, i: number) => void,
): void {
  const count = items.length;
  for (let k = 0; k < rows.length; k++) {
    const from = rows[k]! * stride;
    for (let i = 0; i < count; i++) if (observed === null || observed[from + i] !== 0) visit(scores[from + i]!, k, i);
  }
}

/** Scenarios in which all models that answered an item have the same score on it, whichever item that is: nothing varies. */
export function unvariedScenarios({ subjects, items, stride, scores, observed }: ResponseMatrix): string[] {
  const varied = new Set<string>();
  items.forEach(({ scenario }, i) => {
    let first: number | undefined;
    for (let m = 0; m < subjects.length && !varied.has(scenario); m++) {
      const at = m * stride + i;
      if (observed?.[at] === 0) continue;
      first ??= scores[at]!;
      if (scores[at] !== first) varied.add(scenario);
    }
  });
  return [...new Set(items.map(({ scenario }) => scenario))].filter((scenario) => !varied.has(scenario));
}

/** Whether every score is 0 or 1. */
export function isBinary(matrix: ResponseMatrix): matrix is ResponseMatrix & { scores: Uint8Array } {
  return matrix.scores instanceof Uint8Array;
}

/**
 * Builds a matrix from scores with NaN for missing, in the tightest storage.
 * @param scores - M·N, row-major, in [0,1] or NaN
 */
export function responseMatrix(
  subjects: readonly string[],
  items: readonly ItemInfo[],
  scores: Float32Array | Float64Array,
): ResponseMatrix {
  if (scores.length !== subjects.length * items.length)
    throw new AnchorEvalError(
      "invalid_data",
      `${subjects.length} models × ${items.length} items need ${subjects.length * items.length} scores, got ${scores.length}`,
    );
  let binary = true;
  let missing = false;
  for (const score of scores) {
    if (Number.isNaN(score)) missing = true;
    else if (score !== 0 && score !== 1) binary = false;
  }
  // Plain loops: TypedArray.from with a map is many times slower on millions of cells.
  const { scores: stored, observed } = emptyCells(scores.length, { binary, missing });
  for (let at = 0; at < scores.length; at++) {
    const score = scores[at]!;
    if (Number.isNaN(score)) continue;
    stored[at] = score;
    if (observed) observed[at] = 1;
  }
  return { subjects, items, stride: items.length, scores: stored, observed };
}

/** The matrix of some of its subjects and items, in the order given. */
export function submatrix(
  matrix: ResponseMatrix,
  subjects: ArrayLike<number>,
  items: ArrayLike<number>,
): ResponseMatrix {
  const count = subjects.length * items.length;
  const scores = matrix.scores instanceof Uint8Array ? new Uint8Array(count) : new Float32Array(count);
  const observed = matrix.observed && new Uint8Array(count);
  let at = 0;
  for (let m = 0; m < subjects.length; m++) {
    const row = subjects[m]! * matrix.stride;
    for (let i = 0; i < items.length; i++, at++) {
      scores[at] = matrix.scores[row + items[i]!]!;
      if (observed) observed[at] = matrix.observed[row + items[i]!]!;
    }
  }
  return {
    subjects: Array.from(subjects, (m) => matrix.subjects[m]!),
    items: Array.from(items, (i) => matrix.items[i]!),
    stride: items.length,
    scores,
    observed: observed?.includes(0) ? observed : null,
    ...(matrix.fullScores && {
      fullScores: new Map(
        Array.from(matrix.fullScores, ([id, byModel]) => [id, Float64Array.from(subjects, (m) => byModel[m]!)]),
      ),
    }),
  };
}

/**
 * The order of items that puts each scenario's together and, within it, each subscenario's, as a bundle stores them:
 * both in the order of their first item, items otherwise as they stood. Items of a scenario without a subscenario are
 * a group of their own.
 */
export function groupedOrder(items: readonly Pick<ItemInfo, "scenario" | "subscenario">[]): Uint32Array {
  const scenarios = groupBy(items.keys(), (i) => items[i]!.scenario);
  const subscenarios = [...scenarios.values()].flatMap((places) => [
    ...groupBy(places, (i) => items[i]!.subscenario).values(),
  ]);
  return Uint32Array.from(subscenarios.flat());
}

/** The matrix with its items in `groupedOrder`; the matrix itself where they are already. */
export function groupItems(matrix: ResponseMatrix): ResponseMatrix {
  const order = groupedOrder(matrix.items);
  if (order.every((item, index) => item === index)) return matrix;
  return submatrix(matrix, [...matrix.subjects.keys()], order);
}

/** Cells without a score, in memory that threads share instead of copying it; pages have no such memory. */
export function emptyCells(
  count: number,
  { binary, missing }: { readonly binary: boolean; readonly missing: boolean },
): Pick<ResponseMatrix, "scores" | "observed"> {
  const isShared = typeof SharedArrayBuffer !== "undefined";
  const memory = (bytes: number): ArrayBufferLike => (isShared ? new SharedArrayBuffer(bytes) : new ArrayBuffer(bytes));
  return {
    scores: binary ? new Uint8Array(memory(count)) : new Float32Array(memory(4 * count)),
    observed: missing ? new Uint8Array(memory(count)) : null,
  };
}

/** The matrix with its cells in memory that threads share instead of copying it, and without the items' texts. */
export function sharedMatrix(matrix: ResponseMatrix): ResponseMatrix {
  const items = matrix.items.map(withoutText);
  if (matrix.scores.buffer instanceof SharedArrayBuffer) return { ...matrix, items };
  const { subjects, stride, scores, observed } = matrix;
  const count = items.length;
  const cells = emptyCells(subjects.length * count, { binary: isBinary(matrix), missing: observed !== null });
  for (let m = 0; m < subjects.length; m++) {
    cells.scores.set(scores.subarray(m * stride, m * stride + count), m * count);
    cells.observed?.set(observed!.subarray(m * stride, m * stride + count), m * count);
  }
  return { ...matrix, items, stride: count, ...cells };
}

function withoutText(item: ItemInfo): ItemInfo {
  const { text, ...rest } = item;
  return text === undefined ? item : rest;
}
