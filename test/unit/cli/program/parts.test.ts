import { AnchorEvalError } from "anchoreval";
import { expect, test } from "vitest";
import { type Command, type CommandInput, flag, option, OptionReader } from "../../../../cli/src/program/command.ts";
import { type CommandPart, readParts, withParts } from "../../../../cli/src/program/parts.ts";

const ran: string[] = [];
const runs = (name: string) => (): Promise<void> => Promise.resolve(void ran.push(name));
const command: Command = {
  options: {
    Data: { metric: option("M", "of logs") },
    Output: { out: option("DIR", "a folder") },
  },
  examples: ["", ""],
  run: runs("trunk"),
};
const night: CommandPart = {
  options: {
    Data: { metric: option("M", "of trials, too") },
    Night: { history: option("FILE", "all nights"), night: option("TEXT", "its name") },
    Output: { next: option("FILE", "what comes") },
  },
  instead: { of: "history", run: runs("night") },
};
const table: CommandPart = { options: { Table: { table: flag("a table") } }, instead: { of: "table", run: runs("table") } }; // prettier-ignore
const prices: CommandPart<string> = {
  options: { Prices: { prices: option("FILE", "prices") } },
  read: ({ options }) => options.text("prices") ?? null,
};
const parts = [night, table, prices];
const parted = withParts(parts, command);
const input = (values: object): CommandInput => ({ options: new OptionReader({ ...values }) }) as CommandInput;

test("options of parts stand under their headings, Output last; a part describes an option that the command has", () => {
  const names = Object.entries(parted.options).map(([heading, specs]) => [heading, ...Object.keys(specs)]);
  expect(names).toEqual([
    ["Data", "metric"],
    ["Night", "history", "night"],
    ["Table", "table"],
    ["Prices", "prices"],
    ["Output", "out", "next"],
  ]);
  expect(parted.options["Data"]!["metric"]!.description).toBe("of trials, too");
});

test.each([
  [{ metric: "acc", prices: "f" }, "trunk"],
  [{ history: "h", night: "n", metric: "acc" }, "night"],
  [{ table: true }, "table"],
])("%j runs as %s", async (values, way) => {
  ran.length = 0;
  await parted.run(input(values));
  expect(ran).toEqual([way]);
});

test.each([
  [{ night: "n" }, "--night is for --history, which isn't given"],
  [{ table: true, night: "n" }, "--night doesn't go with --table"],
  [{ table: true, prices: "f" }, "--prices doesn't go with --table"],
  [{ history: "h", table: true }, "--table doesn't go with --history"],
])("%j is refused: %s", (values, message) => {
  expect(() => parted.run(input(values))).toThrow(new AnchorEvalError("invalid_option", message));
});

test("parts that have nothing to do are left out", async () => {
  expect(await readParts([prices], input({}))).toEqual([]);
  expect(await readParts([prices, prices], input({ prices: "f" }))).toEqual(["f", "f"]);
});
