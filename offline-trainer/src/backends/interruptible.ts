import { setImmediate as turn } from "node:timers/promises";
import type { CalibrationBackend } from "../calibrate/types.ts";
import { aroundBackend } from "./around-backend.ts";

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
