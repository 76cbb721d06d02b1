import { mkdtemp, rm } from "node:fs/promises";
import { connect, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { estimateFromAnchors, loadBundle } from "anchoreval";
import { sha256Hex } from "anchoreval/internal/core/bundle/digest";
import { createRandom } from "anchoreval/internal/core/numeric/random";
import { publishBundle } from "anchoreval/internal/features/publishing/sdk/publish-bundle";
import { r2Store } from "anchoreval/internal/bundles/r2-store";
import { startLocalWorker, type LocalWorker } from "anchoreval-trainer";
import { afterAll, beforeAll, expect, test } from "vitest";
import { buildWorker } from "../../support/built-worker.ts";
import { memorySource } from "../../support/memory-source.ts";
import { sampleAnswers } from "../../support/sample-answers.ts";
import { sampleBundle } from "../../support/sample-bundle.ts";

const TOKEN = "test-publisher";
const responses = sampleAnswers("20");
const body = JSON.stringify({ responses });
const ESTIMATES = "/v1/bundles/sample/1.0.0/estimates";
let persist = "";
let worker: LocalWorker;
let right: number | null = null;

beforeAll(async () => {
  await buildWorker();
  persist = await mkdtemp(join(tmpdir(), "anchoreval-"));
  const sha256 = sha256Hex(new TextEncoder().encode(TOKEN));
  const TOKENS = JSON.stringify([{ id: "publisher", sha256, scopes: ["publish:*"], expires: null }]);
  worker = await startLocalWorker({ port: 0, directSocket: 0, persist, vars: { TOKENS } });
  await publishBundle(r2Store(await worker.bucket()), sampleBundle({ report: true }));
  right = estimateFromAnchors(await loadBundle(memorySource(sampleBundle({ report: true }))), responses).score;
});
afterAll(async () => {
  await worker.dispose();
  await rm(persist, { recursive: true });
});

/** Writes to workerd's own socket, and hangs up. */
async function hangUp(
  text: string,
  until: (socket: Socket) => Promise<unknown> = () => Promise.resolve(),
): Promise<void> {
  const socket = connect(Number(new URL(worker.directUrl!).port), "127.0.0.1");
  socket.on("error", () => undefined);
  await new Promise((resolve) => socket.once("connect", resolve));
  await new Promise((resolve) => socket.write(text, resolve));
  await until(socket);
  socket.resetAndDestroy();
}

const head = (line: string, headers: Record<string, string | number> = {}): string =>
  [`${line} HTTP/1.1`, "host: x", ...Object.entries(headers).map(([name, value]) => `${name}: ${value}`), "", ""].join(
    "\r\n",
  );

/** Everything answers, right and at once. */
async function expectUnharmed(): Promise<void> {
  const signal = AbortSignal.timeout(3000);
  const answers = await Promise.all(
    Array.from({ length: 8 }, () =>
      fetch(worker.directUrl! + ESTIMATES, {
        method: "POST",
        headers: { "content-type": "application/json" },
        body,
        signal,
      }),
    ),
  );
  for (const answer of answers) expect(((await answer.json()) as { score: number }).score).toBe(right);
}

test("in the middle of the request's head", async () => {
  for (let k = 0; k < 10; k++) await hangUp(head(`POST ${ESTIMATES}`).slice(0, 20 + 5 * k));
  await expectUnharmed();
});

test("in the middle of the body", async () => {
  const json = { "content-type": "application/json", "content-length": body.length };
  const most = Math.floor(body.length / 2);
  for (let k = 0; k < 20; k++)
    await hangUp(head(`POST ${ESTIMATES}`, json) + body.slice(0, Math.floor((most * k) / 20)));
  await expectUnharmed();
});

test("once the body is sent, before the answer", async () => {
  const json = { "content-type": "application/json", "content-length": body.length };
  for (let k = 0; k < 20; k++) await hangUp(head(`POST ${ESTIMATES}`, json) + body);
  await expectUnharmed();
});

test("in the middle of an upload: nothing of it is stored, and it can be sent again", async () => {
  const random = createRandom("upload");
  const bytes = Buffer.from(Uint8Array.from({ length: 500_000 }, () => 256 * random.next()));
  const path = `/v1/bundles/uploads/blobs/${sha256Hex(bytes)}`;
  const headers = { authorization: `Bearer ${TOKEN}`, "content-length": bytes.length };
  for (let k = 0; k < 5; k++)
    await hangUp(
      head(`PUT ${path}`, headers),
      (socket) => new Promise((resolve) => socket.write(bytes.subarray(0, 50_000 * (k + 1)), resolve)),
    );
  await expectUnharmed();
  expect(await (await worker.bucket()).get(path.slice(4))).toBeNull();
  const again = await fetch(worker.directUrl! + path, {
    method: "PUT",
    headers: { authorization: headers.authorization },
    body: bytes,
  });
  expect([again.status, await again.json()]).toMatchObject([201, { status: "stored" }]);
});

test("in the middle of the answer, whole or in part", async () => {
  const bytes = sampleBundle({ report: true }).get("parameters.safetensors")!;
  const path = "/v1/bundles/sample/1.0.0/files/parameters.safetensors";
  const firstBytes = (socket: Socket): Promise<unknown> => new Promise((resolve) => socket.once("data", resolve));
  for (let k = 0; k < 20; k++) {
    await hangUp(head(`GET ${path}`), firstBytes);
    await hangUp(head(`GET ${path}`, { range: "bytes=10-" }), firstBytes);
  }
  await expectUnharmed();
  const answer = await fetch(worker.directUrl! + path, { signal: AbortSignal.timeout(3000) });
  expect(Buffer.from(await answer.arrayBuffer()).equals(bytes)).toBe(true);
});
