import { AnchorEvalError, type AnyEstimate, type BatchLine, type ClientOptions, createClient } from "anchoreval";
import { describe, expect, test } from "vitest";
import { expectRefusal, rejection } from "../../../../support/refusal.ts";

const ref = { benchmark: "sample", version: "1.0.0" };
const root = "https://evals.example.com/v1/bundles/sample/1.0.0/estimates";
const requests = [{ model: "a", responses: { "gsm/17": 1 } }];
const pair = [...requests, ...requests];
const estimate = { score: 0.5 };
const line = (index: number): string => `${JSON.stringify({ index, model: `m${index}`, estimate })}\n`;
const end = (results: number, problems = 0): string => `${JSON.stringify({ done: true, results, problems })}\n`;

/** An answer that comes in these parts, and then ends or fails. */
function answerOf(parts: readonly (string | Uint8Array)[], failure?: Error): Response {
  const left = parts.map((part) => (typeof part === "string" ? new TextEncoder().encode(part) : part));
  const body = new ReadableStream({
    pull: (controller) => {
      const part = left.shift();
      if (part) controller.enqueue(part);
      else if (failure) controller.error(failure);
      else controller.close();
    },
  });
  return new Response(body, { headers: { "content-type": "application/x-ndjson" } });
}

function clientOf(answers: readonly Response[], options: Partial<ClientOptions> = {}) {
  const sent: { url: string; init: RequestInit }[] = [];
  const left = [...answers];
  const send = (url: unknown, init?: RequestInit): Promise<Response> => {
    sent.push({ url: String(url), init: init! });
    return Promise.resolve(left.shift()!);
  };
  return { client: createClient({ baseUrl: "https://evals.example.com", fetch: send, ...options }), sent };
}

/** What came, and what ended it. */
async function collect(lines: AsyncIterable<BatchLine<AnyEstimate>>): Promise<{ came: number[]; error: unknown }> {
  const came: number[] = [];
  try {
    for await (const { index } of lines) came.push(index);
    return { came, error: null };
  } catch (error) {
    return { came, error };
  }
}

describe("estimateLines", () => {
  test("sends a line a model and gives each result as it comes", async () => {
    const { client, sent } = clientOf([answerOf([line(0), line(1), end(2)])]);
    expect(await collect(client.estimateLines(ref, pair))).toEqual({ came: [0, 1], error: null });
    expect(sent).toMatchObject([
      {
        url: `${root}/batch`,
        init: {
          method: "POST",
          headers: { "content-type": "application/x-ndjson" },
          body: '{"model":"a","responses":{"gsm/17":1}}\n{"model":"a","responses":{"gsm/17":1}}\n',
        },
      },
    ]);
  });

  test("however the bytes are cut, in the middle of a letter too", async () => {
    const bytes = new TextEncoder().encode(`${line(0).replace("m0", "é漢😀")}\n${line(1)}${end(2)}`);
    const { client } = clientOf([answerOf(Array.from(bytes, (byte) => Uint8Array.of(byte)))]);
    const found: BatchLine[] = [];
    for await (const own of client.estimateLines(ref, pair)) found.push(own);
    expect(found.map(({ model }) => model)).toEqual(["é漢😀", "m1"]);
  });

  test.each<[string, string[], Error | undefined, number[], string]>([
    ["no last line", [line(0), line(1)], undefined, [0, 1], "truncated"],
    ["a line that is cut off", [line(0), line(1).slice(0, -1)], undefined, [0], "truncated"],
    ["nothing at all", [], undefined, [], "truncated"],
    ["a last line that is cut off", [line(0), end(1).trimEnd()], undefined, [0], "truncated"],
    ["fewer results than are counted", [line(0), end(2)], undefined, [0], "truncated"],
    ["a network that fails", [line(0)], new Error("reset"), [0], "truncated"],
    ["what is no JSON", [line(0), "<html>\n"], undefined, [0], "unavailable"],
    ["more results than were asked for", [0, 1, 2, 3].map(line), undefined, [0, 1], "unavailable"],
    [
      "empty lines without an end",
      [line(0), ...Array<string>(70).fill("\n".repeat(1 << 16))],
      undefined,
      [0],
      "unsupported",
    ],
  ])("%s is a named error, after what came", async (_, parts, failure, came, code) => {
    const found = await collect(clientOf([answerOf(parts, failure)]).client.estimateLines(ref, pair));
    expect(found.came).toEqual(came);
    expect(found.error).toMatchObject({ code });
  });

  test("waits no longer than the time-out for each part, and may take longer in all", async () => {
    const slow = (pauses: readonly number[]): Response => {
      const left = pauses.map((pause, k) => [pause, line(k)] as const);
      const body = new ReadableStream({
        pull: async (controller) => {
          const [pause, text] = left.shift() ?? [0, null];
          await new Promise((resolve) => setTimeout(resolve, pause));
          if (text === null) {
            controller.enqueue(new TextEncoder().encode(end(pauses.length)));
            controller.close();
          } else controller.enqueue(new TextEncoder().encode(text));
        },
      });
      return new Response(body);
    };
    // The platform's fetch ends the body when its signal aborts; this stands for it.
    const abortable = (response: Response): ClientOptions["fetch"] =>
      ((_: unknown, { signal }: RequestInit) => {
        const reader = response.body!.getReader();
        const body = new ReadableStream({
          start: (controller) => signal!.addEventListener("abort", () => controller.error(signal!.reason)),
          pull: async (controller) => {
            const { done, value } = await reader.read();
            if (signal!.aborted) return;
            if (done) controller.close();
            else controller.enqueue(value);
          },
        });
        return Promise.resolve(new Response(body));
      }) as ClientOptions["fetch"];
    const of = (response: Response) =>
      createClient({ baseUrl: "https://evals.example.com", fetch: abortable(response)!, timeout: 120 });
    expect(await collect(of(slow([60, 60, 60, 60])).estimateLines(ref, [...pair, ...pair]))).toEqual({
      came: [0, 1, 2, 3],
      error: null,
    });
    const { came, error } = await collect(of(slow([10, 400])).estimateLines(ref, pair));
    expect(came).toEqual([0]);
    expect(error).toMatchObject({ code: "truncated", message: expect.stringContaining("no more came") as string });
  });

  test("a refusal is the server's, before any result", async () => {
    const problem = Response.json(
      { code: "invalid_request", detail: "a batch has at most 5 models here" },
      { status: 422, headers: { "content-type": "application/problem+json" } },
    );
    const { error } = await collect(clientOf([problem]).client.estimateLines(ref, pair));
    expectRefusal(error as AnchorEvalError, "invalid_request" as never, "at most 5 models");
  });

  test("a busy server is asked again, before any result", async () => {
    const busy = new Response("", { status: 503, headers: { "retry-after": "0" } });
    const { client, sent } = clientOf([busy, answerOf([line(0), end(1)])]);
    expect((await collect(client.estimateLines(ref, pair))).came).toEqual([0]);
    expect(sent).toHaveLength(2);
  });

  test("a caller that stops reading ends the answer", async () => {
    const answer = answerOf([line(0), line(1), end(2)]);
    for await (const { index } of clientOf([answer]).client.estimateLines(ref, pair)) {
      expect(index).toBe(0);
      break;
    }
    expect(answer.body!.locked).toBe(true);
  });

  test("a caller's abort is named so", async () => {
    const stop = new AbortController();
    const { client } = clientOf([answerOf([line(0)], new Error("reset"))]);
    const reading = client.estimateLines(ref, requests, { signal: stop.signal });
    await reading.next();
    stop.abort();
    expectRefusal(await rejection(reading.next()), "aborted", "aborted by the caller");
  });
});

