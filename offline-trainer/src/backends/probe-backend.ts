import { AnchorEvalError } from "anchoreval/core";
import type { CalibrationBackend, Parameters } from "../calibrate/types.ts";

/**
 * Evaluates one tiny objective: providers fail at the first session or the first run, and some compute wrong values.
 * @throws AnchorEvalError `unavailable`, with the runtime's reason in one line
 */
export async function probeBackend(backend: CalibrationBackend): Promise<void> {
  const zeros = (): Parameters => ({ theta: new Float64Array(1), a: new Float64Array(1), b: new Float64Array(1) });
  const objective = await backend.open({ subjects: 1, items: 1, signs: Int8Array.of(1) }, 1);
  try {
    const value = await objective.evaluate(zeros(), zeros());
    if (!(Math.abs(value - Math.LN2) < 1e-3))
      throw new AnchorEvalError("unavailable", `${backend.name} computes wrong values (log 2 as ${value})`);
  } finally {
    await objective.dispose();
  }
}
