declare namespace Cloudflare {
  /** The bindings of wrangler.toml. */
  interface Env {
    readonly BUNDLES: R2Bucket;
    readonly JOBS: Queue<string>;
  }
  /** What `exports` of cloudflare:workers holds. */
  interface GlobalProps {
    mainModule: typeof import("../../../workers/src/index.ts");
  }
}
