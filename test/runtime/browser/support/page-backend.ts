import type { CalibrationBackend } from "anchoreval-trainer/calibrate";
import type { Page } from "playwright-core";
import type { PageBackend } from "./calibration-page.ts";

/**
 * A backend of the page as one of this process: every evaluation is asked of the page.
 * @param page - called at the first calibration
 */
export function pageBackend(page: () => Page, backend: PageBackend): CalibrationBackend {
  return {
    name: `onnxruntime-${backend.provider}`,
    precision: backend.precision,
    open: async (responses, dims) => {
      const objective = await page().evaluate(([own, data, count]) => window.calibration.open(own, data, count), [
        backend,
        responses,
        dims,
      ] as const);
      return {
        evaluate: async (at, gradient) => {
          const { value, gradient: slopes } = await page().evaluate(
            ([number, point]) => window.calibration.evaluate(number, point),
            [objective, at] as const,
          );
          gradient.theta.set(slopes.theta);
          gradient.a.set(slopes.a);
          gradient.b.set(slopes.b);
          return value;
        },
        dispose: () => page().evaluate((number) => window.calibration.dispose(number), objective),
      };
    },
  };
}
