// What one isolate of the Worker takes in memory while more bundles are asked than it can keep: V8's own figures of its
// heap and its array buffers, by workerd's inspector, without the R2 that miniflare keeps in the same process.
import { Buffer } from "node:buffer";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { publishBundle } from "anchoreval/internal/publish/publish-bundle";
import { r2Store } from "anchoreval/internal/publish/r2-store";
import { fetch as ask, Miniflare } from "miniflare";
import { SCENARIOS, syntheticBundle } from "./worker/synthetic-bundle.js";

const BUNDLES = 100;
/** Requests at the same time. */
const AT_ONCE = 16;
const REQUESTS = 600;
const SAMPLE_EVERY = 20;
const BUILT = fileURLToPath(new URL("../offline-trainer/dist/worker/", import.meta.url));

const persist = await mkdtemp(join(tmpdir(), "anchoreval-bench-"));
const { compatibilityDate } = JSON.parse(await readFile(join(BUILT, "worker.json"), "utf8"));
const miniflare = new Miniflare({
  cf: false,
  defaultPersistRoot: persist,
  inspectorPort: 0,
  workers: [
    {
      name: "anchoreval",
      modulesRoot: BUILT,
      modules: [{ type: "ESModule", path: join(BUILT, "index.js") }],
      compatibilityDate,
      r2Buckets: ["BUNDLES"],
      unsafeInspectorProxy: true,
      unsafeDirectSockets: [{ host: "127.0.0.1", port: 0, proxy: false }],
    },
  ],
});
try {
  const { size, body } = await publishAll();
  const url = (await miniflare.unsafeGetDirectURL("anchoreval")).origin;
  const inspector = await connect(`http://${(await miniflare.getInspectorURL()).host}/anchoreval`);
  const idle = await settled(inspector, url);
  console.log(`${BUNDLES} bundles of ${megabytes(size)}, estimates of all of them, ${AT_ONCE} at a time`);
  console.log(`the isolate before the first: ${describe(idle)}`);
  let peak = { heap: 0, buffers: 0 };
  let asked = 0;
  const watching = watch(inspector, (now) => {
    if (sum(now) > sum(peak)) peak = now;
  });
  const files = ["parameters.safetensors", "items.jsonl", "anchors.jsonl"];
  await Promise.all(
    Array.from({ length: AT_ONCE }, async () => {
      while (asked < REQUESTS) {
        const k = asked++;
        const path = `${url}/v1/bundles/b${k % BUNDLES}/1.0.0`;
        const response =
          k % 5 === 4
            ? await ask(`${path}/files/${files[k % files.length]}`)
            : await ask(`${path}/estimates`, {
                method: "POST",
                headers: { "content-type": "application/json" },
                body,
              });
        if (!response.ok) throw new Error(`${response.status} ${await response.text()}`);
        await response.arrayBuffer();
      }
    }),
  );
  await watching.stop();
  console.log(`at its peak, garbage included: ${describe(peak)}`);
  console.log(`after the last, without garbage: ${describe(await settled(inspector, url))}`);
  inspector.close();
} finally {
  await miniflare.dispose();
  await rm(persist, { recursive: true });
}

/** The same content under many names: to the Worker they are different bundles. */
async function publishAll() {
  const { files, answers } = syntheticBundle("b0", SCENARIOS, true);
  const store = r2Store(await miniflare.getR2Bucket("BUNDLES", "anchoreval"));
  const manifest = Buffer.from(files.get("manifest.json")).toString();
  for (let k = 0; k < BUNDLES; k++) {
    const own = Uint8Array.from(Buffer.from(manifest.replace('"benchmark":"b0"', `"benchmark":"b${k}"`)));
    await publishBundle(store, new Map([...files, ["manifest.json", own]]));
  }
  const size = [...files.values()].reduce((total, bytes) => total + bytes.length, 0);
  return { size, body: JSON.stringify({ responses: answers }) };
}

/** workerd's inspector: the DevTools protocol over a web socket. */
async function connect(url) {
  const { webSocket } = await ask(url, { headers: { upgrade: "websocket" } });
  const waiting = new Map();
  webSocket.addEventListener("message", ({ data }) => {
    const { id, result, error } = JSON.parse(data);
    const { resolve, reject } = waiting.get(id) ?? {};
    if (error) reject?.(new Error(error.message));
    else resolve?.(result);
    waiting.delete(id);
  });
  webSocket.accept();
  let last = 0;
  const send = (method) =>
    new Promise((resolve, reject) => {
      waiting.set(++last, { resolve, reject });
      webSocket.send(JSON.stringify({ id: last, method }));
    });
  await send("Runtime.enable");
  return { send, close: () => webSocket.close() };
}

async function usage(inspector) {
  const { usedSize, backingStorageSize } = await inspector.send("Runtime.getHeapUsage");
  return { heap: usedSize, buffers: backingStorageSize };
}

/** Without garbage. workerd collects it at the isolate's next request. */
async function settled(inspector, url) {
  let done = false;
  const collected = inspector.send("HeapProfiler.collectGarbage").then(() => (done = true));
  while (!done) await ask(`${url}/healthz`).then((response) => response.arrayBuffer());
  await collected;
  return usage(inspector);
}

function watch(inspector, see) {
  let stopped = false;
  const done = (async () => {
    while (!stopped) {
      see(await usage(inspector));
      await pause(SAMPLE_EVERY);
    }
  })();
  return { stop: () => ((stopped = true), done) };
}

function sum({ heap, buffers }) {
  return heap + buffers;
}

function describe(now) {
  return `${megabytes(sum(now))} (heap ${megabytes(now.heap)}, array buffers ${megabytes(now.buffers)})`;
}

function megabytes(bytes) {
  return `${(bytes / 1e6).toFixed(1)} MB`;
}
