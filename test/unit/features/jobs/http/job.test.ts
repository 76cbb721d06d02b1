import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { type SplitLimits, splitShards } from "../../../../../features/jobs/http/job.ts";

const LIMITS: SplitLimits = { shardModels: 3, jobModels: 1000, bytes: 60 };
const encode = (text: string): Uint8Array => new TextEncoder().encode(text);

/** The shards of a text that comes in parts of these lengths. */
function shardsOf(text: string, cuts: readonly number[] = [], limits = LIMITS): ReturnType<typeof run> {
  const bytes = encode(text);
  const parts: Uint8Array[] = [];
  let from = 0;
  for (const cut of cuts) parts.push(bytes.subarray(from, (from = Math.min(from + cut, bytes.length))));
  return run([...parts, bytes.subarray(from)], limits);
}

function run(parts: readonly Uint8Array[], limits: SplitLimits) {
  const { inspect, end } = splitShards(limits);
  parts.forEach(inspect);
  return end();
}

const line = fc.oneof(
  fc.constantFrom("", " ", "\t \r", "{}", '{"é":"\u2028"}', "\ufeff", "\u00a0"),
  fc.string({ maxLength: 12 }).map((text) => text.replaceAll("\n", "")),
);

test("shards hold every line that isn't blank once, in order, however the bytes come", () => {
  fc.assert(
    fc.property(fc.array(line, { maxLength: 40 }), fc.boolean(), fc.array(fc.nat(20)), (lines, ended, cuts) => {
      const text = lines.join("\n") + (ended ? "\n" : "");
      const shards = shardsOf(text, cuts);
      expect(shards).toEqual(shardsOf(text));
      const decoder = new TextDecoder("utf-8", { ignoreBOM: true });
      const held = shards.map(({ begin, end }) =>
        decoder
          .decode(encode(text).subarray(begin, end))
          .split("\n")
          .filter((own) => /[^\t\r ]/.test(own)),
      );
      expect(held.flat()).toEqual(text.split("\n").filter((own) => /[^\t\r ]/.test(own)));
      let first = 0;
      shards.forEach((shard, k) => {
        expect(shard).toMatchObject({ first, models: held[k]!.length });
        expect(shard.models).toBeGreaterThan(0);
        expect(shard.models).toBeLessThanOrEqual(LIMITS.shardModels);
        if (shard.models > 1) expect(shard.end - shard.begin).toBeLessThanOrEqual(2 * LIMITS.bytes);
        first += shard.models;
      });
    }),
  );
});

describe("limits", () => {
  test("a shard ends at so many models, or before it is too long", () => {
    expect(shardsOf("a\nb\nc\nd\n")).toEqual([
      { begin: 0, end: 6, first: 0, models: 3 },
      { begin: 6, end: 8, first: 3, models: 1 },
    ]);
    const long = "x".repeat(40);
    expect(shardsOf(`${long}\n${long}\ny`)).toEqual([
      { begin: 0, end: 41, first: 0, models: 1 },
      { begin: 41, end: 83, first: 1, models: 2 },
    ]);
  });

  test("a line that is too long is refused while it comes", () => {
    const { inspect } = splitShards(LIMITS);
    inspect(encode("x".repeat(60)));
    expect(() => inspect(encode("x"))).toThrow("a line has at most 60 bytes");
    expect(() => shardsOf(`${"x".repeat(60)}\n`)).toThrow("a line has at most 60 bytes");
    expect(shardsOf(`${"x".repeat(59)}\n`)).toHaveLength(1);
  });

  test("one model too many is refused", () => {
    const limits = { ...LIMITS, jobModels: 4 };
    expect(shardsOf("a\n\nb\nc\nd\n \n", [], limits)).toHaveLength(2);
    expect(() => shardsOf("a\nb\nc\nd\ne", [], limits)).toThrow("at most 4 models");
  });

  test("nothing at all is no shard", () => {
    expect(shardsOf("\n \r\n\t")).toEqual([]);
    expect(shardsOf("")).toEqual([]);
  });
});
