import { invalidOption } from "anchoreval/internal/core/errors";
import { readdir, writeFile } from "node:fs/promises";
import { basename, join } from "node:path";
import { setImmediate as turn } from "node:timers/promises";
import { PROVIDERS, resolveBackend } from "anchoreval-trainer/internal/backends/resolve-backend";
import {
  buildParallelForms,
  checkForms,
  type FormsCheck,
  formsWork,
} from "anchoreval-trainer/internal/features/forms/fit/build-forms";
import {
  answeredDifficulty,
  type AnsweredDifficultyOptions,
  givenDifficulty,
  NO_DIFFICULTY,
} from "anchoreval-trainer/internal/features/forms/fit/difficulty";
import { checkFormSizes, itemPool, joinKeys } from "anchoreval-trainer/internal/features/forms/fit/item-pool";
import {
  summarizeForms,
  formFile,
  formFiles,
  formsWords,
} from "anchoreval-trainer/internal/features/forms/fit/summarize-forms";
import { readItemTable } from "anchoreval-trainer/internal/matrix/item-table";
import { readResponses } from "anchoreval-trainer/internal/matrix/read-responses";
import type { ResponseMatrix } from "anchoreval-trainer/internal/matrix/response-matrix";
import { trainerVersion } from "anchoreval-trainer/internal/matrix/data-digests";
import { createRandom } from "anchoreval/internal/core/numeric/random";
import { LONGEST_TEXT, readFound } from "anchoreval/internal/node/whole-file";
import {
  option,
  stoppableBy,
  FORCE_OPTION,
  type Command,
  type OptionReader,
  type OptionSpecs,
  rare,
} from "../../cli/src/program/command.ts";
import { fileDigest, RESPONSE_OPTIONS } from "../../cli/src/options/data.ts";
import { WORK_OPTIONS } from "../../cli/src/options/fit.ts";
import { FAMILIES_OPTION, readFamilies } from "../../cli/src/options/model-files.ts";
import { readScale, SCALE_OPTIONS } from "../../cli/src/options/scale.ts";
import { checkOutFolder, writeOutFolder } from "../../cli/src/program/out.ts";
import { type Output, programWords } from "../../cli/src/program/output.ts";

const DEFAULT_BUCKETS = 5;

/** Items that the responses may be answers to: these texts, or others. */
const ANSWERED = ["same", "other"] as const;
const CHECKS = ["folds", "none"] as const;

/** Where difficulty comes from by answers, and whether the forms are checked on them. */
const ANSWER_OPTIONS = {
  responses: option("FILE", `difficulty from ${RESPONSE_OPTIONS.responses.description}`),
  join: option("COLUMN", "column of the items that holds the responses' item ids (default: the ids' column)"),
  "answers-to": option(
    ANSWERED.join("|"),
    "whether the responses are answers to these very texts or to others, such as another language",
  ),
  "response-items": option(
    "FILE",
    "items of the responses, CSV or JSONL(.gz): its texts are compared where --answers-to isn't given",
  ),
  ...rare(SCALE_OPTIONS),
  ...FAMILIES_OPTION,
  check: option(
    CHECKS.join("|"),
    "folds rebuilds the forms without each quarter of the families and compares its scores (default folds)",
  ),
  provider: WORK_OPTIONS.provider,
} as const satisfies OptionSpecs;

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
    const [column, responses] = [options.text("difficulty"), options.text("responses")];
    if (responses === undefined) options.refuse(Object.keys(ANSWER_OPTIONS), "needs --responses, which isn't given");
    else if (column !== undefined)
      throw invalidOption("difficulty comes from --responses or from --difficulty, not from both");
    const checked = options.oneOf("check", CHECKS, "folds") === "folds";
    if (!checked) options.refuse(["families"], "is for the check, which --check none leaves out");
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
    const keys = responses === undefined ? null : joinKeys(pool, options.text("join"));
    const answered = options.text("answers-to") === undefined ? null : options.oneOf("answers-to", ANSWERED, "other");
    const provider = options.oneOf("provider", PROVIDERS, "auto");
    const families = await readFamilies(options);
    const matrix = responses === undefined ? null : await readAnswers(responses, options, output);
    const shape = { size, count, buckets };
    let difficulty = column === undefined ? NO_DIFFICULTY : givenDifficulty(pool, column);
    let check: FormsCheck = {
      kind: "none",
      reason: matrix ? "left out by --check none" : "no models' answers are given",
    };
    if (matrix && keys) {
      const { backend, reason } = await resolveBackend(provider, { work: formsWork(pool, keys, matrix, checked) });
      output.remark(reason);
      const work = (stage: string, update: (done: number, of: number) => void): AnsweredDifficultyOptions => ({
        backend,
        random: createRandom(seed).fork(stage),
        signal,
        onProgress: (done) => update(done, 1),
      });
      const same = answered && { sameItems: answered === "same" };
      difficulty = await output.during("calibrating", (update) =>
        stoppable(answeredDifficulty(pool, keys, matrix, { ...same, ...work("difficulty", update) })),
      );
      if (checked)
        check = await output.during("checking", (update) =>
          stoppable(checkForms(pool, keys, matrix, { ...shape, ...families, ...work("check", update) })),
        );
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
    const earlier = (await readdir(out).catch(() => [])).filter((name) => /^form-\d+\.csv$/.test(name));
    const write = async (...paths: string[]): Promise<void> => {
      for (const path of paths) await writeFile(path, files.get(basename(path))!);
    };
    await writeOutFolder(out, [...files.keys()], write, earlier);
    for (const warning of summary.warnings) output.remark(`note: ${warning}`);
    output.result(document, [...formsWords(summary).map(programWords), `${[...files.keys()].join(", ")} in ${out}`]);
  },
};

/** Why a folder's forms aren't of the same items; null where they are. @param digest - of the items */
async function otherForms(folder: string, digest: string): Promise<string | null> {
  const summary = await readFound(join(folder, "summary.json"), LONGEST_TEXT)
    .then((bytes) => JSON.parse(bytes.toString()) as { inputs?: { items?: string } })
    .catch(() => null);
  if (summary?.inputs?.items === undefined) return "forms without their summary";
  return summary.inputs.items === digest ? null : "forms of other items";
}

/** Answers to a pool's items, or to their brothers. */
async function readAnswers(responses: string, options: OptionReader, output: Output): Promise<ResponseMatrix> {
  const described = options.text("response-items");
  const { matrix, remarks } = await readResponses(responses, {
    ...readScale(options),
    ...(described === undefined ? { oneScenario: true } : { items: described }),
  });
  for (const remark of remarks) output.remark(remark);
  return matrix;
}
