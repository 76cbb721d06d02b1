import {
  decodeSafetensorsHeader,
  encodeSafetensors,
  tensorData,
  type Tensor,
} from "anchoreval/internal/core/bundle/safetensors";
import { describe, expect, test } from "vitest";
import { expectRefusal, refusal } from "../../support/refusal.ts";

const tensors: Tensor[] = [
  { name: "mass", shape: [3], data: Float64Array.of(0.1, 0.2, Math.PI) },
  { name: "a", shape: [2, 3], data: Float32Array.of(1, 2, 3, 4, 5, 0.1) },
  { name: "größe", shape: [1], data: Float32Array.of(-0) },
  { name: "items", shape: [3], data: Uint32Array.of(0, 7, 4294967295) },
  { name: "empty", shape: [0], data: new Uint32Array(0) },
];

const headerOf = (bytes: Uint8Array): Record<string, unknown> => {
  const length = new DataView(bytes.buffer).getUint32(0, true);
  return JSON.parse(new TextDecoder().decode(bytes.subarray(8, 8 + length))) as Record<string, unknown>;
};

describe("writing", () => {
  const bytes = encodeSafetensors(tensors);

  test("gives 8 bytes of header length, JSON, arrays without holes", () => {
    const view = new DataView(bytes.buffer);
    const length = view.getUint32(0, true);
    expect(view.getUint32(4, true)).toBe(0);
    expect(headerOf(bytes)).toEqual({
      __metadata__: {},
      mass: { dtype: "F64", shape: [3], data_offsets: [0, 24] },
      a: { dtype: "F32", shape: [2, 3], data_offsets: [24, 48] },
      größe: { dtype: "F32", shape: [1], data_offsets: [48, 52] },
      items: { dtype: "U32", shape: [3], data_offsets: [52, 64] },
      empty: { dtype: "U32", shape: [0], data_offsets: [64, 64] },
    });
    expect(bytes.length).toBe(8 + length + 64);
    expect(view.getFloat64(8 + length + 16, true)).toBe(Math.PI);
    expect(view.getUint32(8 + length + 60, true)).toBe(4294967295);
  });

  test.each(Array.from({ length: 16 }, (_, i) => "n".repeat(i + 1)))("aligns the data to 8 bytes: name %s", (name) => {
    const file = encodeSafetensors([{ name, shape: [1], data: Float64Array.of(1) }], { note: "é" });
    const { headerBytes, tensors: found } = decodeSafetensorsHeader(file, file.length);
    expect(headerBytes % 8).toBe(0);
    expect(tensorData(found.get(name)!, file, 0)).toEqual(Float64Array.of(1));
    expect(headerOf(file)["__metadata__"]).toEqual({ note: "é" });
  });

  test("the same tensors give the same bytes", () => expect(encodeSafetensors(tensors)).toEqual(bytes));
});

describe("reading", () => {
  const bytes = encodeSafetensors(tensors);
  const { headerBytes, tensors: found } = decodeSafetensorsHeader(bytes, bytes.length);

  test("gives back what was written", () => {
    expect([...found.keys()].sort()).toEqual(tensors.map(({ name }) => name).sort());
    for (const { name, shape, data } of tensors) {
      expect(found.get(name)!.shape).toEqual(shape);
      expect(tensorData(found.get(name)!, bytes, 0)).toEqual(data);
    }
  });

  test("needs no more than the header to say where the tensors lie", () => {
    expect(decodeSafetensorsHeader(bytes.slice(0, headerBytes), bytes.length)).toEqual({ headerBytes, tensors: found });
  });

  test("views aligned bytes and copies others", () => {
    const entry = found.get("a")!;
    expect(tensorData(entry, bytes, 0).buffer).toBe(bytes.buffer);
    for (let shift = 1; shift < 8; shift++) {
      const moved = new Uint8Array(shift + bytes.length);
      moved.set(bytes, shift);
      const data = tensorData(entry, moved.subarray(shift), 0);
      expect(data).toEqual(tensors[1]!.data);
      expect(data.buffer === moved.buffer).toBe(shift % 4 === 0);
    }
  });

  test("reads a tensor out of a part of the file, and only where it is in it", () => {
    const entry = found.get("items")!;
    expect(tensorData(entry, bytes.slice(entry.begin, entry.end), entry.begin)).toEqual(tensors[3]!.data);
    for (const [begin, end] of [
      [entry.begin + 4, entry.end],
      [entry.begin, entry.end - 4],
    ] as const)
      expectRefusal(
        refusal(() => tensorData(entry, bytes.slice(begin, end), begin)),
        "bundle_invalid",
        "outside the bytes",
      );
  });
});

