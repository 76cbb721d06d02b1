import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { createInterface } from "node:readline";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { createClient, type TrialsRequest } from "anchoreval";
import { publishBundle } from "anchoreval/internal/publish/publish-bundle";
import { r2Store } from "anchoreval/internal/publish/r2-store";
import { startLocalWorker, type LocalWorker } from "anchoreval-trainer";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { buildWorker } from "../../support/built-worker.ts";
import { goldenTrials } from "../../support/golden-estimates.ts";
import { runCommand } from "../../support/run-command.ts";
import { sampleBundle } from "../../support/sample-bundle.ts";
import { ROOT } from "../../support/source-imports.js";

const { bundle: options, estimates, plans } = await goldenTrials();
const ref = { benchmark: "repeated", version: "1.0.0" };
let [folder, place] = ["", ""];
let worker: LocalWorker;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "anchoreval-"));
  place = join(folder, "bundle");
  const files = sampleBundle(options);
  for (const [name, bytes] of files) {
    await mkdir(dirname(join(place, name)), { recursive: true });
    await writeFile(join(place, name), bytes);
  }
  await buildWorker();
  worker = await startLocalWorker({ port: 0, persist: join(folder, "storage") });
  await publishBundle(r2Store(await worker.bucket()), files);
});
afterAll(async () => {
  await worker.dispose();
  await rm(folder, { recursive: true });
});

/** The answer of the process that Python's package talks to. */
async function asked(request: object): Promise<unknown> {
  const bridge = spawn(process.execPath, [join(ROOT, "sdk/dist/program/bridge.js")], {
    stdio: ["pipe", "pipe", "inherit"],
  });
  bridge.stdin.end(`${JSON.stringify({ bundle: { place, cwd: folder }, ...request })}\n`);
  const [line] = (await once(createInterface({ input: bridge.stdout }), "line")) as [string];
  const { result } = JSON.parse(line) as { result: unknown };
  return result;
}

function fromPython({ responses, formDigest, ...own }: TrialsRequest): Promise<unknown> {
  const sent = Array.isArray(responses) ? responses : { byId: Object.entries(responses) };
  return asked({
    call: "estimate",
    models: [{ responses: sent, ...(formDigest !== undefined && { formDigest }) }],
    options: own,
  });
}

async function fromProgram({ responses, form, level, over, metric }: TrialsRequest): Promise<unknown> {
  const file = join(folder, "answers.json");
  await writeFile(file, JSON.stringify(responses));
  const given = Object.entries({ form, level, over, metric }).flatMap(([name, value]) =>
    value === undefined ? [] : [`--${name}`, String(value)],
  );
  const { out, err, code } = await runCommand("estimate", "--bundle", place, "--responses", file, "--json", ...given);
  expect({ code, err }).toMatchObject({ code: 0 });
  return JSON.parse(out);
}

describe("one number, whoever is asked, to the last bit", () => {
  test.each(estimates)("$name: over HTTP, by Python's process, and by the program, as the SDK has it", async (own) => {
    const { request, estimate } = own;
    expect(await createClient({ baseUrl: worker.url }).estimate(ref, request)).toEqual(estimate);
    expect(await fromPython(request)).toEqual(estimate);
    // The program takes groups from a table of items, and answers by id.
    if (!Array.isArray(request.responses) && request.clusters === undefined)
      expect(await fromProgram(request)).toEqual(estimate);
  });

  test.each(plans)("a plan $query", async ({ query, plan }) => {
    expect(await (await fetch(`${worker.url}/v1/bundles/repeated/1.0.0/plan${query}`)).json()).toEqual(plan);
    const parameters = [...new URLSearchParams(query)];
    const sent = parameters.map(([name, value]) => [
      name,
      name === "trials" ? value.split(",").map(Number) : Number(value),
    ]);
    expect(await asked({ call: "plan", options: Object.fromEntries(sent) as object })).toEqual(plan);
    const inPoints = (name: string, value: string): string =>
      /^(halfWidth|gap)$/.test(name) ? String(100 * Number(value)) : value;
    const given = parameters.flatMap(([name, value]) => [
      `--${name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`,
      inPoints(name, value),
    ]);
    const { out, err } = await runCommand("plan", "--bundle", place, "--json", ...given);
    expect(JSON.parse(out || `"${err}"`)).toEqual(plan);
  });
});
