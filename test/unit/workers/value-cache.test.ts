import { AnchorEvalError } from "anchoreval";
import fc from "fast-check";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { ValueCache } from "../../../workers/src/bundles/value-cache.ts";

const ignore = (): void => undefined;
/** A cache of texts, as large as they are long, and loads that are counted. */
function textCache(options: { maxBytes?: number; maxAge?: number; now?: () => number } = {}) {
  const cache = new ValueCache<string>({ maxBytes: 10, sizeOf: (value) => value.length, ...options });
  const loads: string[] = [];
  return {
    loads,
    read: (key: string, value = key): Promise<string> =>
      cache.get(key, { load: () => (loads.push(key), Promise.resolve(value)), keepAlive: ignore }),
    load: (key: string, load: () => Promise<string>, keepAlive: (work: Promise<unknown>) => void = ignore) =>
      cache.get(key, { load, keepAlive }),
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
  void load("a", () => new Promise(ignore)).catch(ignore);
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

test("a wait for a load that never ends is an end of its own, for who began it and who waits with him", async () => {
  const cache = new ValueCache<string>({ maxBytes: 10, sizeOf: () => 1, patience: 10 });
  const never = { load: () => new Promise<string>(ignore), keepAlive: ignore };
  const waits = [cache.get("a", never), cache.get("a", never)];
  await Promise.all(waits.map((wait) => expect(wait).rejects.toMatchObject({ code: "unavailable" })));
});

test("shows what is here, and what is loading not yet", async () => {
  let now = 0;
  const cache = new ValueCache<string>({ maxBytes: 10, sizeOf: () => 1, maxAge: 60, now: () => now });
  expect(cache.peek("a")).toBeNull();
  const load = cache.get("a", { load: () => Promise.resolve("value"), keepAlive: ignore });
  expect(cache.peek("a")).toBeNull();
  await load;
  expect(cache.peek("a")).toBe("value");
  now = 60;
  expect(cache.peek("a")).toBeNull();
});

describe("of a hundred who wait for another's load", () => {
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());

  /** Reads of one key at the same time, the loads of which are these, one after another. @returns what became of them */
  async function readers(loads: (() => Promise<string>)[]): Promise<{ ends: Record<string, number>; begun: number }> {
    const cache = new ValueCache<string>({ maxBytes: 10, sizeOf: () => 1 });
    let begun = 0;
    const load = (): Promise<string> => loads[begun++]!();
    const reads = Array.from({ length: 100 }, () => cache.get("a", { load, keepAlive: ignore }));
    const ends: Record<string, number> = {};
    const count = (end: string): void => void (ends[end] = (ends[end] ?? 0) + 1);
    for (const read of reads) read.then(count, (error: unknown) => count((error as Error).message));
    await vi.advanceTimersByTimeAsync(20_000);
    return { ends, begun };
  }
  const soon = (end: () => Promise<string>) => () => new Promise((resolve) => setTimeout(resolve, 50)).then(end);
  const value = soon(() => Promise.resolve("value"));

  test("all have its value", async () => {
    expect(await readers([value])).toEqual({ ends: { value: 100 }, begun: 1 });
  });

  test("one begins it anew if it is lost, and the others wait for that", async () => {
    const { ends, begun } = await readers([() => new Promise(ignore), value]);
    expect(begun).toBe(2);
    expect(ends["value"]).toBe(99); // all but the lost request
  });

  test.each([
    ["unavailable", new AnchorEvalError("unavailable", "the request may ask no more")],
    ["no error of ours", new Error("Too many subrequests")],
  ])("one begins it anew if it fails for a reason of its request: %s", async (_, error) => {
    const failing = soon(() => Promise.reject(error));
    expect(await readers([failing, value])).toEqual({ ends: { [error.message]: 1, value: 99 }, begun: 2 });
    expect(await readers([failing, failing])).toEqual({ ends: { [error.message]: 100 }, begun: 2 });
  });

  test("all have the refusal of what was read", async () => {
    const refused = soon(() => Promise.reject(new AnchorEvalError("not_found", "nothing is there")));
    expect(await readers([refused])).toEqual({ ends: { "nothing is there": 100 }, begun: 1 });
  });
});

describe("bytes of loads under way", () => {
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());

  /** Loads that end when they are told to. */
  function started() {
    const cache = new ValueCache<number>({ maxBytes: 100, sizeOf: (value) => value, patience: 5000 });
    const begun = new Map<string, { end: (size: number) => void; fail: () => void }>();
    const begin = (key: string, takes: number): Promise<number> =>
      cache.get(key, {
        load: () => new Promise((end, reject) => begun.set(key, { end, fail: () => reject(new Error(key)) })),
        takes,
        keepAlive: ignore,
      });
    return { cache, begun, begin };
  }
  const aMoment = () => vi.advanceTimersByTimeAsync(15);
  /** A request waits for another's load, and then for its own. */
  const longEnough = () => vi.advanceTimersByTimeAsync(2 * 5000 + 200);

  test("count: a further load waits until there is room for it", async () => {
    const { cache, begun, begin } = started();
    const a = begin("a", 60);
    const b = begin("b", 30);
    const c = begin("c", 20);
    await aMoment();
    expect([[...begun.keys()], cache.bytes]).toEqual([["a", "b"], 90]);
    begun.get("b")!.end(10);
    await aMoment();
    expect([[...begun.keys()], cache.bytes]).toEqual([["a", "b", "c"], 90]);
    begun.get("a")!.end(70);
    begun.get("c")!.end(20);
    expect(await Promise.all([a, b, c])).toEqual([70, 10, 20]);
    expect(cache.bytes).toBe(100);
  });

  test("push values out before they begin, not after", async () => {
    const { cache, begun, begin } = started();
    const old = begin("old", 0);
    await aMoment();
    begun.get("old")!.end(90);
    await old;
    void begin("new", 50).catch(ignore);
    await aMoment();
    expect(cache.peek("old")).toBeNull();
    expect(cache.bytes).toBe(50);
  });

  test("are free again after a failure", async () => {
    const { cache, begun, begin } = started();
    const failing = begin("a", 100);
    const next = begin("b", 100);
    await aMoment();
    expect(begun.has("b")).toBe(false);
    begun.get("a")!.fail();
    await expect(failing).rejects.toThrow("a");
    await aMoment();
    begun.get("b")!.end(100);
    expect(await next).toBe(100);
    expect(cache.bytes).toBe(100);
  });

  test("of one that is larger than all room: it goes alone, and isn't kept", async () => {
    const { cache, begun, begin } = started();
    const small = begin("small", 10);
    const large = begin("large", 1000);
    await aMoment();
    expect([...begun.keys()]).toEqual(["small"]);
    begun.get("small")!.end(10);
    await small;
    await aMoment();
    expect(cache.bytes).toBe(1000);
    const third = begin("third", 1);
    await aMoment();
    expect(begun.has("third")).toBe(false);
    begun.get("large")!.end(1000);
    expect(await large).toBe(1000);
    await aMoment();
    begun.get("third")!.end(1);
    await third;
    expect(cache.bytes).toBe(1);
  });

  test("that never come free: `unavailable`, and the key can be asked again", async () => {
    const { begun, begin } = started();
    void begin("a", 100).catch(ignore);
    const waiting = expect(begin("b", 1)).rejects.toMatchObject({ code: "unavailable" });
    await longEnough();
    await waiting;
    begun.get("a")!.end(0);
    const again = begin("b", 1);
    await aMoment();
    begun.get("b")!.end(1);
    expect(await again).toBe(1);
  });

  test("of one that waits for room for long isn't taken for lost by who waits for it", async () => {
    const cache = new ValueCache<number>({ maxBytes: 100, sizeOf: (value) => value });
    const read = (key: string, takes: number, load: () => Promise<number>): Promise<number> =>
      cache.get(key, { load, takes, keepAlive: ignore });
    const slow = (): Promise<number> => new Promise((end) => setTimeout(end, 9500, 0));
    let begun = 0;
    const small = [read("a", 50, slow)];
    await vi.advanceTimersByTimeAsync(5000);
    small.push(read("b", 50, slow));
    const large = [1, 2].map(() => read("large", 100, () => Promise.resolve(++begun)));
    await vi.advanceTimersByTimeAsync(4700);
    small.push(read("c", 50, slow)); // before there is room for the large one, which waits 14 s
    await vi.advanceTimersByTimeAsync(15_000);
    expect(await Promise.all([...small, ...large])).toEqual([0, 0, 0, 1, 1]);
    expect(begun).toBe(1);
  });

  test("that are taken back while they wait aren't begun, and count nothing", async () => {
    const { cache, begun, begin } = started();
    const first = begin("a", 100);
    const waiting = expect(begin("b", 50)).rejects.toMatchObject({ code: "unavailable" });
    await aMoment();
    cache.delete("b");
    begun.get("a")!.end(0);
    await aMoment();
    await first;
    await waiting;
    expect(begun.has("b")).toBe(false);
    expect(cache.bytes).toBe(0);
  });

  test("never exceed the bound together with what is kept, whatever is asked, ends and fails in which order", async () => {
    const step = fc.record({
      key: fc.integer({ min: 0, max: 7 }),
      size: fc.integer({ min: 0, max: 60 }),
      what: fc.constantFrom("ask", "ask", "end", "fail", "delete"),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 40 }), async (steps) => {
        const { cache, begun, begin } = started();
        const asked: Promise<unknown>[] = [];
        for (const { key, size, what } of steps) {
          const name = String(key);
          const load = begun.get(name);
          if (what === "ask") asked.push(begin(name, size).catch(ignore));
          else if (what === "delete") cache.delete(name);
          else if (what === "end") load?.end(size);
          else load?.fail();
          if (what !== "ask") begun.delete(name);
          await Promise.resolve();
          expect(cache.bytes).toBeLessThanOrEqual(100);
          expect(cache.bytes).toBeGreaterThanOrEqual(0);
        }
        await longEnough();
        await Promise.all(asked);
        for (let key = 0; key < 8; key++) cache.delete(String(key));
        expect(cache.bytes).toBe(0);
      }),
      { numRuns: 30 },
    );
  });
});
