import { reset } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { beforeAll } from "vitest";

// Files share one workerd, and with it its storage: each begins with none. On a busy machine what is still being ended may
// show what lay there before.
beforeAll(async () => {
  do await reset();
  while ((await env.BUNDLES.list()).objects.length > 0);
});
