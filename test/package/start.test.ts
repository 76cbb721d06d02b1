import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { expect, test } from "vitest";
import { ROOT } from "../support/source-imports.js";
import { tempFolder } from "../support/temp-folder.ts";

const folder = tempFolder();
const GOLDEN = join(ROOT, "test/fixtures/golden-bundle");
const HOOKS = pathToFileURL(join(ROOT, "test/support/loaded-modules.js")).href;

/** Modules that a call of the built program loads, Node's own left out. */
function loadedModules(...argv: string[]): string[] {
  const file = folder.write("modules.txt", "");
  const register = `data:text/javascript,import { register } from "node:module"; register("${HOOKS}");`;
  execFileSync(process.execPath, ["--import", register, join(ROOT, "sdk/bin/anchoreval.js"), ...argv], {
    env: { ...process.env, LOADED_MODULES: file },
  });
  const urls = readFileSync(file, "utf8").trim().split("\n");
  return urls.filter((url) => url.startsWith("file:"));
}

test.each([
  ["--version", ["--version"]],
  ["show", ["show", join(GOLDEN, "bundle")]],
  [
    "estimate",
    ["estimate", "--bundle", join(GOLDEN, "bundle"), "--responses", join(GOLDEN, "answers.json"), "--form", "12"],
  ],
])("%s loads no module of the trainer", (_, argv) => {
  const modules = loadedModules(...argv); // how many is the scorecard's: bench/scorecard.json
  expect(modules.length).toBeGreaterThan(3);
  expect(modules.filter((url) => url.includes("/offline-trainer/"))).toEqual([]);
});
