import { r2Source, type BundleSource, type R2BucketLike } from "anchoreval";
import { ValueCache } from "../../workers/src/bundles/value-cache.ts";

const cache = new ValueCache<number>({ maxBytes: 1000, sizeOf: () => 1 });
const sources = new Map<string, BundleSource>();

const ref = { benchmark: "sample", version: "1.0.0" };
const read = async (source: BundleSource): Promise<number> => (await source.read("anchors.jsonl"))!.length;

/** Has what is shared compiled: workerd's compiled code awaits in another way than what it interprets at first. */
async function warm(bucket: R2BucketLike): Promise<string> {
  const objects = new Map<string, ArrayBuffer>();
  const memory: R2BucketLike = {
    get: async (key) => {
      const bytes = objects.get(key) ?? (await (await bucket.get(key))!.arrayBuffer());
      objects.set(key, bytes);
      return { size: bytes.byteLength, arrayBuffer: () => Promise.resolve(bytes) };
    },
  };
  const source = r2Source(memory, ref);
  for (let k = 0; k < 30_000; k++) {
    await read(source);
    await cache.get("warm", { load: () => read(source), keepAlive: () => undefined });
    if (k % 100 === 0) await read(r2Source(memory, ref));
  }
  return "warm";
}

/** A Worker whose requests share what the real one's do: `/cache/KEY` a load, `/source/KEY` a version's source. */
export default {
  async fetch(
    request: Request,
    { BUNDLES }: { readonly BUNDLES: R2BucketLike },
    context: { waitUntil(work: Promise<unknown>): void },
  ): Promise<Response> {
    const { pathname } = new URL(request.url);
    if (pathname === "/warm") return new Response(await warm(BUNDLES));
    let shared: number;
    if (pathname.startsWith("/cache/")) {
      const keepAlive = (work: Promise<unknown>): void => context.waitUntil(work);
      shared = await cache.get(pathname, { load: () => read(r2Source(BUNDLES, ref)), keepAlive });
    } else {
      const source = sources.get(pathname) ?? r2Source(BUNDLES, ref);
      sources.set(pathname, source);
      shared = await read(source);
    }
    // What follows is the request's own: its body, and an object that it asks for.
    const object = await BUNDLES.get("bundles/sample/1.0.0/manifest.json");
    const own = (await object!.arrayBuffer()).byteLength;
    return Response.json({ shared, own, body: await request.text() });
  },
};
