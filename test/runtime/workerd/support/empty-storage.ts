import { reset } from "cloudflare:test";
import { beforeAll } from "vitest";

// Files share one workerd, and with it its storage: each begins with none.
beforeAll(() => reset());
