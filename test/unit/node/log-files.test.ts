import { execFileSync } from "node:child_process";
import { findFiles } from "anchoreval/internal/node/log-files";
import { expect, test } from "vitest";
import { tempFolder } from "../../support/temp-folder.ts";

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
