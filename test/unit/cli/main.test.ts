import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { describe, expect, it, test } from "vitest";
import {
  type Command,
  COMMON_OPTIONS,
  optionsOf,
  optionsOfCall,
  type OptionSpec,
} from "../../../cli/src/program/command.ts";
import { COMMANDS } from "../../../cli/src/commands.ts";
import { parseCommand } from "../../../cli/src/program/parse.ts";
import { programNear, TrainerMissing, withTrainer } from "../../../cli/src/program/trainer.ts";
import { runCommand } from "../../support/run-command.ts";
import { tempFolder } from "../../support/temp-folder.ts";

const folder = tempFolder();
const PROGRAM = fileURLToPath(new URL("../../../sdk/bin/anchoreval.js", import.meta.url));
const widest = (text: string): number => Math.max(...text.split("\n").map((line) => Array.from(line).length));

describe("the program", () => {
  it("lists its commands by what they are for, each in a line", async () => {
    const { code, out } = await runCommand("--help");
    expect(code).toBe(0);
    for (const { name, summary, group } of COMMANDS) {
      expect(out).toContain(`\n${group}:\n`);
      expect(out).toMatch(new RegExp(`^  ${name} +${summary.replaceAll(/[.*+?()]/g, "\\$&")}$`, "m"));
    }
    expect(widest(out)).toBeLessThanOrEqual(100);
    expect(await runCommand("help")).toEqual({ code: 0, out, err: "" });
    expect(await runCommand()).toEqual({ code: 2, out, err: "" });
  });

  it("says its version", async () => {
    expect((await runCommand("--version")).out).toMatch(/^\d+\.\d+\.\d+\n$/);
  });

  it("refuses a command that there isn't, and names the nearest", async () => {
    const { code, out, err } = await runCommand("fti", "--out", "x");
    expect({ code, out }).toEqual({ code: 2, out: "" });
    expect(err).toContain("anchoreval: there is no command fti; did you mean fit?\n");
    expect((await runCommand("frobnicate")).err).toContain("there is no command frobnicate\n");
  });

  it("is what the package's bin runs", () => {
    const { status, stdout, stderr } = spawnSync(process.execPath, [PROGRAM, "--help"], { encoding: "utf8" });
    expect({ status, stderr }).toEqual({ status: 0, stderr: "" });
    expect(stdout).toContain("usage: anchoreval COMMAND");
    expect(spawnSync(process.execPath, [PROGRAM, "frobnicate"], { encoding: "utf8" }).status).toBe(2);
  });
});

describe.each(COMMANDS.map((entry) => [entry.name, entry] as const))("anchoreval %s", (name, { load }) => {
  test("--help fits in 100 columns, marks what is needed and leaves rare options to --help-all", async () => {
    const command = await load();
    const own = callsOf(name, command).flatMap(([, call]) =>
      Object.values(call.options).flatMap(Object.entries<OptionSpec>),
    );
    const specs = [...own, ...Object.entries<OptionSpec>(COMMON_OPTIONS)];
    const [help, all] = [(await runCommand(name, "--help")).out, (await runCommand(name, "--help-all")).out];
    for (const text of [help, all]) expect(widest(text)).toBeLessThanOrEqual(100);
    expect(help).not.toMatch(/ --[\w-]+ \\\n {6}(?!-)/); // no example breaks between an option and its value
    const listed = (text: string): string[] => [...text.matchAll(/^ {2}--([\w-]+)/gm)].map(([, option]) => option!);
    expect(listed(all).sort()).toEqual(specs.map(([option]) => option).sort());
    expect(listed(help).sort()).toEqual(specs.flatMap(([option, { rare }]) => (rare ? [] : [option])).sort());
    const needed = specs.filter(([, { required }]) => required);
    expect(all.split("(required)").length - 1).toBe(needed.length);
    for (const [option, { rare }] of needed) expect({ option, rare: rare ?? false }).toEqual({ option, rare: false });
    expect(await runCommand("help", name)).toMatchObject({ code: 0, out: help });
  });

  test("its two examples give what is needed, and options that there are", async () => {
    const whole = await load();
    for (const [called, { examples }] of callsOf(name, whole)) {
      expect(widest((await runCommand(...called.split(" "), "--help-all")).out)).toBeLessThanOrEqual(100);
      for (const example of examples) {
        expect(`${example} `.startsWith(`${called} `)).toBe(true);
        const { options, command } = parseCommand(name, whole, example.split(" ").slice(1));
        for (const [option, { required }] of Object.entries(optionsOfCall(command)))
          if (required)
            expect({ example, option, given: options.isGiven(option) }).toEqual({ example, option, given: true });
      }
    }
  });
});

