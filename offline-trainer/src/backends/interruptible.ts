import { setImmediate as turn } from "node:timers/promises";
import type { CalibrationBackend, Optimizer } from "../calibrate/types.ts";

/**
 * A backend that lets the event loop turn before every evaluation, of distances too. Plain TypeScript never waits for
 * anything: without this a signal would be heard only after the fit.
 */
export function interruptible(backend: CalibrationBackend): CalibrationBackend {
  return aroundBackend(backend, async (call) => {
    await turn();
    return call();
  });
}

/** A backend with something before or after each of its calls. Numbers are its own. */
export function aroundBackend(
  backend: CalibrationBackend,
  around: <T>(call: () => Promise<T>) => Promise<T>,
): CalibrationBackend {
  const aroundOptimizer = (optimizer: Optimizer): Optimizer => ({
    optimize: (at, round) => around(() => optimizer.optimize(at, round)),
    dispose: () => around(() => optimizer.dispose()),
  });
  return {
    name: backend.name,
    precision: backend.precision,
    ...(backend.finish && { finish: aroundBackend(backend.finish, around) }),
    ...(backend.alone && { alone: aroundBackend(backend.alone, around) }),
    open: async (...input) => {
      const objective = await around(() => backend.open(...input));
      return {
        evaluate: (at, gradient) => around(() => objective.evaluate(at, gradient)),
        ...(objective.slopes && { slopes: (at, gradient) => around(() => objective.slopes!(at, gradient)) }),
        dispose: () => around(() => objective.dispose()),
      };
    },
    ...(backend.openOptimizer && {
      openOptimizer: async (...input) => {
        const device = await around(() => backend.openOptimizer!(...input));
        return {
          ...aroundOptimizer(device),
          bytes: device.bytes,
          among: (rows) => aroundOptimizer(device.among(rows)),
        };
      },
    }),
  };
}
