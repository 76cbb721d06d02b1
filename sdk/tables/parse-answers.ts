import { idProblem, SHA256, lookUp } from "../core/bundle/names.ts";
import { checkWidth, type CsvRecord, csvRecords } from "./csv-records.ts";
import { allLines, type LineBatch } from "./chunk-lines.ts";
import { DataIssues, firstFew, quoted, jsonKind } from "./data-issues.ts";
import { isObject, jsonRecords, parseJsonObject } from "./json-records.ts";
import { scoreReader, type ScoreOptions, type ScoreProblem, type ScoreReader } from "./score-reader.ts";
import { isTrials, type ItemTrials, summariseTrials, trialProblem, type TrialProblem } from "./item-trials.ts";

/** Answers of one model. */
export interface Answers {
  /** Score of each item in the file, in [0,1]: the mean of its trials, where it has some; null = no answer. */
  readonly answers: ReadonlyMap<string, number | null>;
  /** Trials of those items that the file has them of. */
  readonly trials: ReadonlyMap<string, ItemTrials>;
  /** Content hashes of those items for which the file has one. */
  readonly hashes: ReadonlyMap<string, string>;
}

/**
 * Reads one model's answers: a JSON object `{id: score}`, the body of an estimate's request (`{responses: {id: score},
 * hashes?}`), JSON lines or CSV with `item_id`, `score` and, where the harness knows it, `hash`. A null, an empty cell or
 * a word such as NA means no answer; other fields are ignored. A CSV's first column has the ids under any name, where none
 * is called `item_id`; of two columns the second has the scores.
 *
 * In JSON several trials of an item stand in place of its score: `[1, 0, 1]`, or `{"passed": 3, "of": 5}`. In a table they
 * are rows that a column `trial` tells apart.
 * @param name - of the file: its ending decides the format, else the content does
 * @param chunks - its bytes, unpacked: `blobChunks(name, file)` in a page, `readAnswers(path)` of anchoreval/node for files
 * @throws AnchorEvalError `invalid_data` naming file, row, item and rule: a repeated item, a score that is none, …
 * @example
 * const { answers, hashes } = await parseAnswers(file.name, blobChunks(file.name, file));
 * estimateFromAnchors(bundle, answers, { hashes });
 */
export async function parseAnswers(
  name: string,
  chunks: AsyncIterable<Uint8Array>,
  options: ScoreOptions = {},
): Promise<Answers> {
  const sink = new AnswerSink(scoreReader(options));
  const batches = await allLines(name, chunks);
  const lines = batches.flatMap((batch) => batch.lines);
  switch (detectFormat(name, lines)) {
    case "csv":
      await readCsv(new DataIssues(name), batches, sink);
      break;
    case "json-lines":
      await readJsonLines(new DataIssues(name, "lines"), batches, sink);
      break;
    case "json":
      readJson(new DataIssues(name, "answers"), lines.join("\n"), sink);
      break;
    case "empty":
      new DataIssues(name).fail({}, "empty", "the file is empty");
  }
  sink.putTrials();
  if (sink.answers.size === 0) new DataIssues(name).fail({}, "empty", "the file has no answers");
  return sink;
}

class AnswerSink implements Answers {
  readonly answers = new Map<string, number | null>();
  readonly trials = new Map<string, ItemTrials>();
  readonly hashes = new Map<string, string>();
  readonly #reader: ScoreReader;
  readonly #rows = new TrialRows();

  constructor(reader: ScoreReader) {
    this.#reader = reader;
  }

