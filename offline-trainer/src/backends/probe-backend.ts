import { AnchorEvalError } from "anchoreval/internal/core/errors";
import type { CalibrationBackend, DeviceOptimizer, Objective, Parameters } from "../calibrate/types.ts";

/** Options of a probe. */
export interface ProbeOptions {
  /**
   * Leaves what was opened open, for good: kernels that WebGPU has compiled live as long as one session does, and every
   * calibration after another would wait for them anew. @default false
   */
  readonly keep?: boolean;
}

/** A session that nothing refers to is released with the garbage. */
const kept = new Set<Objective | DeviceOptimizer>();

/**
 * Evaluates one tiny objective, and a round where the backend has rounds of its own: providers fail at the first session or
 * the first run, and some compute wrong values.
 * @throws AnchorEvalError `unavailable`, with the runtime's reason in one line
 */
export async function probeBackend(backend: CalibrationBackend, { keep = false }: ProbeOptions = {}): Promise<void> {
  const one = { subjects: 1, items: 1, signs: Int8Array.of(1) };
  const all = (value: number): Parameters => ({
    theta: Float64Array.of(value),
    a: Float64Array.of(value),
    b: Float64Array.of(value),
  });
  const probe = async <T extends Objective | DeviceOptimizer>(opened: T, valueOf: (of: T) => Promise<number>) => {
    let right = false;
    try {
      const value = await valueOf(opened);
      right = Math.abs(value - Math.LN2) < 1e-3;
      if (!right) throw new AnchorEvalError("unavailable", `${backend.name} computes wrong values (log 2 as ${value})`);
    } finally {
      if (keep && right) kept.add(opened);
      else await opened.dispose();
    }
  };
  await probe(await backend.open(one, 1), (objective) => objective.evaluate(all(0), all(0)));
  if (!backend.openOptimizer) return;
  await probe(await backend.openOptimizer(one, 1), async (device) => {
    const scales = { aMean: Float64Array.of(0), aVariance: Float64Array.of(1), bMean: 0, bVariance: 1 };
    const prior = { mean: Float64Array.of(0), precision: Float64Array.of(1) };
    const round = { scales, prior, scaling: all(1), isFixed: null, tolerance: 0, maxEvaluations: 1 };
    return (await device.optimize(all(0), round)).value;
  });
}
