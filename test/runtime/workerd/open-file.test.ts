import { reset } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { r2Source, type Manifest } from "anchoreval";
import { parseManifest } from "anchoreval/bundle";
import { sha256Hex } from "anchoreval/internal/core/bundle/digest";
import type { FileManifest } from "anchoreval/internal/core/bundle/manifest";
import { blobKey } from "anchoreval/internal/core/bundle/names";
import { createRandom } from "anchoreval/internal/core/numeric/random";
import { afterEach, beforeEach, describe, expect, test, vi, type MockInstance } from "vitest";
import { MemoryRoom } from "../../../workers/src/bundles/bundle-caches.ts";
import { openFile } from "../../../workers/src/bundles/open-file.ts";
import { sampleBundle } from "../../support/sample-bundle.ts";

/** A megabyte and a bit: five pieces, the last one short. */
const random = createRandom("open file");
const bytes = Uint8Array.from({ length: 1_100_000 }, () => 256 * random.next());
const file: FileManifest = { name: "items.jsonl", bytes: bytes.length, sha256: sha256Hex(bytes) };
const manifest: Manifest = { ...parseManifest(sampleBundle().get("manifest.json")!), files: [file] };
const key = blobKey("sample", file.sha256);
const source = {
  name: "sample",
  read: async () => {
    const object = await env.BUNDLES.get(key);
    return object && new Uint8Array(await object.arrayBuffer());
  },
} satisfies ReturnType<typeof r2Source>;
const open = (room: MemoryRoom, range: { begin: number; end: number } | null = null): Promise<ReadableStream> =>
  openFile({ bucket: env.BUNDLES, source, manifest, room, deadline: 1000 }, file, range);
const noRoom = (): MemoryRoom => new MemoryRoom(0, () => 0);
/** SHA-256 of a body: comparing megabytes one by one takes seconds. */
const digestOf = async (body: ReadableStream): Promise<string> =>
  sha256Hex(new Uint8Array(await new Response(body).arrayBuffer()));

let log: MockInstance<typeof console.error>;
beforeEach(async () => {
  log = vi.spyOn(console, "error").mockImplementation(() => undefined);
  await env.BUNDLES.put(key, bytes);
});
afterEach(() => {
  vi.restoreAllMocks();
  return reset();
});

test("gives the same bytes with room in memory and without", async () => {
  for (const room of [noRoom(), new MemoryRoom(2_000_000, () => 0)])
    expect(await digestOf(await open(room))).toBe(file.sha256);
});

test.each([
  [0, 1],
  [5, 700_000],
  [1_099_990, 1_100_000],
  [0, 1_100_000],
])("gives the part from %d to %d", async (begin, end) => {
  expect(await digestOf(await open(noRoom(), { begin, end }))).toBe(sha256Hex(bytes.slice(begin, end)));
});

describe("without room a damaged file", () => {
  const damaged: [string, Uint8Array][] = [
    ["with another byte at its begin", bytes.with(3, bytes[3]! ^ 1)],
    ["with another byte at its end", bytes.with(-3, bytes.at(-3)! ^ 1)],
    ["that ends too early", bytes.slice(0, -1)],
    ["that ends far too early", bytes.slice(0, 5)],
    ["that is too long", Uint8Array.from([...bytes, 1])],
  ];
  test.each(damaged)("%s never comes to its end", async (_, broken) => {
    await env.BUNDLES.put(key, broken);
    let received = 0;
    const all = open(noRoom()).then(async (body) => {
      for await (const piece of body as unknown as AsyncIterable<Uint8Array>) received += piece.length;
    });
    await expect(all).rejects.toThrow();
    expect(received).toBeLessThan(bytes.length);
  });

  test("is in the log", async () => {
    await env.BUNDLES.put(key, bytes.with(-3, bytes.at(-3)! ^ 1));
    await expect(digestOf(await open(noRoom()))).rejects.toThrow();
    expect(log.mock.calls.flat().join()).toContain('"event":"broken_off","code":"bundle_corrupt"');
  });

  test("that is gone is a problem of its own", async () => {
    await env.BUNDLES.delete(key);
    await expect(open(noRoom())).rejects.toMatchObject({ code: "bundle_corrupt" });
  });
});

describe("room", () => {
  const all = bytes.length;

  test("is held until the body was sent", async () => {
    const room = new MemoryRoom(all, () => 0);
    const body = await open(room);
    expect(room.take(1)).toBeNull();
    await digestOf(body);
    await vi.waitFor(() => expect(room.take(all)).not.toBeNull());
  });

  test("is given back by a caller that goes away", async () => {
    const room = new MemoryRoom(all, () => 0);
    await (await open(room)).cancel();
    await vi.waitFor(() => expect(room.take(all)).not.toBeNull());
  });

  test("is given back where the file is damaged", async () => {
    await env.BUNDLES.put(key, bytes.slice(1));
    const room = new MemoryRoom(all, () => 0);
    await expect(open(room)).rejects.toMatchObject({ code: "bundle_corrupt" });
    expect(room.take(all)).not.toBeNull();
  });

  test("for one file lets others through all the same, as streams", async () => {
    const room = new MemoryRoom(all, () => 0);
    const [first, second] = await Promise.all([open(room), open(room)]);
    expect(await digestOf(second)).toBe(file.sha256);
    expect(await digestOf(first)).toBe(file.sha256);
  });
});
