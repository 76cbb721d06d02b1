import type { CalibrationBackend } from "../calibrate/types.ts";

/** A backend with something before or after each of its calls. Numbers are its own. */
export function aroundBackend(
  backend: CalibrationBackend,
  around: <T>(call: () => Promise<T>) => Promise<T>,
): CalibrationBackend {
  return {
    name: backend.name,
    precision: backend.precision,
    ...(backend.finish && { finish: aroundBackend(backend.finish, around) }),
    open: async (...given) => {
      const objective = await around(() => backend.open(...given));
      return {
        evaluate: (at, gradient) => around(() => objective.evaluate(at, gradient)),
        dispose: () => around(() => objective.dispose()),
      };
    },
  };
}
