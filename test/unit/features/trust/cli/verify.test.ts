import { readFileSync, writeFileSync } from "node:fs";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { folderStore } from "anchoreval/internal/node/folder";
import { yankVersion } from "anchoreval/internal/features/publishing/sdk/versions";
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from "vitest";
import { runProgram } from "../../../../support/run-command.ts";
import { sampleBundle } from "../../../../support/sample-bundle.ts";
import { signingKey } from "../../../../support/signing-key.ts";
import { tempFolder } from "../../../../support/temp-folder.ts";

const folder = tempFolder();
const to = folder.path("host");
const place = join(to, "bundles", "sample");
const file = join(place, "log.jsonl");
const key = await signingKey();
let whole: string;
let host: Server;
let address: string;

beforeAll(async () => {
  for (const version of ["1.0.0", "1.1.0"]) {
    const files = sampleBundle({ version });
    for (const [name, bytes] of files) folder.write(`${version}/${name}`, bytes);
    if (version === "1.1.0") folder.write("1.1.0/manifest.sig", await key.file(files.get("manifest.json")!));
    expect((await runProgram(["publish", folder.path(version), "--to", to])).code).toBe(0);
  }
  const ref = { benchmark: "sample", version: "1.0.0", publisher: "anna" };
  await yankVersion(folderStore(to), ref, { yanked: true, reason: "wrong keys" });
  whole = readFileSync(file, "utf8");
  host = createServer((request, response) => {
    try {
      response.end(readFileSync(to + request.url!));
    } catch {
      response.writeHead(404).end();
    }
  }).listen(0, "127.0.0.1");
  await new Promise((resolve) => host.once("listening", resolve));
  address = `http://127.0.0.1:${(host.address() as AddressInfo).port}/bundles/sample`;
});
afterAll(() => host.close());

interface Verified {
  readonly entries: number;
  readonly head: string;
  readonly log: { readonly version: string; readonly action: string; readonly publisher: string | null }[];
}
const verified = async (...argv: string[]): Promise<Verified> => {
  const { code, out, err } = await runProgram(["verify", ...argv, "--json"]);
  expect([code, err]).toEqual([0, ""]);
  return JSON.parse(out) as Verified;
};

test("a log says who did what, in a folder as at an address; what it printed is taken back", async () => {
  const { entries, head, log } = await verified(place);
  expect(log.map(({ action, version, publisher }) => [action, version, publisher])).toEqual([
    ["publish", "1.0.0", null],
    ["publish", "1.1.0", key.key],
    ["yank", "1.0.0", "anna"],
  ]);
  expect(await verified(address)).toEqual({ entries, head, log, signed: null, ahead: 0 });
  const { out } = await runProgram(["verify", place]);
  expect(out).toMatch(/3 {2}\S+Z {2}yank {5}1\.0\.0 {4}anna .* wrong keys/);
  const [, printed] = /--head (\S+)\n/.exec(out)!;
  expect(printed).toBe(`3:${head}`);
  expect((await verified(place, "--head", printed!)).entries).toBe(3);
});

describe("is refused by verify and by sweep:", () => {
  const lines = (): string[] => whole.trimEnd().split("\n");
  test.each<[string, () => string[], string]>([
    ["an entry cut out", () => lines().toSpliced(1, 1), "line 2 is entry 3: an entry before it was cut out"],
    ["an entry changed", () => lines().with(1, lines()[1]!.replace(key.key, "thief")), "entry 2 isn't the one that entry 3 follows: it was changed"], // prettier-ignore
    ["entries reordered", () => lines().toReversed(), "line 1 is entry 3: entries were reordered"],
    [
      "the end cut off",
      () => lines().slice(0, 2),
      "ends after entry 2, and its index names entry 3: entries were cut off",
    ],
    ["the last one changed", () => lines().with(2, lines()[2]!.replace("anna", "thief")), "entry 3 isn't the one that its index names"], // prettier-ignore
    ["all of it", () => [], "ends after entry 0, and its index names entry 3"],
  ])("%s", async (_, own, words) => {
    writeFileSync(file, own().map((line) => `${line}\n`).join("")); // prettier-ignore
    try {
      for (const argv of [
        ["verify", place],
        ["verify", address],
        ["publish", "sweep", "--to", to],
      ]) {
        const { code, err } = await runProgram(argv);
        expect([code, err]).toEqual([2, expect.stringContaining(words)]);
        expect(err.split("restore log and index from a copy")).toHaveLength(2);
      }
    } finally {
      writeFileSync(file, whole);
    }
  });
});

test("a log that agrees with its index, and isn't the one that was seen before, is refused by its head", async () => {
  const { head } = await verified(place);
  const other = folder.path("fork");
  for (const version of ["1.0.0", "1.1.0", "1.0.0"]) await runProgram(["publish", folder.path(version), "--to", other]);
  const fork = join(other, "bundles", "sample");
  expect((await verified(fork)).entries).toBe(2);
  const cut = await runProgram(["verify", fork, "--head", `3:${head}`]);
  expect([cut.code, cut.err]).toEqual([2, expect.stringContaining("ends after entry 2, and --head names entry 3: entries were cut off")]); // prettier-ignore
  const ref = { benchmark: "sample", version: "1.0.0", publisher: "thief" };
  await yankVersion(folderStore(other), ref, { yanked: true, reason: "wrong keys" });
  const forked = await runProgram(["verify", fork, "--head", `3:${head}`]);
  expect([forked.code, forked.err]).toEqual([2, expect.stringContaining("entry 3 isn't the one that --head names: another log was put in its place (fork)")]); // prettier-ignore
});

test.each<[string, string[], string]>([
  ["a place where nothing is", [folder.path("none")], "is neither an address nor a folder"],
  ["a folder that is no benchmark's", [folder.path("1.0.0")], "no benchmark is published at"],
  ["a head that is none", [place, "--head", "3"], "--head is a number of entries and a digest"],
])("%s is told", async (_, argv, words) => {
  const { code, err } = await runProgram(["verify", ...argv]);
  expect(code).not.toBe(0);
  expect(err).toContain(words);
});

describe("where ANCHOREVAL_TRUSTED_KEYS lists keys", () => {
  afterEach(() => void vi.unstubAllEnvs());

  test("every version on offer must be signed by one: in a folder, at an address", async () => {
    vi.stubEnv("ANCHOREVAL_TRUSTED_KEYS", key.key);
    for (const at of [place, address]) expect(await verified(at)).toMatchObject({ signed: 1 }); // 1.0.0 is yanked
    vi.stubEnv("ANCHOREVAL_TRUSTED_KEYS", (await signingKey()).key);
    for (const at of [place, address]) {
      const { code, err } = await runProgram(["verify", at]);
      expect(code).toBe(2);
      expect(err).toContain("no trusted key signed it");
    }
  });
});
