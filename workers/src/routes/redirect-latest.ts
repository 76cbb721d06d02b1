import type { Context } from "hono";
import { INDEX_MAX_AGE } from "../bundles/bundle-caches.ts";
import type { AppEnv } from "../env.ts";

/** GET of anything under `latest`: to the same under the version's number. */
export async function redirectLatest(c: Context<AppEnv, "/v1/bundles/:benchmark/latest">): Promise<Response> {
  const version = await c.var.bundles.latest(c.req.param("benchmark"));
  const { pathname, search } = new URL(c.req.url);
  const [root, v1, bundles, benchmark, , ...rest] = pathname.split("/");
  c.header("cache-control", `public, max-age=${INDEX_MAX_AGE}`);
  return c.redirect([root, v1, bundles, benchmark, version, ...rest].join("/") + search, 307);
}
