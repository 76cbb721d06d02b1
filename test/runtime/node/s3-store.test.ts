import { loadBundle } from "anchoreval";
import type { SweepableStore } from "anchoreval/internal/bundles/bundle-store";
import { publishBundle } from "anchoreval/internal/features/publishing/sdk/publish-bundle";
import { folderSource } from "anchoreval/node";
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from "vitest";
import { type S3Options, s3Settings, s3Store } from "../../../features/publishing/fit/s3-store.ts";
import { describeBundleStore } from "../../conformance/bundle-store.suite.ts";
import { describePublishing } from "../../conformance/publishing.suite.ts";
import { describeSweeping } from "../../conformance/sweeping.suite.ts";
import { CREDENTIALS, startS3Server, type S3Server } from "../../support/s3-server.ts";
import { rejection } from "../../support/refusal.ts";
import { sampleBundle } from "../../support/sample-bundle.ts";
import { tempFolder } from "../../support/temp-folder.ts";
import { runProgram } from "../../support/run-command.ts";
import { WHOLE } from "../../support/whole.ts";

let server: S3Server;
beforeAll(async () => void (server = await startS3Server()));
afterAll(() => server.close());
afterEach(() => {
  server.disturb = () => null;
  server.log.length = 0;
  server.pageSize = 1000;
  vi.unstubAllEnvs();
});

let count = 0;
const bucketOf = (options: Partial<S3Options> = {}): SweepableStore =>
  s3Store({
    endpoint: server.endpoint,
    bucket: `bucket-${count++}`,
    ...CREDENTIALS,
    pause: () => Promise.resolve(),
    ...options,
  });
const empty = (): Promise<SweepableStore> => Promise.resolve(bucketOf());
const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);

describeBundleStore("S3's interface", empty);
describePublishing("S3's interface", empty, WHOLE);
describeSweeping("S3's interface", empty, WHOLE);

test("lists more than one page, and names of any letters", async () => {
  const store = bucketOf();
  const names = ["a b", "c&d", "e<f>", "g'h", "é漢", "i+j"];
  for (const name of [...names, "k/l", "k/m"]) await store.putIfAbsent(`bundles/many/${name}`, bytes(name));
  server.pageSize = 2;
  expect((await store.list("bundles/many/")).sort()).toEqual([...names, "k/"].sort());
  for (const name of names) expect((await store.get(`bundles/many/${name}`))!.bytes).toEqual(bytes(name));
});

describe("what fails", () => {
  test.each([429, 500, 503])("with %d is tried again, more than a second later each time", async (status) => {
    const waits: number[] = [];
    let left = 3;
    server.disturb = () => (left-- > 0 ? status : null);
    const store = bucketOf({ pause: (wait) => Promise.resolve(waits.push(wait)) });
    expect(await store.putIfAbsent("a", bytes("a"))).toBe(true);
    expect(waits).toHaveLength(3);
    for (const [k, wait] of waits.entries()) {
      expect(wait).toBeGreaterThanOrEqual(1000);
      expect(wait).toBeLessThan(1000 + 1000 * (k + 1));
    }
  });

  test("for good is unavailable, with the store's own words as the cause", async () => {
    server.disturb = () => 503;
    const error = await rejection(bucketOf().get("a"));
    expect(error).toMatchObject({ code: "unavailable", message: expect.stringContaining("6 attempts") as string });
    expect(String(error.cause)).toContain("SlowDown");
  });

  test("by another secret is refused at once", async () => {
    const error = await rejection(bucketOf({ secretAccessKey: "another" }).putIfAbsent("a", bytes("a")));
    expect(error).toMatchObject({ code: "request_refused", message: expect.stringContaining("403") as string });
    expect(server.log).toEqual([]);
  });

  test("since there is no bucket says so", async () => {
    for (const work of [
      () => bucketOf({ bucket: "absent" }).get("a"),
      () => bucketOf({ bucket: "absent" }).putIfAbsent("a", bytes("a")),
      () => bucketOf({ bucket: "absent" }).putIfMatch("a", bytes("a"), '"x"'),
      () => bucketOf({ bucket: "absent" }).list("bundles/"),
    ])
      expect(await rejection(work())).toMatchObject({ code: "request_refused" });
  });

  test("by the caller's abort is named so", async () => {
    expect((await rejection(bucketOf({ signal: AbortSignal.abort() }).get("a"))).code).toBe("aborted");
  });

  test.each(["before", "after"] as const)(
    "since the line breaks %s each request is carried out: one version, whole, and again nothing is written",
    async (when) => {
      const store = bucketOf();
      const broken = new Set<string>();
      server.disturb = (line) => (broken.has(line) ? null : (broken.add(line), when));
      const result = await publishBundle(store, sampleBundle(), { pause: () => Promise.resolve() });
      expect(result).toMatchObject({ version: "1.0.0", latest: "1.0.0" });
      server.disturb = () => null;
      server.log.length = 0;
      expect(await publishBundle(store, sampleBundle())).toMatchObject({ status: "already" });
      expect(server.log.filter((line) => line.startsWith("PUT"))).toEqual([]);
    },
  );

  test("a publisher that dies at any request is finished by the next", async () => {
    for (let step = 0; step < 14; step += 3) {
      const store = bucketOf();
      let requests = 0;
      server.disturb = () => (requests++ >= step ? 503 : null);
      await publishBundle(store, sampleBundle(), { pause: () => Promise.resolve() }).catch(() => undefined);
      server.disturb = () => null;
      const again = await publishBundle(store, sampleBundle(), { pause: () => Promise.resolve() });
      expect(again.latest).toBe("1.0.0");
    }
  });
});

