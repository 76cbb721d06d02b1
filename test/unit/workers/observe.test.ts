import { expect, test } from "vitest";
import { Phases, requestIdOf } from "../../../workers/src/platform/observe.ts";

test("has the longest wait of each phase, of failures too, and nothing where nothing was read", async () => {
  let now = 0;
  const phases = new Phases(() => now);
  expect([phases.serverTiming, phases.waits]).toEqual([null, {}]);
  const wait = (milliseconds: number) => (): Promise<string> => {
    now += milliseconds;
    return Promise.resolve("value");
  };
  expect(await phases.time("index", wait(3))).toBe("value");
  await phases.time("index", wait(1));
  await phases.time("manifest", wait(0));
  const failure = phases.time("bundle", () => wait(7)().then(() => Promise.reject(new Error("no"))));
  await expect(failure).rejects.toThrow("no");
  expect(phases.waits).toEqual({ index: 3, manifest: 0, bundle: 7 });
  expect(phases.serverTiming).toBe("index;dur=3, manifest;dur=0, bundle;dur=7");
});

test.each(["a", "job-17.3", "0af7651916cd43dd8448eb211c80319c", "a:b_c", "x".repeat(64)])("%s is kept", (given) => {
  expect(requestIdOf(given)).toBe(given);
});

test.each([undefined, "", "x".repeat(65), "a b", 'a"b', "a\nb", "é", "<script>", "a,b"])(
  "%j makes way for a new one",
  (given) => {
    expect(requestIdOf(given)).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
    expect(requestIdOf(given)).not.toBe(requestIdOf(given));
  },
);
