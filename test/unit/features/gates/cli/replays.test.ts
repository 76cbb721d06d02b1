import { expect, test } from "vitest";
import { loggedContent, writeBundle } from "../../../../support/logged-bundle.ts";
import { runCommand } from "../../../../support/run-command.ts";
import { tempFolder } from "../../../../support/temp-folder.ts";

const folder = tempFolder();
const content = loggedContent({ shots: 0, metric: "acc", harness: "lm-eval" });
const bundle = writeBundle(folder.path("bundle"), content);
const anchors = content.scenarios.flatMap((scenario) => scenario.anchors);
const answers = (form: string, offset: number): string =>
  folder.write(
    `${form}-${offset}.json`,
    JSON.stringify(
      Object.fromEntries(
        anchors
          .filter(({ forms }) => forms.includes(form))
          .map(({ item_id, index }) => [item_id, Number((index + offset) % 7 !== 0)]),
      ),
    ),
  );
const plan = (form: string, count: number, ...more: string[]) =>
  runCommand("plan", bundle, "--gate", ...more, ...Array.from({ length: count }, (_, k) => ["--baseline", answers(form, k)]).flat()); // prettier-ignore

test("plan --gate: a large drop is found by every form, a form without answers is left out with a remark", async () => {
  const { code, out, err } = await plan("8", 2, "--drop", "60", "--nights", "3");
  expect([code, err]).toEqual([0, expect.stringMatching(/^form 20 is left out: \d+ of its 40 items /)]);
  expect(out).toMatch(/\nform +items +baseline runs +found\n8 +16 +2 +(over )?\d+ %\n/);
  expect(out).toContain("Form 8 is enough, with 2 baseline runs");
});

test.each([
  ["one baseline", () => plan("8", 1), "two times or more"],
  ["another goal", () => plan("8", 2, "--gap", "2"), "--gap"],
  ["a drop without a gate", () => runCommand("plan", bundle, "--drop", "3"), "--drop"],
])("refused: %s", async (_, run, words) => {
  const { code, err } = await run();
  expect(code).toBe(2);
  expect(err).toContain(words);
});
