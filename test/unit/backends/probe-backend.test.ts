import { setImmediate as turn } from "node:timers/promises";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { describe, expect, test } from "vitest";
import { probeBackend } from "../../../offline-trainer/src/backends/probe-backend.ts";
import { typescriptBackend } from "../../../offline-trainer/src/backends/typescript.ts";
import type { CalibrationBackend, Objective } from "../../../offline-trainer/src/calibrate/types.ts";
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

test("what is kept survives the garbage collector, which releases a session that nothing refers to", async () => {
  setFlagsFromString("--expose-gc");
  const collect = runInNewContext("gc") as () => void;
  for (const keep of [false, true]) {
    const opened: WeakRef<Objective>[] = [];
    const open: CalibrationBackend["open"] = async (...given) => {
      const objective = { ...(await typescriptBackend.open(...given)) };
      opened.push(new WeakRef(objective));
      return objective;
    };
    await probeBackend({ ...typescriptBackend, open }, { keep });
    await turn(); // a WeakRef holds on until the end of the turn
    collect();
    expect(opened.map((objective) => objective.deref() !== undefined)).toEqual([keep]);
  }
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
