import { setImmediate as turn } from "node:timers/promises";
import type { CalibrationBackend } from "../calibrate/types.ts";

/**
 * A backend that lets the event loop turn before every evaluation, of distances too. Plain TypeScript never waits for anything: without
 * this a signal would be heard only after the fit. Numbers are the backend's own.
 */
export function interruptible(backend: CalibrationBackend): CalibrationBackend {
  return {
    name: backend.name,
    precision: backend.precision,
    ...(backend.finish && { finish: interruptible(backend.finish) }),
    open: async (...given) => {
      const objective = await backend.open(...given);
      return {
        evaluate: async (at, gradient) => {
          await turn();
          return objective.evaluate(at, gradient);
        },
        dispose: () => objective.dispose(),
      };
    },
    openNearest: async (...given) => {
      const search = await backend.openNearest(...given);
      return {
        assign: async (centroids) => {
          await turn();
          return search.assign(centroids);
        },
        dispose: () => search.dispose(),
      };
    },
  };
}
