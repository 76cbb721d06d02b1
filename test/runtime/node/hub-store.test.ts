import { mkdirSync, writeFileSync } from "node:fs";
import { loadBundle } from "anchoreval";
import type { SweepableStore } from "anchoreval/internal/bundles/bundle-store";
import { publishBundle } from "anchoreval/internal/features/publishing/sdk/publish-bundle";
import { sweepBlobs } from "anchoreval/internal/features/publishing/sdk/sweep-blobs";
import { folderSource } from "anchoreval/node";
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from "vitest";
import { hubSettings, hubUrl, publishToHub, withHubStore } from "../../../features/publishing/fit/hub-store.ts";
import type { HubOptions } from "../../../features/publishing/fit/hub-repository.ts";
import { describeBundleStore } from "../../conformance/bundle-store.suite.ts";
import { describePublishing } from "../../conformance/publishing.suite.ts";
import { describeSweeping } from "../../conformance/sweeping.suite.ts";
import { HUB_TOKEN, startHubServer, type HubServer } from "../../support/hub-server.ts";
import { memorySource } from "../../support/memory-source.ts";
import { rejection } from "../../support/refusal.ts";
import { sampleBundle } from "../../support/sample-bundle.ts";
import { tempFolder } from "../../support/temp-folder.ts";
import { runProgram } from "../../support/run-command.ts";
import { WHOLE } from "../../support/whole.ts";

let server: HubServer;
beforeAll(async () => void (server = await startHubServer()));
afterAll(() => server.close());
afterEach(() => {
  server.disturb = () => null;
  server.log.length = 0;
  server.pageSize = 1000;
  vi.unstubAllEnvs();
});

let count = 0;
const pause = (): Promise<void> => Promise.resolve();
const hub = (options: Partial<HubOptions> = {}): HubOptions => {
  const dataset = `org/set-${count++}`;
  if (options.dataset === undefined) server.create(dataset);
  return { dataset, branch: "main", endpoint: server.endpoint, token: HUB_TOKEN, pause, ...options };
};
const publish = (options: HubOptions, seed = 7): ReturnType<typeof publishBundle> =>
  withHubStore(options, "Publish", (store) =>
    publishBundle(store, sampleBundle({ seed }), { plainFiles: true, pause }),
  );

/** A store every write of which is a commit of its own, as the suites want to see it. */
const store = (options: HubOptions): SweepableStore => {
  const act = <T>(action: (own: SweepableStore) => Promise<T>): Promise<T> => withHubStore(options, "Act", action);
  return {
    name: "hub",
    get: (key) => act((own) => own.get(key)),
    putIfAbsent: (key, bytes) => act((own) => own.putIfAbsent(key, bytes)),
    putIfMatch: (key, bytes, etag) => act((own) => own.putIfMatch(key, bytes, etag)),
    list: (prefix) => act((own) => own.list(prefix)),
    listTimes: (prefix) => act((own) => own.listTimes(prefix)),
    remove: (key) => act((own) => own.remove(key)),
  };
};

/** A store none of whose writes is committed before the test ends. */
const staged = (): Promise<SweepableStore> =>
  new Promise((resolve) => void withHubStore(hub(), "Act", (own) => (resolve(own), new Promise(() => undefined))));

describeBundleStore("a commit that isn't made yet", staged);
describePublishing("a commit that isn't made yet", staged, WHOLE);
describeSweeping("a commit that isn't made yet", staged, WHOLE);
describeSweeping("a dataset of the hub", () => Promise.resolve(store(hub())), WHOLE);

test("a version is one commit, which loadBundle reads from where the hub has it", async () => {
  const options = hub();
  expect(await publish(options)).toMatchObject({ status: "published", latest: "1.0.0" });
  expect(server.titles(options.dataset)).toEqual(["initial commit", "Publish"]);
  server.log.length = 0;
  const loaded = await loadBundle(hubUrl(options, "sample", "1.0.0"));
  expect(server.log.filter((line) => line.startsWith("GET /cdn/")).length).toBeGreaterThan(0); // redirected
  const own = await loadBundle(memorySource(sampleBundle({ seed: 7 })));
  expect(loaded.digest).toBe(own.digest);
});

