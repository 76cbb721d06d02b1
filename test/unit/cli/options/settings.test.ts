import { expect, test } from "vitest";
import { readSettings, setOption, SETTINGS, settingsHelp, settingsOf } from "../../../../cli/src/options/settings.ts";
import { OptionReader } from "../../../../cli/src/program/command.ts";

const set = (...words: string[]): OptionReader => new OptionReader({ set: words });
const few = { dims: SETTINGS.dims, weighting: SETTINGS.weighting };

test("settings stand by name in the table's order, whatever the order of the words", () => {
  const settings = settingsOf(set("dims=2", "weighting=items", "lambda="));
  expect(Object.entries(settings)).toEqual([
    ["weighting", "items"],
    ["dims", "2"],
    ["lambda", ""],
  ]);
  expect(settingsOf(new OptionReader({}))).toEqual({});
});

test("their values are checked as an option's, by the words that give them", () => {
  const settings = readSettings(set("dims=x", "lambda=1"));
  expect(() => settings.number("dims", { min: 1, integer: true }, 1)).toThrow(
    "--set dims must be a whole number of at least 1; got x",
  );
  expect(() => settings.oneOf("lambda", ["learned"], "learned")).toThrow("--set lambda must be one of learned; got 1");
});

test.each([
  ["dims", "--set takes NAME=VALUE, such as dims=2; got dims"],
  ["dimz=2", "--set: there is no setting dimz (did you mean dims?): there are dims, weighting"],
  ["constructor=2", "--set: there is no setting constructor: there are dims, weighting"],
  ["lambda=learned", "--set lambda does nothing here: there are dims, weighting"],
])("--set %s is refused", (word, message) => {
  expect(() => settingsOf(set(word), few)).toThrow(message);
});

test("one that is given twice is refused", () => {
  expect(() => settingsOf(set("dims=1", "dims=1"))).toThrow("--set dims is given twice, 1 and 1: it takes one value");
});

test("help and completion list what the command has", () => {
  expect(settingsHelp(few).rows.map(([term]) => term)).toEqual(["dims=auto|N[,N]", "weighting=subscenarios|items"]);
  expect(setOption(few).set).toMatchObject({
    description: "a setting of the method: dims, weighting; may be repeated",
    choices: ["dims=auto", "dims=", "weighting=subscenarios", "weighting=items"],
  });
});
