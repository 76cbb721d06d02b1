import { contentHash } from "../../core/bundle/digest.ts";
import { lookUp } from "../../core/bundle/names.ts";
import { DataIssues } from "../../tables/data-issues.ts";
import { isObject } from "../../tables/json-records.ts";
import { counted } from "../../words/figures.ts";
import { attemptFailure } from "../attempts.ts";
import { chooseMetric, metricReasons, type MetricValue } from "../choices.ts";
import { type LoggedCost, totalOf } from "../cost.ts";
import { type Fields, canonicalJson, list, numberOf, record } from "../json.ts";
import type { LoggedSample, RunSamples } from "../run-log.ts";
import { type LoggedRow, scoreRows, emptyRun, metricValue, type SampleOptions } from "../score-rows.ts";
import { isUnitScale } from "../../tables/score-reader.ts";
import type { InspectHeader } from "./read-header.ts";

/**
 * The samples of one log of Inspect, with their epochs.
 * @throws AnchorEvalError `invalid_data` naming file, sample and rule; `invalid_option` with a list where samples have
 * several scores and none was chosen, or not the one that was
 */
export async function readInspectSamples(
  { broken, epochs, reducers, invalidated }: InspectHeader,
  samples: AsyncIterable<unknown> | Iterable<unknown>,
  options: SampleOptions,
): Promise<RunSamples> {
  const { file, task, metric: asked } = options;
  const issues = new DataIssues(file, { row: "sample" });
  const rows: LoggedRow[] = [];
  const isUnit = isUnitScale(options);
  let invalid = 0;
  for await (const sample of samples) {
    rows.push(readEpoch(record(sample), { position: rows.length, epochs, issues, isUnit }));
    if (isObject(record(sample).invalidation)) invalid++;
  }
  if (rows.length === 0) return emptyRun(task);
  const reasons = metricReasons(rows, () => null);
  // Without any score there are failures, or samples that nobody scored: those have no metric.
  const failed = rows.every(({ failure }) => failure !== null);
  const unscored = failed && asked !== undefined ? asked : "";
  const metric = reasons.size === 0 ? unscored : chooseMetric(reasons, { file, task, metric: asked, noun: "score" });
  const remarks: string[] = [];
  if (broken !== null) remarks.push(`${broken}; what it lacks is missing`);
  if (invalidated) remarks.push("the log is marked as invalidated");
  const count = invalid === 1 ? "counts" : "count";
  if (invalid > 0) remarks.push(`${counted(invalid, "sample")} marked as invalidated ${count} all the same`);
  const made = `Inspect made one score of the epochs by ${reducers.join(", ")}, which is no mean: the scores differ from its own`;
  if (epochs > 1 && !reducers.includes("mean")) remarks.push(made);
  return scoreRows(rows, { metric, filter: "mean", issues, noun: "epoch", remarks }, options);
}

function readEpoch(
  sample: Fields,
  { position, epochs, issues, isUnit }: { position: number; epochs: number; issues: DataIssues; isUnit: boolean },
): LoggedRow {
  const { id, epoch, scores, score, error } = sample;
  if (typeof id !== "number" && typeof id !== "string")
    return issues.fail({ row: position + 1, column: "id" }, "missing", "it has no id");
  const attempt = numberOf(epoch) ?? 1;
  if (attempt > epochs)
    issues.fail(
      { row: id, column: "epoch" },
      "out_of_range",
      `epoch ${attempt} is beyond the ${epochs} of the log's header`,
    );
  return {
    ...{ row: id, id, attempt, cost: costOf(sample) },
    values: scoresOf(scores ?? (score == null ? {} : { score }), isUnit),
    failure: attemptFailure(...outcomeOf(record(sample.output), error)),
    ...sampleIdentity(sample),
  };
}

/** Answer and error. A provider's refusal is an error; an empty answer that the model ended itself is one of its own. */
function outcomeOf({ completion, choices, error: refusal }: Fields, error: unknown): [unknown, unknown] {
  const isEnded = list(choices).some((choice) => record(choice).stop_reason !== "content_filter");
  return [isEnded ? undefined : completion, error ?? refusal];
}

/** Tokens and dollars of all models that answered or judged; seconds without those of waiting for a model's limits. */
function costOf({ model_usage: usage, working_time: working, total_time: total }: Fields): LoggedCost {
  const used = Object.values(record(usage)).map(record);
  const sum = (field: string): number | null =>
    used.length === 0 ? null : totalOf(...used.map((model) => lookUp(model, field)));
  return { tokens: sum("total_tokens"), seconds: numberOf(working) ?? numberOf(total), price: sum("total_cost") };
}

/**
 * The hash of a sample's content and its text; null where they can't be told. The content is its input as the dataset has it
 * (a chat's messages as canonical JSON of role and content), its choices and its target; no solver's prompt, no answer of
 * the model. The text is what a person reads: the input, of a chat the last message, and the choices.
 */
export function sampleIdentity(sample: Fields): Pick<LoggedSample, "hash" | "text"> {
  const { input, target } = sample;
  const choices = list(sample.choices);
  const chat = Array.isArray(input) ? input.map(record) : null;
  const whole = chat === null ? input : canonicalJson(chat.map(({ role, content }) => ({ role, content })));
  const last = chat === null ? input : chat.at(-1)?.content;
  const content = typeof whole === "string" && {
    input: whole,
    ...(choices.length > 0 && isTexts(choices) && { choices }),
    target: typeof target === "string" ? target : Array.isArray(target) ? target.map(String) : "",
  };
  return {
    hash: content ? contentHash(content) : null,
    text: typeof last === "string" ? [last, ...choices.map(String)].join("\n") : null,
  };
}

function isTexts(values: readonly unknown[]): values is readonly string[] {
  return values.every((value) => typeof value === "string");
}

/** By scorer, of early logs `score`, or by `scorer/value` where a scorer gives several. */
function scoresOf(scores: unknown, isUnit: boolean): Map<string, MetricValue> {
  const values = new Map<string, MetricValue>();
  for (const [scorer, score] of Object.entries(record(scores))) {
    const { value } = record(score);
    if (isObject(value))
      for (const [name, part] of Object.entries(value)) values.set(`${scorer}/${name}`, scoreValue(part, isUnit));
    else values.set(scorer, scoreValue(value, isUnit));
  }
  return values;
}

/** Text that Inspect reads as a score; `N`, no answer, is wrong. */
const WORDS: ReadonlyMap<string, number> = new Map(Object.entries({ C: 1, P: 0.5, I: 0, N: 0 }));
/** The same in any case. */
const TRUTH: ReadonlyMap<string, number> = new Map(Object.entries({ yes: 1, true: 1, no: 0, false: 0 }));
const NUMBER = /^[+-]?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?$/i;

/**
 * A score's value as Inspect's own metrics read it (`value_to_float`): C = 1, P = ½, I = N = 0, yes and true = 1, no and
 * false = 0, numbers and numbers as text as they are. Other text, of which Inspect warns and makes 0, stays text: no score.
 * @param isUnit - scores are on [0,1]; on another scale words and truths are none
 * @returns null for NaN, Inspect's sign of a sample that was not scored; undefined for lists and objects
 * @example scoreValue("C") // 1
 */
export function scoreValue(value: unknown, isUnit = true): MetricValue {
  if (typeof value === "boolean" && isUnit) return Number(value);
  if (typeof value !== "string") return metricValue(value);
  const worth = isUnit ? (WORDS.get(value) ?? TRUTH.get(value.toLowerCase())) : undefined;
  const number = value.trim();
  return worth ?? (NUMBER.test(number) ? Number(number) : value);
}
