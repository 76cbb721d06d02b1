import { access, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { setImmediate as turn } from "node:timers/promises";
import type { Command, OptionReader, OptionSpec } from "anchoreval/cli";
import { AnchorEvalError } from "anchoreval/core";
import { writeItems, writeText, writeWideCsv } from "../matrix/write-tables.ts";
import { encodeTruth, type TrueModel } from "../simulate/truth.ts";
import {
  simulateSettings,
  ROW_ORDERS,
  SIMULATE_DEFAULTS,
  SIMULATE_OPTIONS,
  type NumericOption,
  type SimulateOptions,
} from "../simulate/settings.ts";
import { simulateLeaderboard, type SimulatedLeaderboard } from "../simulate/simulate-leaderboard.ts";
import { checkOutFolder, writeOutFolder } from "./out-folder.ts";

const NUMERIC = Object.keys(SIMULATE_OPTIONS) as NumericOption[];

/** What the command writes into its folder. */
const FILES = ["responses.csv.gz", "items.jsonl.gz", "models.jsonl", "truth.safetensors"] as const;

export const simulateCommand: Command = {
  name: "simulate",
  summary: "draw a leaderboard that looks like a real one, with the truth beside it",
  options: {
    out: { type: "string", value: "DIR", description: `folder for ${FILES.join(", ")}` },
    ...Object.fromEntries(NUMERIC.map((name) => [flagOf(name), numberSpec(name)])),
    order: {
      type: "string",
      value: ROW_ORDERS.join("|"),
      description: `order of the rows by date (default ${SIMULATE_DEFAULTS.order})`,
    },
    text: { type: "boolean", description: "write a question for every item" },
    force: { type: "boolean", description: "replace whatever --out holds" },
  },
  async run({ options: reader, output, signal }) {
    const out = reader.required("out");
    const options = readOptions(reader);
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
    const bar = output.progress("drawing", options.models);
    let leaderboard: SimulatedLeaderboard;
    try {
      leaderboard = simulateLeaderboard(options, (done) => bar.update(done));
    } finally {
      bar.stop();
    }
    await turn(); // drawing never waits: an interrupt is heard only now
    if (signal.aborted) throw new AnchorEvalError("aborted", "simulate was stopped; nothing was written");
    const { matrix, truth } = leaderboard;
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
    if (output.json) {
      output.document(summary);
      return 0;
    }
    output.line(
      `${summary.models} models × ${summary.items} items, ${(100 * summary.missing).toFixed(1)} % of the answers missing`,
    );
    for (const { id, items, subscenarios, kind, choices, meanScore } of summary.scenarios)
      output.line(
        `  ${id}: ${items} items${subscenarios > 0 ? ` in ${subscenarios} subscenarios` : ""}, ` +
          `${choices > 0 ? `1 of ${choices} options` : "open answers"}, ${kind}, mean score ${(100 * meanScore).toFixed(1)}`,
      );
    for (const file of summary.files) output.line(file);
    return 0;
  },
};

function readOptions(reader: OptionReader): SimulateOptions {
  const numbers = NUMERIC.map((name) => {
    const { min, max, integer } = SIMULATE_OPTIONS[name];
    return [name, reader.number(flagOf(name), { min, max, integer }, SIMULATE_DEFAULTS[name])] as const;
  });
  return simulateSettings({
    ...(Object.fromEntries(numbers) as Record<NumericOption, number>),
    order: reader.oneOf("order", ROW_ORDERS, SIMULATE_DEFAULTS.order),
    text: reader.flag("text"),
  });
}

function numberSpec(name: NumericOption): OptionSpec {
  const { default: value, description } = SIMULATE_OPTIONS[name];
  return { type: "string", value: "N", description: `${description} (default ${Number(value.toFixed(3))})` };
}

/** `familySize` → `family-size`. */
function flagOf(name: NumericOption): string {
  return name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
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
