import fc from "fast-check";
import { expect, test } from "vitest";
import { parseRange } from "../../../workers/src/http/send-content.ts";

test("a range lies in the file, isn't empty, and holds what was asked of it", () => {
  fc.assert(
    fc.property(fc.nat(1000), fc.nat(1000), fc.integer({ min: 1, max: 500 }), (first, length, size) => {
      const range = parseRange(`bytes=${first}-${first + length}`, size);
      if (first >= size) expect(range).toBe("unsatisfiable");
      else expect(range).toEqual({ begin: first, end: Math.min(first + length + 1, size) });
    }),
  );
});

test.each(["", "bytes", "bytes=", "bytes=1", "bytes=--1", "bytes=1-2-3", "lines=1-2", "bytes=0-1, 3-4", "bytes=9-3"])(
  "%j asks for no single range",
  (header) => {
    expect(parseRange(header, 100)).toBeNull();
  },
);

test("an empty file has none", () => {
  expect(parseRange("bytes=0-", 0)).toBe("unsatisfiable");
  expect(parseRange("bytes=-5", 0)).toBe("unsatisfiable");
});
