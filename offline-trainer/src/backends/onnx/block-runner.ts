import type { InferenceSession, Tensor } from "onnxruntime-node";
import type { CodedResponses } from "../../matrix/code-responses.ts";
import { COLUMN_GROUP, objectiveGraph, type ObjectiveGraphOptions } from "./objective-graph.ts";
import { type OnnxRuntime, openSession, runSession } from "./session.ts";

/** A runner's share of the work. */
export interface LaneTask {
  readonly layout: BlockLayout;
  readonly dims: number;
  /** Execution provider: `cpu`, `cuda`, `webgpu`, `wasm`, … */
  readonly provider: string;
  readonly precision: "float32" | "float64";
  /** Responses of its blocks (`cutBlock`), by number (row of blocks by row of blocks). */
  readonly blocks: ReadonlyMap<number, Int8Array>;
}

/** Providers that compute where the responses lie: one session is fed all blocks. On a device each block is baked in. */
export function feedsBlocks(provider: string): boolean {
  return provider === "cpu" || provider === "wasm";
}

/**
 * Columns of blocks are dealt to this many lanes, and what a lane adds up is added up in order: sums don't depend on how
 * many threads share the lanes.
 */
export const LANES = 16;

/** Something that evaluates some lanes: here, or on another thread. */
export interface LaneRunner {
  /** Adds up value and gradient of its lanes; other lanes' sums are left alone. @param slopes - the gradient is enough */
  evaluate(arrays: EvaluationArrays, slopes: boolean): Promise<void>;
  release(): Promise<void>;
}

/** Where an evaluation begins and where its sums go; threads may share it. */
export interface EvaluationArrays {
  /** θ, a, b: M·D + N·D + N numbers. */
  readonly point: Float64Array;
  /** Gradient in a and b: N·D + N numbers. */
  readonly items: Float64Array;
  /** Gradient in θ, lane by lane: M·D numbers each. */
  readonly subjects: Float64Array;
  /** Value, lane by lane. */
  readonly values: Float64Array;
}

/** Opens the blocks of some lanes. @throws AnchorEvalError `unavailable` where the provider doesn't start */
export async function blockRunner(runtime: OnnxRuntime, task: LaneTask): Promise<LaneRunner> {
  const { layout, dims, provider, precision, blocks } = task;
  const { subjects, items, rows, columns } = layout;
  const width = dims + 1;
  const open = (options: Pick<ObjectiveGraphOptions, "signs" | "slopes">): Promise<InferenceSession> =>
    openSession(runtime, provider, objectiveGraph({ rows, columns, dims, type: precision, ...options }));
  const isShared = feedsBlocks(provider) && blocks.size > 0;
  const shared = isShared ? await open({}) : null;
  const gradients = isShared ? await open({ slopes: true }) : null;
  const openBlock = async (number: number, signs: Int8Array) => ({
    down: Math.floor(number / layout.across),
    across: number % layout.across,
    /** Responses to feed; none where they are baked in. */
    feeds: shared ? { signs: new runtime.Tensor("int8", signs, [rows, columns]) } : {},
    session: shared ?? (await open({ signs })),
  });
  type Block = Awaited<ReturnType<typeof openBlock>>;
  const lanes = new Map<number, Block[]>();
  for (const [number, signs] of [...blocks].sort(([x], [y]) => x - y)) {
    const block = await openBlock(number, signs);
    const lane = block.across % LANES;
    lanes.set(lane, [...(lanes.get(lane) ?? []), block]);
  }

  const numbers = precision === "float32" ? Float32Array : Float64Array;
  const tensor = (...shape: number[]): Tensor =>
    new runtime.Tensor(precision, new numbers(shape.reduce((size, side) => size * side, 1)) as never, shape);
  const inputs = { X: tensor(rows, width), A: tensor(columns, width) };
  const [x, y] = [numbersOf(inputs.X), numbersOf(inputs.A)];
  // Each block writes over the one before, where the runtime can (the web's can't): new outputs would be garbage at once.
  const sums = provider === "cpu" ? { subjects: tensor(rows, width), items: tensor(columns, width) } : undefined;
  const all = sums && { ...sums, excess: tensor(columns), logs: tensor(columns / COLUMN_GROUP) };
  /** Row of blocks whose models x holds, of this evaluation. */
  let held = -1;
  /** Adds up one block's gradient. @returns its value; NaN where slopes are enough */
  async function evaluateBlock(
    { down, across, feeds, session }: Block,
    { point, items: itemSums }: EvaluationArrays,
    subjectSums: Float64Array,
    slopes: boolean,
  ): Promise<number> {
    const firstRow = down * rows;
    const lastRow = Math.min(subjects, firstRow + rows);
    const firstColumn = across * columns;
    const lastColumn = Math.min(items, firstColumn + columns);
    const a = point.subarray(subjects * dims, (subjects + items) * dims);
    const b = point.subarray((subjects + items) * dims);
    if (down !== held) layOut(x, dims, lastRow - firstRow, { wide: point, from: firstRow });
    held = down;
    layOut(y, dims, lastColumn - firstColumn, { wide: a, from: firstColumn, last: b });
    const lean = slopes ? gradients : null;
    const results = await runSession(lean ?? session, provider, { ...feeds, ...inputs }, lean ? sums : all);
    const { subjects: bySubjects, items: byItems, ...values } = results;
    addUp(numbersOf(bySubjects), dims, lastRow - firstRow, { wide: subjectSums, from: firstRow });
    const itemRows = { wide: itemSums, from: firstColumn, last: itemSums.subarray(items * dims) };
    if (down === 0) clear(itemRows, dims, lastColumn - firstColumn);
    addUp(numbersOf(byItems), dims, lastColumn - firstColumn, itemRows);
    let value = lean ? NaN : 0;
    for (const output of Object.values(values)) for (const part of numbersOf(output)) value += part;
    return value;
  }

  return {
    evaluate: async (arrays, slopes) => {
      const length = subjects * dims;
      held = -1;
      for (const [lane, ofLane] of lanes) {
        const sums = arrays.subjects.subarray(lane * length, (lane + 1) * length).fill(0);
        let value = 0;
        for (const block of ofLane) value += await evaluateBlock(block, arrays, sums, slopes);
        arrays.values[lane] = value;
      }
    },
    release: async () => {
      const sessions = new Set([...lanes.values()].flat().map((block) => block.session));
      for (const session of gradients ? [gradients, ...sessions] : sessions) await session.release();
    },
  };
}

