import type { MiddlewareHandler } from "hono";
import type { AppEnv } from "../env.ts";

/** Before anything of a protected benchmark is read, from storage or a cache: its scope; and no cache keeps the answer. */
export const guardProtected: MiddlewareHandler<AppEnv, "/v1/bundles/:benchmark/*"> = async (c, next) => {
  const benchmark = c.req.param("benchmark");
  if (!isPublishing(c.req.method, c.req.path)) c.var.caller.require("read", benchmark);
  await next();
  if (c.var.caller.isProtected(benchmark)) c.header("cache-control", "private, no-store");
};

/** Routes that ask for their own scope: by method too, since `GET …/latest/publication` tells the number of `latest`. */
function isPublishing(method: string, path: string): boolean {
  return method === "PUT" || (method === "POST" && path.endsWith("/publication"));
}
