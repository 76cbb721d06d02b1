import { execFile } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { startLocalWorker, type LocalWorker } from "anchoreval-trainer";
import { afterAll, beforeAll, expect, test } from "vitest";
import { buildWorker } from "../../support/built-worker.ts";

let persist = "";
let worker: LocalWorker;

beforeAll(async () => {
  await buildWorker();
  persist = await mkdtemp(join(tmpdir(), "anchoreval-"));
  worker = await startLocalWorker({ port: 0, persist, directSocket: 0 });
}, 60_000);
afterAll(async () => {
  await worker.dispose();
  await rm(persist, { recursive: true });
});

const ESTIMATES = "/v1/bundles/quiz/1.0.0/estimates";
const body = JSON.stringify({
  responses: Object.fromEntries(Array.from({ length: 2000 }, (_, k) => [`item-${k}`, 1])),
});
/** Requests that are answered before their bodies are read. */
const REFUSED = [
  { path: ESTIMATES, method: "POST", type: "text/plain", status: 415 },
  { path: "/v1/nothing", method: "POST", type: "application/json", status: 404 },
  { path: ESTIMATES, method: "PUT", type: "application/json", status: 405 },
  { path: "/v1/bundles/quiz/1.0.0/card", method: "PUT", type: "text/markdown", status: 401 },
] as const;

test("a refused request loses nobody's connection: Node's pool", async () => {
  const outcomes = await Promise.all(
    Array.from({ length: 8 }, async (_, caller) => {
      const lost: string[] = [];
      for (let k = 0; k < 25; k++) {
        const { path, method, type, status } = REFUSED[(caller + k) % REFUSED.length]!;
        const refused = fetch(`${worker.url}${path}`, { method, body, headers: { "content-type": type } });
        for (const [request, expected] of [
          [refused, status],
          [fetch(`${worker.url}/v1/bundles`), 200],
        ] as const)
          await request.then(
            async (response) => {
              expect(response.status).toBe(expected);
              await response.arrayBuffer();
            },
            (error: unknown) => lost.push(String((error as Error).cause)),
          );
      }
      return lost;
    }),
  );
  expect(outcomes.flat()).toEqual([]);
}, 30_000);

const PYTHON = `
import http.client, json, sys
host, requests, body = sys.argv[1], json.loads(sys.argv[2]), "x" * 50000
connection = http.client.HTTPConnection(host)
for k in range(60):
    own = requests[k % len(requests)]
    connection.request(own["method"], own["path"], body, {"content-type": own["type"]})
    answer = connection.getresponse(); answer.read()
    assert answer.status == own["status"], (own, answer.status)
    connection.request("GET", "/v1/bundles")
    answer = connection.getresponse(); answer.read()
    assert answer.status == 200
print("kept")
`;

test("a refused request loses nobody's connection: Python's, kept alive", async ({ skip }) => {
  const python = await promisify(execFile)("python3", ["--version"]).catch(() => null);
  skip(python === null, "python3 isn't there");
  const { stdout } = await promisify(execFile)("python3", [
    "-c",
    PYTHON,
    new URL(worker.directUrl!).host,
    JSON.stringify(REFUSED),
  ]);
  expect(stdout.trim()).toBe("kept");
}, 30_000);

// Beside each other: each waits for a second until it is cut off.
test.concurrent.each([
  ["never sends the rest of a refused body", `POST /v1/nothing`, "content-length: 500000", "{", 404],
  ["never ends a chunked one", `POST /v1/nothing`, "transfer-encoding: chunked", "1\r\n{\r\n", 404],
  ["sends far more than is read", `POST ${ESTIMATES}`, "content-length: 100000000", "x".repeat(1 << 21), 413],
])(
  "a caller that %s is answered, and cut off",
  async (_, request, length, sent, status) => {
    const { hostname, port } = new URL(worker.directUrl!);
    const head = `${request} HTTP/1.1\r\nhost: ${hostname}\r\ncontent-type: application/json\r\n${length}\r\n\r\n`;
    const socket = connect(Number(port), hostname);
    const begun = performance.now();
    const answer = await new Promise<string>((resolve) => {
      let text = "";
      socket.on("data", (bytes) => (text += String(bytes)));
      socket.on("error", () => undefined);
      socket.on("close", () => resolve(text));
      socket.write(head + sent);
    });
    expect(answer).toMatch(new RegExp(`^HTTP/1.1 ${status} `));
    expect(performance.now() - begun).toBeLessThan(20_000); // cut off at all: the caller itself would wait for good
  },
  30_000,
);
