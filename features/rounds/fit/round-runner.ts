import { AnchorEvalError } from "anchoreval/internal/core/errors";
import type { Tensor } from "onnxruntime-node";
import { feedsBlocks } from "../../../offline-trainer/src/backends/onnx/block-runner.ts";
import type { RoundOptions } from "./device-memory.ts";
import type { RowBlocks } from "./evaluation-nodes.ts";
import { END_STATES, lbfgsEndGraph, lbfgsGraph, lbfgsStepGraph } from "./lbfgs-graph.ts";
import { searchStates } from "./search-nodes.ts";
import { type OnnxRuntime, openSession, runSession } from "../../../offline-trainer/src/backends/onnx/session.ts";

export interface RunnerOptions extends Pick<RoundOptions, "precision" | "rounds"> {
  readonly provider: string;
  readonly blocks: RowBlocks;
  /** K×R×N, padded with zeros. */
  readonly signs: Int8Array;
}

/** Tensors by name. */
type Tensors = Readonly<Record<string, Tensor>>;

/** Runs rounds on a device. */
export interface RoundRunner {
  /**
   * @param start - 1×P
   * @param inputs - the others of `lbfgsGraph`
   * @returns its outputs
   */
  run(start: Tensor, inputs: Tensors): Promise<Tensors>;
  release(): Promise<void>;
}

/** Constants of a model have 2 GiB together at most. */
const MOST_BAKED = 2 ** 31 - 2 ** 24;

/** Puts a matrix on a device. @throws AnchorEvalError `unavailable` where the provider doesn't start */
export function roundRunner(runtime: OnnxRuntime, options: RunnerOptions): Promise<RoundRunner> {
  return options.rounds === "loop" ? loopRunner(runtime, options) : stepRunner(runtime, options);
}

/** A round a run. Responses are a part of the model, but where they needn't cross, or are more than a model holds. */
async function loopRunner(runtime: OnnxRuntime, options: RunnerOptions): Promise<RoundRunner> {
  const { provider, precision, blocks, signs } = options;
  const isBaked = !feedsBlocks(provider) && signs.length <= MOST_BAKED;
  const model = lbfgsGraph({ ...blocks, type: precision, ...(isBaked && { signs }) });
  const session = await openSession(runtime, provider, model);
  const shape = [blocks.count, blocks.rows, blocks.items];
  const fed = isBaked ? {} : { signs: new runtime.Tensor("int8", signs, shape) };
  return {
    run: (start, inputs) => runSession(session, provider, { ...fed, start, ...inputs }),
    release: () => session.release(),
  };
}

/** An evaluation a run. */
async function stepRunner(runtime: OnnxRuntime, options: RunnerOptions): Promise<RoundRunner> {
  const { provider, precision, blocks, signs } = options;
  if (signs.length > MOST_BAKED)
    throw new AnchorEvalError(
      "unavailable",
      `${blocks.subjects} models × ${blocks.items} items are more than a model of ONNX holds, 2 GB: calibrate on another provider`,
    );
  const states = searchStates(blocks);
  const nextOf = (name: string): string => `next ${name}`;
  const onDevice = (names: readonly string[]): Record<string, "gpu-buffer"> =>
    feedsBlocks(provider) ? {} : Object.fromEntries(names.map((name) => [name, "gpu-buffer"] as const));
  const model = lbfgsStepGraph({ ...blocks, type: precision, signs });
  const step = await openSession(runtime, provider, model, onDevice(states.map(({ name }) => nextOf(name))));
  const end = await openSession(runtime, provider, lbfgsEndGraph({ ...blocks, type: precision }), {});
  const numbers = precision === "float32" ? Float32Array : Float64Array;
  const begin = ({ shape, start }: (typeof states)[number]): Tensor => {
    const length = shape.reduce((product, side) => product * side, 1);
    return new runtime.Tensor(precision, new numbers(length).fill(start) as never, shape);
  };
  return {
    run: async (start, inputs) => {
      let state = new Map(states.map((each) => [each.name, each.name === "x" ? start : begin(each)]));
      try {
        for (let goesOn = true; goesOn;) {
          const next = new Map(
            Object.entries(await runSession(step, provider, { ...inputs, ...Object.fromEntries(state) })),
          );
          for (const tensor of state.values()) tensor.dispose();
          state = new Map(states.map(({ name }) => [name, next.get(nextOf(name))!]));
          goesOn = (next.get("goesOn")!.data as Float32Array)[0] === 1;
        }
        const last = END_STATES.map((name) => [name, state.get(name)!] as const);
        return await runSession(end, provider, { ...Object.fromEntries(last), silence: inputs["silence"]! });
      } finally {
        for (const tensor of state.values()) tensor.dispose();
      }
    },
    release: async () => {
      await step.release();
      await end.release();
    },
  };
}
