import { describe, expect, it, test } from "vitest";
import { commandOfActions, findCall, readCall } from "../../../../cli/src/program/actions.ts";
import {
  type Action,
  type Command,
  flag,
  option,
  optionsOf,
  optionsOfCall,
} from "../../../../cli/src/program/command.ts";
import { runCommand } from "../../../support/run-command.ts";

const action = (options: Command["options"]): Action => ({
  summary: "does it",
  options,
  examples: ["tool make", "tool make"],
  run: () => Promise.resolve(),
});
const make = action({ Output: { out: option("FILE", "where") } });
const drop = action({ Data: { key: option("FILE", "which"), dry: flag("only list") } });
const words = commandOfActions({ make, drop }, ["tool make", "tool drop"]);
const main: Command = { ...action({ Data: { to: option("PLACE", "where") } }), actions: { drop } };
const refusal =
  (command: Command, ...argv: string[]) =>
  () =>
    readCall("tool", command, argv, () => "make");

describe("an action", () => {
  it("is called by the first word, with options of its own", () => {
    expect(findCall("tool", words, ["make", "--out", "x"])).toEqual({
      ...{ name: "tool make", command: make, summary: "does it", words: ["--out", "x"] },
    });
    expect(findCall("tool", main, ["x", "drop"])).toEqual({ name: "tool", command: main, words: ["x", "drop"] });
    expect(findCall("tool", words, ["constructor"]).command).toBe(words);
    expect(Object.keys(optionsOfCall(main))).not.toContain("key");
    expect(Object.keys(optionsOf(main))).toEqual(expect.arrayContaining(["to", "key", "dry", "json"]));
  });

  it("that there isn't is refused with those there are", () => {
    const list = "make, drop; see anchoreval tool --help";
    expect(refusal(words, "mak")).toThrow(`there is no action mak of tool (did you mean make?): there are ${list}`);
    expect(refusal(words)).toThrow(`tool needs an action first: ${list}`);
    expect(refusal(words, "--out", "x")).toThrow(`tool needs an action first: ${list}`);
    expect(refusal(main, "mak")).toThrow("there is no action mak of tool (did you mean make?)");
    expect(refusal(main, "package.json"), "a place").not.toThrow();
  });

  it("refuses the options of another by name", () => {
    expect(refusal(words, "make", "--key=x")).toThrow("--key is for tool drop, not for tool make");
    expect(refusal(main, "drop", "--to", "x")).toThrow("--to is for tool, not for tool drop");
    expect(refusal(main, "package.json", "--dry")).toThrow(
      "--dry is for tool drop, not for tool; see anchoreval tool --help",
    );
    expect(refusal(main, "package.json", "--nothing", "--", "--dry")).not.toThrow();
  });
});

test("the program knows actions: in help, and in what it refuses", async () => {
  const whole = await runCommand("keys", "--help");
  for (const name of ["make", "sign PLACE", "root FILE", "token"]) expect(whole.out).toContain(`\nkeys ${name}: `);
  const one = (await runCommand("keys", "sign", "--help")).out;
  expect(one).toContain("usage: anchoreval keys sign PLACE --key FILE [OPTIONS]");
  expect(one).not.toContain("--scope");
  expect(await runCommand("help", "keys", "sign")).toEqual({ code: 0, out: one, err: "" });
  expect(await runCommand("keys", "sing")).toMatchObject({
    code: 2,
    err: expect.stringContaining("there is no action sing of keys (did you mean sign?)") as string,
  });
  expect(await runCommand("publish", "--quiet", "sweep", "--to", "x")).toMatchObject({
    code: 2,
    err: expect.stringContaining("sweep is an action, which comes first: anchoreval publish sweep") as string,
  });
});
