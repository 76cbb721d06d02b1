import { Agent, request } from "node:http";
import { estimateFromAnchors, loadBundle, type Bundle, type Estimate, type EstimateRequest } from "anchoreval";
import type { RandomSource } from "anchoreval/internal/core/numeric/random";
import { sha256Hex } from "anchoreval/internal/core/bundle/digest";
import { publishBundle } from "anchoreval/internal/features/publishing/sdk/publish-bundle";
import { r2Store } from "anchoreval/internal/bundles/r2-store";
import { startLocalWorker, type LocalWorker } from "anchoreval-trainer";
import { afterAll, beforeAll, describe } from "vitest";
import { attack } from "../support/attack.ts";
import { badRequest, type BadRequest } from "../support/bad-requests.ts";
import { buildWorker } from "../support/built-worker.ts";
import { type OpenApiDocument, openApiRequest } from "../support/openapi-requests.ts";
import { memorySource } from "../support/memory-source.ts";
import { sampleAnswers } from "../support/sample-answers.ts";
import { sampleBundle } from "../support/sample-bundle.ts";
import { tempFolder } from "../support/temp-folder.ts";

/** Longer is hanging, on a busy machine too. @unit milliseconds */
const SLOW = 20_000;
const CONNECTIONS = 8;

const folder = tempFolder();
let worker: LocalWorker;
let bundle: Bundle;
let document: OpenApiDocument;
const tokenOf = (id: string, scopes: string[], expires: string | null = null): object => ({
  ...{ id, scopes, expires },
  sha256: sha256Hex(new TextEncoder().encode(`test-${id}`)),
});
const TOKENS = [
  tokenOf("all", ["publish:*", "read:*"]),
  tokenOf("reader", ["read:secret"]),
  tokenOf("old", ["publish:*"], "2020-01-01T00:00:00Z"),
];
/** Values of path parameters, the right ones first. */
const PATHS = {
  benchmark: ["sample", "gsm8k", "secret", "nope", "..", "%2e%2e", "sample%2f..", "MINE", "a".repeat(65), "%ff"],
  version: [
    "1.0.0",
    "latest",
    "1.0.1",
    "0.0.0",
    "1.0.0-rc.1",
    "01.0.0",
    "..",
    "999999999.0.0",
    `1.0.0-${"a".repeat(58)}`,
  ],
  name: [
    "manifest.json",
    "parameters.safetensors",
    "items.jsonl",
    "card.md",
    "manifest.sig",
    "..%2fmanifest.json",
    "index.json",
  ],
  sha256: ["a".repeat(64), "2d711642b726b04401627ca9fbac32f5c8530fb1903cc4db02258717921a4881", "A".repeat(64), ".."],
  id: ["0".repeat(32), "f".repeat(32), "..", "x"],
};
beforeAll(async () => {
  await buildWorker();
  const vars = { TOKENS: JSON.stringify(TOKENS), PROTECTED_BENCHMARKS: "secret", OPEN_JOBS: true };
  worker = await startLocalWorker({ port: 0, persist: folder.path("state"), directSocket: 0, shipped: true, vars });
  const store = r2Store(await worker.bucket());
  await publishBundle(store, sampleBundle());
  await publishBundle(store, sampleBundle({ benchmark: "secret" }));
  bundle = await loadBundle(memorySource(sampleBundle()), { items: true }); // as the Worker, which counts unknown ids
  document = (await (await fetch(`${worker.url}/openapi.json`)).json()) as OpenApiDocument;
});
afterAll(() => worker.dispose());

interface Answer {
  readonly status: number;
  readonly type: string;
  readonly sniff: string;
  readonly text: string;
  readonly wall: number;
  /** The id of the request. */
  readonly id: string;
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
          id: String(response.headers["x-request-id"] ?? ""),
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
function fault({ method, path }: BadRequest, { status, type, sniff, text, wall, id }: Answer): string | null {
  if (status >= 500 && status !== 501) return `status ${status}`;
  if (!isDocumented(method, path, status)) return `status ${status} isn't in /openapi.json`;
  if (status >= 400 && id === "") return "no request id";
  if (status >= 400 && /\bat .*\.(?:js|ts):\d+|node_modules|(?:^|[ "(])\/(?:home|root|tmp|work)\//.test(text))
    return "tells of the machine";
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

/** Whether the document has an answer of this status; of paths and methods that it doesn't have it says nothing. */
function isDocumented(method: string, path: string, status: number): boolean {
  const plain = new URL(path, "http://localhost").pathname; // without dots
  const route = Object.entries(document.paths).find(([template]) =>
    new RegExp(`^${template.replace(/\{\w+\}/g, "[^/]+")}$`).test(plain),
  );
  const operation = route?.[1][method === "HEAD" ? "get" : method.toLowerCase()];
  return operation === undefined || String(status) in operation.responses;
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
  const { responses, ...options } = JSON.parse(body!) as EstimateRequest & Partial<Record<"over" | "metric", unknown>>;
  if (options.over !== undefined || options.metric !== undefined) return true; // of trials, which have tests of their own
  const { warnings, ...estimate } = JSON.parse(text) as Estimate;
  const plain = warnings.filter(({ code }) => code !== "yanked_version"); // by one of these requests
  const { warnings: of, ...right } = estimateFromAnchors(bundle, responses, options);
  return JSON.stringify([estimate, plain]) === JSON.stringify([right, of]);
}

const agents = Array.from({ length: 2 }, () => new Agent({ keepAlive: true, maxSockets: CONNECTIONS }));
afterAll(() => {
  for (const agent of agents) agent.destroy();
});

describe.each(["serve", "workerd"] as const)("%s", (place) => {
  const report: Record<string, number> = {};
  const ids = Object.keys(sampleAnswers("20"));

  attack(`requests at ${place}`, { tries: 350, beside: CONNECTIONS, figures: report }, async (random) => {
    const url = place === "serve" ? worker.url : worker.directUrl!;
    // Others' right requests on pooled connections lose nothing, and are answered as the SDK does.
    if (random.next() < 0.2) {
      const right = estimating(JSON.stringify({ responses: ANSWERS[random.below(ANSWERS.length)] }));
      const answer = await send(url, agents[1]!, right);
      report["right ones"] = (report["right ones"] ?? 0) + 1;
      return answer.status === 200 && isRight(bundle, right, answer) ? null : `a right request: ${answer.text}`;
    }
    const kind = random.next();
    const bad =
      kind < 0.5
        ? openApiRequest(document, random, { paths: PATHS, ids })
        : kind < 0.75
          ? mutated(random)
          : badRequest(random, ids);
    const answer = await send(url, agents[0]!, bad);
    report[`× ${answer.status}`] = (report[`× ${answer.status}`] ?? 0) + 1;
    const { method, path, headers, body } = bad;
    const why = fault(bad, answer) ?? (isRight(bundle, bad, answer) ? null : "another score than the SDK's");
    if (why === null) return null;
    return `${why}: ${method} ${path} ${JSON.stringify(headers)} ${body?.slice(0, 300)} → ${answer.text.slice(0, 200)}`;
  });
});
