import { expect } from "vitest";
import { probeBackend } from "../../offline-trainer/src/backends/probe-backend.ts";
import type { CalibrationBackend } from "../../offline-trainer/src/calibrate/types.ts";

/**
 * Why a backend doesn't start here, which is the runtime's own reason; null where it does. It is kept going: a software
 * device takes seconds to compile its kernels.
 */
export async function whyNot(backend: CalibrationBackend): Promise<string | null> {
  try {
    await probeBackend(backend, { keep: true });
    return null;
  } catch (error) {
    expect(error).toMatchObject({ code: "unavailable" });
    return (error as Error).message;
  }
}
