import { availableParallelism } from "node:os";
import * as runtime from "onnxruntime-node";
import type { CalibrationBackend, Responses } from "../../calibrate/types.ts";
import { BlockRunner, LANES, type LaneRunner, type RunnerOptions } from "./block-runner.ts";
import { blockLayout, cutBlock, type BlockLayout } from "./blocks.ts";
import type { BlockResponses } from "./objective-graph.ts";
import { onnxObjective } from "./onnx-objective.ts";
import { openThread } from "./thread-runner.ts";

export interface OnnxBackendOptions extends Omit<RunnerOptions, "link"> {
  /** Threads of the CPU provider. Results don't depend on it. @default one a core */
  readonly threads?: number;
}

// A provider that does not start is reported by its error, not on standard error besides.
runtime.env.logLevel = "fatal";

/** Cells of a block on the CPU: what an operator reads and writes stays in a core's cache. */
const CACHED_CELLS = 1 << 18;
/** Cells of a block on a device. */
const DEVICE_CELLS = 1 << 28;
/** Cells for which one more thread pays. */
const THREAD_CELLS = 1 << 20;

/** Calibration on ONNX Runtime: the value-and-gradient graph on any of its execution providers. */
export function onnxBackend({ provider, precision, threads }: OnnxBackendOptions): CalibrationBackend {
  return {
    name: `onnxruntime-${provider}`,
    precision,
    open: async (responses, dims) => {
      const options = { provider, precision, link: "signs" in responses ? null : responses.link };
      const onCpu = provider === "cpu";
      const cached = precision === "float32" ? CACHED_CELLS : CACHED_CELLS / 2;
      const layout = blockLayout(responses, onCpu ? cached : DEVICE_CELLS);
      const worthwhile = Math.ceil((responses.subjects * responses.items) / THREAD_CELLS);
      const count = onCpu ? Math.min(threads ?? availableParallelism(), worthwhile, layout.across, LANES) : 1;
      const shares = dealBlocks(responses, layout, count);
      const runners: LaneRunner[] = [];
      try {
        for (const blocks of shares.slice(1)) runners.push(await openThread({ layout, dims, options, blocks }));
        runners.push(await BlockRunner.create(runtime, layout, dims, options, shares[0]!));
      } catch (error) {
        for (const runner of runners) await runner.release();
        throw error;
      }
      return onnxObjective(runners, responses, layout, dims, count > 1);
    },
  };
}

/** The blocks of every thread, each with memory of its own. */
function dealBlocks(responses: Responses, layout: BlockLayout, threads: number): Map<number, BlockResponses>[] {
  const shares = Array.from({ length: threads }, () => new Map<number, BlockResponses>());
  for (let number = 0; number < layout.down * layout.across; number++) {
    const lane = (number % layout.across) % LANES;
    shares[lane % threads]!.set(number, cutBlock(responses, layout, number));
  }
  return shares;
}
