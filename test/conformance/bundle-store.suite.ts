import type { BundleStore } from "anchoreval/internal/bundles/bundle-store";
import { describe, expect, test } from "vitest";

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);
const text = (object: { bytes: Uint8Array } | null): string | null => object && new TextDecoder().decode(object.bytes);

/** What every {@link BundleStore} does. @param create - an empty store */
export function describeBundleStore(name: string, create: () => Promise<BundleStore>): void {
  describe(`${name} conforms`, () => {
    test("gives null for what isn't there", async () => {
      const store = await create();
      expect(await store.get("bundles/x/index.json")).toBeNull();
      expect(await store.list("bundles/")).toEqual([]);
    });

    test("creates once", async () => {
      const store = await create();
      expect(await store.putIfAbsent("bundles/x/1.0.0/manifest.json", bytes("first"))).toBe(true);
      expect(await store.putIfAbsent("bundles/x/1.0.0/manifest.json", bytes("second"))).toBe(false);
      expect(text(await store.get("bundles/x/1.0.0/manifest.json"))).toBe("first");
    });

    test("lets one of many creators win, and keeps the winner's bytes", async () => {
      const store = await create();
      const contents = Array.from({ length: 8 }, (_, i) => `${i}`.repeat(10_000));
      const won = await Promise.all(contents.map((content) => store.putIfAbsent("bundles/x/one", bytes(content))));
      expect(won.filter(Boolean)).toHaveLength(1);
      expect(text(await store.get("bundles/x/one"))).toBe(contents[won.indexOf(true)]);
    });

    test("replaces only the content that the tag names", async () => {
      const store = await create();
      await store.putIfAbsent("bundles/x/index.json", bytes("a"));
      const { etag } = (await store.get("bundles/x/index.json"))!;
      expect(await store.putIfMatch("bundles/x/index.json", bytes("b"), etag)).toBe(true);
      expect(await store.putIfMatch("bundles/x/index.json", bytes("c"), etag)).toBe(false);
      expect(text(await store.get("bundles/x/index.json"))).toBe("b");
    });

    test("loses no update of many that replace at once", async () => {
      const store = await create();
      await store.putIfAbsent("bundles/x/index.json", bytes(""));
      const append = async (letter: string): Promise<void> => {
        for (;;) {
          const there = (await store.get("bundles/x/index.json"))!;
          if (await store.putIfMatch("bundles/x/index.json", bytes(text(there)! + letter), there.etag)) return;
        }
      };
      await Promise.all(["a", "b", "c", "d", "e", "f"].map(append));
      const all = Array.from(text(await store.get("bundles/x/index.json"))!);
      expect(all.sort().join("")).toBe("abcdef");
    });

    test("replaces nothing where nothing is", async () => {
      const store = await create();
      expect(await store.putIfMatch("bundles/x/index.json", bytes("b"), "0")).toBe(false);
      expect(await store.get("bundles/x/index.json")).toBeNull();
    });

    test("lists what lies right below a prefix, and leaves nothing else behind", async () => {
      const store = await create();
      for (const key of ["bundles/x/1.0.0/manifest.json", "bundles/x/blobs/aa", "bundles/x/blobs/bb", "bundles/xy/z"])
        await store.putIfAbsent(key, bytes(key));
      await store.putIfAbsent("bundles/x/index.json", bytes("a"));
      const { etag } = (await store.get("bundles/x/index.json"))!;
      await store.putIfMatch("bundles/x/index.json", bytes("b"), etag);
      expect((await store.list("bundles/")).sort()).toEqual(["x/", "xy/"]);
      expect((await store.list("bundles/x/")).sort()).toEqual(["1.0.0/", "blobs/", "index.json"]);
      expect((await store.list("bundles/x/blobs/")).sort()).toEqual(["aa", "bb"]);
    });
  });
}