  /** A score, or trials, as JSON has them. */
  fromJson(value: unknown): number | ItemTrials | ScoreProblem {
    return isTrials(value) ? readTrials(value, this.#reader) : this.#reader.fromJson(value);
  }

  fromText(cell: string): number | ScoreProblem {
    return this.#reader.fromText(cell);
  }

  /** Takes one answer, or one of several trials of an item, or gives the rule that it breaks and the field that breaks it. */
  take(id: unknown, score: number | ItemTrials | ScoreProblem, hash: unknown, trial?: unknown): AnswerProblem | null {
    const bad = typeof id === "string" ? idProblem(id) : "an id must be text";
    if (bad !== null) return { field: "item_id", code: "invalid_id", message: bad };
    const item = id as string;
    const misplaced = this.#rows.trialProblem(item, trial);
    if (misplaced) return { field: "trial", ...misplaced };
    if (trial === undefined && this.answers.has(item))
      return { field: "item_id", code: "duplicate", message: `item ${quoted(item)} is there twice` };
    if (typeof score === "object" && "code" in score) return { field: "score", ...score };
    if (typeof score === "object") {
      if (trial !== undefined)
        return { field: "score", code: "wrong_type", message: "the score of one trial is one number" };
      this.#putTrials(item, score);
    } else if (trial === undefined) this.answers.set(item, Number.isNaN(score) ? null : score);
    else this.#rows.put(item, trial, score);
    return this.#takeHash(item, hash);
  }

  /** Puts down the items whose trials stood in rows of their own. */
  putTrials(): void {
    for (const [item, trials] of this.#rows.items) this.#putTrials(item, trials);
  }

  #putTrials(item: string, trials: ItemTrials): void {
    const { count, mean } = summariseTrials(trials);
    this.answers.set(item, count === 0 ? null : mean);
    this.trials.set(item, trials);
  }

  #takeHash(item: string, hash: unknown): AnswerProblem | null {
    if (hash === undefined || hash === null || hash === "") return null;
    if (typeof hash !== "string" || !SHA256.test(hash))
      return { field: "hash", code: "invalid_hash", message: "a hash is SHA-256, 64 lowercase hex digits" };
    if (this.hashes.has(item) && this.hashes.get(item) !== hash)
      return { field: "hash", code: "contradiction", message: `item ${quoted(item)} has another hash in a row before` };
    this.hashes.set(item, hash);
    return null;
  }
}

interface AnswerProblem {
  readonly field: "item_id" | "score" | "hash" | "trial";
  readonly code: string;
  readonly message: string;
}

/** By the file's ending, and where that leaves it open by its content. */
function detectFormat(path: string, lines: readonly string[]): "csv" | "json" | "json-lines" | "empty" {
  const filled = lines.filter((line) => line.trim() !== "");
  if (filled.length === 0) return "empty";
  const name = path.toLowerCase().replace(/\.gz$/, "");
  if (name.endsWith(".csv")) return "csv";
  if (/\.(jsonl|ndjson)$/.test(name)) return "json-lines";
  const first = filled[0]!.trimStart();
  if (!name.endsWith(".json") && !first.startsWith("{") && !first.startsWith("[")) return "csv";
  // A line of JSON lines is a whole object that names its item; a map of answers can't have text as a score.
  return /^\{.*"item_id"\s*:\s*"/.test(first) && first.trimEnd().endsWith("}") ? "json-lines" : "json";
}

function readJson(issues: DataIssues, text: string, sink: AnswerSink): void {
  if (text.trimStart().startsWith("["))
    issues.fail({}, "wrong_type", 'an array has no item ids: answers are a JSON object {"item id": score, …}');
  const object = parseJsonObject(text, "the file", {}, issues, 3) ?? {};
  // An item may be called "responses"; then it has a score, or counts.
  const isBody = isObject(object["responses"]) && typeof object["responses"]["passed"] !== "number";
  const { responses, hashes } = isBody ? object : { responses: object, hashes: undefined };
  const hashOf = isObject(hashes) ? hashes : {};
  for (const [id, value] of Object.entries(responses as object)) {
    const problem = sink.take(id, sink.fromJson(value), lookUp(hashOf, id) ?? null);
    if (problem) issues.add({ column: id }, problem.code, problem.message);
  }
  issues.refuse();
}

async function readJsonLines(issues: DataIssues, batches: readonly LineBatch[], sink: AnswerSink): Promise<void> {
  for await (const records of jsonRecords(batches, issues))
    for (const { row, fields } of records) {
      const { item_id: id, score, hash, trial } = fields;
      const problem = sink.take(id, sink.fromJson(score), hash, trial);
      if (problem) issues.add({ row, column: problem.field }, problem.code, problem.message);
    }
  issues.refuse();
}

async function readCsv(issues: DataIssues, batches: readonly LineBatch[], sink: AnswerSink): Promise<void> {
  let header: readonly string[] | null = null;
  let places: AnswerColumns = { id: 0, score: 0, hash: -1, trial: -1 };
  for await (const records of csvRecords(batches, issues))
    for (const record of records) {
      const { row, cells } = record;
      if (header === null) {
        header = cells;
        places = answerColumns(record, issues);
      } else if (checkWidth(record, header, issues)) {
        const { id, score, hash, trial } = places;
        const [ownHash, ownTrial] = [hash < 0 ? null : cells[hash], trial < 0 ? undefined : cells[trial]];
        const problem = sink.take(cells[id], sink.fromText(cells[score]!), ownHash, ownTrial);
        if (problem) issues.add({ row, column: problem.field }, problem.code, problem.message);
      }
    }
  issues.refuse();
}

