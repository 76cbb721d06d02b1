import { Agent, request } from "node:http";
import { createRandom } from "anchoreval/internal/core/numeric/random";
import { publishBundle } from "anchoreval/internal/publish/publish-bundle";
import { r2Store } from "anchoreval/internal/publish/r2-store";
import { startLocalWorker, type LocalWorker } from "anchoreval-trainer";
import { afterAll, beforeAll, expect, test } from "vitest";
import { badRequest, type BadRequest } from "../../support/bad-requests.ts";
import { buildWorker } from "../../support/built-worker.ts";
import { sampleAnswers } from "../../support/sample-answers.ts";
import { sampleBundle } from "../../support/sample-bundle.ts";
import { tempFolder } from "../../support/temp-folder.ts";

/** How many requests: FUZZ=100000 for a long run, FUZZ_SEED for others. */
const COUNT = Number(process.env["FUZZ"] ?? 3000);
const SEED = process.env["FUZZ_SEED"] ?? "bad requests";
const SLOW = 1000;
const CONNECTIONS = 8;

const folder = tempFolder();
let worker: LocalWorker;
beforeAll(async () => {
  await buildWorker();
  worker = await startLocalWorker({ port: 0, persist: folder.path("state"), directSocket: 0 });
  await publishBundle(r2Store(await worker.bucket()), sampleBundle());
});
afterAll(() => worker.dispose());

interface Answer {
  readonly status: number;
  readonly type: string;
  readonly sniff: string;
  readonly text: string;
  readonly wall: number;
}

function send(agent: Agent | false, bad: BadRequest, attempts = 5): Promise<Answer> {
  const { method, path, headers, body } = bad;
  return new Promise((resolve, reject) => {
    const begun = performance.now();
    const bytes = body === null ? null : Buffer.from(body);
    const length = bytes === null ? {} : { "content-length": bytes.length };
    const sent = request(
      `${worker.directUrl!}${path}`,
      { agent, method, headers: { ...headers, ...length } },
      (response) => {
        const parts: Buffer[] = [];
        response.on("data", (part: Buffer) => parts.push(part));
        response.once("error", reject);
        response.once("end", () =>
          resolve({
            status: response.statusCode!,
            type: response.headers["content-type"] ?? "",
            sniff: String(response.headers["x-content-type-options"] ?? ""),
            text: Buffer.concat(parts).toString(),
            wall: performance.now() - begun,
          }),
        );
      },
    );
    // A refusal that came before the whole body was read closes the connection: the next request on it, or this one if
    // it is still being written, finds that out before it reads anything.
    sent.once("error", (error) => {
      if (attempts > 0) send(false, bad, attempts - 1).then(resolve, reject);
      else reject(new Error(`${method} ${path} ${JSON.stringify(headers)} ${body?.slice(0, 200)}`, { cause: error }));
    });
    sent.end(bytes ?? undefined);
  });
}

/** What is wrong with an answer; null where nothing is. */
function fault({ status, type, sniff, text, wall }: Answer): string | null {
  if (status >= 500) return `status ${status}`;
  if (wall > SLOW) return `${Math.round(wall)} ms`;
  if (text !== "" && sniff !== "nosniff") return "may be sniffed";
  if (/html/.test(type)) return `sent as ${type}`;
  if (status >= 400 && text !== "" && type !== "application/problem+json") return `a refusal as ${type}`;
  if (type.includes("json") && !type.includes("ndjson") && status !== 206 && text !== "") {
    try {
      JSON.parse(text);
    } catch {
      return "JSON that is none";
    }
  }
  return null;
}

test(
  `${COUNT} bad requests: none breaks the Worker, hangs, or comes back as anything but data`,
  { timeout: 3_600_000 },
  async () => {
    const random = createRandom(SEED);
    const ids = Object.keys(sampleAnswers("20"));
    const agent = new Agent({ keepAlive: true, maxSockets: CONNECTIONS });
    const faults: string[] = [];
    const statuses = new Map<number, number>();
    let left = COUNT;
    const one = async (): Promise<void> => {
      while (left-- > 0) {
        const bad = badRequest(random, ids);
        const answer = await send(agent, bad);
        statuses.set(answer.status, (statuses.get(answer.status) ?? 0) + 1);
        const found = fault(answer);
        if (found !== null)
          faults.push(
            `${found}: ${bad.method} ${bad.path} ${JSON.stringify(bad.headers)} ${bad.body?.slice(0, 300)} → ${answer.text.slice(0, 200)}`,
          );
      }
    };
    await Promise.all(Array.from({ length: CONNECTIONS }, one));
    agent.destroy();
    expect(faults.slice(0, 10)).toEqual([]);
    // Bodies come to every check, not to one alone.
    expect([...statuses.keys()].filter((status) => status >= 400).length).toBeGreaterThan(5);
    if (COUNT > 3000)
      console.log(
        [...statuses]
          .sort(([x], [y]) => x - y)
          .map(([status, times]) => `${status}: ${times}`)
          .join(", "),
      );
  },
);
