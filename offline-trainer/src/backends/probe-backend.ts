import { AnchorEvalError } from "anchoreval/internal/core/errors";
import type { CalibrationBackend, Objective, Parameters } from "../calibrate/types.ts";

/** Options of a probe. */
export interface ProbeOptions {
  /**
   * Leaves what was opened open, for good: kernels that WebGPU has compiled live as long as one session does, and every
   * calibration after another would wait for them anew. @default false
   */
  readonly keep?: boolean;
}

/** A session that nothing refers to is released with the garbage. */
const kept = new Set<Objective>();

/**
 * Evaluates one tiny objective: providers fail at the first session or the first run, and some compute wrong values.
 * @throws AnchorEvalError `unavailable`, with the runtime's reason in one line
 */
export async function probeBackend(backend: CalibrationBackend, { keep = false }: ProbeOptions = {}): Promise<void> {
  const zeros = (): Parameters => ({ theta: new Float64Array(1), a: new Float64Array(1), b: new Float64Array(1) });
  const objective = await backend.open({ subjects: 1, items: 1, signs: Int8Array.of(1) }, 1);
  let right = false;
  try {
    const value = await objective.evaluate(zeros(), zeros());
    right = Math.abs(value - Math.LN2) < 1e-3;
    if (!right) throw new AnchorEvalError("unavailable", `${backend.name} computes wrong values (log 2 as ${value})`);
  } finally {
    if (keep && right) kept.add(objective);
    else await objective.dispose();
  }
}