test("the same again makes no commit; other content is refused, with nothing written", async () => {
  const options = hub();
  await publish(options);
  expect(await publish(options)).toMatchObject({ status: "already" });
  expect((await rejection(publish(options, 8))).code).toBe("version_conflict");
  expect(server.titles(options.dataset)).toHaveLength(2);
});

test("others' commits meanwhile are kept, and what the action read is read again", async () => {
  const options = hub();
  let others = 2;
  server.disturb = (line) => {
    if (line.includes("/preupload/") && others-- > 0)
      server.commitFile(options.dataset, `bundles/others/${others}.json`, "{}");
    return null;
  };
  expect(await publish(options)).toMatchObject({ status: "published" });
  expect(server.titles(options.dataset)).toEqual([
    "initial commit",
    "Add bundles/others/1.json",
    "Add bundles/others/0.json",
    "Publish",
  ]);
  others = 99;
  expect(
    await rejection(
      publish(options, 7).then(() => withHubStore(options, "x", (own) => own.putIfAbsent("a", new Uint8Array(1)))),
    ),
  ).toMatchObject({ code: "unavailable", message: expect.stringContaining("5 times") as string });
});

test("lists more than one page, with what isn't committed yet", async () => {
  const options = hub();
  for (const name of ["a", "b", "c", "d", "e/f"]) server.commitFile(options.dataset, `bundles/x/${name}`, name);
  server.pageSize = 2;
  await withHubStore(options, "Act", async (own) => {
    await own.remove("bundles/x/b");
    await own.remove("bundles/x/absent");
    await own.putIfAbsent("bundles/x/g/h", new Uint8Array(1));
    await own.putIfAbsent("bundles/x/i", new Uint8Array(1));
    await own.remove("bundles/x/i");
    expect((await own.list("bundles/x/")).sort()).toEqual(["a", "c", "d", "e/", "g/"]);
  });
  expect((await store(options).list("bundles/x/")).sort()).toEqual(["a", "c", "d", "e/", "g/"]);
});

test("leftovers are swept in one commit", async () => {
  const options = hub();
  await publish(options);
  for (const letter of ["a", "b"])
    server.commitFile(options.dataset, `bundles/sample/blobs/${letter.repeat(64)}`, letter);
  const tomorrow = Date.now() + 2 * 86_400_000;
  const { removed } = await withHubStore(options, "Sweep", (own) => sweepBlobs(own, { now: tomorrow }));
  expect(removed).toHaveLength(2);
  expect(server.titles(options.dataset).at(-1)).toBe("Sweep");
  expect(await publish(options)).toMatchObject({ status: "already" });
});

describe("what fails", () => {
  test.each([429, 500, 503])("with %d is tried again", async (status) => {
    let left = 5;
    server.disturb = () => (left-- > 0 ? status : null);
    expect(await publish(hub())).toMatchObject({ status: "published" });
  });

  test("for good is unavailable", async () => {
    server.disturb = () => 503;
    expect(await rejection(publish(hub()))).toMatchObject({ code: "unavailable" });
  });

  test.each(["before", "after"] as const)(
    "since the line breaks %s each request is carried out: one commit, whole",
    async (when) => {
      const options = hub();
      const broken = new Set<string>();
      server.disturb = (line) => (broken.has(line) ? null : (broken.add(line), when));
      expect(await publish(options)).toMatchObject({ version: "1.0.0", latest: "1.0.0" });
      server.disturb = () => null;
      expect(server.titles(options.dataset)).toEqual(["initial commit", "Publish"]);
      expect(await publish(options)).toMatchObject({ status: "already" });
    },
  );

  test.each([
    ["another token", { token: "hf_other" }, /401: .*Invalid username or password/],
    ["no such dataset", { dataset: "org/none" }, /create it first/],
    ["no such branch", { branch: "next" }, /there is no dataset org\/set-\d+ with a branch next at/],
  ])("by %s is refused in the hub's own words", async (_, options, message) => {
    const error = await rejection(publish(hub(options)));
    expect([error.code, error.message]).toEqual(["request_refused", expect.stringMatching(message)]);
  });

  test("at the commit itself is refused in the hub's own words", async () => {
    server.disturb = (line) => (line.includes("/commit/") ? 403 : null);
    const error = await rejection(publish(hub()));
    expect([error.code, error.message]).toEqual(["request_refused", expect.stringMatching(/@main: .*403/)]);
  });

  test("by the caller's abort is named so", async () => {
    expect((await rejection(publish(hub({ signal: AbortSignal.abort() })))).code).toBe("aborted");
    const stop = new AbortController();
    server.disturb = (line) => (line.includes("/preupload/") ? (stop.abort(), 503) : null);
    expect((await rejection(publish(hub({ signal: stop.signal })))).code).toBe("aborted");
  });
});

