import { env } from "cloudflare:workers";
import { reset } from "cloudflare:test";
import { r2Store, sweepableR2Store } from "anchoreval/internal/bundles/r2-store";
import { expect, test } from "vitest";
import { describeBundleStore } from "../../conformance/bundle-store.suite.ts";
import { describePublishing } from "../../conformance/publishing.suite.ts";
import { describeSweeping } from "../../conformance/sweeping.suite.ts";

const empty = async (): Promise<ReturnType<typeof r2Store>> => {
  await reset();
  return r2Store(env.BUNDLES);
};
describeBundleStore("R2", empty);
describePublishing("R2", empty);
describeSweeping("R2", async () => {
  await reset();
  return sweepableR2Store(env.BUNDLES);
});

test("lists more than one page", async () => {
  await empty();
  for (const name of ["a", "b", "c", "d/e", "d/f"]) await env.BUNDLES.put(`bundles/many/${name}`, "x");
  const store = r2Store({
    get: (key) => env.BUNDLES.get(key),
    put: (key, value, options) => env.BUNDLES.put(key, value, options),
    list: (options) => env.BUNDLES.list({ ...options, limit: 2 }),
  });
  expect((await store.list("bundles/many/")).sort()).toEqual(["a", "b", "c", "d/"]);
});
