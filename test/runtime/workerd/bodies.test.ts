import { env } from "cloudflare:workers";
import { cardKey, indexKey, logKey, manifestKey, signatureKey } from "anchoreval/internal/core/bundle/names";
import { mostBytes } from "anchoreval/internal/bundles/read-file";
import { toBase64Url } from "anchoreval/internal/bundles/bytes";
import { describe, expect, test } from "vitest";
import { problemOf, publishSample, startApp, post } from "./support/worker.ts";

const AT = "/v1/bundles/sample/1.0.0";

/** A body whose length nobody says, and which never ends. */
function endless(): { body: ReadableStream; sent: () => number } {
  const chunk = new TextEncoder().encode(" ".repeat(1 << 16));
  let sent = 0;
  const body = new ReadableStream({
    pull: (controller) => {
      sent += chunk.length;
      controller.enqueue(chunk);
    },
  });
  return { body, sent: () => sent };
}

describe("a request's body that never ends", () => {
  const request = startApp({}, { TOKENS: "" });

  test.each(["estimates", "estimates/batch", "comparisons", "checks", "routes", "next-items"])(
    "is given up: %s",
    async (name) => {
      await publishSample();
      const { body, sent } = endless();
      const init = { method: "POST", headers: { "content-type": "application/json" }, body, duplex: "half" };
      const response = await request(`${AT}/${name}`, init);
      expect(await problemOf(response)).toMatchObject({ status: 413, code: "payload_too_large" });
      expect(sent()).toBeLessThan((1 << 20) + (1 << 24) + (1 << 20)); // the bound, and what is dropped before the answer
    },
  );
});

describe("an object of R2 that is longer than what it should be", () => {
  test.each([
    ["index.json", indexKey("long-1"), "/v1/bundles/long-1"],
    ["manifest.json", manifestKey("long-2", "1.0.0"), "/v1/bundles/long-2/1.0.0"],
    ["log.jsonl", logKey("long-3"), "/v1/bundles/long-3/log.jsonl"],
    ["card.md", cardKey("long-4", "1.0.0"), "/v1/bundles/long-4/1.0.0/files/card.md"],
  ])("is refused by name: %s", async (name, key, path) => {
    await publishSample({ benchmark: key.split("/")[1]! });
    await env.BUNDLES.put(key, new Uint8Array(mostBytes(key) + 1).fill(0x20));
    const problem = await problemOf(await startApp()(path));
    expect(problem).toMatchObject({ status: 500, code: "bundle_corrupt" });
    expect(problem.detail).toContain(`${name} is damaged: it has ${mostBytes(key) + 1} bytes`);
  });

  test("signatures too", async () => {
    const { digest } = await publishSample({ benchmark: "long-5" });
    const key = signatureKey("long-5", digest.replace("sha256:", ""));
    await env.BUNDLES.put(key, new Uint8Array(mostBytes(key) + 1));
    expect(await problemOf(await startApp()("/v1/bundles/long-5/1.0.0/files/manifest.sig"))).toMatchObject({
      code: "bundle_corrupt",
    });
  });
});

test("a session that unpacks to more than any has is refused, even signed by the Worker's key", async () => {
  await publishSample();
  const secret = "ab".repeat(32);
  const packed = new Response(new Uint8Array(1 << 24)).body!.pipeThrough(new CompressionStream("deflate-raw"));
  const bytes = new Uint8Array(await new Response(packed).arrayBuffer());
  const key = await crypto.subtle.importKey("raw", new Uint8Array(32).fill(0xab), { name: "HMAC", hash: "SHA-256" }, false, ["sign"]); // prettier-ignore
  const state = `${toBase64Url(bytes)}.${toBase64Url(new Uint8Array(await crypto.subtle.sign("HMAC", key, bytes)))}`;
  const request = startApp({}, { SESSION_KEYS: secret });
  const problem = await problemOf(await request(`${AT}/next-items`, post({ state, responses: {} })));
  expect(problem).toMatchObject({ status: 422, code: "unsupported" });
});
