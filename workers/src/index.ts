import { createApp } from "./app.ts";
import { createCaches } from "./bundles/bundle-reader.ts";
import type { Env } from "./env.ts";
import { consumeQueue } from "./queue.ts";

const caches = createCaches();
const app = createApp({}, caches);

export default {
  fetch: (request, env, context) => app.fetch(request, env, context),
  queue: (batch, env, context) => consumeQueue(batch, env, context, caches),
} satisfies ExportedHandler<Env & { BUNDLES: R2Bucket }>;