/** A file with any header over `size` bytes of data. */
function fileWith(header: unknown, size = 16): Uint8Array {
  const json = new TextEncoder().encode(typeof header === "string" ? header : JSON.stringify(header));
  const bytes = new Uint8Array(8 + json.length + size);
  new DataView(bytes.buffer).setUint32(0, json.length, true);
  bytes.set(json, 8);
  return bytes;
}

const f64 = (begin: number, end: number): object => ({
  dtype: "F64",
  shape: [(end - begin) / 8],
  data_offsets: [begin, end],
});

describe("refuses", () => {
  test.each<[string, unknown, string]>([
    ["text that is no JSON", "{a:1}", "not JSON"],
    ["bytes that are no UTF-8", "\u0000", "not JSON"],
    ["a list", [], "not an object"],
    ["null", null, "not an object"],
    ["a tensor that is no object", { a: null }, "has the type undefined"],
    ["a missing type", { a: { shape: [2], data_offsets: [0, 16] } }, "has the type undefined"],
    ["a type of another kind", { a: { dtype: "BF16", shape: [8], data_offsets: [0, 16] } }, "has the type BF16"],
    ["a type named like a method", { a: { dtype: "toString", shape: [2], data_offsets: [0, 16] } }, "toString"],
    ["no shape", { a: { dtype: "F64", data_offsets: [0, 16] } }, "no shape"],
    ["a negative side", { a: { dtype: "F64", shape: [-2], data_offsets: [0, 16] } }, "no shape"],
    ["a fractional side", { a: { dtype: "F64", shape: [1.5], data_offsets: [0, 12] } }, "no shape"],
    ["no offsets", { a: { dtype: "F64", shape: [2] } }, "no offsets"],
    ["one offset", { a: { dtype: "F64", shape: [2], data_offsets: [16] } }, "no offsets"],
    ["offsets that are no numbers", { a: { dtype: "F64", shape: [2], data_offsets: ["0", "16"] } }, "no offsets"],
    ["a shape of another size", { a: { dtype: "F64", shape: [3], data_offsets: [0, 16] } }, "doesn't fill its range"],
    ["a range past the file's end", { a: f64(8, 24) }, "doesn't fill its range"],
    [
      "a range that runs backwards",
      { a: { dtype: "F64", shape: [0], data_offsets: [8, 0] } },
      "doesn't fill its range",
    ],
    ["a hole before the first tensor", { a: f64(8, 16) }, "doesn't begin where"],
    ["a hole at the end", { a: f64(0, 8) }, "end at byte"],
    ["tensors that overlap", { a: f64(0, 16), b: f64(8, 16) }, "doesn't begin where"],
    ["two names for the same bytes", { a: f64(0, 16), b: f64(0, 16) }, "doesn't begin where"],
  ])("%s", (_, header, fragment) => {
    const bytes = fileWith(header);
    if (header === "\u0000") bytes[8] = 0xff;
    expectRefusal(
      refusal(() => decodeSafetensorsHeader(bytes, bytes.length)),
      "bundle_invalid",
      fragment,
    );
  });

  test("a hole between two tensors", () => {
    const bytes = fileWith({ a: f64(0, 8), b: f64(16, 24) }, 24);
    expectRefusal(
      refusal(() => decodeSafetensorsHeader(bytes, bytes.length)),
      "bundle_invalid",
      "tensor b doesn't begin where",
    );
  });

  test("a file that is shorter than its header, or than the length itself", () => {
    const bytes = encodeSafetensors(tensors);
    for (const length of [0, 7])
      expectRefusal(
        refusal(() => decodeSafetensorsHeader(bytes.subarray(0, length), bytes.length)),
        "bundle_invalid",
        "shorter than a header",
      );
    for (const length of [8, 50])
      expectRefusal(
        refusal(() => decodeSafetensorsHeader(bytes.subarray(0, length), bytes.length)),
        "bundle_invalid",
        "longer than the bytes",
      );
  });

  test("a header length past 4 GiB", () => {
    const bytes = encodeSafetensors(tensors);
    bytes[4] = 1;
    expectRefusal(
      refusal(() => decodeSafetensorsHeader(bytes, bytes.length)),
      "bundle_invalid",
      "longer than the bytes",
    );
  });
});
