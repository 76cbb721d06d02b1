import { essence } from "./essence/index.ts";
import { metabench } from "./metabench/index.ts";
import type { Method } from "./method.ts";
import { sublime } from "./sublime/index.ts";
import { tinybenchmarks } from "./tinybenchmarks/index.ts";

/** Published methods. */
export const METHODS: readonly Method[] = [tinybenchmarks, essence, metabench, sublime];
