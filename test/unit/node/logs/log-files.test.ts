import { execFileSync } from "node:child_process";
import { mkdirSync, symlinkSync } from "node:fs";
import { findFiles } from "anchoreval/internal/node/logs/log-files";
import { expect, test } from "vitest";
import { tempFolder } from "../../../support/temp-folder.ts";

const folder = tempFolder();

test.skipIf(process.platform === "win32")(
  "a pipe in a folder of logs is no log: reading it would wait for good",
  async () => {
    const log = folder.write("logs/run.json", "{}");
    execFileSync("mkfifo", [folder.path("logs/pipe.json")]);
    expect(await findFiles([folder.path("logs")])).toEqual([{ file: log, named: false }]);
    expect(await findFiles([folder.path("logs/pipe.json")])).toMatchObject([{ named: true }]); // `<(command)` of a shell
  },
);

test.skipIf(process.platform === "win32")(
  "two links to one file are two logs, one beside its file is none",
  async () => {
    const blob = folder.write("store/blobs/0f", "{}");
    const names = ["a", "b"].map((model) => {
      mkdirSync(folder.path(`store/snapshots/${model}`), { recursive: true });
      const name = folder.path(`store/snapshots/${model}/run.json`);
      symlinkSync(blob, name);
      return name;
    });
    symlinkSync("a", folder.path("store/snapshots/latest"));
    expect((await findFiles([folder.path("store")])).map(({ file }) => file)).toEqual([blob, ...names]);
    expect((await findFiles(names)).map(({ file }) => file)).toEqual(names);
    expect(await findFiles([names[0]!, folder.path("store/snapshots/latest/run.json")])).toHaveLength(1);

    const log = folder.write("linked/1.json", "{}");
    const latest = folder.path("linked/latest.json");
    symlinkSync("1.json", latest);
    expect((await findFiles([folder.path("linked")])).map(({ file }) => file)).toEqual([log]);
    expect((await findFiles([latest])).map(({ file }) => file)).toEqual([latest]);
  },
);
