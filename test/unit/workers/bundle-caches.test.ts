import fc from "fast-check";
import { expect, test } from "vitest";
import { MemoryRoom } from "../../../workers/src/bundles/bundle-caches.ts";

test("never gives more than there is, and all of it again once it is given back", () => {
  fc.assert(
    fc.property(
      fc.array(fc.oneof(fc.integer({ min: 0, max: 12 }), fc.constant("back" as const)), { maxLength: 60 }),
      (steps) => {
        const room = new MemoryRoom(10, () => 0);
        const held: { bytes: number; back: () => void }[] = [];
        const sum = (): number => held.reduce((total, { bytes }) => total + bytes, 0);
        for (const step of steps) {
          if (step === "back") held.shift()?.back();
          else {
            const back = room.take(step);
            expect(back === null).toBe(sum() + step > 10);
            if (back) held.push({ bytes: step, back });
          }
          expect(sum()).toBeLessThanOrEqual(10);
        }
        for (const { back } of held) back();
        expect(room.take(10)).not.toBeNull();
      },
    ),
  );
});

test("takes what a request never gave back for lost after a minute", () => {
  let now = 0;
  const room = new MemoryRoom(10, () => now);
  const lost = room.take(8)!;
  now = 59_999;
  expect(room.take(8)).toBeNull();
  now = 60_000;
  expect(room.take(8)).not.toBeNull();
  lost();
  expect(room.take(8)).toBeNull();
});
