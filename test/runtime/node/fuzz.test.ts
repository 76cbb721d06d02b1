import { Agent, request } from "node:http";
import { estimateFromAnchors, loadBundle, type Bundle, type EstimateRequest } from "anchoreval";
import { createRandom, type RandomSource } from "anchoreval/internal/core/numeric/random";
import { publishBundle } from "anchoreval/internal/publish/publish-bundle";
import { r2Store } from "anchoreval/internal/publish/r2-store";
import { startLocalWorker, type LocalWorker } from "anchoreval-trainer";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { badRequest, type BadRequest } from "../../support/bad-requests.ts";
import { buildWorker } from "../../support/built-worker.ts";
import { memorySource } from "../../support/memory-source.ts";
import { sampleAnswers } from "../../support/sample-answers.ts";
import { sampleBundle } from "../../support/sample-bundle.ts";
import { tempFolder } from "../../support/temp-folder.ts";

/** How many requests: FUZZ=100000 for a long run, FUZZ_SEED for others. */
const COUNT = Number(process.env["FUZZ"] ?? 1500);
const SEED = process.env["FUZZ_SEED"] ?? "bad requests";
/** Longer is hanging, on a busy machine too. @unit milliseconds */
const SLOW = 20_000;
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

function send(url: string, agent: Agent, { method, path, headers, body }: BadRequest): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const begun = performance.now();
    const bytes = body === null ? null : Buffer.from(body);
    const length = bytes === null ? {} : { "content-length": bytes.length };
    const sent = request(`${url}${path}`, { agent, method, headers: { ...headers, ...length } }, (response) => {
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
    });
    sent.once("error", (cause) =>
      reject(
        new Error(`${method} ${path} ${JSON.stringify(headers)} ${body?.slice(0, 200)}: ${String(cause)}`, { cause }),
      ),
    );
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

const ESTIMATES = "/v1/bundles/sample/1.0.0/estimates";
const estimating = (body: string): BadRequest => ({
  method: "POST",
  path: ESTIMATES,
  headers: { "content-type": "application/json" },
  body,
});

/** Right answers to 50 draws: each would build the bundle anew. */
const ANSWERS = Array.from({ length: 50 }, (_, k) => sampleAnswers("20", {}, { seed: 1 + k }));

/** A right request with a few of its bytes changed, left out or doubled. */
function mutated(random: RandomSource): BadRequest {
  const bytes = [...Buffer.from(JSON.stringify({ responses: ANSWERS[random.below(ANSWERS.length)] }))];
  for (let k = random.below(4); k >= 0; k--) {
    const at = random.below(bytes.length);
    const kind = random.below(3);
    if (kind === 0) bytes[at]! ^= 1 << random.below(8);
    else if (kind === 1) bytes.splice(at, 1 + random.below(8));
    else bytes.splice(at, 0, ...bytes.slice(at, at + 1 + random.below(30)));
  }
  return estimating(Buffer.from(bytes).toString());
}

/** Whether an estimate is the one that the SDK computes from the request's own answers. */
function isRight(bundle: Bundle, { path, body }: BadRequest, { status, text }: Answer): boolean {
  if (status !== 200 || path !== ESTIMATES) return true;
  const { responses, ...options } = JSON.parse(body!) as EstimateRequest;
  return JSON.stringify(estimateFromAnchors(bundle, responses, options)) === text;
}

describe.each(["serve", "workerd"] as const)("%s", (place) => {
  test(
    `${COUNT} bad requests: none breaks the Worker, hangs, or comes back as anything but data; others lose nothing`,
    { timeout: 3_600_000 },
    async () => {
      const url = place === "serve" ? worker.url : worker.directUrl!;
      const bundle = await loadBundle(memorySource(sampleBundle()));
      const random = createRandom(`${SEED} ${place}`);
      const ids = Object.keys(sampleAnswers("20"));
      const faults: string[] = [];
      const lost: string[] = [];
      const wrong: string[] = [];
      const statuses = new Map<number, number>();
      let left = COUNT;
      const agents = Array.from({ length: 2 }, () => new Agent({ keepAlive: true, maxSockets: CONNECTIONS }));
      const bad = async (): Promise<void> => {
        while (left-- > 0) {
          const own = random.next() < 0.5 ? mutated(random) : badRequest(random, ids);
          const answer = await send(url, agents[0]!, own).catch((error: unknown) => void lost.push(String(error)));
          if (!answer) continue;
          statuses.set(answer.status, (statuses.get(answer.status) ?? 0) + 1);
          const found = fault(answer);
          const { method, path, headers, body } = own;
          if (found !== null)
            faults.push(
              `${found}: ${method} ${path} ${JSON.stringify(headers)} ${body?.slice(0, 300)} → ${answer.text.slice(0, 200)}`,
            );
          if (!isRight(bundle, own, answer)) wrong.push(`${body} → ${answer.text}`);
        }
      };
      let others = 0;
      const good = async (): Promise<void> => {
        for (let k = 0; left > 0; k++) {
          const own = estimating(JSON.stringify({ responses: ANSWERS[k % ANSWERS.length] }));
          const answer = await send(url, agents[1]!, own).catch(
            (error: unknown) => void lost.push(`other: ${String(error)}`),
          );
          others++;
          if (answer && (answer.status !== 200 || !isRight(bundle, own, answer))) wrong.push(`other: ${answer.text}`);
        }
      };
      await Promise.all([...Array.from({ length: CONNECTIONS }, bad), good(), good()]);
      for (const agent of agents) agent.destroy();
      if (COUNT > 1500) {
        const counts = [...statuses].sort(([x], [y]) => x - y).map(([status, times]) => `${status}: ${times}`);
        const of = `${faults.length} faults, ${lost.length} connections lost, ${wrong.length} wrong scores`;
        console.log(`${place}: ${COUNT} requests (${counts.join(", ")}), ${others} of others: ${of}`);
      }
      expect(faults.slice(0, 10)).toEqual([]);
      expect(lost.slice(0, 10)).toEqual([]);
      expect(wrong.slice(0, 10)).toEqual([]);
      // Bodies come to every check, not to one alone.
      expect([...statuses.keys()].filter((status) => status >= 400).length).toBeGreaterThan(5);
    },
  );
});