describe("jobs", () => {
  const id = "0123456789abcdef0123456789abcdef";
  const job = (state: string) => Response.json({ ...ref, id, state });

  test("are sent, asked for until they are done, and read", async () => {
    const { client, sent } = clientOf([
      job("running"),
      job("running"),
      job("running"),
      job("done"),
      answerOf([line(0), end(1)]),
    ]);
    const submitted = await client.jobs.submit(ref, requests);
    expect(await client.jobs.wait(submitted, { interval: 1 })).toMatchObject({ id, state: "done" });
    expect((await collect(client.jobs.results(submitted))).came).toEqual([0]);
    expect(sent.map(({ url, init }) => `${init.method!} ${url}`)).toEqual([
      `POST ${root}/jobs`,
      ...Array.from({ length: 3 }, () => `GET ${root}/jobs/${id}`),
      `GET ${root}/jobs/${id}/results`,
    ]);
  });

  test("a Worker without a queue says so at once: 501 isn't tried again", async () => {
    const problem = Response.json(
      { code: "not_implemented", detail: "this Worker has no queue for jobs" },
      { status: 501, headers: { "content-type": "application/problem+json" } },
    );
    const { client, sent } = clientOf([problem]);
    const error = await rejection(client.jobs.submit(ref, requests));
    expectRefusal(error, "not_implemented" as never, "this Worker has no queue");
    expect(sent).toHaveLength(1);
  });

  test("waiting ends with the caller's signal", async () => {
    const { client } = clientOf([job("running")]);
    const waiting = client.jobs.wait({ ...ref, id }, { signal: AbortSignal.timeout(20), interval: 60_000 });
    expectRefusal(await rejection(waiting), "aborted", "aborted by the caller");
  });
});

test("a line that never ends is given up", async () => {
  const { client } = clientOf([answerOf([line(0), "x".repeat(1 << 22), "x"])]);
  const { came, error } = await collect(client.estimateLines(ref, pair));
  expect(came).toEqual([0]);
  expectRefusal(error as AnchorEvalError, "unsupported", "a line has more than 4194304 letters");
});
