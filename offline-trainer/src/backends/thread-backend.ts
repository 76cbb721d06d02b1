import { uninterrupted } from "../threads/answer-inputs.ts";
import { aroundBackend } from "./around-backend.ts";
import { resolveBackend, type Provider } from "./resolve-backend.ts";
import type { CalibrationBackend } from "../calibrate/types.ts";

/** The backend of a provider for one thread of many: the thread is never ended amid one of its calls. */
export async function threadBackend(provider: Provider): Promise<CalibrationBackend> {
  const { backend } = await uninterrupted(() => resolveBackend(provider, 1));
  return aroundBackend(backend, uninterrupted);
}
