import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createClient, loadBundle } from "anchoreval";
import { sha256Hex } from "anchoreval/internal/core/bundle/digest";
import { publishToWorker } from "anchoreval/internal/features/publishing/sdk/publish-to-worker";
import { startLocalWorker, type LocalWorker } from "anchoreval-trainer";
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from "vitest";
import { main } from "../../../cli/src/main.ts";
import { buildWorker } from "../../support/built-worker.ts";
import { runProgram } from "../../support/run-command.ts";
import { sampleBundle } from "../../support/sample-bundle.ts";
import { signingKey } from "../../support/signing-key.ts";

const token = "test-token";
const record = {
  id: "test",
  sha256: sha256Hex(new TextEncoder().encode(token)),
  scopes: ["publish:sample"],
  expires: null,
};
let folder = "";
let worker: LocalWorker;
const to = () => ({ baseUrl: worker.url, token });

beforeAll(async () => {
  await buildWorker();
  folder = await mkdtemp(join(tmpdir(), "anchoreval-"));
  worker = await startLocalWorker({ port: 0, persist: folder, vars: { TOKENS: JSON.stringify([record]) } });
});
afterAll(async () => {
  await worker.dispose();
  await rm(folder, { recursive: true });
});

test("sends what the Worker lacks, and no more", async () => {
  const files = sampleBundle({ report: true });
  const sent: string[] = [];
  const onUpload = ({ name }: { name: string }): void => void sent.push(name);
  const result = await publishToWorker(files, { ...to(), onUpload });
  expect(result).toMatchObject({ status: "published", latest: "1.0.0" });
  expect(sent.sort()).toEqual([...files.keys()].filter((name) => name !== "manifest.json").sort());
  sent.length = 0;
  expect(await publishToWorker(files, { ...to(), onUpload })).toMatchObject({ status: "already" });
  expect(sent).toEqual([]);
  const bundle = await loadBundle(`${worker.url}/v1/bundles/sample/1.0.0`);
  expect(bundle.digest).toBe(result.digest);
});

test("goes on where an attempt was broken off", async () => {
  const files = sampleBundle({ version: "1.1.0", seed: 9 });
  const stop = new AbortController();
  const onUpload = ({ name }: { name: string }): void => {
    if (name !== "parameters.safetensors") stop.abort();
  };
  const broken = publishToWorker(files, { ...to(), onUpload, signal: stop.signal });
  await expect(broken).rejects.toMatchObject({ code: "aborted" });
  expect((await createClient({ baseUrl: worker.url }).bundles.list())[0]!.versions).toHaveLength(1);
  const sent: string[] = [];
  await publishToWorker(files, { ...to(), onUpload: ({ name }) => void sent.push(name) });
  expect(sent).not.toContain("parameters.safetensors");
  expect(sent.length).toBeGreaterThan(0);
});

test("other content under a published version is refused with its own code", async () => {
  await expect(publishToWorker(sampleBundle({ seed: 8 }), to())).rejects.toMatchObject({ code: "version_conflict" });
});

test.each([
  ["another benchmark", { benchmark: "other" }, token, "forbidden"],
  ["a wrong token", {}, "guess", "unauthorized"],
])("%s: refused, and nothing is sent", async (_, options, presented, code) => {
  const sent: string[] = [];
  const attempt = publishToWorker(sampleBundle({ version: "3.0.0", ...options }), {
    baseUrl: worker.url,
    token: presented,
    onUpload: ({ name }) => void sent.push(name),
  });
  await expect(attempt).rejects.toMatchObject({ code });
  expect(sent).toEqual([]);
});

/** Has two publishers ask for their publications at the same time: each waits until the other is as far. */
function meeting(): typeof fetch {
  let other: (() => void) | null = null;
  return async (input, init) => {
    if (init?.method === "POST")
      await new Promise<void>((go) => {
        if (other === null) other = go;
        else {
          other();
          other = null;
          go();
        }
      });
    return fetch(input, init);
  };
}

// RACES=100 for a long run; test/unit/publish has every order of their calls.
test("two publishers race again and again: one wins, the other is told, the index has every version", async () => {
  const versions = Array.from({ length: Number(process.env["RACES"] ?? 20) }, (_, k) => `2.${k}.0`);
  for (const version of versions) {
    const own = { ...to(), fetch: meeting() };
    const results = await Promise.allSettled([
      publishToWorker(sampleBundle({ version, seed: 1 }), own),
      publishToWorker(sampleBundle({ version, seed: 2 }), own),
    ]);
    const lost = results.filter((result) => result.status === "rejected");
    expect(lost.map(({ reason }) => (reason as { code: string }).code)).toEqual(["version_conflict"]);
  }
  const list = await createClient({ baseUrl: worker.url }).bundles.list();
  const found = list.find(({ benchmark }) => benchmark === "sample")!.versions.map(({ version }) => version);
  expect(found).toEqual(expect.arrayContaining(versions));
}, 300_000);

