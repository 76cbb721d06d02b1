import { estimateFromAnchors, loadBundle } from "anchoreval";
import { folderSource } from "anchoreval/node";
import { beforeAll, describe, expect, test } from "vitest";
import { readResponses } from "../../../../offline-trainer/src/matrix/read-responses.ts";
import { scoreAt } from "../../../../offline-trainer/src/matrix/response-matrix.ts";
import { runProgram } from "../../../support/run-command.ts";
import { tempFolder } from "../../../support/temp-folder.ts";
import { WHOLE } from "../../../support/whole.ts";

const folder = tempFolder();
const board = (name: string): string[] => [
  ...["--responses", folder.path(`${name}/responses.csv.gz`)],
  ...["--items", folder.path(`${name}/items.jsonl.gz`)],
];

beforeAll(async () => {
  const shape = { models: 40, items: 60, scenarios: 1, missingCells: 0 };
  for (const [name, samples] of [
    ["binary", 1],
    ["graded", 5],
  ] as const) {
    const settings = folder.write(`${name}.json`, JSON.stringify({ ...shape, samples }));
    expect((await runProgram(["simulate", "--settings", settings, "--out", folder.path(name)])).code).toBe(0);
  }
});

const FITS = [
  ["binary", ["--set", "irt-model=1pl"], { irtModel: "1pl", lower: false, upper: false }],
  ["binary", ["--set", "estimation=marginal"], { irtModel: "2pl", lower: false, upper: false }],
  ["binary", ["--set", "irt-model=3pl"], { irtModel: "3pl", lower: true, upper: false }],
  ["binary", ["--set", "irt-model=4pl"], { irtModel: "4pl", lower: true, upper: true }],
  ["graded", ["--set", "dims=2"], { irtModel: "2pl", lower: false, upper: false }],
  ["graded", ["--set", "irt-model=3pl"], { irtModel: "3pl", lower: true, upper: false }],
] as const;

describe.each(WHOLE ? FITS : FITS.slice(0, -1))("a fit of %s scores, %j", (data, options, expected) => {
  test("makes a bundle of that model, whose whole form is exact and whose anchors estimate", async () => {
    const out = folder.path(`${data} ${options.join(" ")}`);
    const { code, err } = await runProgram([
      ...["fit", ...board(data), "--name", "demo@1.0.0", "--anchors", "20,60", "--out", out],
      ...["--provider", "typescript", ...options],
    ]);
    expect({ code, err }).toMatchObject({ code: 0 });
    const bundle = await loadBundle(folderSource(out));
    const [scenario] = bundle.scenarios.values();
    const { bank, scoreMap } = scenario!;
    expect({
      irtModel: bundle.manifest.banks[0]!.irtModel,
      lower: bank.lower !== null,
      upper: bank.upper !== null,
    }).toEqual(expected);
    expect(bank.dims).toBe(options.includes("dims=2" as never) ? 2 : 1);
    if (expected.irtModel === "1pl") expect(new Set(bank.a).size).toBe(1);
    if (expected.lower) expect(Math.max(...bank.lower!)).toBeGreaterThan(0.05);
    expect(scoreMap !== null).toBe(data === "graded");

    const { matrix } = await readResponses(folder.path(`${data}/responses.csv.gz`), {
      items: folder.path(`${data}/items.jsonl.gz`),
    });
    const column = new Map(matrix.items.map(({ item_id }, i) => [item_id, i]));
    const answers = (form: string, model: number): Record<string, number> =>
      Object.fromEntries(scenario!.forms.get(form)!.itemIds.map((id) => [id, scoreAt(matrix, model, column.get(id)!)]));
    for (const model of [0, 20, 39]) {
      const exact = estimateFromAnchors(bundle, answers("60", model), { form: "60" });
      const { score, interval } = estimateFromAnchors(bundle, answers("20", model), { form: "20" });
      expect(exact.interval).toMatchObject({ low: exact.score, high: exact.score, method: "exact" });
      expect(Math.abs(score! - exact.score!)).toBeLessThan(0.25);
      expect(interval!.high - interval!.low).toBeLessThan(0.6);
    }
  });
});
