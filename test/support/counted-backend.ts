import { typescriptBackend } from "../../offline-trainer/src/backends/typescript.ts";
import type { CalibrationBackend } from "../../offline-trainer/src/calibrate/types.ts";

/** Plain TypeScript that counts its calibrations. */
export function countedBackend(): CalibrationBackend & { opened: number } {
  const backend = {
    ...typescriptBackend,
    opened: 0,
    open: (...input: Parameters<CalibrationBackend["open"]>) => {
      backend.opened++;
      return typescriptBackend.open(...input);
    },
  };
  return backend;
}
