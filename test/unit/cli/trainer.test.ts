import { execFile, spawn } from "node:child_process";
import { existsSync, mkdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { describe, expect, it } from "vitest";
import { findTrainer, runTrainer } from "../../../sdk/cli/trainer.ts";
import { tempFolder } from "../../support/temp-folder.ts";

const folder = tempFolder();
const PROGRAM = fileURLToPath(new URL("../../../sdk/bin/anchoreval.js", import.meta.url));

/** A trainer that writes down its arguments, and ends as they say; `wait` ends by the signal that it gets. */
function fakeTrainer(project: string): string {
  const home = `${project}/node_modules/anchoreval-trainer`;
  folder.write(
    `${home}/package.json`,
    JSON.stringify({
      name: "anchoreval-trainer",
      type: "module",
      exports: { ".": { types: "./dist/index.d.ts", default: "./dist/index.js" } },
      bin: { "anchoreval-trainer": "bin/run.js" },
    }),
  );
  folder.write(`${home}/dist/index.js`, "");
  folder.write(
    `${home}/bin/run.js`,
    `import { writeFileSync } from "node:fs";
const [, , command, code] = process.argv;
if (command === "serve") {
  process.on("SIGTERM", () => { writeFileSync("signal.txt", "SIGTERM"); process.exit(7); });
  writeFileSync("ready.txt", "");
  setInterval(() => {}, 1000);
} else {
  writeFileSync("args.json", JSON.stringify(process.argv.slice(2)));
  process.exit(Number(code ?? 0));
}`,
  );
  return folder.path(project);
}

describe("commands of the trainer", () => {
  const project = fakeTrainer("project");

  it("are found from the working folder, or from wherever it is looked for", () => {
    const program = folder.path("project/node_modules/anchoreval-trainer/bin/run.js");
    expect(findTrainer([`${project}/index.js`])).toBe(program);
    expect(findTrainer([folder.path("elsewhere/index.js"), `${project}/deep/er/index.js`])).toBe(program);
    expect(findTrainer([folder.path("elsewhere/index.js")])).toBeNull();
  });

  it("name the one line that installs it, where it is not there", async () => {
    let err = "";
    const code = await runTrainer(["fit", "--help"], [folder.path("elsewhere/index.js")], {
      stderr: { write: (text: string) => (err += text) },
    });
    expect(code).toBe(2);
    expect(err).toBe(
      "anchoreval: fit needs the trainer, which is a package of its own:\n  npm install anchoreval-trainer\n",
    );
  });

  it("get the arguments as they are, and give their exit code", async () => {
    const run = promisify(execFile)(process.execPath, [PROGRAM, "fit", "3", "--name", "a b"], { cwd: project });
    await expect(run).rejects.toMatchObject({ code: 3 });
    expect(JSON.parse(readFileSync(`${project}/args.json`, "utf8"))).toEqual(["fit", "3", "--name", "a b"]);
  });

  it("get the signals too", async () => {
    const parent = spawn(process.execPath, [PROGRAM, "serve"], { cwd: project });
    const ended = new Promise<number | null>((resolve) => parent.once("exit", resolve));
    while (!existsSync(`${project}/ready.txt`)) await new Promise((resolve) => setTimeout(resolve, 20));
    parent.kill("SIGTERM");
    expect(await ended).toBe(7);
    expect(readFileSync(`${project}/signal.txt`, "utf8")).toBe("SIGTERM");
  });
});

describe("the program", () => {
  const run = (...argv: string[]): Promise<{ stdout: string }> =>
    promisify(execFile)(process.execPath, [PROGRAM, ...argv], { cwd: folder.path("") });

  it("lists its commands and the trainer's, and tells its version", async () => {
    mkdirSync(folder.path("x"), { recursive: true });
    const { stdout } = await run("--help");
    for (const name of [
      "estimate",
      "export",
      "show",
      "simulate",
      "import",
      "fit",
      "backtest",
      "publish",
      "serve",
      "demo",
    ])
      expect(stdout).toMatch(new RegExp(`^  ${name} +\\S`, "m"));
    expect((await run("--version")).stdout).toMatch(/^\d+\.\d+\.\d+\n$/);
  });

  it("refuses a command that there isn't", async () => {
    await expect(run("frobnicate")).rejects.toMatchObject({
      code: 2,
      stderr: expect.stringContaining("no command frobnicate") as string,
    });
  });
});
