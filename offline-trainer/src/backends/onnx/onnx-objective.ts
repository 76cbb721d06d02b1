import type { CodedResponses, Objective, Parameters, Responses } from "../../calibrate/types.ts";
import { LANES, type EvaluationArrays, type LaneRunner } from "./block-runner.ts";
import { paddedSize, type BlockLayout } from "./blocks.ts";

/**
 * The objective of a calibration from the sums of its lanes.
 * @param runners - between them, all lanes
 * @param shared - arrays that several threads may read and write
 */
export function onnxObjective(
  runners: readonly LaneRunner[],
  responses: Responses,
  layout: BlockLayout,
  dims: number,
  shared: boolean,
): Objective {
  const { subjects, items } = responses;
  const array = (length: number): Float64Array =>
    new Float64Array(shared ? new SharedArrayBuffer(8 * length) : new ArrayBuffer(8 * length));
  const lanes = Math.min(LANES, layout.across);
  const arrays: EvaluationArrays = {
    point: array((subjects + items) * dims + items),
    items: array(items * dims + items),
    subjects: array(lanes * subjects * dims),
    values: array(lanes),
  };
  const silence = "signs" in responses ? silentCells(responses, layout) * Math.LN2 : 0;
  const evaluate = async ({ theta, a, b }: Parameters, gradient: Parameters): Promise<number> => {
    arrays.point.set(theta);
    arrays.point.set(a, subjects * dims);
    arrays.point.set(b, (subjects + items) * dims);
    await Promise.all(runners.map((runner) => runner.evaluate(arrays)));
    gradient.a.set(arrays.items.subarray(0, items * dims));
    gradient.b.set(arrays.items.subarray(items * dims));
    const { theta: sums } = gradient;
    sums.set(arrays.subjects.subarray(0, subjects * dims));
    let value = arrays.values[0]! - silence;
    for (let lane = 1; lane < lanes; lane++) {
      const own = arrays.subjects.subarray(lane * subjects * dims, (lane + 1) * subjects * dims);
      for (let k = 0; k < own.length; k++) sums[k] = sums[k]! + own[k]!;
      value += arrays.values[lane]!;
    }
    return value;
  };
  return {
    evaluate,
    dispose: async () => {
      for (const runner of runners) await runner.release();
    },
  };
}

/** Cells without an answer, padding among them: the graph counts log 2 for each. */
function silentCells({ signs }: CodedResponses, layout: BlockLayout): number {
  const padded = paddedSize(layout);
  let silent = padded.subjects * padded.items;
  for (const sign of signs) if (sign !== 0) silent--;
  return silent;
}
