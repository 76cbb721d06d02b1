import { connect } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { estimateFromAnchors, loadBundle } from "anchoreval";
import { publishBundle } from "anchoreval/internal/features/publishing/sdk/publish-bundle";
import { r2Store } from "anchoreval/internal/bundles/r2-store";
import { startLocalWorker, type LocalWorker } from "anchoreval-trainer";
import { afterAll, beforeAll } from "vitest";
import { attack } from "../support/attack.ts";
import { buildWorker } from "../support/built-worker.ts";
import { memorySource } from "../support/memory-source.ts";
import { sampleAnswers } from "../support/sample-answers.ts";
import { sampleBundle } from "../support/sample-bundle.ts";
import { tempFolder } from "../support/temp-folder.ts";

// Of many who want what isn't loaded yet the first is cut off while it loads, for all of them: nobody else notices.
const VERSIONS = process.env["ATTACK_REPORT"] === undefined ? 12 : 40;
const OTHERS = 12;
const folder = tempFolder();
const body = JSON.stringify({ responses: sampleAnswers("20") });
let worker: LocalWorker | null = null;
let right = 0;
/** The version that nobody has asked for yet. */
let next = VERSIONS;

async function start(): Promise<LocalWorker> {
  const started = await startLocalWorker({ port: 0, directSocket: 0, persist: folder.path("state") });
  next = 0;
  return started;
}

beforeAll(async () => {
  await buildWorker();
  worker = await start();
  const store = r2Store(await worker.bucket());
  for (let k = 0; k < VERSIONS; k++) await publishBundle(store, sampleBundle({ version: `1.${k}.0`, report: true }));
  right = estimateFromAnchors(await loadBundle(memorySource(sampleBundle())), sampleAnswers("20")).score!;
}, 120_000);
afterAll(() => worker?.dispose());

const PATHS = ["/estimates", "/anchors", "", "/files/report.html", "/plan", "/files/items.jsonl"];

/** Asks, and hangs up after a while. */
async function abandon(port: number, path: string, after: number): Promise<void> {
  const socket = connect(port, "127.0.0.1");
  socket.on("error", () => undefined);
  await new Promise((resolve) => socket.once("connect", resolve));
  const isPost = path.endsWith("/estimates");
  const head = `${isPost ? "POST" : "GET"} ${path} HTTP/1.1\r\nhost: x\r\n`;
  socket.write(
    isPost ? `${head}content-type: application/json\r\ncontent-length: ${body.length}\r\n\r\n${body}` : `${head}\r\n`,
  );
  await sleep(after);
  socket.resetAndDestroy();
}

const figures = { answers: 0 };
attack("the first of many is cut off", { tries: 10, figures }, async (random) => {
  if (next === VERSIONS) {
    await worker?.dispose();
    worker = await start();
  }
  const url = random.next() < 0.8 ? worker!.directUrl! : worker!.url;
  const base = `/v1/bundles/sample/1.${next++}.0`;
  const pathOf = (): string => base + PATHS[random.below(random.next() < 0.5 ? 1 : PATHS.length)]!;
  const first = Array.from({ length: 1 + random.below(3) }, () =>
    abandon(Number(new URL(url).port), pathOf(), 8 * random.next() ** 2),
  );
  await sleep(random.next() * 3);
  const asked = Array.from({ length: OTHERS }, async () => {
    const path = pathOf();
    const isPost = path.endsWith("/estimates");
    const answer = await fetch(
      url + path,
      isPost ? { method: "POST", headers: { "content-type": "application/json" }, body } : {},
    );
    const text = await answer.text();
    figures.answers++;
    if (answer.status !== 200) return `${path}: ${answer.status} ${text}`;
    return isPost && (JSON.parse(text) as { score: number }).score !== right ? `${path}: another score, ${text}` : null;
  });
  const begun = performance.now();
  const found = (await Promise.all(asked)).filter((what) => what !== null);
  await Promise.all(first);
  const took = performance.now() - begun;
  if (took > 4000) found.push(`${base}: the others waited ${Math.round(took)} ms`);
  return found[0] ?? null;
});
