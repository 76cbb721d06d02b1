import { readFile, writeFile } from "node:fs/promises";
import { basename, join } from "node:path";
import { setImmediate as turn } from "node:timers/promises";
import { buildParallelForms } from "anchoreval-trainer/internal/extensions/parallel-forms/build-forms";
import type { FormsCheck } from "anchoreval-trainer/internal/extensions/parallel-forms/check-forms";
import { givenDifficulty, NO_DIFFICULTY } from "anchoreval-trainer/internal/extensions/parallel-forms/difficulty";
import { checkFormSizes, itemPool } from "anchoreval-trainer/internal/extensions/parallel-forms/item-pool";
import { summarizeForms } from "anchoreval-trainer/internal/extensions/parallel-forms/summarize-forms";
import { formFile, formFiles, formsWords } from "anchoreval-trainer/internal/extensions/parallel-forms/write-forms";
import { readItemTable } from "anchoreval-trainer/internal/matrix/item-table";
import { trainerVersion } from "anchoreval-trainer/internal/trainer-version";
import { createRandom } from "anchoreval/internal/core/numeric/random";
import { option, stoppableBy, FORCE_OPTION, type Command, invalidOption } from "../command.ts";
import { fileDigest } from "../options/data.ts";
import { WORK_OPTIONS } from "../options/fit.ts";
import {
  ANSWER_OPTIONS,
  calibratedDifficulty,
  checkAnswerOptions,
  formsCheck,
  readFormsAnswers,
} from "../options/forms-answers.ts";
import { checkOutFolder, writeOutFolder } from "../out.ts";

const DEFAULT_BUCKETS = 5;

export const formsCommand: Command = {
  options: {
    Data: {
      items: option("FILE", "the items with all their columns: CSV or JSONL, or .gz", { required: true }),
      by: option("COLUMN", "column of the subjects (default: all items are of one)"),
      exclude: option("A[,B…]", "subjects to leave out; may be repeated", { multiple: true }),
      id: option("COLUMN", "column of the items' ids (default: item_id or id, if there)"),
    },
    Forms: {
      size: option("N", "items of a form", { required: true }),
      count: option("N", "forms (default 2)"),
      buckets: option("N", `buckets of difficulty at most (default ${DEFAULT_BUCKETS})`),
      seed: WORK_OPTIONS.seed,
    },
    Difficulty: {
      ...ANSWER_OPTIONS,
      difficulty: option("COLUMN", "difficulty from a column of the items, on any scale"),
    },
    Output: {
      out: option("DIR", "folder for form-1.csv, form-2.csv, … and summary.json", { required: true }),
      ...FORCE_OPTION,
    },
  },
  examples: [
    "forms --items items.csv --by topic --size 200 --out forms",
    "forms --items items.jsonl --size 100 --count 4 --responses responses.csv.gz --out forms",
  ],
  async run({ options, output, signal }) {
    const file = options.required("items");
    const out = options.required("out");
    const size = options.number("size", { min: 1, integer: true }, null);
    if (size === null) throw invalidOption("--size is needed");
    const count = options.number("count", { min: 2, max: 1000, integer: true }, 2);
    const buckets = options.number("buckets", { min: 1, max: 100, integer: true }, DEFAULT_BUCKETS);
    const seed = options.number("seed", { min: 0, integer: true }, 1);
    checkAnswerOptions(options);
    const names = [...Array.from({ length: count }, (_, form) => formFile(form + 1)), "summary.json"];
    await checkOutFolder({
      option: "--out",
      folder: out,
      files: names,
      other: async () => otherForms(out, await fileDigest(file)),
      force: options.flag("force"),
    });

    const table = await readItemTable(file);
    const [by, id] = [options.text("by"), options.text("id")];
    const exclude = options.texts("exclude");
    const pool = itemPool(table, { ...(by !== undefined && { by }), ...(id !== undefined && { id }), exclude });
    checkFormSizes(pool, size, count);
    const random = createRandom(seed);
    const stoppable = stoppableBy(signal, "forms");
    const [column, responses] = [options.text("difficulty"), options.text("responses")];
    const answers = responses === undefined ? null : await readFormsAnswers(pool, responses, options, output);
    const shape = { size, count, buckets };
    let difficulty = column === undefined ? NO_DIFFICULTY : givenDifficulty(pool, column);
    let check: FormsCheck = { kind: "none", reason: "no models' answers are given" };
    if (answers) {
      difficulty = await stoppable(calibratedDifficulty(pool, answers, seed, output, signal));
      check = await stoppable(formsCheck(pool, answers, shape, seed, output, signal));
    }
    const built = buildParallelForms(pool, difficulty, { ...shape, random });
    const summary = summarizeForms(built, seed, buckets, check);
    const responseItems = options.text("response-items");
    const { document, files } = formFiles(
      built,
      summary,
      {
        items: await fileDigest(file),
        ...(responses !== undefined && { responses: await fileDigest(responses) }),
        ...(responseItems !== undefined && { responseItems: await fileDigest(responseItems) }),
      },
      trainerVersion(),
    );
    await stoppable(turn()); // building never waits: an interrupt is heard only now
    await writeOutFolder(out, [...files.keys()], async (...paths) => {
      for (const path of paths) await writeFile(path, files.get(basename(path))!);
    });
    for (const warning of summary.warnings) output.remark(`note: ${warning}`);
    output.result(document, [...formsWords(summary), `${[...files.keys()].join(", ")} in ${out}`]);
  },
};

/** Why a folder's forms aren't of the same items; null where they are. @param digest - of the items */
async function otherForms(folder: string, digest: string): Promise<string | null> {
  const summary = await readFile(join(folder, "summary.json"), "utf8")
    .then((text) => JSON.parse(text) as { inputs?: { items?: string } })
    .catch(() => null);
  if (summary?.inputs?.items === undefined) return "forms without their summary";
  return summary.inputs.items === digest ? null : "forms of other items";
}
