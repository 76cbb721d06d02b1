import { mkdirSync, writeFileSync } from "node:fs";
import { describe, expect, it, test } from "vitest";
import { OptionReader, optionsOf } from "../../../../cli/src/program/command.ts";
import { COMMANDS } from "../../../../cli/src/commands.ts";
import { readPoints } from "../../../../cli/src/options/scale.ts";
import { runCommand } from "../../../support/run-command.ts";
import { tempFolder } from "../../../support/temp-folder.ts";

const folder = tempFolder();
mkdirSync(folder.path(""), { recursive: true });
const table = folder.write("table.csv", "model,a,b\n");
writeFileSync(folder.path("answers.json"), "{}");

/** What a command needs beside its option in points. */
const NEEDED: Readonly<Record<string, readonly string[]>> = {
  check: ["--bundle", "gsm8k", "--responses", folder.path("answers.json"), "--baseline", folder.path("answers.json")],
  compare: ["--bundle", "gsm8k", "--a", folder.path("answers.json"), "--b", folder.path("answers.json")],
  estimate: ["--judge", folder.path("answers.json"), "--next", folder.path("next.txt")],
  plan: ["gsm8k"],
  "plan drop": ["gsm8k", "--gate"],
  replay: ["--responses", table],
};
const specs = await Promise.all(COMMANDS.map(async ({ name, load }) => [name, optionsOf(await load())] as const));
const inPoints = specs.flatMap(([command, options]) =>
  Object.entries(options).flatMap(([option, { value }]) => (value === "POINTS" ? [[command, option] as const] : [])),
);

test("options in points are those of gates, comparisons, plans and stops", () => {
  expect(inPoints.length).toBeGreaterThanOrEqual(7);
});

describe.each(inPoints)("%s --%s", (command, option) => {
  const argv = [command, ...(NEEDED[`${command} ${option}`] ?? NEEDED[command]!), `--${option}`];

  it.each(["0.83", "0.02", ".5", "1e-3", "0.999"])("refuses %s, which reads as a fraction", async (text) => {
    const { code, out, err } = await runCommand(...argv, text);
    expect({ code, out }).toEqual({ code: 2, out: "" });
    expect(err).toContain(`--${option} is in points, and ${text} reads as a fraction: write `);
    expect(err).toContain(`or ${text}pt if you mean less than one point [invalid_option]`);
  });

  it.each(["-0.1", "100.1", "101", "Infinity", "NaN", "eighty", "", "0,83", "83 points", "1pt pt", "0x53", "Infinity"])(
    "refuses %j, which is no number of points",
    async (text) => {
      const { code, out, err } = await runCommand(...argv, text);
      expect({ code, out }).toEqual({ code: 2, out: "" });
      expect(err).toMatch(new RegExp(`--${option} must be a number from 0(.1)? to (100|99); got`));
    },
  );
});

describe("points", () => {
  const read = (text: string, rule = {}): number | undefined =>
    readPoints(new OptionReader({ margin: text }), "margin", { min: 0, ...rule });

  it("are read as fractions, with their unit or without it", () => {
    for (const points of [0, 1.5, 2, 50, 83, 100])
      for (const unit of ["", "pt", "%", " %"]) expect(read(`${points}${unit}`)).toBeCloseTo(points / 100, 12);
    expect(readPoints(new OptionReader({}), "margin")).toBeUndefined();
  });

  it("of one or less are read where the unit says so", () => {
    for (const points of [0.05, 0.5, 0.83, 1])
      for (const unit of ["pt", "%"]) expect(read(`${points}${unit}`, { isScore: true })).toBeCloseTo(points / 100, 12);
  });

  it("1 is one point of a difference; of a score it could be all, too", () => {
    expect(read("1")).toBe(0.01);
    expect(() => read("1", { isScore: true })).toThrow(
      "--margin is in points, and 1 reads as a fraction: write 100 for 100 points of 100, or 1pt if you mean one point",
    );
  });
});