/** A command and its actions, as they are called. */
function callsOf(name: string, command: Command): [called: string, command: Command][] {
  const actions = Object.entries(command.actions ?? {});
  return [[name, command], ...actions.map(([word, action]): [string, Command] => [`${name} ${word}`, action])];
}

test("fit's help has 18 options at most", async () => {
  expect([...(await runCommand("fit", "--help")).out.matchAll(/^ {2}--/gm)].length).toBeLessThanOrEqual(18);
});

describe("what needs the trainer", () => {
  const missing = (name: string): Promise<never> =>
    Promise.reject(
      Object.assign(new Error(`Cannot find package '${name}' imported from x.js`), { code: "ERR_MODULE_NOT_FOUND" }),
    );

  it("names the line that installs it, where it is not there", async () => {
    const refused = withTrainer("fit", () => missing("anchoreval-trainer"));
    await expect(refused).rejects.toThrow(TrainerMissing);
    await expect(refused).rejects.toThrow(
      "fit needs the trainer, which is a package of its own:\n  npm install anchoreval-trainer",
    );
  });

  it("fails as it does where something else is missing", async () => {
    await expect(withTrainer("fit", () => missing("onnxruntime-node"))).rejects.toThrow("onnxruntime-node");
  });

  it("is run by the program that is installed with a trainer where the command is called", () => {
    const { root, program } = installed("project");
    expect(fileURLToPath(programNear(root)!)).toBe(program);
    expect(programNear(folder.path("elsewhere"))).toBeNull();
  });

  /** A project with both packages. */
  function installed(root: string): { root: string; program: string } {
    const internal = { "./internal/*": { default: "./dist/*.js" } };
    const packageOf = (name: string, exports: object): string => {
      folder.write(`${root}/node_modules/${name}/package.json`, JSON.stringify({ name, type: "module", exports }));
      return `${root}/node_modules/${name}`;
    };
    folder.write(`${packageOf("anchoreval-trainer", { ".": { default: "./dist/index.js" } })}/dist/index.js`, "");
    const program = folder.write(`${packageOf("anchoreval", internal)}/dist/program/main.js`, "");
    return { root: folder.path(root), program };
  }
});

test.each([
  ["bundle", /^(BUNDLE|DIR)$/, "the bundle"],
  ["responses", /^(FILE|PATH)$/, "answers"],
  ["items", /^FILE$/, "items"],
  ["out", /^(DIR|FILE)$/, ""],
])("--%s means the same in every command", async (name, value, words) => {
  const specs = await Promise.all(
    COMMANDS.filter((entry) => !(entry.name === "simulate" && name === "items")).map(async (entry) => ({
      command: entry.name,
      spec: optionsOf(await entry.load())[name],
    })),
  );
  const found = specs.filter(({ spec }) => spec !== undefined);
  expect(found.length).toBeGreaterThan(5);
  for (const { command, spec } of found) {
    expect({ command, value: value.test(spec!.value!) }).toEqual({ command, value: true });
    expect({ command, words: spec!.description.includes(words) }).toEqual({ command, words: true });
  }
});