describe("anchoreval publish and sweep --to r2://BUCKET", () => {
  const folder = tempFolder();
  const stub = (bucket: string): string => {
    vi.stubEnv("R2_ENDPOINT", server.endpoint);
    vi.stubEnv("R2_ACCESS_KEY_ID", CREDENTIALS.accessKeyId);
    vi.stubEnv("R2_SECRET_ACCESS_KEY", CREDENTIALS.secretAccessKey);
    return `r2://${bucket}`;
  };

  test("publish once, again, and refuse other content", async () => {
    for (const [name, content] of sampleBundle()) folder.write(`one/${name}`, content);
    for (const [name, content] of sampleBundle({ seed: 8 })) folder.write(`two/${name}`, content);
    const to = stub("published");
    const { digest } = await loadBundle(folderSource(folder.path("one")));
    expect(await runProgram(["publish", folder.path("one"), "--to", to])).toEqual({
      code: 0,
      out: `sample@1.0.0 is published (${digest}); latest: 1.0.0\n`,
      err: "",
    });
    expect((await runProgram(["publish", folder.path("one"), "--to", to])).out).toContain("is there already");
    const { code, err } = await runProgram(["publish", folder.path("two"), "--to", to]);
    expect([code, err]).toEqual([1, expect.stringContaining("versions never change")]);
    const stored = s3Store({ endpoint: server.endpoint, bucket: "published", ...CREDENTIALS });
    expect(await stored.list("bundles/sample/1.0.0/")).toEqual(["card.md", "manifest.json"]);
    const card = await stored.get("bundles/sample/1.0.0/card.md");
    expect(new TextDecoder().decode(card!.bytes)).toMatch(/^# sample 1.0.0\n/);
  });

  test("sweep says what is there, and keeps the young", async () => {
    const to = stub("published");
    const { code, out } = await runProgram(["publish", "sweep", "--to", to, "--dry-run"]);
    expect([code, out]).toEqual([
      0,
      expect.stringMatching(/^0 would be removed, \d+ kept, 0 of them because they are less than a day old/),
    ]);
    expect(JSON.parse((await runProgram(["publish", "sweep", "--to", to, "--json"])).out)).toMatchObject({
      removed: [],
      dryRun: false,
    });
  });

  test("keys that the store doesn't know: exit code 1, and the store's words", async () => {
    const to = stub("published");
    vi.stubEnv("R2_SECRET_ACCESS_KEY", "another");
    const { code, err } = await runProgram(["publish", "sweep", "--to", to]);
    expect([code, err]).toEqual([1, expect.stringContaining("SignatureDoesNotMatch")]);
  });
});

describe("settings", () => {
  const R2 = { R2_ACCOUNT_ID: "abc", R2_ACCESS_KEY_ID: "id", R2_SECRET_ACCESS_KEY: "secret" };
  test("of R2, and of other stores by AWS's names", () => {
    expect(s3Settings("r2://bundles", R2)).toEqual({
      bucket: "bundles",
      endpoint: "https://abc.r2.cloudflarestorage.com",
      accessKeyId: "id",
      secretAccessKey: "secret",
    });
    const aws = {
      AWS_ENDPOINT_URL: "https://s3.example.com",
      AWS_ACCESS_KEY_ID: "a",
      AWS_SECRET_ACCESS_KEY: "b",
      AWS_SESSION_TOKEN: "c",
      AWS_REGION: "eu-1",
    };
    expect(s3Settings("r2://bundles/", aws)).toMatchObject({
      endpoint: "https://s3.example.com",
      accessKeyId: "a",
      secretAccessKey: "b",
      sessionToken: "c",
      region: "eu-1",
    });
  });

  test.each<[string, Record<string, string>, string]>([
    ["r2://bundles", {}, "R2_ACCOUNT_ID, R2_ACCESS_KEY_ID, R2_SECRET_ACCESS_KEY"],
    ["r2://bundles", { ...R2, R2_ACCESS_KEY_ID: "" }, "takes R2_ACCESS_KEY_ID in"],
    ["r2://bundles/folder", R2, "is no bucket"],
    ["r2://", R2, "is no bucket"],
    ["r2://Bundles", R2, "is no bucket"],
    ["r2://ab", R2, "is no bucket"],
    ["r2://bundles", { ...R2, R2_ENDPOINT: "ftp://x" }, "is no address"],
  ])("%s with %j: refused", (address, env, message) => {
    expect(() => s3Settings(address, env)).toThrow(message);
  });
});
