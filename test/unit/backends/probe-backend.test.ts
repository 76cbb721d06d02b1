import { describe, expect, test } from "vitest";
import { probeBackend } from "../../../offline-trainer/src/backends/probe-backend.ts";
import { typescriptBackend } from "../../../offline-trainer/src/backends/typescript.ts";
import type { CalibrationBackend } from "../../../offline-trainer/src/calibrate/types.ts";
import { expectRefusal, rejection } from "../../support/refusal.ts";

/** The reference, its values changed, and how many of its objectives are open. */
function counted(change: (value: number) => number = (value) => value): CalibrationBackend & { opened: number } {
  const backend = {
    ...typescriptBackend,
    opened: 0,
    open: async (...given: Parameters<CalibrationBackend["open"]>) => {
      const objective = await typescriptBackend.open(...given);
      backend.opened++;
      return {
        evaluate: async (...at: Parameters<typeof objective.evaluate>) => change(await objective.evaluate(...at)),
        dispose: () => {
          backend.opened--;
          return objective.dispose();
        },
      };
    },
  };
  return backend;
}

test("leaves nothing open, unless what started is to be kept", async () => {
  const backend = counted();
  await probeBackend(backend);
  expect(backend.opened).toBe(0);
  await probeBackend(backend, { keep: true });
  expect(backend.opened).toBe(1);
});

describe.each([false, true])("kept: %s", (keep) => {
  test.each([0.1, NaN])("wrong values are told, and nothing stays open: %d", async (wrong) => {
    const backend = counted(() => wrong);
    const error = await rejection(probeBackend(backend, { keep }));
    expectRefusal(error, "unavailable", `typescript computes wrong values (log 2 as ${wrong})`);
    expect(backend.opened).toBe(0);
  });

  test("a failure of the first run is passed on, and nothing stays open", async () => {
    const backend = counted(() => {
      throw new Error("device lost");
    });
    await expect(probeBackend(backend, { keep })).rejects.toThrow("device lost");
    expect(backend.opened).toBe(0);
  });
});
