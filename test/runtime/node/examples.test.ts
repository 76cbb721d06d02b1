import { execFile, spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { checkFromAnchors, estimateFromAnchors, loadBundle, type Estimate } from "anchoreval";
import { publishBundle } from "anchoreval/internal/features/publishing/sdk/publish-bundle";
import { r2Store } from "anchoreval/internal/bundles/r2-store";
import { startLocalWorker, type LocalWorker } from "anchoreval-trainer";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { readFixture } from "../../support/fixture.ts";
import { buildWorker } from "../../support/built-worker.ts";
import { memorySource } from "../../support/memory-source.ts";
import { sampleAnswers } from "../../support/sample-answers.ts";
import { sampleBundle } from "../../support/sample-bundle.ts";
import { tempFolder } from "../../support/temp-folder.ts";

const path = (file: string): string => fileURLToPath(new URL(`../../../${file}`, import.meta.url));
const folder = tempFolder();
const files = sampleBundle();
const answers = sampleAnswers("20");
const collapsed = Object.fromEntries(Object.keys(answers).map((id) => [id, 0]));
const released = folder.write("released.json", JSON.stringify({ responses: answers }));
let worker: LocalWorker;
let bundle = "";

beforeAll(async () => {
  await buildWorker();
  worker = await startLocalWorker({ port: 0, persist: folder.path("state") });
  await publishBundle(r2Store(await worker.bucket()), files);
  bundle = `${worker.url}/v1/bundles/sample/1.0.0`;
});
afterAll(() => worker.dispose());

interface Run {
  readonly code: number;
  readonly out: string;
  readonly err: string;
}

function run(program: string, args: readonly string[], env: Readonly<Record<string, string>> = {}): Promise<Run> {
  return new Promise((resolve) => {
    const options = { cwd: folder.path(""), env: { ...process.env, ...env } };
    execFile(program, args, options, (error, out, err) => resolve({ code: Number(error?.code ?? 0), out, err }));
  });
}

/** With numpy and safetensors where it is the CI's. */
const PYTHON = process.env["ANCHOREVAL_TEST_PYTHON"] ?? "python3";
const python = spawnSync(PYTHON, ["--version"]).status === 0;
const packages = spawnSync(PYTHON, ["-c", "import numpy, safetensors"]).status === 0;
const packaged = spawnSync(PYTHON, ["-c", "import anchoreval"]).status === 0;
describe.skipIf(!python)("examples/ci/check.py (skipped without python3)", () => {
  const gate = (...args: string[]): Promise<Run> => run(PYTHON, [path("examples/ci/check.py"), bundle, ...args]);

  test("has the exit codes and the numbers of anchoreval check", async () => {
    const bad = folder.write("bad.json", JSON.stringify(collapsed));
    const { code, out } = await gate("--baseline", released, "--responses", bad, "--max-drop", "3");
    const { drop } = checkFromAnchors(
      await loadBundle(memorySource(files)),
      { responses: collapsed },
      { baselines: [{ responses: answers }], maxDrop: 0.03 },
    );
    const points = (fraction: number | null): string => (100 * fraction!).toFixed(1);
    expect(out).toContain(
      `drop: ${points(drop!.drop)} points, surely above ${points(drop!.low)}, at most ${points(drop!.high)}\nREGRESSED\n`,
    );
    expect(code).toBe(3);
    expect(await gate("--baseline", released, "--responses", released, "--max-drop", "30")).toMatchObject({ code: 0 });
    expect(await gate("--baseline", released, "--responses", released)).toMatchObject({ code: 4 });
    expect(await gate("--responses", released, "--min-score", "99")).toMatchObject({ code: 3 });
  });

  test.each(["0.83", "0.02", "1", "101", "-1", "x"])(
    "refuses --min-score %s, which is no score in points",
    async (text) => {
      const { code, err } = await gate("--responses", released, `--min-score=${text}`);
      expect(err).toContain("--min-score");
      expect(code).toBe(2);
    },
  );

  test("less than one point has its unit", async () => {
    expect(await gate("--baseline", released, "--responses", released, "--max-drop", "0.5")).toMatchObject({ code: 2 });
    expect(await gate("--baseline", released, "--responses", released, "--max-drop", "0.5pt")).toMatchObject({
      code: 4,
    });
  });

  test.each<[string, string, string]>([
    ["an unknown item", '{"nowhere": 1}', "invalid_answers"],
    ["an item twice", '{"x": 1, "x": 0}', "twice"],
    ["no JSON", "item_id,score", "odd.json: Expecting value"],
    ["a list", "[1]", "odd.json: answers are"],
  ])("refuses %s with 2", async (_, text, words) => {
    const { code, err } = await gate("--baseline", released, "--responses", folder.write("odd.json", text));
    expect(err).toContain(words);
    expect(code).toBe(2);
  });

  test("refuses an address that is none with 2", async () => {
    const args = ["sample/1.0.0", "--baseline", released, "--responses", released];
    const { code, err } = await run(PYTHON, [path("examples/ci/check.py"), ...args]);
    expect(err).toBe("check.py: sample/1.0.0: the address of a bundle begins with https:// or http://\n");
    expect(code).toBe(2);
  });

  test("says with 1 that the Worker isn't there", async () => {
    const nowhere = ["http://127.0.0.1:9/v1/bundles/sample/1.0.0", "--baseline", released, "--responses", released];
    expect(await run(PYTHON, [path("examples/ci/check.py"), ...nowhere])).toMatchObject({ code: 1 });
  });
});

describe.skipIf(!packaged)("examples/python/estimate.py (skipped without the package for Python)", () => {
  const estimate = (...args: string[]): Promise<Run> => run(PYTHON, [path("examples/python/estimate.py"), ...args]);

  test("prints the SDK's score and interval", async () => {
    const { score, interval } = estimateFromAnchors(await loadBundle(memorySource(files)), answers);
    const plain = folder.write("plain.json", JSON.stringify(answers));
    const points = (fraction: number): string => (100 * fraction).toFixed(1);
    const { code, out } = await estimate(bundle, plain, "--form", "20");
    expect(out.split("\n")[0]).toBe(
      `${points(score!)}, 95 % interval ${points(interval!.low)} to ${points(interval!.high)}`,
    );
    expect(code).toBe(0);
    const body = folder.write("body.json", JSON.stringify({ responses: answers }));
    expect((await estimate(bundle, body, "--form", "20")).out).toBe(out);
  });

  test.each([
    ["a file that isn't there", () => [bundle, folder.path("nowhere.json")], "No such file"],
    ["a file that isn't JSON", () => [bundle, folder.write("torn.json", "{")], "Expecting property name"],
    ["a list", () => [bundle, folder.write("list.json", "[1]")], "list.json: answers are"],
    [
      "a Worker that isn't there",
      () => ["http://127.0.0.1:9/v1/bundles/x/1.0.0", folder.write("a.json", "{}")],
      "[unavailable]",
    ],
  ])("says in a line what fails: %s", async (_, given, words) => {
    const { code, err } = await estimate(...given());
    expect(err).toMatch(/^estimate\.py: [^\n]*\n$/);
    expect(err).toContain(words);
    expect(code).toBe(1);
  });

  test("names what the Worker refuses", async () => {
    const { code, err } = await estimate(bundle, folder.write("unknown.json", '{"nowhere": 1}'));
    expect(err).toContain("[invalid_answers]");
    expect(code).toBe(1);
  });
});

describe.skipIf(!packages)("examples/python/read_bundle.py (skipped without numpy and safetensors)", () => {
  const program = path("examples/python/read_bundle.py");
  interface Result {
    scenarios: Record<string, { theta: number[]; estimators: Record<string, number> }>;
  }
  function expectSame(result: Result, expected: Estimate): void {
    for (const [id, { theta, estimators }] of Object.entries(result.scenarios)) {
      const { details } = expected.scenarios[id]!;
      theta.forEach((value, d) => expect(Math.abs(value - details!.theta[d]!)).toBeLessThan(1e-6));
      for (const name of ["anchor-mean", "p-irt", "gp-irt"] as const)
        expect(Math.abs(estimators[name]! - details!.estimators[name])).toBeLessThan(1e-6);
    }
  }

  test("computes the golden bundle's numbers to 1e-6, missing answers and linked banks among them", async () => {
    const golden = path("test/fixtures/golden-bundle");
    const { out, err } = await run(PYTHON, [program, `${golden}/bundle`, `${golden}/answers.json`, "--form", "12"]);
    expect(err).toBe("");
    expectSame(JSON.parse(out) as Result, readFixture<Estimate>("golden-bundle/estimate.json"));
  });

  test("reads a bundle from a Worker", async () => {
    const plain = folder.write("plain.json", JSON.stringify(answers));
    const { out, err } = await run(PYTHON, [program, bundle, plain, "--form", "20"]);
    expect(err).toBe("");
    expectSame(JSON.parse(out) as Result, estimateFromAnchors(await loadBundle(memorySource(files)), answers));
  });
});
