import { existsSync, readFileSync } from "node:fs";
import type { Manifest } from "anchoreval/bundle";
import { beforeAll, expect, test } from "vitest";
import { createRandom } from "anchoreval/internal/core/numeric/random";
import { runProgram } from "../../../../support/run-command.ts";
import { tempFolder } from "../../../../support/temp-folder.ts";

const folder = tempFolder();
const random = createRandom("gate options");
const ids = Array.from({ length: 24 }, (_, i) => `${i < 16 ? "a" : "b"}/${i}`);
const table = (rows: number, score: () => number, names = ids): string =>
  [["model", ...names], ...Array.from({ length: rows }, (_, m) => [`maker${m}/x`, ...names.map(score)])].join("\n");
const single = (): number => Math.round(random.next());

const fit = (...more: string[]) =>
  runProgram([
    ...["fit", "--responses", folder.path("board.csv"), "--name", "demo@1.0.0", "--out", folder.path("bundle")],
    ...["--provider", "typescript", "--set", "dims=1", "--anchors", "4", ...more],
  ]);

beforeAll(() => {
  folder.write("board.csv", table(8, single));
  folder.write("runs.csv", table(3, single));
  folder.write("one.csv", table(1, single));
  folder.write(
    "graded.csv",
    table(2, () => 0.5),
  );
  folder.write("other.csv", table(2, single, [...ids, "a/77"]));
});

test.each([
  [["--gate-form", "0"], "--gate-form must be a whole number of at least 1; got 0"],
  [["--gate-form", "17"], "--gate-form 17 is more than there are: the largest scenario has 16 items"],
  [["--gate-form", "x"], /--gate-form/],
  [["--gate-form", "4", "--second-form"], /^--second-form doesn't go with --gate-form/],
  [["--repeats", "runs.csv"], "--repeats needs --gate-form, which isn't given"],
  [["--gate-form", "4", "--repeats", "absent.csv"], /absent\.csv/],
  [["--gate-form", "4", "--repeats", "one.csv"], /one\.csv: what differs between runs .* two runs or more/],
  [["--gate-form", "4", "--repeats", "graded.csv"], /graded\.csv: run maker0\/x, item a\/0: .* got 0\.5/],
  [["--gate-form", "4", "--repeats", "other.csv"], /other\.csv: "a\/77": there is no such item in --responses/],
] as const)("%j is bad input: exit code 2, the place named, nothing written", async (argv, message) => {
  const given = argv.map((word) => (word.endsWith(".csv") ? folder.path(word) : word));
  const { code, out, err } = await fit(...given, "--json");
  expect(code).toBe(2);
  const { error } = JSON.parse(out || err) as { error: { message: string } };
  if (typeof message === "string") expect(error.message).toBe(message);
  else expect(error.message).toMatch(message);
  expect(existsSync(folder.path("bundle"))).toBe(false);
});

test("--gate-form adds forms beside the others; show lists them, and says what they are for", async () => {
  const { code, err } = await fit("--gate-form", "6,3", "--repeats", folder.path("runs.csv"));
  expect({ code, err }).toMatchObject({ code: 0 });
  const manifest = JSON.parse(readFileSync(folder.path("bundle/manifest.json"), "utf8")) as Manifest;
  expect(manifest.forms.map(({ id, selection }) => `${id} ${selection}`)).toEqual([
    "4 screened",
    "gate-3 flips",
    "gate-6 flips",
  ]);
  expect(manifest.defaultForm).toBe("4");
  expect(manifest.fit["gateForms"]).toMatchObject({ a: { by: "repeats" }, b: { by: "repeats" } });
  const shown = await runProgram(["show", "--bundle", folder.path("bundle")]);
  expect(shown.out).toMatch(/gate-6 +12 +flips +gate/);
  expect(shown.out).toMatch(
    /gate forms +gate-3 and gate-6, drawn by how often items flip: [\d.]+ % of the answers do between two runs of one model, by the repeats; check finds a drop with about \d+ % of the items that even draws need/,
  );
});
