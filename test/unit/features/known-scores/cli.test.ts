import { writeFileSync } from "node:fs";
import { loadBundle } from "anchoreval/node";
import { createRandom } from "anchoreval/internal/core/numeric/random";
import { expect, it } from "vitest";
import { runCommand } from "../../../support/run-command.ts";
import { tempFolder } from "../../../support/temp-folder.ts";

const folder = tempFolder();
const logistic = (z: number): number => 1 / (1 + Math.exp(-z));

/** A board of a scenario, and the models' scores elsewhere. */
function writeBoard(): void {
  const random = createRandom(9);
  const models = Array.from({ length: 20 }, (_, m) => ({ name: `m${m}`, strength: random.normal() }));
  const items = Array.from({ length: 60 }, () => random.normal());
  const rows = models.map(({ name, strength }) =>
    [name, ...items.map((difficulty) => Number(random.next() < logistic(1.5 * (strength - difficulty))))].join(","),
  );
  writeFileSync(folder.path("board.csv"), `model,${items.map((_, i) => `quiz/${i}`).join(",")}\n${rows.join("\n")}\n`);
  const known = models.map(({ name, strength }) => `${name},${logistic(strength).toFixed(3)}`);
  writeFileSync(folder.path("known.csv"), `model,humaneval+\n${known.join("\n")}\nstranger,0.3\n`);
}

it("fit --known-scores learns what estimate --known-score counts, and says how much", async () => {
  writeBoard();
  const [board, known, out] = [folder.path("board.csv"), folder.path("known.csv"), folder.path("bundle")];
  const asked = ["fit", "--responses", board, "--name", "quiz@1.0.0", "--anchors", "15", "--out", out];
  const fitted = await runCommand(...asked, "--known-scores", known);
  expect(fitted.code, fitted.err).toBe(0);
  expect(fitted.err).toContain("known scores, by the models' names: humaneval+ of 20 of 20 source models");
  const shown = await runCommand("show", out);
  expect(shown.out).toMatch(/known scores +humaneval\+ \(20 models\)/);

  const { itemIds } = (await loadBundle(out)).scenarios.get("quiz")!.forms.get("15")!;
  const answers = Object.fromEntries(itemIds.map((id, i) => [id, i % 2]));
  writeFileSync(folder.path("answers.json"), JSON.stringify(answers));
  const estimate = ["estimate", "--bundle", out, "--responses", folder.path("answers.json"), "--known-score"];
  const both = await runCommand(...estimate, "humaneval+=0.55");
  expect(both.code, both.err).toBe(0);
  expect(both.out).toMatch(/with the known score \d+\.\d, \d+\.\d to \d+\.\d \(95 %\); humaneval\+ has \d+ % of it/);
  const json = await runCommand(...estimate, "humaneval+=0.55", "--json");
  expect(JSON.parse(json.out)).toMatchObject({ withKnownScores: { overall: { by: "humaneval+", models: 20 } } });

  for (const [word, message] of [
    ["humaneval+=55", 'with the score in [0,1], such as humaneval+=0.87; got "humaneval+=55"'],
    ["humaneval+", "--known-score is NAME=SCORE"],
    ["humaneval+=0.5,humaneval+=0.6", "--known-score names a benchmark twice"],
    ["mbpp=0.5", 'no score on mbpp is known of the bundle\'s models: there is "humaneval+"'],
  ] as const) {
    const refused = await runCommand(...estimate, word);
    expect([refused.code, refused.err]).toEqual([2, expect.stringContaining(message)]);
  }
});

it("a file of other models is refused, naming who is in either", async () => {
  writeBoard();
  writeFileSync(folder.path("others.csv"), `model,x\n${Array.from({ length: 9 }, (_, m) => `other${m},0.${m + 1}`).join("\n")}\n`); // prettier-ignore
  const asked = ["fit", "--responses", folder.path("board.csv"), "--name", "quiz@1.0.0", "--anchors", "15"];
  const { code, err } = await runCommand(
    ...asked,
    "--out",
    folder.path("no"),
    "--known-scores",
    folder.path("others.csv"),
  );
  expect(code).toBe(2);
  expect(err).toContain('no benchmark has scores of 8 models of the responses, by the same names: x of 0; the responses have "m0"'); // prettier-ignore
  writeFileSync(folder.path("percent.csv"), `model,x\n${Array.from({ length: 9 }, (_, m) => `m${m},${m + 41.5}`).join("\n")}\n`); // prettier-ignore
  const percent = await runCommand(...asked, "--out", folder.path("no"), "--known-scores", folder.path("percent.csv"));
  expect(percent.err).toContain("scores are fractions in [0,1], of percentages a hundredth");
});
