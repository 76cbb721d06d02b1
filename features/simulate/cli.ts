import { invalidOption } from "anchoreval/internal/core/errors";
import { access, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { setImmediate as turn } from "node:timers/promises";
import { writeText, writeItems, writeWideCsv } from "anchoreval-trainer/internal/matrix/write-tables";
import {
  ROW_ORDERS,
  SIMULATE_DEFAULTS,
  SIMULATE_OPTIONS,
  type SimulateOptions,
  simulateSettings,
} from "anchoreval-trainer/internal/features/simulate/fit/settings";
import { simulateLeaderboard } from "anchoreval-trainer/internal/features/simulate/fit/simulate-leaderboard";
import { encodeTruth, type TrueModel } from "anchoreval-trainer/internal/features/simulate/fit/truth";
import { readJsonFile } from "anchoreval/internal/node/read-file";
import {
  option,
  stoppableBy,
  FORCE_OPTION,
  type Command,
  type OptionReader,
  type OptionSpec,
} from "../../cli/src/program/command.ts";
import { checkOutFolder, writeOutFolder } from "../../cli/src/program/out.ts";

const FLAGS = ["models", "items", "scenarios", "seed"] as const;

const FILES = ["responses.csv.gz", "items.jsonl.gz", "models.jsonl", "truth.safetensors"] as const;

export const simulateCommand: Command = {
  options: {
    "What to draw": {
      ...Object.fromEntries(FLAGS.map((name) => [name, numberSpec(name)])),
      settings: option(
        "FILE",
        'JSON of settings by their names, such as { "dims": 3, "missingCells": 0.05 }; --help-all lists them',
      ),
    },
    Output: {
      out: option("DIR", `folder for ${FILES.join(", ")}`, { required: true }),
      ...FORCE_OPTION,
    },
  },
  appendix: {
    heading: "Settings of --settings FILE",
    rows: [
      ...Object.entries(SIMULATE_OPTIONS).map(([name, { default: value, description }]) => [
        name,
        `${description} (default ${Number(value.toFixed(3))})`,
      ]),
      ["order", `order of the rows by date: ${ROW_ORDERS.join(", ")} (default ${SIMULATE_DEFAULTS.order})`],
      ["text", "true writes a question for every item (default false)"],
    ] as [string, string][],
  },
  examples: [
    "simulate --models 200 --items 2000 --scenarios 4 --out board",
    "simulate --settings settings.json --seed 7 --out board",
  ],
  async run({ options: reader, output, signal }) {
    const out = reader.required("out");
    const options = await readSettings(reader);
    await checkOutFolder({
      option: "--out",
      folder: out,
      files: FILES,
      other: () =>
        access(join(out, FILES[3])).then(
          () => null,
          () => "responses that were not simulated",
        ),
      force: reader.flag("force"),
    });
    const { matrix, truth } = await output.during("drawing", (update) =>
      Promise.resolve(simulateLeaderboard(options, (done) => update(done, options.models))),
    );
    await stoppableBy(signal, "simulate")(turn()); // drawing never waits: an interrupt is heard only now
    output.remark(`writing ${out}`);
    await writeOutFolder(out, FILES, async (responses, items, models, parameters) => {
      await writeWideCsv(responses, matrix);
      await writeItems(items, matrix.items);
      await writeText(models, modelLines(truth.models));
      await writeFile(parameters, encodeTruth(truth));
    });

    const missing = matrix.observed?.reduce((sum, seen) => sum + 1 - seen, 0) ?? 0;
    const summary = {
      models: matrix.subjects.length,
      items: matrix.items.length,
      missing: missing / matrix.scores.length,
      scenarios: truth.scenarios.map(({ id, items, kind, choices, subscenarios }, s) => ({
        id,
        items,
        subscenarios: subscenarios.length > 1 ? subscenarios.length : 0,
        kind,
        choices,
        meanScore: columnMean(truth.realised.subscenarios, s, truth.scenarios.length),
      })),
      files: FILES.map((file) => join(out, file)),
    };
    output.result(summary, [
      `${summary.models} models × ${summary.items} items, ${(100 * summary.missing).toFixed(1)} % of the answers missing`,
      ...summary.scenarios.map(
        ({ id, items, subscenarios, kind, choices, meanScore }) =>
          `  ${id}: ${items} items${subscenarios > 0 ? ` in ${subscenarios} subscenarios` : ""}, ` +
          `${choices > 0 ? `1 of ${choices} options` : "open answers"}, ${kind}, mean score ${(100 * meanScore).toFixed(1)}`,
      ),
      ...summary.files,
    ]);
  },
};

/** Settings of the file, and in their place those of the options. */
async function readSettings(reader: OptionReader): Promise<SimulateOptions> {
  const file = reader.text("settings");
  const flags = FLAGS.flatMap((name) => {
    const value = reader.number(name, SIMULATE_OPTIONS[name], undefined);
    return value === undefined ? [] : [[name, value] as const];
  });
  const settings = file === undefined ? {} : await readJsonFile(file);
  if (typeof settings !== "object" || settings === null || Array.isArray(settings))
    throw invalidOption(`${file!}: settings are a JSON object of names and values`);
  return simulateSettings({ ...settings, ...Object.fromEntries(flags) });
}

function numberSpec(name: (typeof FLAGS)[number]): OptionSpec {
  const { default: value, description } = SIMULATE_OPTIONS[name];
  return option("N", `${description} (default ${Number(value.toFixed(3))})`);
}

function* modelLines(models: readonly TrueModel[]): Generator<string, void, undefined> {
  for (const { name, family, date, replicateOf } of models)
    yield `${JSON.stringify({
      model: name,
      family: `family-${family + 1}`,
      date,
      ...(replicateOf !== null && { replicate_of: models[replicateOf]!.name }),
    })}\n`;
}

function columnMean(rows: Float64Array, column: number, width: number): number {
  let sum = 0;
  for (let at = column; at < rows.length; at += width) sum += rows[at]!;
  return sum / (rows.length / width);
}
