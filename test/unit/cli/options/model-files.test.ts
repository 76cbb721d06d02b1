import { execFileSync, spawn } from "node:child_process";
import { expect, test } from "vitest";
import { OptionReader } from "../../../../cli/src/program/command.ts";
import { readFamilies } from "../../../../cli/src/options/model-files.ts";
import { tempFolder } from "../../../support/temp-folder.ts";

const folder = tempFolder();

test.skipIf(process.platform === "win32")("families come from a pipe, too, which is read once", async () => {
  const pipe = folder.path("families");
  execFileSync("mkfifo", [pipe]);
  spawn("sh", ["-c", `printf 'Org/a,Org\\nOrg/b,Org\\n' > "$0"`, pipe]);
  const { families } = await readFamilies(new OptionReader({ families: pipe }));
  expect(families).toEqual(new Map([["Org/a", "Org"], ["Org/b", "Org"]])); // prettier-ignore
});
