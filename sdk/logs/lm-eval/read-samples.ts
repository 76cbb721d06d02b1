import { DataIssues } from "../../tables/data-issues.ts";
import { chooseFilter, chooseMetric, metricReasons } from "../choices.ts";
import type { AskedDocuments, RunSamples } from "../run-log.ts";
import { scoreRows, type LoggedRow, emptyRun, invalidLog, type SampleOptions, metricValue } from "../score-rows.ts";
import { lookUp } from "../../core/bundle/names.ts";
import { contentHash, type ItemContent } from "../../core/bundle/digest.ts";
import { attemptFailure } from "../attempts.ts";
import { type Fields, canonicalJson, parseLine, record } from "../json.ts";

/**
 * Takes the lines of a per-sample log of lm-evaluation-harness (`samples_<task>_<date>.jsonl` of `--log_samples`, versions
 * from 0.4.3), one after another.
 * @throws AnchorEvalError `invalid_data` naming file, line, field and rule; `invalid_option` with a list where the log
 * has several metrics or filters and none was chosen, or not the one that was; `unsupported` for a metric that is no
 * mean of scores of documents
 */
export class LmEvalSampleReader {
  readonly #options: SampleOptions;
  readonly #asked: AskedDocuments | null;
  readonly #lines: SampleLine[] = [];
  readonly #issues: DataIssues;
  #row = 0;

  /** @param asked - of a log of a task of anchors: the documents that count */
  constructor(options: SampleOptions, asked: AskedDocuments | null = null) {
    this.#options = options;
    this.#asked = asked;
    this.#issues = new DataIssues(options.file, { row: "line" });
  }

