import { readFile, writeFile } from "node:fs/promises";
import { basename, join } from "node:path";
import { setImmediate as turn } from "node:timers/promises";
import { PROVIDERS, resolveBackend } from "anchoreval-trainer/internal/backends/resolve-backend";
import type { CalibrationBackend } from "anchoreval-trainer/internal/calibrate/types";
import {
  buildParallelForms,
  type ParallelFormsOptions,
} from "anchoreval-trainer/internal/extensions/parallel-forms/build-forms";
import { checkForms, type FormsCheck } from "anchoreval-trainer/internal/extensions/parallel-forms/check-forms";
import {
  answeredDifficulty,
  givenDifficulty,
  NO_DIFFICULTY,
  type PoolDifficulty,
} from "anchoreval-trainer/internal/extensions/parallel-forms/difficulty";
import {
  checkFormSizes,
  itemPool,
  type ItemPool,
  joinKeys,
  type JoinKeys,
} from "anchoreval-trainer/internal/extensions/parallel-forms/item-pool";
import { summarizeForms } from "anchoreval-trainer/internal/extensions/parallel-forms/summarize-forms";
import { formFile, formFiles, formsWords } from "anchoreval-trainer/internal/extensions/parallel-forms/write-forms";
import { readItemTable } from "anchoreval-trainer/internal/matrix/item-table";
import { readResponses } from "anchoreval-trainer/internal/matrix/read-responses";
import type { ResponseMatrix } from "anchoreval-trainer/internal/matrix/response-matrix";
import { trainerVersion } from "anchoreval-trainer/internal/trainer-version";
import { AnchorEvalError, createRandom } from "anchoreval/core";
import { FORCE_OPTION, rare, type Command, type OptionReader, type OptionSpecs } from "../command.ts";
import { FAMILIES_OPTION, readFamilies } from "../options/model-files.ts";
import { fileDigest, RESPONSE_OPTIONS } from "../options/data.ts";
import { WORK_OPTIONS } from "../options/fit.ts";
import { checkOutFolder, writeOutFolder } from "../out.ts";
import type { Output } from "../output.ts";
import { readScale, SCALE_OPTIONS } from "../options/scale.ts";

/** Items that the responses may be answers to: these texts, or others. */
const ANSWERED = ["same", "other"] as const;
const CHECKS = ["folds", "none"] as const;

/** Options of `forms` that say where difficulty comes from by answers, and whether the forms are checked on them. */
const ANSWER_OPTIONS = {
  responses: {
    type: "string",
    value: "FILE",
    description: `difficulty from ${RESPONSE_OPTIONS.responses.description}`,
  },
  join: {
    type: "string",
    value: "COLUMN",
    description: "column of the items that holds the responses' item ids (default: the ids' column)",
  },
  "answers-to": {
    type: "string",
    value: ANSWERED.join("|"),
    description: "whether the responses are answers to these very texts or to others, such as another language",
  },
  "response-items": {
    type: "string",
    value: "FILE",
    description: "items JSONL(.gz) of the responses: its texts are compared where --answers-to isn't given",
  },
  ...rare(SCALE_OPTIONS),
  ...FAMILIES_OPTION,
  check: {
    type: "string",
    value: CHECKS.join("|"),
    description:
      "folds rebuilds the forms without each quarter of the families and compares its scores (default folds)",
  },
  provider: WORK_OPTIONS.provider,
} as const satisfies OptionSpecs;

const DEFAULT_BUCKETS = 5;

