import { execFile } from "node:child_process";
import { cp, mkdtemp, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { Validator } from "@seriousme/openapi-schema-validator";
import { compareFromAnchors, estimateFromAnchors, loadBundle } from "anchoreval";
import { publishBundle } from "anchoreval/internal/features/publishing/sdk/publish-bundle";
import { r2Store } from "anchoreval/internal/bundles/r2-store";
import { startLocalWorker, type LocalWorker } from "anchoreval-trainer";
import openapiTS, { astToString } from "openapi-typescript";
import { afterAll, beforeAll, expect, test } from "vitest";
import { buildWorker } from "../../support/built-worker.ts";
import { memorySource } from "../../support/memory-source.ts";
import { sampleAnswers } from "../../support/sample-answers.ts";
import { sampleBundle } from "../../support/sample-bundle.ts";

const ROOT = fileURLToPath(new URL("../../..", import.meta.url));
const run = promisify(execFile);

interface Operation {
  readonly summary?: string;
  readonly operationId?: string;
  readonly parameters?: readonly { readonly name: string; readonly in: string }[];
}
type Paths = Record<string, Record<string, Operation>>;

let folder = "";
let worker: LocalWorker;
let served: Record<string, unknown>;

beforeAll(async () => {
  await buildWorker();
  folder = await mkdtemp(join(tmpdir(), "anchoreval-"));
  worker = await startLocalWorker({ port: 0, persist: join(folder, "r2") });
  await publishBundle(r2Store(await worker.bucket()), sampleBundle());
  served = (await (await fetch(`${worker.url}/openapi.json`)).json()) as Record<string, unknown>;
}, 60_000);
afterAll(async () => {
  await worker.dispose();
  await rm(folder, { recursive: true });
});

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

test("a client that is generated from it compiles, and gives the numbers of the SDK", { timeout: 60_000 }, async () => {
  const program = join(folder, "client");
  await cp(join(ROOT, "test/fixtures/openapi-client"), program, { recursive: true });
  await writeFile(join(program, "package.json"), JSON.stringify({ type: "module" }));
  await symlink(join(ROOT, "node_modules"), join(program, "node_modules"), "dir");
  await writeFile(join(program, "api.d.ts"), astToString(await openapiTS(JSON.stringify(served))));
  await run(process.execPath, [join(ROOT, "node_modules/typescript/bin/tsc"), "-p", program]).catch(
    (error: unknown) => {
      throw new Error((error as { stdout: string }).stdout);
    },
  );
  const responses = sampleAnswers("20");
  const script = join(program, "out/program.js");
  const { stdout } = await run(process.execPath, [script, worker.url, JSON.stringify(responses)]);

  const bundle = await loadBundle(memorySource(sampleBundle()));
  const { score, interval } = estimateFromAnchors(bundle, responses);
  const wrong = Object.fromEntries(Object.keys(responses).map((id) => [id, 0]));
  expect(JSON.parse(stdout)).toEqual({
    benchmarks: ["sample"],
    score: expect.closeTo(score!, 12) as number,
    interval: {
      ...interval,
      low: expect.closeTo(interval!.low, 12) as number,
      high: expect.closeTo(interval!.high, 12) as number,
    },
    batch: [expect.closeTo(score!, 12)],
    difference: expect.closeTo(
      compareFromAnchors(bundle, { responses }, { responses: wrong }).difference!,
      12,
    ) as number,
    asked: 20,
    refused: "invalid_answers",
    ignored: ["number", "undefined"],
  });
});
