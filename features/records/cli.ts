import { existsSync, statSync } from "node:fs";
import { mkdir } from "node:fs/promises";
import { basename, dirname, join, resolve } from "node:path";
import { invalidOption } from "anchoreval/internal/core/errors";
import type { EstimatedRun } from "anchoreval/internal/features/records/sdk";
import { type OptionReader, option, type OptionSpecs, rare } from "../../cli/src/program/command.ts";
import { writeOver, writing } from "../../cli/src/program/errors.ts";
import { packageVersion } from "../../cli/src/program/trainer.ts";
import type { EstimateOfPart, EstimatePart } from "../../cli/src/options/parts.ts";

const RELATIONSHIPS = [
  "first_party",
  "third_party",
  "collaborative",
  "other",
] as const satisfies readonly EstimatedRun["relationship"][];

/** Options of a record that is written beside the result; those that say who ran what are called as in Every Eval Ever. */
const RECORD_OPTIONS = {
  to: option("eee", "also write the result as a record of Every Eval Ever, into --out"),
  out: option("DIR", "folder called data for BENCHMARK/ORG/NAME/UUID.json (default: data)"),
  "model-name": option("ORG/NAME", "the model's name in the record (default: the one in its logs)"),
  ...rare({
    "source-organization-name": option("NAME", "who ran it, for the record (default: unknown)"),
    "evaluator-relationship": option(
      RELATIONSHIPS.join("|"),
      "what they are to the model's maker, for the record (default: other)",
    ),
  }),
} as const satisfies OptionSpecs;

const FOR_RECORDS = Object.keys(RECORD_OPTIONS).filter((name) => name !== "to");

/** The record of an estimate for Every Eval Ever, written beside its result. */
export const estimateRecords: EstimatePart = {
  options: { Output: RECORD_OPTIONS },
  read: ({ options }) => readRecordOptions(options),
};

/**
 * Reads `--to`, and refuses a place that can't be written to; null where no record is asked for.
 * @throws AnchorEvalError `invalid_option`
 */
function readRecordOptions(options: OptionReader): EstimateOfPart | null {
  if (!options.isGiven("to")) {
    options.refuse(FOR_RECORDS, "is for a record: it needs --to eee");
    return null;
  }
  options.oneOf("to", ["eee"], "eee");
  const out = options.text("out") ?? "data";
  if (basename(resolve(out)) !== "data")
    throw invalidOption(
      `--out ${out} must be a folder called data, where Every Eval Ever's paths begin: ${join(out, "data")}`,
    );
  checkFolder(out);
  const run = {
    harness: options.text("from") ?? null,
    program: packageVersion(),
    source: options.text("source-organization-name") ?? "unknown",
    relationship: options.oneOf("evaluator-relationship", RELATIONSHIPS, "other"),
  };
  return {
    options: () => ({}),
    async beside(bundle, estimate, { name }) {
      if ("metric" in estimate)
        throw invalidOption(`--to writes records of mean scores, which ${estimate.metric} isn't`);
      const { estimateRecord } = await import("anchoreval/internal/features/records/sdk");
      const model = options.text("model-name") ?? name;
      const seconds = Math.floor(Date.now() / 1000);
      const { folder, uuid, record } = estimateRecord(bundle, estimate, { ...run, model }, seconds);
      const file = join(out, ...folder, `${uuid}.json`);
      // The same estimate is there already: only the time would be another.
      if (!existsSync(file)) {
        await writing(file, () => mkdir(dirname(file), { recursive: true }));
        await writeOver(file, `${JSON.stringify(record, null, 2)}\n`);
      }
      return { fields: { record: file }, remark: `record for Every Eval Ever: ${file}` };
    },
  };
}

/** Refuses, before the work, what can't become a folder. */
function checkFolder(out: string): void {
  let there = resolve(out);
  while (!existsSync(there)) there = dirname(there);
  if (!statSync(there).isDirectory()) throw invalidOption(`--out ${out} can't be made a folder: ${there} is a file`);
}
