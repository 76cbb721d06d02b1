import { afterEach, expect, test, vi } from "vitest";
import { createOutput, programWords, warningLines } from "../../../../cli/src/program/output.ts";

afterEach(() => vi.unstubAllEnvs());

test.each([
  ["give `allowMixed`:", "give --allow-mixed:"],
  ["`errors` missing or wrong", "--errors missing or wrong"],
  ['or `onChangedItem: "drop"`', "or --drop-changed"],
  ['; `provider: "typescript"` needs nothing', "; --provider typescript needs nothing"],
  ["two runs or more: give `baselines`", "two runs or more: give --baseline several times"],
  [
    "by that, by `unzstd`",
    "by that, by the trainer's own program (npm install anchoreval-trainer, then npx anchoreval-trainer in place of anchoreval)",
  ],
  ["by a pair (`a.responses`, `doc_id`, `openssl rand`)", "by a pair (`a.responses`, `doc_id`, `openssl rand`)"],
])("%s", (text, words) => {
  expect(programWords(text)).toBe(words);
});

test("remarks and warnings are in the program's words, as lines and in documents; what isn't the library's stays", () => {
  const [out, err]: [string[], string[]] = [[], []];
  const write = (texts: string[]) => ({ write: (text: string) => texts.push(text) });
  const output = createOutput({ json: true, quiet: false }, { stdout: write(out), stderr: write(err) });
  output.remark("give `items`");
  expect(err).toEqual(["give --items\n"]);
  expect(warningLines([{ message: "give `items`" }])).toEqual(["warning: give --items"]);
  output.document({ item: "`items`", warnings: ["give `items`", { message: "give `flip`", names: ["`flip`"] }] });
  expect(JSON.parse(out.join(""))).toEqual({
    item: "`items`",
    warnings: ["give --items", { message: "give --flip", names: ["`flip`"] }],
  });
});

test("progress is a bar in a terminal, lines where ANCHOREVAL_PROGRESS asks for them, and else nothing", async () => {
  const said = async (isTTY: boolean, quiet = false): Promise<string[]> => {
    const err: string[] = [];
    const stderr = { write: (text: string) => err.push(text), isTTY };
    const output = createOutput({ json: true, quiet }, { stdout: { write: () => true }, stderr });
    await output.during("fit", (update) => {
      for (const done of [1, 1, 2, 4]) update(done, 4, "a fit");
      return Promise.resolve();
    });
    return err;
  };
  expect(await said(false)).toEqual([]);
  expect(await said(true)).toHaveLength(5);
  expect((await said(true)).every((text) => text.startsWith("\r\u001b[2K"))).toBe(true);
  vi.stubEnv("ANCHOREVAL_PROGRESS", "lines");
  const lines = await said(false);
  expect(lines.map((text) => /^\rfit [█░]{24} (\d+) %, \d+ s left a fit\n$/.exec(text)?.[1])).toEqual([
    "25",
    "50",
    "100",
  ]);
  expect(await said(false, true)).toEqual([]);
});
