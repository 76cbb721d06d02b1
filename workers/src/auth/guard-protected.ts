import type { MiddlewareHandler } from "hono";
import type { AppEnv } from "../env.ts";
import { protection } from "./caller.ts";

/** Before anything of a protected benchmark is read, from storage or a cache: its scope; and no cache keeps the answer. */
export const guardProtected: MiddlewareHandler<AppEnv, "/v1/bundles/:benchmark/*"> = async (c, next) => {
  const benchmark = c.req.param("benchmark");
  const isProtected = protection(c.env.PROTECTED_BENCHMARKS)(benchmark);
  if (isProtected && !isPublishing(c.req.method, c.req.path)) c.var.caller.require("read", benchmark);
  await next();
  if (isProtected) c.header("cache-control", "private, no-store");
};

/** Routes that ask for their own scope. */
function isPublishing(method: string, path: string): boolean {
  return method === "PUT" || path.endsWith("/publication");
}
