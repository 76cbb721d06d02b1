import {
  headOf,
  type LogEntry,
  parseLog,
  type PublicationLog,
  requireHead,
  requireIndexed,
  withEntries,
} from "anchoreval/internal/bundles/publication-log";
import { changeObject, type BundleStore } from "anchoreval/internal/bundles/bundle-store";
import { beforeAll, describe, expect, test } from "vitest";
import { expectRefusal, rejection } from "../../support/refusal.ts";

const digest = (k: number): string => `sha256:${k.toString().repeat(64)}`;
const entry = (k: number, more: Partial<LogEntry> = {}) => ({
  ...{ version: `1.${k}.0`, digest: digest(k), action: "publish" as const, publisher: "ci" },
  time: `2026-01-0${k + 1}T00:00:00.000Z`,
  ...more,
});
const EMPTY: PublicationLog = { bytes: new Uint8Array(), entries: [], heads: [] };
const version = (k: number, yanked = false, reason?: string) => ({
  ...{ version: `1.${k}.0`, digest: digest(k), yanked },
  ...(reason !== undefined && { reason }),
});

let log: PublicationLog;
let lines: string[];
beforeAll(async () => {
  const yank = { action: "yank", publisher: "anna", reason: "wrong keys" } as const;
  log = await withEntries(EMPTY, [entry(0), entry(1), entry(0, yank), entry(2), entry(0, { action: "unyank" })]);
  lines = new TextDecoder().decode(log.bytes).trimEnd().split("\n");
});
const bytesOf = (own: readonly string[]): Uint8Array =>
  new TextEncoder().encode(own.map((line) => `${line}\n`).join(""));
const read = (own: readonly string[]): Promise<PublicationLog> => parseLog(bytesOf(own), "log.jsonl");
const index = () => ({ versions: [version(0), version(1), version(2)], log: headOf(log)! });
/** The same lines as another hand would chain them anew. */
const forged = (own: readonly string[]): Promise<PublicationLog> =>
  withEntries(
    EMPTY,
    own.map((line) => {
      const { entry: number, previous, ...rest } = JSON.parse(line) as LogEntry;
      expect([typeof number, previous]).toBeDefined();
      return rest;
    }),
  );

test("a log is read as it was written, and goes on from each of its heads", async () => {
  const { entries, heads } = await read(lines);
  expect(entries).toEqual(log.entries);
  expect(entries.map(({ entry }) => entry)).toEqual([1, 2, 3, 4, 5]);
  for (const [k, head] of heads.entries()) requireHead(log, { entries: k + 1, head }, "log.jsonl", "it");
  requireIndexed(log, index(), "log.jsonl");
});

test("an index may be behind its log", async () => {
  const more = await withEntries(log, [entry(3)]);
  requireIndexed(more, index(), "log.jsonl");
  expect(() => requireIndexed(more, { ...index(), log: headOf(more)! }, "log.jsonl")).toThrow(/version 1\.3\.0 was published, and its index doesn't name it/); // prettier-ignore
});

describe("a log that another hand changed is refused by what was done:", () => {
  const change = (k: number, from: string, to: string): string[] => lines.with(k, lines[k]!.replace(from, to));
  test.each<[string, () => string[], RegExp]>([
    ["an entry changed", () => change(1, '"ci"', '"me"'), /entry 2 isn't the one that entry 3 follows: it was changed/],
    ["an entry cut out", () => lines.toSpliced(2, 1), /line 3 is entry 4: an entry before it was cut out/],
    ["the first cut out", () => lines.slice(1), /line 1 is entry 2: an entry before it was cut out/],
    ["two entries reordered", () => [...lines.slice(0, 2), lines[3]!, lines[2]!, lines[4]!], /line 3 is entry 4: entries were reordered/], // prettier-ignore
    ["an entry twice", () => [...lines, lines[4]!], /line 6 is entry 5: entries were reordered/],
    ["a line that is no entry", () => lines.with(1, "{}"), /line 2 can't be read/],
    ["what isn't a version", () => change(1, '"1.1.0"', '"../x"'), /line 2 can't be read/],
  ])("%s", async (_, own, message) => {
    const error = await rejection(read(own()));
    expect([error.code, error.message]).toEqual(["bundle_corrupt", expect.stringMatching(message)]);
  });

  test("broken off within a line", async () => {
    const error = await rejection(parseLog(log.bytes.subarray(0, -5), "log.jsonl"));
    expect(error.message).toMatch(/ends within line 5/);
  });

  test.each<[string, () => string[], RegExp]>([
    [
      "the end cut off",
      () => lines.slice(0, 4),
      /ends after entry 4, and its index names entry 5: entries were cut off/,
    ],
    [
      "the last entry changed",
      () => change(4, '"ci"', '"me"'),
      /entry 5 isn't the one that its index names: .* \(fork\)/,
    ],
    ["forked, and longer", () => [...change(1, '"ci"', '"me"'), lines[4]!], /entry 5 isn't the one that its index names: .* \(fork\)/], // prettier-ignore
  ])("chained anew, against the head that the index names: %s", async (_, own, message) => {
    const other = await forged(own());
    await expect(parseLog(other.bytes, "log.jsonl")).resolves.toBeDefined();
    expect(() => requireIndexed(other, index(), "log.jsonl")).toThrow(message);
  });

  test.each<[string, () => string[], RegExp]>([
    [
      "a publication cut out",
      () => lines.toSpliced(1, 1),
      /no entry of version 1\.1\.0, which its index names: it was cut out/,
    ],
    [
      "another bundle",
      () => change(1, digest(1), digest(7)),
      /version 1\.1\.0 was published as sha256:7+, its index names sha256:1+/,
    ],
    ["a yank's end cut out", () => lines.slice(0, 4), /differ in whether version 1\.0\.0 is yanked/],
    ["a version that isn't there", () => [...lines, JSON.stringify(entry(5))], /version 1\.5\.0 was published/],
  ])("chained anew with the index's head: %s", async (_, own, message) => {
    const other = await forged(own());
    expect(() => requireIndexed(other, { ...index(), log: headOf(other)! }, "log.jsonl")).toThrow(message);
  });

  test("chained anew with an index that agrees, against a head that a reader remembers", async () => {
    const other = await forged([...change(1, '"ci"', '"me"'), lines[2]!, lines[4]!]);
    requireIndexed(other, { ...index(), log: headOf(other)! }, "log.jsonl");
    expect(() => requireHead(other, headOf(log)!, "log.jsonl", "--head")).toThrow(/entry 5 isn't the one that --head names: another log was put in its place \(fork\)/); // prettier-ignore
  });
});

test.each([
  ["of empty lines", "\n".repeat(1 << 20), "line 1 can't be read"],
  ["of one line that is longer than any", `${" ".repeat((1 << 20) + 1)}\n`, "line 1 can't be read"],
])("what is no log is given up at its first line: %s", async (_, text, words) => {
  const error = await rejection(parseLog(new TextEncoder().encode(text), "log.jsonl"));
  expect(error).toMatchObject({ code: "bundle_corrupt", message: expect.stringContaining(words) as string });
});

test("what readers would refuse as too long isn't written", async () => {
  const write = changeObject(
    { get: () => Promise.resolve(null) } as Partial<BundleStore> as BundleStore,
    "bundles/quiz/index.json",
    () => new Uint8Array((1 << 22) + 1),
  );
  expectRefusal(await rejection(write), "unsupported", "bundles/quiz/index.json would have 4194305 bytes");
});