export const formsCommand: Command = {
  options: {
    Data: {
      items: {
        type: "string",
        value: "FILE",
        required: true,
        description: "the items with all their columns: CSV or JSONL, or .gz",
      },
      by: { type: "string", value: "COLUMN", description: "column of the subjects (default: all items are of one)" },
      exclude: {
        type: "string",
        value: "A[,B…]",
        description: "subjects to leave out; may be repeated",
        multiple: true,
      },
      id: {
        type: "string",
        value: "COLUMN",
        description: "column of the items' ids (default: item_id or id, if there)",
      },
    },
    Forms: {
      size: { type: "string", value: "N", description: "items of a form", required: true },
      count: { type: "string", value: "N", description: "forms (default 2)" },
      buckets: {
        type: "string",
        value: "N",
        description: `buckets of difficulty at most (default ${DEFAULT_BUCKETS})`,
      },
      seed: WORK_OPTIONS.seed,
    },
    Difficulty: {
      ...ANSWER_OPTIONS,
      difficulty: {
        type: "string",
        value: "COLUMN",
        description: "difficulty from a column of the items, on any scale",
      },
    },
    Output: {
      out: {
        type: "string",
        value: "DIR",
        required: true,
        description: "folder for form-1.csv, form-2.csv, … and summary.json",
      },
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
    if (size === null) throw new AnchorEvalError("invalid_option", "--size is needed");
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
    const stopped = (): AnchorEvalError => new AnchorEvalError("aborted", "forms was stopped; nothing was written");
    const [column, responses] = [options.text("difficulty"), options.text("responses")];
    const answers = responses === undefined ? null : await readFormsAnswers(pool, responses, options, output);
    const shape = { size, count, buckets };
    let difficulty = column === undefined ? NO_DIFFICULTY : givenDifficulty(pool, column);
    let check: FormsCheck = { kind: "none", reason: "no models' answers are given" };
    try {
      if (answers) {
        difficulty = await calibratedDifficulty(pool, answers, seed, output, signal);
        check = await formsCheck(pool, answers, shape, seed, output, signal);
      }
    } catch (error) {
      throw signal.aborted ? stopped() : error;
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
    await turn(); // building never waits: an interrupt is heard only now
    if (signal.aborted) throw stopped();
    await writeOutFolder(out, [...files.keys()], async (...paths) => {
      for (const path of paths) await writeFile(path, files.get(basename(path))!);
    });
    for (const warning of summary.warnings) output.remark(`note: ${warning}`);
    if (output.json) output.document(document);
    else for (const line of [...formsWords(summary), `${[...files.keys()].join(", ")} in ${out}`]) output.line(line);
    return 0;
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

/**
 * Refuses options that contradict each other.
 * @throws AnchorEvalError `invalid_option`
 */
function checkAnswerOptions(options: OptionReader): void {
  if (options.text("responses") === undefined) {
    const idle = Object.keys(ANSWER_OPTIONS).find((name) => options.text(name) !== undefined);
    if (idle !== undefined)
      throw new AnchorEvalError("invalid_option", `--${idle} needs --responses, which isn't given`);
  } else {
    if (options.text("difficulty") !== undefined)
      throw new AnchorEvalError(
        "invalid_option",
        "difficulty comes from --responses or from --difficulty, not from both",
      );
    if (options.oneOf("check", CHECKS, "folds") === "none" && options.text("families") !== undefined)
      throw new AnchorEvalError("invalid_option", "--families is for the check, which --check none leaves out");
  }
}

/** Answers to a pool's items, or to their brothers, with what they are calibrated by. */
interface FormsAnswers {
  readonly keys: JoinKeys;
  readonly matrix: ResponseMatrix;
  readonly backend: CalibrationBackend;
  /** True for answers to these very texts; undefined where it wasn't given. */
  readonly sameItems: boolean | undefined;
  /** False for `--check none`. */
  readonly checked: boolean;
  readonly families?: ReadonlyMap<string, string>;
}

/** Reads the answers of `--responses`. @throws AnchorEvalError of every file and option that is wrong */
async function readFormsAnswers(
  pool: ItemPool,
  responses: string,
  options: OptionReader,
  output: Output,
): Promise<FormsAnswers> {
  const keys = joinKeys(pool, options.text("join"));
  const provider = options.oneOf("provider", PROVIDERS, "auto");
  const sameItems =
    options.text("answers-to") === undefined ? undefined : options.oneOf("answers-to", ANSWERED, "other") === "same";
  const families = await readFamilies(options);
  const described = options.text("response-items");
  const { matrix, remarks } = await readResponses(responses, {
    ...readScale(options),
    ...(described === undefined ? { oneScenario: true } : { items: described }),
  });
  for (const remark of remarks) output.remark(remark);
  const { backend, reason } = await resolveBackend(provider);
  output.remark(reason);
  const checked = options.oneOf("check", CHECKS, "folds") === "folds";
  return { keys, matrix, backend, sameItems, checked, ...families };
}

async function calibratedDifficulty(
  pool: ItemPool,
  { keys, matrix, backend, sameItems }: FormsAnswers,
  seed: number,
  output: Output,
  signal: AbortSignal,
): Promise<PoolDifficulty> {
  const bar = output.progress("calibrating", 1);
  try {
    return await answeredDifficulty(pool, keys, matrix, {
      ...(sameItems !== undefined && { sameItems }),
      backend,
      random: createRandom(seed).fork("difficulty"),
      signal,
      onProgress: (done) => bar.update(done),
    });
  } finally {
    bar.stop();
  }
}

/** The check of forms on held-out models; none where it was left out. */
async function formsCheck(
  pool: ItemPool,
  { keys, matrix, backend, families, checked }: FormsAnswers,
  shape: Omit<ParallelFormsOptions, "random">,
  seed: number,
  output: Output,
  signal: AbortSignal,
): Promise<FormsCheck> {
  if (!checked) return { kind: "none", reason: "left out by --check none" };
  const bar = output.progress("checking", 1);
  try {
    return await checkForms(pool, keys, matrix, {
      ...shape,
      backend,
      ...(families && { families }),
      random: createRandom(seed).fork("check"),
      signal,
      onProgress: (done) => bar.update(done),
    });
  } finally {
    bar.stop();
  }
}
