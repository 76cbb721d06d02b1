import { expect, test } from "vitest";
import { PromiseCache } from "../../../workers/src/bundles/promise-cache.ts";

const ignore = (): void => undefined;
/** A cache of texts, as large as they are long, and loads that are counted. */
function textCache(options: { maxBytes?: number; maxAge?: number; now?: () => number } = {}) {
  const cache = new PromiseCache<string>({ maxBytes: 10, sizeOf: (value) => value.length, ...options });
  const loads: string[] = [];
  return {
    loads,
    read: (key: string, value = key): Promise<string> =>
      cache.get(key, () => (loads.push(key), Promise.resolve(value)), ignore),
    load: (key: string, load: () => Promise<string>, keepAlive: (work: Promise<unknown>) => void = ignore) =>
      cache.get(key, load, keepAlive),
  };
}

test("loads once, also for readers at the same time", async () => {
  const { read, loads } = textCache();
  expect(await Promise.all([read("a"), read("a")])).toEqual(["a", "a"]);
  await read("a");
  expect(loads).toEqual(["a"]);
});

test("forgets a failure, once all who waited have it", async () => {
  const { read, load, loads } = textCache();
  const fail = (): Promise<string> => Promise.reject(new Error("no"));
  const first = load("a", fail);
  const second = load("a", fail);
  await expect(first).rejects.toThrow("no");
  await expect(second).rejects.toThrow("no");
  expect(await read("a")).toBe("a");
  expect(loads).toEqual(["a"]);
});

test("drops the longest unused, by size", async () => {
  const { read, loads } = textCache();
  await read("a", "aaaa");
  await read("b", "bbbb");
  await read("a", "aaaa");
  await read("c", "cccc");
  await read("a", "aaaa");
  await read("b", "bbbb");
  expect(loads).toEqual(["a", "b", "c", "b"]);
});

test("keeps nothing that alone is too large, and what was there before stays countable", async () => {
  const { read, loads } = textCache();
  await read("large", "x".repeat(11));
  await read("large", "x".repeat(11));
  await read("a", "x".repeat(10));
  await read("a");
  expect(loads).toEqual(["large", "large", "a"]);
});

test("loads again what is too old", async () => {
  let now = 0;
  const { read, loads } = textCache({ maxAge: 60, now: () => now });
  for (now of [0, 59, 60, 119, 120]) await read("a");
  expect(loads).toEqual(["a", "a", "a"]);
});

test("takes a load that never ends for lost", async () => {
  let now = 0;
  const { read, load } = textCache({ now: () => now });
  void load("a", () => new Promise(ignore));
  now = 30_000;
  expect(await read("a")).toBe("a");
});

test("a lost load that ends after all doesn't replace the newer one", async () => {
  let now = 0;
  let finish: (value: string) => void = ignore;
  const { read, load } = textCache({ now: () => now });
  const lost = load("a", () => new Promise((resolve) => (finish = resolve)));
  now = 30_000;
  await read("a", "new");
  finish("old");
  expect(await lost).toBe("old");
  expect(await read("a", "newest")).toBe("new");
});

test("gives the load to the request that began it, to be kept alive, and never a rejection", async () => {
  const kept: Promise<unknown>[] = [];
  const { load } = textCache();
  await load(
    "a",
    () => Promise.reject(new Error("no")),
    (work) => kept.push(work),
  ).catch(ignore);
  await expect(Promise.all(kept)).resolves.toHaveLength(1);
});