function numbersOf(tensor: Tensor | undefined): Float32Array | Float64Array {
  return tensor!.data as Float32Array | Float64Array;
}

// Loops in functions of their own: engines compile those of asynchronous ones badly.

/** Rows of parameters or of sums: D numbers each in one array, and one in another. */
interface Rows {
  readonly wide: Float64Array;
  /** None: the rows are −θ and 1, and sums of the 1 are left out. */
  readonly last?: Float64Array;
  /** The first row. */
  readonly from: number;
}

/** Rows as the graph reads them, D + 1 numbers each; padding is 0. */
function layOut(out: Float32Array | Float64Array, dims: number, count: number, { wide, last, from }: Rows): void {
  let at = 0;
  for (let row = from; row < from + count; row++) {
    for (let d = 0; d < dims; d++) out[at++] = last ? wide[row * dims + d]! : -wide[row * dims + d]!;
    out[at++] = last ? last[row]! : 1;
  }
  out.fill(0, at);
}

function addUp(numbers: Float32Array | Float64Array, dims: number, count: number, { wide, last, from }: Rows): void {
  for (let k = 0, at = 0; k < count; k++, at++) {
    const row = from + k;
    for (let d = 0; d < dims; d++) wide[row * dims + d]! += last ? numbers[at++]! : -numbers[at++]!;
    if (last) last[row]! += numbers[at]!;
  }
}

function clear({ wide, last, from }: Rows, dims: number, count: number): void {
  wide.fill(0, from * dims, (from + count) * dims);
  last?.fill(0, from, from + count);
}

/** How a response matrix is cut: blocks of equal size, row of blocks by row of blocks, the last ones padded. */
export interface BlockLayout {
  /** Models and items of the matrix. */
  readonly subjects: number;
  readonly items: number;
  /** Models and items of one block. */
  readonly rows: number;
  readonly columns: number;
  /** Blocks beneath and beside each other. */
  readonly down: number;
  readonly across: number;
}

/**
 * Cuts a matrix into blocks of about `cells` cells, models together as many as fit. Blocks that fit into a core's
 * cache are what makes the CPU fast: on whole matrices every operator waits for the memory.
 * @param tallest - models of a block at most. @default as many as fit
 */
export function blockLayout(
  { subjects, items }: Pick<CodedResponses, "subjects" | "items">,
  cells: number,
  tallest = Infinity,
): BlockLayout {
  const most = Math.max(1, Math.min(tallest, Math.floor(cells / COLUMN_GROUP)));
  const rows = Math.ceil(subjects / Math.ceil(subjects / most));
  const down = Math.ceil(subjects / rows);
  const widest = Math.max(COLUMN_GROUP, COLUMN_GROUP * Math.floor(cells / rows / COLUMN_GROUP));
  const across = Math.ceil(items / widest);
  const columns = COLUMN_GROUP * Math.ceil(items / across / COLUMN_GROUP);
  return { subjects, items, rows, columns, down, across };
}

/**
 * One block of responses: as they are coded, and 0 as padding.
 * @param number - row of blocks by row of blocks
 */
export function cutBlock({ signs }: CodedResponses, layout: BlockLayout, number: number): Int8Array {
  const { subjects, items, rows, columns, across } = layout;
  const block = new Int8Array(rows * columns);
  const firstRow = Math.floor(number / across) * rows;
  const firstColumn = (number % across) * columns;
  const lastColumn = Math.min(items, firstColumn + columns);
  for (let r = 0; r < Math.min(subjects - firstRow, rows); r++) {
    const row = (firstRow + r) * items;
    block.set(signs.subarray(row + firstColumn, row + lastColumn), r * columns);
  }
  return block;
}
