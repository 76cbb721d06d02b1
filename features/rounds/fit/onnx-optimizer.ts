import type { Tensor } from "onnxruntime-node";
import { countAnswers } from "../../../offline-trainer/src/calibrate/answer-counts.ts";
import type { DeviceOptimizer, Optimizer, Parameters } from "../../../offline-trainer/src/calibrate/types.ts";
import type { CodedResponses } from "../../../offline-trainer/src/matrix/code-responses.ts";
import { optimizerBytes, rowBlocks, type RoundOptions } from "./device-memory.ts";
import { pointLength } from "./evaluation-nodes.ts";
import { roundRunner } from "./round-runner.ts";
import type { OnnxRuntime } from "../../../offline-trainer/src/backends/onnx/session.ts";

/** Opens a matrix on a device. @throws AnchorEvalError `unavailable` where the provider doesn't start, or the matrix doesn't fit */
export async function onnxOptimizer(
  runtime: OnnxRuntime,
  responses: CodedResponses,
  dims: number,
  options: RoundOptions & { readonly provider: string },
): Promise<DeviceOptimizer> {
  const { precision } = options;
  const { subjects, items } = responses;
  const blocks = rowBlocks(responses, dims, options);
  const { count, rows } = blocks;
  const cells = count * rows * items;
  let { signs } = responses;
  if (signs.length < cells) (signs = new Int8Array(cells)).set(responses.signs);
  const runner = await roundRunner(runtime, { ...options, blocks, signs });
  const numbers = precision === "float32" ? Float32Array : Float64Array;
  const tensor = (data: ArrayLike<number>, shape: readonly number[] = [data.length]): Tensor =>
    new runtime.Tensor(precision, new numbers(data) as never, shape);
  const flags = (data: Uint8Array, shape: readonly number[]): Tensor => new runtime.Tensor("bool", data, shape);
  const answers = countAnswers(responses).subject.seen;

  const length = pointLength(blocks);
  const among = (kept: ArrayLike<number>): Optimizer => {
    const counts = new Uint8Array(subjects);
    let silent = cells;
    for (let k = 0; k < kept.length; k++) {
      counts[kept[k]!] = 1;
      silent -= answers[kept[k]!]!;
    }
    const place = { kept, dims, subjects };
    return {
      optimize: async (at, { scales, prior, scaling, isFixed, tolerance, maxEvaluations }) => {
        // Models that don't count rest at the prior's mean, where nothing moves them.
        const start = new Float64Array(length);
        for (let k = 0; k < subjects * dims; k++) start[k] = prior.mean[k % dims]!;
        const x = tensor(packed(at, start, place), [1, length]);
        const results = await runner.run(x, {
          scaling: tensor(packed(scaling, new Float64Array(length).fill(1), place), [1, length]),
          mean: tensor(prior.mean),
          precision: tensor(prior.precision, [dims, dims]),
          itemMean: tensor([...scales.aMean, scales.bMean]),
          itemVariance: tensor([...scales.aVariance, scales.bVariance]),
          isFree: flags(
            Uint8Array.from({ length: items }, (_, i) => (isFixed?.[i] ? 0 : 1)),
            [items, 1],
          ),
          counts: flags(counts, [subjects, 1]),
          silence: tensor([silent * Math.LN2]),
          tolerance: tensor([tolerance]),
          maxEvaluations: tensor([maxEvaluations]),
        });
        const { point, value, gradientNorm, spent, hasConverged } = results;
        const numbersOf = (output: Tensor | undefined): Float64Array => output!.data as Float64Array;
        unpack(numbersOf(point), at, place);
        return {
          value: numbersOf(value)[0]!,
          gradientNorm: numbersOf(gradientNorm)[0]!,
          evaluations: numbersOf(spent)[0]!,
          converged: numbersOf(hasConverged)[0] === 1,
        };
      },
      dispose: () => Promise.resolve(),
    };
  };
  const all = among(Array.from({ length: subjects }, (_, m) => m));
  return { ...all, among, bytes: optimizerBytes(blocks, options), dispose: () => runner.release() };
}

/** Which models parameters are of, and how the graph has them: θ of all models, then [a, b] item by item. */
interface Place {
  readonly kept: ArrayLike<number>;
  readonly dims: number;
  readonly subjects: number;
}

/** @param point - filled where there are parameters @returns it */
function packed({ theta, a, b }: Parameters, point: Float64Array, { kept, dims, subjects }: Place): Float64Array {
  for (let k = 0; k < kept.length; k++)
    for (let d = 0; d < dims; d++) point[kept[k]! * dims + d] = theta[k * dims + d]!;
  for (let i = 0, at = subjects * dims; i < b.length; i++) {
    for (let d = 0; d < dims; d++) point[at++] = a[i * dims + d]!;
    point[at++] = b[i]!;
  }
  return point;
}

/** The other way. */
function unpack(
  point: Float64Array | Float32Array,
  { theta, a, b }: Parameters,
  { kept, dims, subjects }: Place,
): void {
  for (let k = 0; k < kept.length; k++)
    for (let d = 0; d < dims; d++) theta[k * dims + d] = point[kept[k]! * dims + d]!;
  for (let i = 0, at = subjects * dims; i < b.length; i++) {
    for (let d = 0; d < dims; d++) a[i * dims + d] = point[at++]!;
    b[i] = point[at++]!;
  }
}
