import { spawnSync } from "node:child_process";
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { settleFolder } from "anchoreval/internal/node/out-folder";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { loggedContent, writeBundle } from "../../support/logged-bundle.ts";
import { runCommand } from "../../support/run-command.ts";
import { tempFolder } from "../../support/temp-folder.ts";

const folder = tempFolder();
const disk = folder.path("disk");
mkdirSync(disk);
const mounted = spawnSync("mount", ["-t", "tmpfs", "-o", "size=64k", "tmpfs", disk]).status === 0;
const on = (name: string): string => `${disk}/${name}`;

const content = loggedContent({ shots: 0, metric: "acc", harness: "lm-eval" });
const bundle = writeBundle(folder.path("bundle"), content);
const answers = Object.fromEntries(
  content.scenarios.flatMap(({ anchors }) => anchors.filter(({ forms }) => forms.includes("20")).map(({ item_id }, k) => [item_id, k % 2])), // prettier-ignore
);
const good = folder.write("good.json", JSON.stringify(answers));
/** Candidates' answers to all items. */
const [first, second] = ["first.json", "second.json"].map((name) =>
  folder.write(
    name,
    JSON.stringify(Object.fromEntries(readFileSync(`${bundle}/items.jsonl`, "utf8").trim().split("\n").map((line, k) => [(JSON.parse(line) as { item_id: string }).item_id, k % 2]))), // prettier-ignore
  ),
) as [string, string];
const table = folder.write(
  "table.csv",
  ["model,item_id,score", ...Array.from({ length: 60 }, (_, k) => `m${k % 6},i${Math.floor(k / 6)},${k % 2}`)].join(
    "\n",
  ),
);
const items = folder.write("items.csv", ["item_id,scenario,text", ...Array.from({ length: 20 }, (_, k) => `i${k},s,question ${k}`)].join("\n")); // prettier-ignore
const board = folder.path("board");

const COMMANDS: readonly (readonly string[])[] = [
  ["simulate", "--models", "8", "--items", "20", "--scenarios", "1", "--out", on("out")],
  ["import", table, "--from", "table", "--out", on("out")],
  ["forms", "--items", items, "--size", "4", "--out", on("out")],
  ["embed", "--items", items, "--out", on("vectors.jsonl.gz")],
  ["fit", "--responses", `${board}/responses.csv.gz`, "--items", `${board}/items.jsonl.gz`, "--anchors", "4", "--name", "q@1.0.0", "--provider", "typescript", "--out", on("out")], // prettier-ignore
  ["fit", "--responses", `${board}/responses.csv.gz`, "--items", `${board}/items.jsonl.gz`, "--anchors", "4", "--name", "q@1.0.0", "--provider", "typescript", "--out", folder.path("unwritten"), "--checkpoint", on("states")], // prettier-ignore
  ["export", "--bundle", bundle, "--to", "ids", "--out", on("out")],
  ["publish", bundle, "--to", on("public")],
  ["keys", "make", "--out", on("key.pem")],
  ["keys", "root", on("root.json"), "--add", `root:${folder.path("key.pem")}`, "--key", folder.path("key.pem")],
  ["check", "--bundle", bundle, "--responses", good, "--form", "20", "--min-score", "5", "--junit", on("junit.xml")],
  ["check", "--bundle", bundle, "--responses", good, "--form", "20", "--min-score", "5", "--summary", on("summary.md")],
  ["check", "--bundle", bundle, "--responses", good, "--form", "20", "--save", on("saved.json")],
  ["audit", "--responses", `${board}/responses.csv.gz`, "--out", on("records.jsonl.gz")],
  [
    "estimate",
    "--bundle",
    bundle,
    "--form",
    "20",
    good,
    "--model-name",
    "org/quiz",
    "--to",
    "eee",
    "--out",
    on("data"),
  ],
  ["compare", "--race", "--bundle", bundle, first, second, "--next", on("next.json")],
  ["check", "--bundle", bundle, "--responses", good, "--baseline", good, "--baseline", good, "--form", "20", "--history", on("nights.jsonl")], // prettier-ignore
];

describe.skipIf(!mounted)("a full disk (needs the right to mount one)", () => {
  beforeAll(async () => {
    const made = ["simulate", "--models", "20", "--items", "30", "--scenarios", "1", "--out", board];
    expect(await runCommand(...made)).toMatchObject({ code: 0 });
    expect(await runCommand("keys", "make", "--out", folder.path("key.pem"))).toMatchObject({ code: 0 });
    expect(() => writeFileSync(on("filler"), new Uint8Array(1 << 20))).toThrow("ENOSPC");
  });
  afterAll(() => void spawnSync("umount", [disk]));

  test.each(COMMANDS.map((argv) => [argv.map((word) => word.replace(/^\/.*\//, "")).join(" "), argv] as const))(
    "%s: says why, and leaves nothing",
    async (_, argv) => {
      const { code, err } = await runCommand(...argv, "--quiet");
      const last = err.trim().split("\n").at(-1)!;
      expect(last).toMatch(
        /^anchoreval: .* could not be written: no space is left on the disk \(ENOSPC\) \[unavailable\]$/,
      );
      expect(code).toBe(1);
      expect(err).not.toMatch(/defect|\n\s+at /);
      const left = readdirSync(disk, { recursive: true, withFileTypes: true }).filter((entry) => !entry.isDirectory());
      expect(left.filter(({ name }) => name !== "summary.md").map(({ name }) => name)).toEqual(["filler"]);
      expect(readdirSync(disk, { recursive: true }).filter((name) => String(name).includes(".anchoreval"))).toEqual([]);
    },
  );
});

describe.skipIf(!mounted)("a disk that can only be read (needs the right to mount one)", () => {
  const still = folder.path("still");
  const stopped = `${still}/stopped/.anchoreval-next/begun/new`;
  beforeAll(() => {
    mkdirSync(still);
    spawnSync("mount", ["-t", "tmpfs", "tmpfs", still]);
    mkdirSync(stopped, { recursive: true });
    writeFileSync(`${stopped}/items.csv`, readFileSync(items));
    writeFileSync(`${still}/stopped/responses.csv`, "");
    expect(spawnSync("mount", ["-o", "remount,ro", still]).status).toBe(0);
  });
  afterAll(() => void spawnSync("umount", [still]));

  test("is no place for a result: refused before the work, with the reason", async () => {
    const { code, err } = await runCommand("simulate", "--out", `${still}/out`);
    expect({ code, err }).toEqual({
      code: 2,
      err: expect.stringContaining("the file system is read-only (EROFS)") as string,
    });
  });

  test("has files of a command that was stopped: they aren't read in part", async () => {
    await expect(settleFolder(`${still}/stopped`)).rejects.toMatchObject({
      code: "unavailable",
      message: `${still}/stopped was left by a command that was killed while it replaced the files there, and they can't be put in their places: the file system is read-only (EROFS); make it writable and run again`,
    });
  });
});