interface AnswerColumns {
  readonly id: number;
  readonly score: number;
  /** −1 = there is none. */
  readonly hash: number;
  readonly trial: number;
}

/** Scores and names of columns that are no item's id. */
const NO_ID = /^(?:model|score|hash|[01]|[01]?[.,]\d+|true|false)$/i;

/**
 * Where a table of answers has what: `item_id`, or else its first column under any name; `score`, or else the second of
 * two columns.
 */
function answerColumns({ row, cells }: CsvRecord, issues: DataIssues): AnswerColumns {
  const [named, score, hash] = [cells.indexOf("item_id"), cells.indexOf("score"), cells.indexOf("hash")];
  const others = cells.filter((name, at) => at > 0 && at !== score && /^(?:item|id|.*_id)$/i.test(name));
  const isPair = cells.length === 2 && score < 0 && hash < 0;
  const first = cells[0] ?? "";
  if (isPair && first !== "" && first !== "item_id" && NO_ID.test(cells[1]!))
    issues.fail({ row }, "wrong_header", "the first row is an answer: a table begins with a header, item_id,score");
  const id = named >= 0 ? named : NO_ID.test(first) || others.length > 0 ? -1 : 0;
  const scoreAt = score >= 0 ? score : isPair && id >= 0 ? 1 - id : -1;
  if (id < 0 || scoreAt < 0 || new Set(cells).size < cells.length)
    issues.fail(
      { row },
      "wrong_header",
      `a table of answers has the columns item_id,score[,hash][,trial], each once; this has ${firstFew(cells, 8)}`,
    );
  return { id, score: scoreAt, hash, trial: cells.indexOf("trial") };
}

/**
 * The trials of one item as JSON has them, a list of scores or counts, on the scale of the reader. A null in a list is a trial
 * without a score.
 */
function readTrials(value: object, reader: ScoreReader): ItemTrials | ScoreProblem {
  const problem = trialProblem(value);
  if (problem) return problem as ScoreProblem;
  if (!Array.isArray(value)) {
    const { passed, of } = value as { readonly passed: number; readonly of: number };
    const pass = reader.fromJson(true);
    if (typeof pass === "object")
      return { ...pass, message: `counts are of trials that passed or didn't: ${pass.message}` };
    return { passed: pass === 1 ? passed : of - passed, of };
  }
  const scores: (number | null)[] = [];
  for (const [k, one] of (value as unknown[]).entries()) {
    const score = reader.fromJson(one);
    if (typeof score === "object") return { ...score, message: `trial ${k + 1} of ${value.length}: ${score.message}` };
    scores.push(Number.isNaN(score) ? null : score);
  }
  return scores;
}

/** The trials of a table's items, a row a trial, told apart by a column `trial`. */
class TrialRows {
  readonly #items = new Map<string, Map<string, number | null>>();
  /** Whether rows name their trial, as the first one did. */
  #named: boolean | undefined;

  /** The rule that a row's trial breaks: it isn't there where others have one, or is there twice; null for none. */
  trialProblem(item: string, trial: unknown): TrialProblem | null {
    const named = trial !== undefined;
    this.#named ??= named;
    if (this.#named !== named)
      return { code: "missing_trial", message: "some rows name their trial and some don't: all of them do, or none" };
    if (!named) return null;
    if ((typeof trial !== "string" && typeof trial !== "number") || trial === "")
      return {
        code: "missing_trial",
        message: `a trial has a number or a name, got ${trial === "" ? "none" : jsonKind(trial)}`,
      };
    if (!this.#items.get(item)?.has(String(trial))) return null;
    return { code: "duplicate", message: `trial ${String(trial)} of item ${quoted(item)} is there twice` };
  }

  /** Puts down one trial's score; NaN for none. */
  put(item: string, trial: unknown, score: number): void {
    const trials = this.#items.get(item) ?? new Map<string, number | null>();
    trials.set(String(trial), Number.isNaN(score) ? null : score);
    this.#items.set(item, trials);
  }

  /** The items with their trials, in the table's order. */
  get items(): [string, ItemTrials][] {
    return Array.from(this.#items, ([item, trials]) => [item, [...trials.values()]]);
  }
}