describe("anchoreval publish and sweep --to hf://datasets/ORG/NAME", () => {
  const folder = tempFolder();
  test("publish once, again, and refuse other content", async () => {
    vi.stubEnv("HF_ENDPOINT", server.endpoint);
    vi.stubEnv("HF_TOKEN", HUB_TOKEN);
    server.create("org/published");
    for (const [name, content] of sampleBundle()) folder.write(`one/${name}`, content);
    for (const [name, content] of sampleBundle({ seed: 8 })) folder.write(`two/${name}`, content);
    const to = "hf://datasets/org/published";
    const { digest } = await loadBundle(folderSource(folder.path("one")));
    const url = `${server.endpoint}/datasets/org/published/resolve/main/bundles/sample/1.0.0`;
    expect(await runProgram(["publish", folder.path("one"), "--to", to])).toEqual({
      code: 0,
      out: `sample@1.0.0 is published (${digest}); latest: 1.0.0\nloadBundle and --bundle take ${url}\n`,
      err: "",
    });
    expect(server.titles("org/published").at(-1)).toBe("Publish sample@1.0.0");
    const card = await (await fetch(`${url}/card.md`)).text();
    expect(card).toMatch(/^# sample 1.0.0\n/);
    const readme = await (await fetch(`${server.endpoint}/datasets/org/published/resolve/main/README.md`)).text();
    expect(readme).toContain(card.trimEnd());
    expect(readme).toContain(`npx anchoreval show ${url}\n`);
    expect((await runProgram(["show", url])).out).toContain(card.trimEnd());
    expect(JSON.parse((await runProgram(["publish", folder.path("one"), "--to", to, "--json"])).out)).toMatchObject({
      status: "already",
      url,
    });
    const { code, err } = await runProgram(["publish", folder.path("two"), "--to", to]);
    expect([code, err]).toEqual([1, expect.stringContaining("versions never change")]);
    const swept = await runProgram(["publish", "sweep", "--to", to, "--dry-run"]);
    expect([swept.code, swept.out]).toEqual([0, expect.stringMatching(/^0 would be removed, \d+ kept/)]);
  });
});

describe("anchoreval show hf://…", () => {
  const publishTo = async (dataset: string, version = "1.0.0", benchmark = "sample"): Promise<void> => {
    server.create(dataset);
    await publishToHub(hub({ dataset }), sampleBundle({ benchmark, version }));
  };
  const list = async (place: string): Promise<string[]> => {
    vi.stubEnv("HF_ENDPOINT", server.endpoint);
    const { out } = await runProgram(["show", place, "--json"]);
    return (JSON.parse(out) as { place: string }[]).map((own) => own.place);
  };
  const at = (dataset: string, path: string): string =>
    `${server.endpoint}/datasets/${dataset}/resolve/main/bundles/${path}`;

  test("lists the latest of each benchmark of an organisation's datasets, over pages, and of one dataset", async () => {
    vi.stubEnv("HF_TOKEN", HUB_TOKEN);
    await publishTo("makers/one");
    await publishToHub(hub({ dataset: "makers/one" }), sampleBundle({ version: "1.1.0" }));
    await publishToHub(hub({ dataset: "makers/one" }), sampleBundle({ version: "2.0.0-rc.1" }));
    await publishToHub(hub({ dataset: "makers/one" }), sampleBundle({ benchmark: "other", version: "0.1.0-a" }));
    await publishTo("makers/two");
    await publishTo("others/one");
    server.create("makers/texts"); // no bundles
    server.commitFile("makers/texts", "README.md", "# Texts\n");
    server.pageSize = 1;
    const one = [at("makers/one", "other/0.1.0-a"), at("makers/one", "sample/1.1.0")];
    expect((await list("hf://makers")).sort()).toEqual([...one, at("makers/two", "sample/1.0.0")]);
    expect((await list("hf://datasets/makers/one")).sort()).toEqual(one);
    const { out } = await runProgram(["show", "hf://makers"]);
    expect(out).toContain(at("makers/two", "sample/1.0.0"));
    expect(server.log.some((line) => line.includes("/api/datasets?") && line.includes("cursor="))).toBe(true);
  });

  test("an organisation without any is told, one that can't be asked refused", async () => {
    vi.stubEnv("HF_ENDPOINT", server.endpoint);
    vi.stubEnv("HF_TOKEN", HUB_TOKEN);
    expect((await runProgram(["show", "hf://nobody"])).out).toMatch(/^No bundle is published at hf:\/\/nobody/);
    server.disturb = (line) => (line.includes("/api/datasets?") ? 403 : null);
    expect(await runProgram(["show", "hf://makers"])).toMatchObject({ code: 1, err: expect.stringContaining("403") as string }); // prettier-ignore
  });
});

test("a README.md that is there stays; one is only written with a version", async () => {
  const read = async ({ dataset }: HubOptions): Promise<string> =>
    (await fetch(`${server.endpoint}/datasets/${dataset}/resolve/main/README.md`)).text();
  const options = hub();
  server.commitFile(options.dataset, "README.md", "# Ours\n");
  await publishToHub(options, sampleBundle());
  expect(await read(options)).toBe("# Ours\n");
  const bare = hub();
  await publish(bare);
  await publishToHub(bare, sampleBundle({ seed: 7 }));
  expect(server.titles(bare.dataset)).toHaveLength(2); // there already: no commit
});

describe("settings", () => {
  const folder = tempFolder();
  test("by Hugging Face's own variables, and the token that its login left", async () => {
    expect(await hubSettings("hf://datasets/org/name", { HF_TOKEN: " hf_a\n" })).toEqual({
      dataset: "org/name",
      branch: "main",
      endpoint: "https://huggingface.co",
      token: "hf_a",
    });
    mkdirSync(folder.path("home"), { recursive: true });
    writeFileSync(folder.path("home/token"), "hf_b\n");
    const env = { HF_HOME: folder.path("home"), HF_ENDPOINT: "https://hub.example.com/" };
    const settings = await hubSettings("hf://datasets/org/my.name@next/", env);
    expect(settings).toMatchObject({ dataset: "org/my.name", branch: "next", token: "hf_b" });
    expect(hubUrl(settings, "mine", "1.2.0")).toBe(
      "https://hub.example.com/datasets/org/my.name/resolve/next/bundles/mine/1.2.0",
    );
  });

  test.each<[string, Record<string, string>, string]>([
    ["hf://datasets/org/name", { HF_HOME: "/nowhere" }, "set HF_TOKEN"],
    ["hf://datasets/org/name", { HF_TOKEN: "a", HF_ENDPOINT: "ftp://x" }, "is no address"],
    ["hf://org/name", { HF_TOKEN: "a" }, "is no dataset"],
    ["hf://models/org/name", { HF_TOKEN: "a" }, "is no dataset"],
    ["hf://datasets/name", { HF_TOKEN: "a" }, "is no dataset"],
    ["hf://datasets/org/name/folder", { HF_TOKEN: "a" }, "without a folder"],
    ["hf://datasets/org/..", { HF_TOKEN: "a" }, "is no dataset"],
  ])("%s with %j: refused", async (address, env, message) => {
    expect(await rejection(hubSettings(address, env))).toMatchObject({
      code: "invalid_option",
      message: expect.stringContaining(message) as string,
    });
  });
});
