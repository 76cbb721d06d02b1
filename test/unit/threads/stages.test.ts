import { setTimeout as wait } from "node:timers/promises";
import { expect, test } from "vitest";
import { sideBySide } from "../../../offline-trainer/src/threads/stages.ts";

const until = (signal: AbortSignal): Promise<never> =>
  new Promise((_, reject) => {
    signal.addEventListener("abort", () => reject(new Error("told to stop")));
  });

test("both begin at once, and both results come out", async () => {
  const order: string[] = [];
  const work = (name: string) => async (): Promise<string> => {
    order.push(`${name} begins`);
    await wait(1);
    order.push(`${name} ends`);
    return name;
  };
  expect(await sideBySide(work("a"), work("b"))).toEqual(["a", "b"]);
  expect(order.slice(0, 2)).toEqual(["a begins", "b begins"]);
});

test.each(["first", "second"])(
  "where the %s fails, the other is told, waited for, and the first error thrown",
  async (which) => {
    let ended = false;
    const breaks = async (): Promise<never> => {
      await wait(1);
      throw new Error("broken");
    };
    const waits = async (signal: AbortSignal): Promise<void> => {
      await until(signal).catch(() => wait(1));
      ended = true;
      throw new Error("told to stop");
    };
    const both = which === "first" ? sideBySide(breaks, waits) : sideBySide(waits, breaks);
    await expect(both).rejects.toThrow("broken");
    expect(ended).toBe(true);
  },
);

test("the caller's signal stops both", async () => {
  const controller = new AbortController();
  const both = sideBySide(until, until, controller.signal);
  controller.abort();
  await expect(both).rejects.toThrow("told to stop");
});
