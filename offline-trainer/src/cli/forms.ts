import { readdir, writeFile } from "node:fs/promises";
import { basename } from "node:path";
import { setImmediate as turn } from "node:timers/promises";
import { readScale, type Command, type OptionReader, type Output } from "anchoreval/cli";
import { AnchorEvalError, createRandom } from "anchoreval/core";
import { PROVIDERS, resolveBackend } from "../backends/resolve-backend.ts";
import { readItemTable } from "../ingest/item-table.ts";
import { readResponses } from "../ingest/read-responses.ts";
import { answeredDifficulty } from "../parallel-forms/answered-difficulty.ts";
import { buildParallelForms } from "../parallel-forms/build-parallel-forms.ts";
import { NO_DIFFICULTY, type PoolDifficulty } from "../parallel-forms/difficulty.ts";
import { summarizeForms } from "../parallel-forms/summarize-forms.ts";
import { formsWords } from "../parallel-forms/forms-words.ts";
import { givenDifficulty } from "../parallel-forms/given-difficulty.ts";
import { checkFormSizes, itemPool, type ItemPool } from "../parallel-forms/item-pool.ts";
import { joinKeys } from "../parallel-forms/join-items.ts";
import { formFile, formFiles } from "../parallel-forms/write-forms.ts";
import { trainerVersion } from "../trainer-version.ts";
import { fileDigest } from "./file-digest.ts";
import { FIT_OPTIONS } from "./fit-options.ts";
import { checkOutFolder, writeOutFolder } from "./out-folder.ts";
import { RESPONSE_OPTIONS } from "./response-options.ts";

const DEFAULT_BUCKETS = 5;
/** What the responses may be answers to. */
const ANSWERED = ["same", "other"] as const;
/** Options that say something of `--responses`. */
const WITH_RESPONSES = ["join", "response-items", "answers-to", "score-range", "flip", "provider"];

export const formsCommand: Command = {
  name: "forms",
  summary: "parallel forms: disjoint subsets of a benchmark's items, alike in subjects and difficulty",
  options: {
    items: { type: "string", value: "FILE", description: "the items with all their columns: CSV or JSONL, or .gz" },
    size: { type: "string", value: "N", description: "items of a form" },
    count: { type: "string", value: "N", description: "forms (default 2)" },
    by: { type: "string", value: "COLUMN", description: "column of the subjects (default: all items are of one)" },
    exclude: { type: "string", value: "A[,B…]", description: "subjects to leave out; may be repeated", multiple: true },
    responses: {
      ...RESPONSE_OPTIONS.responses,
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
    "score-range": RESPONSE_OPTIONS["score-range"],
    flip: RESPONSE_OPTIONS.flip,
    difficulty: { type: "string", value: "COLUMN", description: "or difficulty from a column of the items, any scale" },
    buckets: { type: "string", value: "N", description: `buckets of difficulty at most (default ${DEFAULT_BUCKETS})` },
    id: { type: "string", value: "COLUMN", description: "column of the items' ids (default: item_id or id, if there)" },
    provider: FIT_OPTIONS.provider,
    seed: { type: "string", value: "N", description: "seed of all draws (default 1)" },
    out: { type: "string", value: "DIR", description: "folder for form-1.csv, form-2.csv, … and summary.json" },
  },
  async run({ options, output, signal }) {
    const file = options.required("items");
    const out = options.required("out");
    const size = options.number("size", { min: 1, integer: true }, null);
    if (size === null) throw new AnchorEvalError("invalid_option", "--size is needed");
    const count = options.number("count", { min: 2, max: 1000, integer: true }, 2);
    const buckets = options.number("buckets", { min: 1, max: 100, integer: true }, DEFAULT_BUCKETS);
    const seed = options.number("seed", { min: 0, integer: true }, 1);
    checkDifficultyOptions(options);
    await checkOutFolder("--out", out);
    await checkOlderForms(out, count);

    const table = await readItemTable(file);
    const [by, id] = [options.text("by"), options.text("id")];
    const exclude = options.texts("exclude");
    const pool = itemPool(table, { ...(by !== undefined && { by }), ...(id !== undefined && { id }), exclude });
    checkFormSizes(pool, size, count);
    const random = createRandom(seed);
    const stopped = (): AnchorEvalError => new AnchorEvalError("aborted", "forms was stopped; nothing was written");
    let difficulty: PoolDifficulty;
    try {
      difficulty = await readDifficulty(pool, options, output, seed, signal);
    } catch (error) {
      throw signal.aborted ? stopped() : error;
    }
    const built = buildParallelForms(pool, difficulty, { size, count, buckets, random });
    const summary = summarizeForms(built, seed, buckets);
    const [responses, responseItems] = [options.text("responses"), options.text("response-items")];
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

/** Refuses options that contradict each other. @throws AnchorEvalError `invalid_option` */
function checkDifficultyOptions(options: OptionReader): void {
  if (options.text("responses") !== undefined) {
    if (options.text("difficulty") !== undefined)
      throw new AnchorEvalError(
        "invalid_option",
        "difficulty comes from --responses or from --difficulty, not from both",
      );
    return;
  }
  const idle = WITH_RESPONSES.find((name) => options.text(name) !== undefined);
  if (idle !== undefined)
    throw new AnchorEvalError("invalid_option", `--${idle} is about --responses, which isn't given`);
}

/**
 * Refuses a folder with forms of an earlier run that this one would leave standing beside its own.
 * @throws AnchorEvalError `invalid_option`
 */
async function checkOlderForms(out: string, count: number): Promise<void> {
  const names = await readdir(out).catch(() => []);
  const own = new Set(Array.from({ length: count }, (_, form) => formFile(form + 1)));
  const older = names.filter((name) => /^form-\d+\.csv$/.test(name) && !own.has(name)).sort();
  if (older.length > 0)
    throw new AnchorEvalError(
      "invalid_option",
      `--out ${out} holds ${older[0]!} of other forms: remove it, or take another folder`,
    );
}

async function readDifficulty(
  pool: ItemPool,
  options: OptionReader,
  output: Output,
  seed: number,
  signal: AbortSignal,
): Promise<PoolDifficulty> {
  const column = options.text("difficulty");
  if (column !== undefined) return givenDifficulty(pool, column);
  const responses = options.text("responses");
  if (responses === undefined) return NO_DIFFICULTY;
  const keys = joinKeys(pool, options.text("join"));
  const provider = options.oneOf("provider", PROVIDERS, "auto");
  const answeredTo = options.text("answers-to") === undefined ? null : options.oneOf("answers-to", ANSWERED, "other");
  const described = options.text("response-items");
  const { matrix, remarks } = await readResponses(responses, {
    ...readScale(options),
    ...(described === undefined ? { oneScenario: true } : { items: described }),
  });
  for (const remark of remarks) output.remark(remark);
  const { backend, reason } = await resolveBackend(provider);
  output.remark(reason);
  const bar = output.progress("calibrating", 1);
  try {
    return await answeredDifficulty(pool, keys, matrix, {
      ...(answeredTo !== null && { sameItems: answeredTo === "same" }),
      backend,
      random: createRandom(seed).fork("difficulty"),
      signal,
      onProgress: (done) => bar.update(done),
    });
  } finally {
    bar.stop();
  }
}
