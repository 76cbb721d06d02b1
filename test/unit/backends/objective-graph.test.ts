import { createRequire } from "node:module";
import { describe, expect, test } from "vitest";
import { bytes, integer, joined, text } from "../../../offline-trainer/src/backends/onnx/onnx-model.ts";

/** The reader of the npm package protobufjs, which onnx-proto brings along. */
const fromOnnxProto = createRequire(createRequire(import.meta.url).resolve("onnx-proto"));
const { Reader } = fromOnnxProto("protobufjs/minimal") as {
  Reader: {
    create(bytes: Uint8Array): {
      pos: number;
      len: number;
      uint32(): number;
      uint64(): { toString(): string };
      bytes(): Uint8Array;
      string(): string;
    };
  };
};

describe("integers", () => {
  test.each([
    [0, [0x00]],
    [1, [0x01]],
    [127, [0x7f]],
    [128, [0x80, 0x01]],
    [300, [0xac, 0x02]],
    [2 ** 14 - 1, [0xff, 0x7f]],
    [2 ** 14, [0x80, 0x80, 0x01]],
    [2 ** 21 - 1, [0xff, 0xff, 0x7f]],
    [2 ** 28, [0x80, 0x80, 0x80, 0x80, 0x01]],
    [2 ** 31, [0x80, 0x80, 0x80, 0x80, 0x08]],
    [2 ** 32 - 1, [0xff, 0xff, 0xff, 0xff, 0x0f]],
    [2 ** 32, [0x80, 0x80, 0x80, 0x80, 0x10]],
    [Number.MAX_SAFE_INTEGER, [0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x0f]],
  ])("%d in base 128", (value, expected) => {
    expect(Array.from(joined(integer(1, value)))).toEqual([0x08, ...expected]);
  });

  test("are read back by another program, around every power of two", () => {
    for (let power = 0; power <= 52; power++)
      for (const value of [2 ** power - 1, 2 ** power, 2 ** power + 1]) {
        const reader = Reader.create(joined(integer(3, value)));
        expect(reader.uint32()).toBe(3 << 3);
        expect(reader.uint64().toString()).toBe(String(value));
        expect(reader.pos).toBe(reader.len);
      }
  });
});

test("field numbers past 15 take a second byte", () => {
  expect(Array.from(joined(integer(15, 5)))).toEqual([0x78, 5]);
  expect(Array.from(joined(integer(16, 5)))).toEqual([0x80, 0x01, 5]);
  expect(Array.from(joined(integer(20, 2)))).toEqual([0xa0, 0x01, 2]);
});

test("bytes, texts and messages carry their length, also past one byte of it", () => {
  for (const length of [0, 1, 127, 128, 16_384]) {
    const content = Uint8Array.from({ length }, (_, k) => k % 251);
    const reader = Reader.create(joined([...bytes(2, [content]), ...text(8, "ä".repeat(length))]));
    expect(reader.uint32()).toBe((2 << 3) | 2);
    expect(Array.from(reader.bytes())).toEqual(Array.from(content));
    expect(reader.uint32()).toBe((8 << 3) | 2);
    expect(reader.string()).toBe("ä".repeat(length));
    expect(reader.pos).toBe(reader.len);
  }
  const inner = [...integer(1, 300), ...text(2, "x")];
  const outer = joined([...bytes(7, inner), ...bytes(7, [])]);
  expect(Array.from(outer)).toEqual([0x3a, 6, 0x08, 0xac, 0x02, 0x12, 1, 0x78, 0x3a, 0]);
});

test("nothing written is no bytes", () => {
  expect(joined([])).toEqual(new Uint8Array(0));
});
