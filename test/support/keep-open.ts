import type { CalibrationBackend } from "../../offline-trainer/src/calibrate/types.ts";

/**
 * Keeps one tiny objective open: kernels that were compiled for WebGPU live as long as one does, and a software device
 * takes seconds to compile them.
 * @returns disposes of it
 */
export async function keepOpen(backend: CalibrationBackend): Promise<() => Promise<void>> {
  const objective = await backend.open({ subjects: 1, items: 1, signs: Int8Array.of(1) }, 1);
  return () => objective.dispose();
}
