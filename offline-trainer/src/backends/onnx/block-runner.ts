import type { InferenceSession, Tensor } from "onnxruntime-node";
import type { CodedResponses } from "../../matrix/code-responses.ts";
import { COLUMN_GROUP, objectiveGraph } from "./objective-graph.ts";
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
  /** Adds up value and gradient of its lanes; other lanes' sums are left alone. */
  evaluate(arrays: EvaluationArrays): Promise<void>;
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
  const open = (signs?: Int8Array): Promise<InferenceSession> =>
    openSession(runtime, provider, objectiveGraph({ rows, columns, dims, type: precision, ...(signs && { signs }) }));
  const shared = feedsBlocks(provider) && blocks.size > 0 ? await open() : null;
  const openBlock = async (number: number, signs: Int8Array) => ({
    down: Math.floor(number / layout.across),
    across: number % layout.across,
    /** Responses to feed; none where they are baked in. */
    feeds: shared ? { signs: new runtime.Tensor("int8", signs, [rows, columns]) } : {},
    session: shared ?? (await open(signs)),
  });
  type Block = Awaited<ReturnType<typeof openBlock>>;
  const lanes = new Map<number, Block[]>();
  for (const [number, signs] of [...blocks].sort(([x], [y]) => x - y)) {
    const block = await openBlock(number, signs);
    const lane = block.across % LANES;
    lanes.set(lane, [...(lanes.get(lane) ?? []), block]);
  }

  /** Adds up one block's gradient. @returns its value */
  async function evaluateBlock(
    { down, across, feeds, session }: Block,
    { point, items: itemSums }: EvaluationArrays,
    subjectSums: Float64Array,
  ): Promise<number> {
    const firstRow = down * rows;
    const lastRow = Math.min(subjects, firstRow + rows);
    const firstColumn = across * columns;
    const lastColumn = Math.min(items, firstColumn + columns);
    const a = point.subarray(subjects * dims, (subjects + items) * dims);
    const b = point.subarray((subjects + items) * dims);
    const numbers = precision === "float32" ? Float32Array : Float64Array;
    const x = new numbers(rows * width);
    for (let m = firstRow, at = 0; m < lastRow; m++) {
      for (let d = 0; d < dims; d++) x[at++] = -point[m * dims + d]!;
      x[at++] = 1;
    }
    const y = new numbers(columns * width);
    for (let i = firstColumn, at = 0; i < lastColumn; i++) {
      for (let d = 0; d < dims; d++) y[at++] = a[i * dims + d]!;
      y[at++] = b[i]!;
    }
    const tensor = (data: Float32Array | Float64Array, length: number): Tensor =>
      new runtime.Tensor(precision, data as never, [length, width]);
    const results = await runSession(session, provider, { ...feeds, X: tensor(x, rows), A: tensor(y, columns) });
    const numbersOf = (output: Tensor | undefined): Float32Array => output!.data as Float32Array;
    const { subjects: bySubjects, items: byItems, ...values } = results;
    const bySubject = numbersOf(bySubjects);
    for (let m = firstRow, at = 0; m < lastRow; m++, at++)
      for (let d = 0; d < dims; d++) subjectSums[m * dims + d]! -= bySubject[at++]!;
    const byItem = numbersOf(byItems);
    const add = (to: number, part: number): void => {
      itemSums[to] = (down === 0 ? 0 : itemSums[to]!) + part;
    };
    for (let i = firstColumn, at = 0; i < lastColumn; i++) {
      for (let d = 0; d < dims; d++) add(i * dims + d, byItem[at++]!);
      add(items * dims + i, byItem[at++]!);
    }
    let value = 0;
    for (const output of Object.values(values)) for (const part of numbersOf(output)) value += part;
    return value;
  }

  return {
    evaluate: async (arrays) => {
      const length = subjects * dims;
      for (const [lane, ofLane] of lanes) {
        const sums = arrays.subjects.subarray(lane * length, (lane + 1) * length).fill(0);
        let value = 0;
        for (const block of ofLane) value += await evaluateBlock(block, arrays, sums);
        arrays.values[lane] = value;
      }
    },
    release: async () => {
      for (const session of new Set([...lanes.values()].flat().map((block) => block.session))) await session.release();
    },
  };
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
 * Cuts a matrix into blocks of about `cells` cells, all models together if they fit. Blocks that fit into a core's
 * cache are what makes the CPU fast: on whole matrices every operator waits for the memory.
 */
export function blockLayout(
  { subjects, items }: Pick<CodedResponses, "subjects" | "items">,
  cells: number,
): BlockLayout {
  const tallest = Math.max(1, Math.floor(cells / COLUMN_GROUP));
  const rows = Math.ceil(subjects / Math.ceil(subjects / tallest));
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
