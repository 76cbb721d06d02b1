import { readFileSync } from "node:fs";
import { copyFile, cp, mkdir, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { trustKey } from "anchoreval/internal/core/bundle/names";
import { checkRoots } from "anchoreval/internal/features/trust/sdk/root-chain";
import { parseIndexStatement, parseTrustFile, type TrustFile } from "anchoreval/internal/features/trust/sdk/statements";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from "vitest";
import { memoryFolder } from "../../../../../features/trust/cli/trusted-root.ts";
import { type CommandResult, runCommand } from "../../../../support/run-command.ts";
import { sampleBundle } from "../../../../support/sample-bundle.ts";
import { ROOT } from "../../../../support/source-imports.js";
import { tempFolder } from "../../../../support/temp-folder.ts";

const folder = tempFolder();
let count = 0;
let here: string;
const place = (name: string): string => join(here, name);

/** A static host of `published`, as any would be. */
let server: Server;
beforeAll(async () => {
  server = createServer((request, response) => {
    void readFile(join(place("published"), decodeURIComponent(request.url!))).then(
      (bytes) => response.writeHead(200).end(bytes),
      () => response.writeHead(404).end(),
    );
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
});
afterAll(() => new Promise((resolve) => server.close(resolve)));
const address = (version = "1.0.0"): string =>
  `http://127.0.0.1:${(server.address() as AddressInfo).port}/bundles/sample/${version}`;

const writeBundle = async (name: string, files: ReturnType<typeof sampleBundle>): Promise<void> => {
  await mkdir(place(name), { recursive: true });
  for (const [file, bytes] of files) await writeFile(join(place(name), file), bytes);
};
beforeEach(async () => {
  here = folder.path(String(count++));
  await writeBundle("mine", sampleBundle());
  vi.stubEnv("XDG_STATE_HOME", place("state"));
  vi.stubEnv("ANCHOREVAL_TRUSTED_KEYS", undefined);
});
afterEach(() => {
  vi.unstubAllEnvs();
  vi.restoreAllMocks();
});

/** Runs a command whose words are as in the guide: names of files are those of this test's folder. */
const run = (line: string): Promise<CommandResult> =>
  runCommand(
    ...line.split(" ").map((word) => word.replace(/[\w.]*(?:\.pem|\.json)|^mine$|^newer$|^published$/g, place)),
  );
const done = async (...lines: string[]): Promise<string> => {
  let out = "";
  for (const line of lines) {
    const result = await run(line);
    expect(result, line).toMatchObject({ code: 0 });
    ({ out } = result);
  }
  return out.trim();
};
const makeKeys = async (...names: string[]): Promise<void> => {
  for (const name of names) await done(`keys make --out ${name}.pem`);
};
const trustFile = async (path: string): Promise<TrustFile> => parseTrustFile(await readFile(path))!;
const publishedTrust = (): Promise<TrustFile> => trustFile(join(place("published"), trustKey("sample")));
const MAKE =
  "keys root root.json --add root:a.pem,b.pem,c.pem --threshold 2 --add bundles:bundles.pem --add index:index.pem --key a.pem --key b.pem";
const PUBLISH = "publish mine --to published --root root.json --key index.pem";
/** Shows the published bundle to a reader with a copy of root.json. */
const read = (root: string, version?: string): Promise<CommandResult> => {
  vi.stubEnv("ANCHOREVAL_TRUSTED_KEYS", place(root));
  return runCommand("show", address(version)).finally(() => vi.stubEnv("ANCHOREVAL_TRUSTED_KEYS", undefined));
};

describe("the guide, word for word", () => {
  const guide = readFileSync(join(ROOT, "docs/deploy.md"), "utf8").split("<!-- walked by")[1]!.split("\n### ")[0]!;
  const blocks = [...guide.matchAll(/```sh\n(.*?)```/gs)].map(([, text]) =>
    text!
      .trim()
      .split("\n")
      .map((line) => line.replace(/ +#.*$/, ""))
      .flatMap((line) => {
        const [, names, command] = /^for key in (.*); do npx anchoreval (.*); done$/.exec(line) ?? [];
        if (names) return names.split(" ").map((name) => command!.replace("$key", name));
        return line.replace(/^npx anchoreval /, "");
      }),
  );

  test("a root is made, a bundle signed and published, a key replaced, a stolen one revoked: a reader of the first root follows", async () => {
    expect(blocks).toHaveLength(2);
    await done(...blocks[0]!);
    await copyFile(place("root.json"), place("reader.json"));
    await copyFile(join(place("mine"), "manifest.sig"), place("stolen.sig"));
    expect(await read("reader.json")).toMatchObject({ code: 0 });

    const last = await done(...blocks[1]!);
    expect(last).toMatch(/^root 3, valid until .*; 2 of 3 keys sign it\n/);
    expect((await publishedTrust()).roots).toHaveLength(3);
    expect(await read("reader.json")).toMatchObject({ code: 0 });
    // What the stolen key alone has signed is refused, by who remembers the newest root even where it is held back.
    const signatures = join(place("published"), "bundles/sample/1.0.0/manifest.sig");
    await copyFile(place("stolen.sig"), signatures);
    const revoked = { code: 2, err: expect.stringContaining("which root 3 revoked") as string };
    expect(await read("reader.json")).toMatchObject(revoked);
    const trust = await publishedTrust();
    await writeFile(
      join(place("published"), trustKey("sample")),
      JSON.stringify({ ...trust, roots: trust.roots.slice(0, 1) }),
    );
    expect(await read("reader.json")).toMatchObject(revoked);

    const bytes = (await readFile(place("root.json"))).length / 3;
    expect(Math.floor(5120 / bytes)).toBe(6); // as the guide says of Cloudflare's settings
  });
});

describe("a root", () => {
  test("is signed by others, one after another, and no draft is followed", async () => {
    await makeKeys("a", "b", "c");
    expect(await done("keys root root.json --add root:a.pem,b.pem,c.pem --threshold 2")).toContain(
      "not valid yet: root.json: root 1 has 0 of the 2",
    );
    expect(await done("keys sign root.json --key a.pem")).toContain("root 1 has 1 of the 2");
    expect(await done("keys sign root.json --key a.pem")).toContain("root 1 has 1 of the 2");
    const whole = await done("keys sign root.json --key c.pem");
    expect(whole).not.toContain("not valid yet");
    expect(whole.match(/ {2}signed/g)).toHaveLength(2);
    await expect(checkRoots((await trustFile(place("root.json"))).roots, "r")).resolves.toHaveLength(1);
    const shown = JSON.parse(await done("keys root root.json --json")) as object;
    expect(shown).toMatchObject({ version: 1, threshold: 2, complete: true, bundles: [], index: [] });
  });

  test("that lacks signatures gives way to the next change; one that has them stays in the chain", async () => {
    await makeKeys("a", "b", "x");
    await done(
      "keys root root.json --add root:a.pem,b.pem --threshold 2 --key a.pem",
      "keys root root.json --add bundles:x.pem --key a.pem --key b.pem",
    );
    expect((await trustFile(place("root.json"))).roots).toHaveLength(1);
    await done("keys root root.json --expires 2099-01-31 --key a.pem");
    expect(await done("keys root root.json --expires 2099-02-28 --key a.pem --key b.pem")).toContain(
      "root 2, valid until 2099-02-28T23:59:59",
    );
    expect((await trustFile(place("root.json"))).roots).toHaveLength(2);
  });

  test("takes public keys in place of files", async () => {
    await makeKeys("a", "b");
    const key = (await run("keys make --out x.pem --json")).out;
    const { key: x } = JSON.parse(key) as { key: string };
    expect(await done(`keys root root.json --add root:a.pem --add bundles:${x} --key a.pem`)).toContain(
      `bundles  ${x}`,
    );
    expect(await done(`keys root root.json --remove ${x} --key a.pem`)).not.toContain(x);
  });

  test.each<[string, string, string]>([
    ["no file", "keys root root.json", "isn't there"],
    ["a role that is none", "keys root root.json --add all:a.pem", "--add takes root:KEY"],
    ["a file that is no key", "keys root root.json --add root:mine.pem", "--add"],
    ["no key of its own", "keys root root.json --add bundles:a.pem", "asks for 1 signatures and lists 0 keys"],
    [
      "a threshold out of reach",
      "keys root root.json --add root:a.pem --threshold 2",
      "asks for 2 signatures and lists 1 keys",
    ],
    ["a key twice", "keys root root.json --add root:a.pem,a.pem", "twice"],
    [
      "a key to remove that isn't there",
      "keys root root.json --add root:a.pem --remove b.pem",
      "the root doesn't list",
    ],
    ["a day that is none", "keys root root.json --add root:a.pem --expires soon", "--expires must be a day"],
    [
      "a day that has passed",
      "keys root root.json --add root:a.pem --expires 2026-01-31",
      "--expires 2026-01-31 has passed",
    ],
  ])("with %s is refused, and nothing is written", async (_, line, words) => {
    // prettier-ignore
    await makeKeys("a", "b");
    expect(await run(line)).toMatchObject({ code: 2, err: expect.stringContaining(words) as string });
    expect(await readdir(here)).not.toContain("root.json");
  });

  test("isn't signed by a key that neither it nor the one before has", async () => {
    await makeKeys("a", "b");
    await done("keys root root.json --add root:a.pem --key a.pem");
    expect(await run("keys sign root.json --key b.pem")).toMatchObject({
      code: 2,
      err: expect.stringContaining("its signature says nothing") as string,
    });
    await writeFile(place("root.json"), "{}");
    for (const line of ["keys sign root.json --key b.pem", "keys root root.json", "keys root root.json --remove a.pem"])
      expect(await run(line)).toMatchObject({
        code: 2,
        err: expect.stringContaining("root.json is no root.json") as string,
      });
  });
});

describe("a published index", () => {
  beforeEach(async () => {
    await makeKeys("a", "b", "c", "bundles", "index");
    await done(MAKE, "keys sign mine --key bundles.pem");
  });

  test("names what was published, with a number that rises each time it is signed", async () => {
    await done(PUBLISH, PUBLISH);
    await writeBundle("newer", sampleBundle({ version: "1.1.0" }));
    await done("keys sign newer --key bundles.pem", PUBLISH.replace("mine", "newer"));
    expect(parseIndexStatement((await publishedTrust()).index!)).toMatchObject({
      number: 3,
      latest: "1.1.0",
      benchmark: "sample",
    });
    for (const version of ["1.0.0", "1.1.0"])
      expect(await read("root.json", version)).toMatchObject({ code: 0, err: "" });
  });

  test("that an older one takes the place of is refused by who saw the newer, in another process too", async () => {
    await done(PUBLISH);
    await cp(place("published"), place("before"), { recursive: true });
    await done(PUBLISH);
    expect(await read("root.json")).toMatchObject({ code: 0 });
    await rm(place("published"), { recursive: true });
    await cp(place("before"), place("published"), { recursive: true });
    expect(await read("root.json")).toMatchObject({ code: 2, err: expect.stringContaining("(rollback)") as string });
    vi.stubEnv("XDG_STATE_HOME", place("another user's"));
    expect(await read("root.json")).toMatchObject({ code: 0 });
  });

  test("is warned of when it is overdue, and refused when it has expired", async () => {
    await done(PUBLISH);
    const { due, expires } = parseIndexStatement((await publishedTrust()).index!)!;
    const warn = vi.spyOn(process.stderr, "write").mockReturnValue(true);
    vi.spyOn(Date, "now").mockReturnValue(Date.parse(due));
    expect(await read("root.json")).toMatchObject({ code: 0 });
    expect(warn).toHaveBeenCalledWith(expect.stringMatching(/^warning: the signed index of .* is overdue since/));
    vi.spyOn(Date, "now").mockReturnValue(Date.parse(expires));
    expect(await read("root.json")).toMatchObject({
      code: 2,
      err: expect.stringContaining("a newer one is held back") as string,
    });
  });

  test("by a root in its last month is told of, by one that has expired not made; a renewed one goes on", async () => {
    await done("keys root root.json --expires 2099-12-31 --key a.pem --key b.pem", PUBLISH);
    const warn = vi.spyOn(process.stderr, "write").mockReturnValue(true);
    const clock = vi.spyOn(Date, "now").mockReturnValue(Date.parse("2099-12-20T00:00:00Z"));
    await done(PUBLISH);
    expect(warn).toHaveBeenCalledWith(
      expect.stringMatching(/^warning: root 2 expires at 2099-12-31T23:59:59\.000Z: renew it by anchoreval keys root \S+root\.json --expires DATE/), // prettier-ignore
    );
    clock.mockReturnValue(Date.parse("2100-01-02T00:00:00Z"));
    const expired = { code: 2, err: expect.stringContaining("renews it, by a later --expires") as string };
    expect(await run(PUBLISH)).toMatchObject(expired);
    expect(await read("root.json")).toMatchObject(expired);
    expect(await done("keys root root.json")).toMatch(/^root 2, expired at /);
    expect(await done("keys root root.json --expires 2100-12-31 --key a.pem --key c.pem", PUBLISH)).toContain(
      "there already",
    );
    expect(await read("root.json")).toMatchObject({ code: 0 });
  });

  test("begun anew after its log was lost is refused by who saw the old one, until its key is another", async () => {
    await done(PUBLISH, PUBLISH);
    expect(await read("root.json")).toMatchObject({ code: 0 });
    for (const lost of ["log.jsonl", "index.json", "trust.json"])
      await rm(join(place("published"), "bundles/sample", lost));
    await done(PUBLISH);
    expect(await read("root.json")).toMatchObject({ code: 2, err: expect.stringContaining("(rollback)") as string });
    await makeKeys("other");
    await done(
      "keys root root.json --remove index.pem --add index:other.pem --key a.pem --key b.pem",
      PUBLISH.replace("index.pem", "other.pem"),
    );
    expect(await read("root.json")).toMatchObject({ code: 0, err: "" });
  });

  test("that was left behind is told of", async () => {
    await done(PUBLISH);
    const { err } = await run("publish mine --to published");
    expect(err).toContain("publish again with --root and --key");
  });

  test("isn't signed once a version that it named has gone", async () => {
    await writeBundle("newer", sampleBundle({ version: "1.1.0" }));
    await done("keys sign newer --key bundles.pem", PUBLISH.replace("mine", "newer"));
    await rm(join(place("published"), "bundles/sample"), { recursive: true, force: true });
    await done(PUBLISH); // nothing is there: it begins with number 1
    await done(PUBLISH.replace("mine", "newer"));
    for (const gone of ["1.1.0", "index.json"])
      await rm(join(place("published"), "bundles/sample", gone), { recursive: true });
    expect(await run(PUBLISH)).toMatchObject({
      code: 2,
      err: expect.stringContaining("it no longer names version 1.1.0") as string,
    });
  });

  test.each<[string, () => Promise<unknown>, string, string]>([
    ["--key alone", () => Promise.resolve(), "publish mine --to published --key index.pem", "go together"],
    ["--root alone", () => Promise.resolve(), "publish mine --to published --root root.json", "go together"],
    [
      "a Worker",
      () => Promise.resolve(vi.stubEnv("ANCHOREVAL_TOKEN", "t")),
      "publish mine --to http://localhost:1 --root root.json --key index.pem",
      "isn't for a Worker",
    ],
    [
      "a key that isn't for indexes",
      () => Promise.resolve(),
      "publish mine --to published --root root.json --key bundles.pem",
      "doesn't list",
    ],
    [
      "a root that lacks signatures",
      () => done("keys root root.json --threshold 3 --key a.pem"),
      PUBLISH,
      "root 2 has 1 of the 2",
    ],
    [
      "a bundle that a revoked key signed",
      () => done("keys root root.json --remove bundles.pem --key a.pem --key c.pem"),
      PUBLISH,
      "which root 2 revoked",
    ],
    ["a bundle that nobody signed", () => rm(join(place("mine"), "manifest.sig")), PUBLISH, "it has no signature"],
  ])("%s is refused before anything is written", async (_, prepare, line, words) => {
    // prettier-ignore
    await prepare();
    expect(await run(line)).toMatchObject({ code: 2, err: expect.stringContaining(words) as string });
    expect(await readdir(here)).not.toContain("published");
  });
});

test("what is remembered lies in the user's folder of states; one that can't be read is told of", async () => {
  expect(memoryFolder({ XDG_STATE_HOME: "/s" })).toBe(join("/s", "anchoreval", "trust"));
  expect(memoryFolder({ LOCALAPPDATA: "/l" })).toBe(join("/l", "anchoreval", "trust"));
  await makeKeys("a", "bundles", "index");
  await done(
    "keys root root.json --add root:a.pem --add bundles:bundles.pem --add index:index.pem --key a.pem",
    "keys sign mine --key bundles.pem",
    PUBLISH,
  );
  await mkdir(place("state"), { recursive: true });
  await writeFile(join(place("state"), "anchoreval"), "a file");
  const warn = vi.spyOn(process.stderr, "write").mockReturnValue(true);
  expect(await read("root.json")).toMatchObject({ code: 0 });
  expect(warn).toHaveBeenCalledWith(expect.stringContaining("aren't remembered"));
  vi.stubEnv("ANCHOREVAL_TRUSTED_KEYS", place("none.json"));
  expect(await runCommand("show", address())).toMatchObject({
    code: 2,
    err: expect.stringContaining("neither a public key of Ed25519 nor a root.json") as string,
  });
});
