import { readFileSync } from "node:fs";
import { Agent, request } from "node:http";
import { connect } from "node:net";
import { fileURLToPath } from "node:url";
import { publishBundle } from "anchoreval/internal/features/publishing/sdk/publish-bundle";
import { r2Store } from "anchoreval/internal/bundles/r2-store";
import { build } from "esbuild";
import { Miniflare } from "miniflare";
import { afterAll, beforeAll, describe } from "vitest";
import { attack } from "../support/attack.ts";
import { sampleBundle } from "../support/sample-bundle.ts";

/** Longer is hanging, on a busy machine too. @unit milliseconds */
const SLOW = 8000;
/** Callers who wait with the first. */
const OTHERS = 4;
const NAME = "sharing";
const SHARED = ["cache", "source"];

const files = sampleBundle();
const agent = new Agent({ keepAlive: true, maxSockets: 40 });
let worker: Miniflare;
let url: URL;

beforeAll(async () => {
  const entry = fileURLToPath(new URL("../support/sharing-worker.ts", import.meta.url));
  const { outputFiles } = await build({ entryPoints: [entry], bundle: true, format: "esm", write: false });
  const settings = readFileSync(new URL("../../wrangler.toml", import.meta.url), "utf8");
  worker = new Miniflare({
    name: NAME,
    modules: true,
    script: outputFiles[0]!.text,
    compatibilityDate: /^compatibility_date = "(.*)"/m.exec(settings)![1]!,
    r2Buckets: ["BUNDLES"],
    unsafeDirectSockets: [{ host: "127.0.0.1", port: 0, proxy: false }], // workerd's own: it sees callers leave
  });
  await worker.ready;
  url = await worker.unsafeGetDirectURL(NAME);
  await publishBundle(r2Store(await worker.getR2Bucket("BUNDLES")), files);
  for (const what of SHARED) await ask(`/${what}/warm`, "");
});
afterAll(async () => {
  agent.destroy();
  await worker.dispose();
});

/** Asks by a connection of its own. @returns what hangs up, once it has asked */
function abandon(path: string): Promise<() => void> {
  return new Promise((resolve) => {
    const socket = connect(Number(url.port), url.hostname, () =>
      socket.write(`POST ${path} HTTP/1.1\r\nhost: x\r\ncontent-length: 3\r\n\r\nabc`, () =>
        resolve(() => socket.resetAndDestroy()),
      ),
    );
    socket.on("error", () => undefined);
  });
}

/** The status and the text of an answer; 0 and the error where none comes. */
function ask(path: string, body: string): Promise<[status: number, text: string]> {
  return new Promise((resolve) => {
    const sent = request(new URL(path, url), { method: "POST", agent, timeout: SLOW }, (answer) => {
      const parts: Buffer[] = [];
      answer.on("data", (part: Buffer) => parts.push(part));
      answer.once("error", (error) => resolve([0, String(error)]));
      answer.once("end", () => resolve([answer.statusCode!, Buffer.concat(parts).toString()]));
    });
    sent.once("timeout", () => sent.destroy(new Error(`no answer within ${SLOW} ms`)));
    sent.once("error", (error) => resolve([0, String(error)]));
    sent.end(body);
  });
}

describe.each(SHARED)("of several who wait for one %s", (what) => {
  const answers: Record<string, number> = {};
  let keys = 0;
  const shared = files.get("anchors.jsonl")!.length;
  const own = files.get("manifest.json")!.length;

  attack(`the first leaves: ${what}`, { tries: 50, beside: 6, figures: answers }, async (random) => {
    const path = `/${what}/${++keys}`;
    const leave = await abandon(path);
    setTimeout(leave, 8 * random.next());
    await new Promise((resolve) => setTimeout(resolve, 2 * random.next()));
    const bodies = Array.from({ length: OTHERS }, (_, k) => `${keys} ${k}`);
    const got = await Promise.all(bodies.map((body) => ask(path, body)));
    for (const [status] of got) answers[`× ${status}`] = (answers[`× ${status}`] ?? 0) + 1;
    const wrong = got.findIndex(
      ([status, text], k) => status !== 200 || text !== JSON.stringify({ shared, own, body: bodies[k] }),
    );
    return wrong < 0 ? null : `${path}: ${got[wrong]!.join(" ")}`;
  });
});
