import { execFileSync, spawnSync } from "node:child_process";
import { chmodSync } from "node:fs";
import { delimiter } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it, test } from "vitest";
import { runCommand } from "../../../support/run-command.ts";
import { tempFolder } from "../../../support/temp-folder.ts";

const folder = tempFolder();
const complete = async (...words: string[]): Promise<string[]> =>
  (await runCommand("__complete", ...words)).out.split("\n").filter((word) => word !== "");

describe("candidates", () => {
  it("are commands", async () => {
    expect(await complete("")).toEqual(expect.arrayContaining(["estimate", "check", "fit", "help", "--version"]));
    expect(await complete("e")).toEqual(["estimate", "export", "embed"]);
    expect(await complete("completion", "")).toEqual(["bash", "zsh", "fish"]);
    expect(await complete()).toEqual(await complete(""));
  });

  it("are a command's options, and their values where these have names", async () => {
    expect(await complete("compare", "--ma")).toEqual(["--margin"]);
    expect(await complete("export", "--")).toEqual(expect.arrayContaining(["--bundle", "--to", "--json", "--help"]));
    expect(await complete("export", "--to", "i")).toEqual(["inspect", "ids"]);
    expect(await complete("fit", "--set", "weighting=")).toEqual(["weighting=subscenarios", "weighting=items"]);
    expect(await complete("audit", "--set", "")).toEqual(["weighting=subscenarios", "weighting=items", "dims="]);
    expect(await complete("keys", "s")).toEqual(["sign"]);
    expect(await complete("keys", "sign", "--k")).toEqual(["--key"]);
    expect(await complete("publish", "")).toEqual(["sweep", "yank"]);
    expect(await complete("publish", "sweep", "--r")).toEqual([]);
    expect(await complete("backtest", "--recipe", "")).toEqual(expect.arrayContaining(["recommended", "all"]));
  });

  it("are none where a file or free text stands, or no command is known", async () => {
    expect(await complete("estimate", "--bundle", "")).toEqual([]);
    expect(await complete("estimate", "lo")).toEqual([]);
    expect(await complete("nothing", "--")).toEqual([]);
  });
});

const main = fileURLToPath(new URL("../../../../sdk/bin/anchoreval.js", import.meta.url));
test("bash asks the program", async () => {
  const shim = folder.write("anchoreval", `#!/bin/sh\nexec "${process.execPath}" "${main}" "$@"\n`);
  chmodSync(shim, 0o755);
  const script = (await runCommand("completion", "bash")).out;
  const ask = `COMP_WORDS=(anchoreval fit --anch) COMP_CWORD=2; _anchoreval; printf '%s\\n' "\${COMPREPLY[@]}"`;
  const env = { ...process.env, PATH: `${folder.path("")}${delimiter}${process.env["PATH"]!}` };
  expect(execFileSync("bash", ["-c", `${script}\n${ask}`], { env, encoding: "utf8" })).toBe("--anchors\n");
});

test.each(["zsh", "fish"])("%s's script parses (skipped where the shell is absent)", async (shell) => {
  const { code, out } = await runCommand("completion", shell);
  expect(code).toBe(0);
  expect(out).toContain("anchoreval __complete");
  const parsed = spawnSync(shell, ["-n", folder.write(`script.${shell}`, out)]);
  if (parsed.error === undefined) expect(parsed.status).toBe(0);
});

test("another shell is refused", async () => {
  expect(await runCommand("completion", "csh")).toMatchObject({
    code: 2,
    err: expect.stringContaining("bash") as string,
  });
});