  add(text: string): void {
    this.#row++;
    if (text.trim() === "") return;
    // A log of a task of anchors numbers its own documents.
    const line = parseSampleLine(text, this.#row, this.#issues, this.#asked ? undefined : this.#options.idField);
    const wanted = line && this.#asked ? ofAnchors(line, this.#asked, this.#options) : line;
    if (wanted) this.#lines.push(wanted);
  }

  finish(): RunSamples {
    this.#issues.refuse();
    const { file, task, results, idField } = this.#options;
    if (this.#lines.length === 0) return emptyRun(task);
    const asked = chosen(this.#options);
    const reasons = metricReasons(this.#lines, (name) => corpusMetricReason(name, results?.aggregations.get(name)));
    const metric = chooseMetric(reasons, { file, task, metric: asked.metric });
    const named = nameFilters(this.#lines, file, results?.filters);
    const filter = chooseFilter(named, { file, task, filter: asked.filter });
    const rows = this.#lines.filter((_, index) => named[index] === filter);
    return scoreRows(rows, { metric, filter, issues: this.#issues, item: idField ?? "document" }, this.#options);
  }
}

/**
 * A line of a task of anchors as its document's own task would have logged it; null for a document of another task. Such a
 * log has a score under the name of every figure made of it, with `_low` and `_high`, and under `score` where its tasks'
 * metrics differ: then they are those that were chosen.
 */
function ofAnchors(line: SampleLine, asked: AskedDocuments, options: SampleOptions): SampleLine | null {
  const id = asked.get(line.id as number);
  if (id === undefined) return null;
  const { metric, filter = line.filter } = chosen(options);
  const scores = [...line.values].filter(([name]) => line.values.has(`${name}_low`));
  const [first] = scores;
  if (metric === undefined || scores.length !== 1 || first?.[0] !== "score")
    return { ...line, id, values: new Map(scores) };
  return { ...line, id, values: new Map([[metric, first[1]]]), filter };
}

/** Metric and filter that were chosen; a metric may be chosen with its filter, `METRIC,FILTER`. */
function chosen({ metric: both, filter }: SampleOptions): Pick<SampleOptions, "metric" | "filter"> {
  const [metric, ...named] = both?.split(",") ?? [];
  return { metric, filter: filter ?? (named.length > 0 ? named.join(",") : undefined) };
}

/**
 * The filter of every line. Logs before 0.4.7 write each document once for each filter, filter after filter, without
 * naming it: there the k-th line of a document belongs to the k-th filter of the results file.
 * @param filters - the task's filters, in the order in which the harness applies them
 * @throws AnchorEvalError `invalid_data` where nothing tells the filters apart
 */
function nameFilters(lines: readonly SampleLine[], file: string, filters: readonly string[] | undefined): string[] {
  if (lines.every((line) => line.filter !== null)) return lines.map((line) => line.filter!);
  const times = new Map<SampleLine["id"], number>();
  const rank = lines.map(({ id }) => {
    const count = times.get(id) ?? 0;
    times.set(id, count + 1);
    return count;
  });
  const most = rank.reduce((highest, count) => Math.max(highest, count + 1), 0);
  const names = most === 1 && (filters?.length ?? 0) !== 1 ? ["none"] : filters;
  if (names?.length !== most)
    throw invalidLog(
      file,
      `documents are there ${most} times, once for each filter, and the log does not name the filters (lm-eval before 0.4.7): keep the run's results file beside it, which does`,
    );
  return lines.map((line, index) => line.filter ?? names[rank[index]!]!);
}

const WHOLE_CORPUS = "is computed from the outputs on all documents together";
const CONFUSION = "is computed from the counts of right and wrong labels over all documents";
const EXPONENT = "is the exponent or rate of a sum over all documents, and has no bounds";

/** lm-eval's aggregations that are no mean over documents, by their registered names (lm_eval/api/metrics.py). */
const AGGREGATIONS: Readonly<Record<string, string>> = {
  bleu: WHOLE_CORPUS,
  chrf: WHOLE_CORPUS,
  "chrf++": WHOLE_CORPUS,
  ter: WHOLE_CORPUS,
  f1: CONFUSION,
  matthews_corrcoef: CONFUSION,
  perplexity: EXPONENT,
  weighted_perplexity: EXPONENT,
  bits_per_byte: EXPONENT,
  brier_score: "is computed from the probabilities of all choices, and lower is better",
  median: "is the median over the documents, not their mean",
  bypass: "is no score: the run only kept the model's outputs (--predict_only)",
};

/** Metrics that aren't called as their registered aggregation, where a log comes without its results file. */
const METRICS: Readonly<Record<string, string>> = {
  mcc: "matthews_corrcoef",
  word_perplexity: "weighted_perplexity",
  byte_perplexity: "weighted_perplexity",
  f1: "mean", // of a document in most tasks
};

/** Why a metric is no mean of scores of documents, or null as far as names tell. */
function corpusMetricReason(metric: string, aggregation: string | undefined): string | null {
  if (aggregation === "mean" || aggregation === "nanmean") return null;
  const named = aggregation === undefined ? undefined : lookUp(AGGREGATIONS, aggregation);
  return named ?? lookUp(AGGREGATIONS, lookUp(METRICS, metric) ?? metric) ?? null;
}

/** One line of a samples file: a document under one filter, with every metric. */
interface SampleLine extends LoggedRow {
  /** null in logs of lm-eval before 0.4.7, which don't name it. */
  readonly filter: string | null;
}

/** Fields of a line that are no metric; `metrics` is missing before 0.4.7. */
const FIELDS: ReadonlySet<string> = new Set([
  ...["doc_id", "doc", "target", "arguments", "resps", "filtered_resps", "filter", "metrics"],
  ...["doc_hash", "prompt_hash", "target_hash"],
]);

/**
 * Parses one line of `samples_<task>_<date>.jsonl`; null, with the issue noted, where it is none.
 * @param idField - the field of the document that names it, else its number does
 */
function parseSampleLine(text: string, row: number, issues: DataIssues, idField?: string): SampleLine | null {
  const broken = (code: string, message: string, column: string): null => {
    issues.add({ row, column }, code, message);
    return null;
  };
  const value = parseLine(text, row, issues);
  if (value === null) return null;
  const docId = value.doc_id;
  if (!Number.isSafeInteger(docId) || Number(docId) < 0)
    return broken("invalid_value", "doc_id must be a whole number from 0", "doc_id");
  const id = idField === undefined ? docId : lookUp(record(value.doc), idField);
  if (typeof id !== "string" && typeof id !== "number")
    return broken(
      "missing",
      `the document has no ${idField!}, which names the bundle's items: give \`items\`, a file with the task and doc_id of each`,
      "doc",
    );
  if (value.filter !== undefined && typeof value.filter !== "string")
    return broken("wrong_type", "filter must be text", "filter");
  const metrics = metricNames(value);
  if (metrics === null) return broken("wrong_type", "metrics must be a list of names", "metrics");
  return {
    row,
    id,
    filter: value.filter ?? null,
    // Python's None, as text, is for one that never came.
    failure: attemptFailure([value.resps].flat(Infinity as 1).map((answer) => (answer === "None" ? null : answer))),
    hash: value.doc === undefined ? null : contentHash(documentContent(value.doc, value.target)),
    text: documentText(value.doc),
    values: new Map(metrics.map((name) => [name, metricValue(lookUp(value, name))])),
  };
}

function metricNames(line: Fields): string[] | null {
  if (line.metrics === undefined) return Object.keys(line).filter((name) => !FIELDS.has(name));
  const { metrics } = line;
  return Array.isArray(metrics) && metrics.every((name) => typeof name === "string") ? metrics : null;
}

/**
 * The content of an lm-eval document, for its hash. `input` is the whole document as canonical JSON (keys sorted, no
 * spaces): the dataset's own row after the task's preprocessing, choices included, without few-shot text, chat template
 * or anything else of the prompt. `target` is the task's target as the harness logs it.
 *
 * The row is taken whole rather than a question picked from it: which field holds the question differs by dataset, and a
 * rule that guesses would give other hashes whenever it learnt a new dataset.
 */
export function documentContent(document: unknown, target: unknown): ItemContent {
  return { input: canonicalJson(document), target: typeof target === "string" ? target : canonicalJson(target) };
}

/** Fields in which datasets keep what is asked, in reading order: what it is about, then the question. */
const CONTEXT_FIELDS = ["passage", "context", "narrative", "story", "premise", "support"];
const QUESTION_FIELDS = ["question", "query", "problem", "prompt", "question_stem", "ctx", "goal", "sentence", "input"];
const CHOICE_FIELDS = ["choices", "options", "endings"];

/**
 * The question of a document, to be read by people: the fields in which datasets commonly keep it, and the choices.
 * @returns null where the document has none of them, rather than text that may hold the answer
 */
export function documentText(document: unknown): string | null {
  const fields = record(document);
  const text = (name: string): string[] => {
    const value = lookUp(fields, name);
    return typeof value === "string" && value.trim() !== "" ? [value] : [];
  };
  const question = QUESTION_FIELDS.flatMap(text)[0];
  if (question === undefined) return null;
  const choices = CHOICE_FIELDS.map((name) => choiceTexts(lookUp(fields, name))).find((list) => list.length > 0) ?? [];
  return [...CONTEXT_FIELDS.flatMap(text), question, ...choices].join("\n");
}

/** Choices as a list of texts, or as `{ text: […] }`. */
function choiceTexts(value: unknown): string[] {
  const list = Array.isArray(value) ? value : record(value).text;
  return Array.isArray(list) && list.every((entry) => typeof entry === "string") ? list : [];
}
