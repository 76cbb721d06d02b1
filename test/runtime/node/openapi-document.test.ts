import { readFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { Validator } from "@seriousme/openapi-schema-validator";
import { Miniflare } from "miniflare";
import { afterAll, beforeAll, expect, test } from "vitest";
import { buildWorker } from "../../support/built-worker.ts";

const BUILT = fileURLToPath(new URL("../../../offline-trainer/dist/worker/", import.meta.url));

interface Operation {
  readonly summary?: string;
  readonly operationId?: string;
  readonly parameters?: readonly { readonly name: string; readonly in: string }[];
}
type Paths = Record<string, Record<string, Operation>>;

let miniflare: Miniflare;
let served: Record<string, unknown>;

beforeAll(async () => {
  await buildWorker();
  const settings = JSON.parse(await readFile(`${BUILT}worker.json`, "utf8")) as { compatibilityDate: string };
  miniflare = new Miniflare({
    cf: false,
    modules: true,
    modulesRoot: BUILT,
    scriptPath: `${BUILT}index.js`,
    compatibilityDate: settings.compatibilityDate,
    r2Buckets: ["BUNDLES"],
  });
  served = (await (await miniflare.dispatchFetch("http://localhost/openapi.json")).json()) as Record<string, unknown>;
});
afterAll(() => miniflare.dispose());

test("the served document is valid OpenAPI 3.1", async () => {
  const validator = new Validator();
  expect(await validator.validate(structuredClone(served))).toEqual({ valid: true });
  expect(validator.version).toBe("3.1");
});

test("the validator sees a fault", async () => {
  const { info, ...rest } = served;
  expect(info).toBeDefined();
  expect((await new Validator().validate(rest)).valid).toBe(false);
});

test("every operation has a name, a summary, and the parameters of its path", () => {
  for (const [path, methods] of Object.entries(served.paths as Paths)) {
    const inPath = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name);
    for (const [method, { operationId, summary, parameters = [] }] of Object.entries(methods)) {
      expect.soft([operationId, summary], `${method} ${path}`).toEqual([expect.any(String), expect.any(String)]);
      const described = parameters.filter(({ in: place }) => place === "path").map(({ name }) => name);
      expect.soft(described.sort(), `${method} ${path}`).toEqual(inPath.sort());
    }
  }
});