describe("anchoreval publish --to URL", () => {
  async function run(token: string, ...argv: string[]) {
    vi.stubEnv("ANCHOREVAL_TOKEN", token);
    let [out, err] = ["", ""];
    const code = await main(["publish", ...argv], {
      stdout: { write: (text: string) => (out += text) },
      stderr: { write: (text: string) => (err += text) },
    });
    return { code, out, err };
  }
  afterEach(() => void vi.unstubAllEnvs());
  let bundle = "";
  beforeAll(async () => {
    bundle = await mkdtemp(join(tmpdir(), "anchoreval-"));
    for (const [name, bytes] of sampleBundle({ version: "4.0.0" })) await writeFile(join(bundle, name), bytes);
  });
  afterAll(() => rm(bundle, { recursive: true }));

  test("publishes with the token of the environment", async () => {
    const { code, out } = await run(token, bundle, "--to", worker.url);
    expect(out).toContain("sample@4.0.0 is published");
    expect(code).toBe(0);
  });

  test("its card comes along: one made of the bundle, then one of one's own", async () => {
    const place = `${worker.url}/v1/bundles/sample/4.0.0`;
    const shown = async (): Promise<string> => (await runProgram(["show", place])).out;
    const { manifest } = await loadBundle(place);
    expect(await shown()).toContain(`# sample 4.0.0\n\n`);
    expect(await shown()).toContain(`**Licence:** ${manifest.data.licence!}.`);
    await writeFile(join(bundle, "card.md"), "# Ours\n");
    expect((await run(token, bundle, "--to", worker.url)).out).toContain("is there already");
    expect(await shown()).toMatch(/\n# Ours\n$/);
  });

  test("anchoreval show lists what a Worker has, a line each, by the addresses that --bundle takes", async () => {
    const { out } = await runProgram(["show", `${worker.url}/`]);
    const { manifest } = await loadBundle(`${worker.url}/v1/bundles/sample/4.0.0`);
    const items = manifest.scenarios.reduce((sum, own) => sum + own.items, 0);
    const line = `sample@4\\.0\\.0 +${items} +${manifest.sources.models} .*${worker.url}/v1/bundles/sample/4\\.0\\.0`;
    expect(out.match(/^\S+@\S+/gm)).toHaveLength(1);
    expect(out).toMatch(new RegExp(`^${line}$`, "m"));
    const [listed] = JSON.parse((await runProgram(["show", worker.url, "--json"])).out) as { place: string }[];
    expect((await runProgram(["show", listed!.place])).code).toBe(0);
    const wrong = await runProgram(["show", "ftp://x"]);
    expect([wrong.code, wrong.err]).toEqual([2, expect.stringContaining("from a folder or over http(s)")]);
    const nowhere = await runProgram(["show", `${worker.url}/docs`]);
    expect([nowhere.code, nowhere.err]).toEqual([2, expect.stringContaining("/docs has no manifest.json")]);
  });

  test("where keys are trusted, anchoreval show lists what one of them signed, and refuses the rest", async () => {
    const key = await signingKey();
    vi.stubEnv("ANCHOREVAL_TRUSTED_KEYS", key.key);
    const unsigned = await runProgram(["show", worker.url]);
    expect([unsigned.code, unsigned.err]).toEqual([2, expect.stringContaining("sample/4.0.0")]);
    await writeFile(join(bundle, "manifest.sig"), await key.file(await readFile(join(bundle, "manifest.json"))));
    await run(token, bundle, "--to", worker.url);
    const signed = await runProgram(["show", worker.url]);
    expect([signed.code, signed.out]).toEqual([0, expect.stringContaining("sample@4.0.0")]);
    vi.stubEnv("ANCHOREVAL_TRUSTED_KEYS", (await signingKey()).key);
    const others = await runProgram(["show", worker.url]);
    expect([others.code, others.err]).toEqual([2, expect.stringContaining("no trusted key signed it")]);
  });

  test("says what to do without a token", async () => {
    const { code, err } = await run("", bundle, "--to", worker.url);
    expect(err).toContain("set ANCHOREVAL_TOKEN");
    expect(code).toBe(2);
  });
});
