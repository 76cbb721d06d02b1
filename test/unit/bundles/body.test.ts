import { atMost, readBody, readObject, readReason } from "anchoreval/internal/bundles/body";
import { describe, expect, test } from "vitest";
import { expectRefusal, rejection } from "../../support/refusal.ts";

/** A stream of chunks of so many bytes, numbered from 0; without `length` it never ends. */
function numbered(length = Infinity, chunk = 10) {
  const state = { sent: 0, cancelled: false };
  const body = new ReadableStream<Uint8Array>({
    pull: (controller) => {
      const size = Math.min(chunk, length - state.sent);
      if (size === 0) {
        controller.close();
        return;
      }
      controller.enqueue(Uint8Array.from({ length: size }, (_, k) => (state.sent + k) % 251));
      state.sent += size;
    },
    cancel: () => void (state.cancelled = true),
  });
  return { body, state };
}

const bytesFrom = (begin: number, end: number): Uint8Array =>
  Uint8Array.from({ length: end - begin }, (_, k) => (begin + k) % 251);

describe("a body", () => {
  test.each([0, 1, 9, 10, 11, 100])("of %d bytes is read whole under any bound that it fits", async (length) => {
    for (const most of [length, length + 1, 1000])
      expect(await readBody(numbered(length), atMost(most, "it"))).toEqual({ bytes: bytesFrom(0, length), length });
  });

  test("that is longer is refused where it passes the bound, and cancelled", async () => {
    const { body, state } = numbered();
    const error = await rejection(readBody({ body }, atMost(95, "https://evals.example.com/x: the answer")));
    expectRefusal(error, "unsupported", "https://evals.example.com/x: the answer has more than 95 bytes, at most 95");
    expect(state.sent).toBeLessThanOrEqual(120);
    expect(state.cancelled).toBe(true);
  });

  test("that says its length is refused before it comes", async () => {
    const { body, state } = numbered(1000);
    const error = await rejection(
      readBody({ body, headers: new Headers({ "content-length": "1000" }) }, atMost(95, "it")),
    );
    expectRefusal(error, "unsupported", "it has 1000 bytes");
    expect(state.sent).toBeLessThan(30);
  });

  test("that is packed says nothing of its length", async () => {
    const headers = new Headers({ "content-length": "1000", "content-encoding": "gzip" });
    expect((await readBody({ body: numbered(50).body, headers }, atMost(95, "it"))).length).toBe(50);
  });

  test("is held in the part that is wanted, and counted whole", async () => {
    for (const [begin, end] of [
      [0, 5],
      [3, 27],
      [10, 20],
      [95, 100],
      [40, 40],
    ] as const)
      // prettier-ignore
      expect(await readBody(numbered(100), { ...atMost(100, "it"), keep: { begin, end } })).toEqual({
        bytes: bytesFrom(begin, end),
        length: 100,
      });
  });

  test("may be left to whoever goes on reading it", async () => {
    const { body, state } = numbered();
    await rejection(readBody({ body }, atMost(5, "it"), "leave"));
    expect(state.cancelled).toBe(false);
    expect((await body.getReader().read()).done).toBe(false);
  });
});

test("a reason is read, one that never ends is told of, and one that breaks off is none", async () => {
  expect(await readReason(new Response("no", { status: 400 }))).toBe("no");
  expect(await readReason(new Response(numbered(Infinity, 1 << 16).body))).toContain("more than 1048576 bytes");
  const broken = new ReadableStream({ pull: (controller) => controller.error(new Error("gone")) });
  expect(await readReason(new Response(broken))).toBe("");
});

test("an object of R2 is refused by its size, before its bytes come, or by the range that is asked for", async () => {
  const object = { size: 100, arrayBuffer: () => Promise.resolve(new ArrayBuffer(7)) };
  const never = { size: 100, arrayBuffer: () => Promise.reject(new Error("read")) };
  expectRefusal(await rejection(readObject(never, atMost(99, "it"))), "unsupported", "it has 100 bytes");
  expect((await readObject(object, atMost(10, "it"), { begin: 93, end: 200 })).length).toBe(7);
  expectRefusal(
    await rejection(readObject(never, atMost(10, "it"), { begin: 80, end: 99 })),
    "unsupported",
    "19 bytes",
  );
});
