// Hooks that write down every module that is loaded, for the count of a command: see test/package/start.test.ts.
import { appendFileSync } from "node:fs";

export function load(url, context, next) {
  appendFileSync(process.env.LOADED_MODULES, `${url}\n`);
  return next(url, context);
}
