import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { createInterface } from "node:readline";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import {
  AnchorEvalError,
  type AnchorEvalErrorCode,
  createClient,
  estimate as estimateHere,
  estimateFromJudge,
  type ItemTrials,
  loadBundle,
  type TrialsRequest,
} from "anchoreval";
import { publishBundle } from "anchoreval/internal/features/publishing/sdk/publish-bundle";
import { r2Store } from "anchoreval/internal/bundles/r2-store";
import { folderSource } from "anchoreval/node";
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

/** The answer of the process that Python's package talks to. @throws AnchorEvalError as Python does */
async function asked(request: object): Promise<unknown> {
  const bridge = spawn(process.execPath, [join(ROOT, "sdk/dist/program/bridge.js")], {
    stdio: ["pipe", "pipe", "inherit"],
  });
  bridge.stdin.end(`${JSON.stringify({ bundle: { place, cwd: folder }, ...request })}\n`);
  const [line] = (await once(createInterface({ input: bridge.stdout }), "line")) as [string];
  const { result, error } = JSON.parse(line) as {
    result: unknown;
    error?: { code: AnchorEvalErrorCode; message: string };
  };
  if (error) throw new AnchorEvalError(error.code, error.message);
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

/** @throws AnchorEvalError by the code that the program prints */
async function fromProgram({ responses, form, level, over, metric, subscores }: TrialsRequest): Promise<unknown> {
  const file = join(folder, "answers.json");
  await writeFile(file, JSON.stringify(responses));
  const words = Object.entries({ form, level, over, metric }).flatMap(([name, value]) =>
    value === undefined ? [] : [`--${name}`, String(value)],
  );
  const { out, err, code } = await runCommand(
    "estimate",
    "--bundle",
    place,
    "--responses",
    file,
    "--json",
    ...words,
    ...(subscores === true ? ["--subscores"] : []),
  );
  if (code === 0) return JSON.parse(out);
  const [, refusal] = /\[(\w+)\]\s*$/m.exec(err) ?? [];
  throw new AnchorEvalError(refusal as AnchorEvalErrorCode, err);
}

describe("one number, whoever is asked, to the last bit", () => {
  test.each(estimates)("$name: over HTTP, by Python's process, and by the program, as the SDK has it", async (own) => {
    const { request, estimate } = own;
    expect(await createClient({ baseUrl: worker.url }).estimate(ref, request)).toEqual(estimate);
    expect(await fromPython(request)).toEqual(estimate);
    // The program takes clusters from a table of items, answers by id, and shows the scores of all groups.
    if (!Array.isArray(request.responses) && request.clusters === undefined && !Array.isArray(request.subscores))
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

const some = estimates[0]!.request.responses as Readonly<Record<string, ItemTrials | number | null>>;
const [id] = Object.keys(some) as [string];
const without = (count: number) => Object.fromEntries(Object.entries(some).slice(count));

/** How a call ends: the result, or the code of the refusal. */
async function ending(call: () => unknown): Promise<unknown> {
  try {
    return await call();
  } catch (error) {
    if (!(error instanceof AnchorEvalError)) throw error;
    return error.code;
  }
}

describe("one rule, whoever is asked", () => {
  // What the program reads is a file, whose own rules come first; what HTTP reads is JSON with a schema.
  test.each<[string, Partial<TrialsRequest>, { program?: string; http?: string }?]>([
    ["an item that is none", { responses: { ...some, "no such item": 1 } }],
    ["half of the answers", { responses: without(20), form: "20" }],
    ["no answers", { responses: { [id]: null } }],
    [
      "hardly any answer",
      { responses: { ...Object.fromEntries(Array.from({ length: 40 }, (_, k) => [`other ${k}`, 1])), [id]: 1 } },
    ],
    ["a score above 1", { responses: { ...some, [id]: 1.5 } }, { program: "invalid_data" }],
    ["an empty list of trials", { responses: { ...some, [id]: [] } }, { program: "invalid_data" }],
    ["more passes than trials", { responses: { ...some, [id]: { passed: 3, of: 2 } } }, { program: "invalid_data" }],
    ["a form that there isn't", { form: "21" }],
    ["a level of 2", { level: 2 }],
    ["intervals over weeks", { over: "weeks" as "runs" }, { http: "invalid_request" }],
    ["intervals over runs of another score", { over: "runs", metric: "pass@2" }],
    ["a score that is none", { metric: "pass@none" }],
    ["another score of trials", { metric: "pass@2" }],
    ["groups of another score", { metric: "pass@2", subscores: true }],
  ])("%s", async (_, own, { program, http } = {}) => {
    const request = { responses: some, ...own };
    const { responses, ...asking } = request;
    const bundle = await loadBundle(folderSource(place), { items: true });
    const here = await ending(() => JSON.parse(JSON.stringify(estimateHere(bundle, responses, asking))));
    expect(await ending(() => createClient({ baseUrl: worker.url }).estimate(ref, request))).toEqual(http ?? here);
    expect(await ending(() => fromPython(request))).toEqual(here);
    const printed = (await ending(() => fromProgram(request))) as { ignored?: number };
    delete printed.ignored;
    expect(printed).toEqual(program ?? here);
  });
});

describe("a judge and few labels", () => {
  const ids = Array.from({ length: 60 }, (_, k) => `q-${k}`);
  const judge = Object.fromEntries(ids.map((id, k) => [id, ((k * 7) % 10) / 10]));
  const labels = Object.fromEntries(ids.slice(0, 24).map((id, k) => [id, k % 5 === 0 ? null : k % 2]));
  const print = async (scores: object, said: object, next: string) => {
    const files = [join(folder, "judge.json"), join(folder, "labels.json")] as const;
    await writeFile(files[0], JSON.stringify(scores));
    await writeFile(files[1], JSON.stringify(said));
    const options = ["--half-width", "6", "--next", join(folder, next), "--level", "0.9", "--json"];
    return runCommand("estimate", "--judge", files[0], "--labels", files[1], ...options);
  };
  const byPython = (scores: object, said: object) =>
    asked({
      call: "judge",
      models: [scores, said].map((one) => ({ responses: { byId: Object.entries(one) } })),
      options: { halfWidth: 0.06, level: 0.9 },
    });
  const overHttp = (scores: object, said: object) =>
    fetch(`${worker.url}/v1/judged-estimates`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ judge: scores, labels: said, halfWidth: 0.06, level: 0.9 }),
    });

  test("one number, to the last bit", async () => {
    const here: unknown = JSON.parse(JSON.stringify(estimateFromJudge(judge, labels, { halfWidth: 0.06, level: 0.9 })));
    expect(await (await overHttp(judge, labels)).json()).toEqual(here);
    expect(await byPython(judge, labels)).toEqual(here);
    expect(JSON.parse((await print(judge, labels, "next.txt")).out)).toEqual(here);
  });

  test.each<[string, object, object]>([
    ["an item that the judge has no score of", { ...judge, "q-3": null }, labels],
    ["a label of another item", judge, { ...labels, other: 1 }],
  ])("%s: one refusal in the same words", async (_, scores, said) => {
    const here = await Promise.resolve()
      .then(() => estimateFromJudge(scores as never, said as never))
      .catch((error: unknown) => error as AnchorEvalError);
    const { code, message } = here as AnchorEvalError;
    expect(await (await overHttp(scores, said)).json()).toMatchObject({ code, detail: message });
    await expect(byPython(scores, said)).rejects.toMatchObject({ code, message });
    expect((await print(scores, said, "none.txt")).err).toContain(message);
  });
});
