import { r2Source, type BundleSource, type R2BucketLike } from "anchoreval";
import { ValueCache } from "../../workers/src/bundles/value-cache.ts";

const ref = { benchmark: "sample", version: "1.0.0" };
const cache = new ValueCache<number>({ maxBytes: 1000, sizeOf: () => 1 });
const sources = new Map<string, BundleSource>();

/** Something that the requests of an isolate share, by its key; here the length of a file. */
type Share = (key: string, bucket: R2BucketLike, keepAlive: (work: Promise<unknown>) => void) => Promise<number>;

const readFile = async (source: BundleSource): Promise<number> => (await source.read("anchors.jsonl"))!.length;

const SHARED: Readonly<Record<string, Share>> = {
  cache: async (key, bucket, keepAlive) =>
    await cache.get(key, { load: () => readFile(r2Source(bucket, ref)), keepAlive }),
  source: async (key, bucket) => {
    const source = sources.get(key) ?? r2Source(bucket, ref);
    sources.set(key, source);
    return await readFile(source);
  },
};

/** Has it compiled: workerd's compiled code awaits in another way than what it interprets at first. */
async function warm(share: Share, bucket: R2BucketLike): Promise<void> {
  const objects = new Map<string, ArrayBuffer>();
  const memory: R2BucketLike = {
    get: async (key) => {
      const bytes = objects.get(key) ?? (await (await bucket.get(key))!.arrayBuffer());
      objects.set(key, bytes);
      return { size: bytes.byteLength, arrayBuffer: () => Promise.resolve(bytes) };
    },
  };
  for (let k = 0; k < 20_000; k++) await share(`warm ${k >> 3}`, memory, () => undefined);
}

/** A Worker whose requests share what the real one's do: `/cache/KEY`, `/source/KEY`. */
export default {
  async fetch(
    request: Request,
    { BUNDLES }: { readonly BUNDLES: R2BucketLike },
    context: { waitUntil(work: Promise<unknown>): void },
  ): Promise<Response> {
    const [, what, key] = new URL(request.url).pathname.split("/");
    const share = SHARED[what!]!;
    if (key === "warm") await warm(share, BUNDLES);
    const shared = await share(key!, BUNDLES, (work) => context.waitUntil(work));
    // What follows is the request's own: its body, and an object that it asks for.
    const object = await BUNDLES.get("bundles/sample/1.0.0/manifest.json");
    const own = (await object!.arrayBuffer()).byteLength;
    return Response.json({ shared, own, body: await request.text() });
  },
};
