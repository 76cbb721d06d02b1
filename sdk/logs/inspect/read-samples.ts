import { contentHash, type ItemContent } from "../../core/bundle/digest.ts";
import { AnchorEvalError } from "../../core/errors.ts";
import { chooseMetric } from "../choices.ts";
import { type CostKind, sampleCost, totalOf } from "../cost.ts";
import { canonicalJson, numberOf, record } from "../json.ts";
import type { LoggedSample, RunSamples } from "../run-log.ts";
import { invalidLog, itemScorer, type SampleOptions } from "../scores.ts";
import type { InspectHeader } from "./read-header.ts";
import { lookUp } from "../../core/bundle/names.ts";

/** The kept part of one epoch of a sample: events, messages and the rest of a log are large. */
interface Epoch extends Pick<LoggedSample, "hash" | "text"> {
  readonly id: number | string;
  /** Its number among the sample's epochs, from 1. */
  readonly epoch: number;
  readonly scores: ReadonlyMap<string, number | null>;
  readonly errored: boolean;
  readonly cost: Readonly<Record<CostKind, number | null>>;
}

/**
 * Scores each item of one log of Inspect by the mean over its epochs.
 * @param found - the log's samples, as parsed JSON
 * @throws AnchorEvalError `invalid_data` naming file, sample and rule; `invalid_option` with a list where samples have
 * several scores and none was chosen, or not the one that was
 */
export async function readInspectSamples(
  { status, epochs, reducers, invalidated }: InspectHeader,
  found: AsyncIterable<unknown> | Iterable<unknown>,
  options: SampleOptions,
): Promise<RunSamples> {
  const { file, task, metric: asked } = options;
  const all: Epoch[] = [];
  for await (const sample of found) all.push(readEpoch(record(sample), all.length, file));
  checkEpochs(all, epochs, file);
  if (all.length === 0) throw invalidLog(file, "the log has no samples");
  const metrics = new Map(all.flatMap(({ scores }) => [...scores.keys()]).map((name) => [name, null]));
  if (metrics.size === 0 && asked === undefined)
    throw new AnchorEvalError("unsupported", `${file}: no sample of ${task} has a score that is one number`);
  const metric = chooseMetric(metrics, { file, task, metric: asked, noun: "score" });
  const scored = itemScorer(file, metric, options);
  const items = new Map<number | string, Epoch[]>();
  for (const epoch of all) items.set(epoch.id, [...(items.get(epoch.id) ?? []), epoch]);
  const samples = [...items].map(([id, own]): LoggedSample => {
    const values = own.flatMap(({ scores }) => scores.get(metric) ?? []);
    const score = scored(values, "sample", id);
    const state = score !== null ? "scored" : own.some(({ errored }) => errored) ? "errored" : "unscored";
    const trials = own.map(({ scores }) => scored([scores.get(metric) ?? []].flat(), "sample", id));
    const cost = sampleCost(own.map((epoch) => epoch.cost), file, "sample", id); // prettier-ignore
    const { hash, text } = own[0]!;
    return { task, doc_id: id, state, score, ...(epochs > 1 && { trials }), ...cost, hash, text };
  });
  const failed = all.filter(({ errored }) => errored).length;
  const remarks = [
    ...(status === "success" ? [] : [`the run ended with the status ${status}: what it lacks is missing`]),
    ...(invalidated ? ["the log is marked as invalidated"] : []),
    ...(epochs > 1 ? [`scores are means over ${epochs} epochs`] : []),
    ...(failed > 0 && epochs > 1 ? [`${failed} epochs of samples ended in an error and don't count`] : []),
    ...(epochs > 1 && !reducers.includes("mean")
      ? [
          `Inspect made one score of the epochs by ${reducers.join(", ")}, which is no mean: the scores differ from its own`,
        ]
      : []),
  ];
  return { task, metric, filter: "mean", samples, remarks: remarks.map((remark) => `${file}: ${remark}`) };
}

function readEpoch(sample: Readonly<Record<string, unknown>>, position: number, file: string): Epoch {
  const { id, epoch, scores, score, error } = sample;
  if (typeof id !== "number" && typeof id !== "string")
    throw new AnchorEvalError("invalid_data", `${file}: sample ${position + 1} has no id`, {
      issues: [{ path: [file, "samples", position, "id"], code: "missing", message: "a sample has an id" }],
    });
  return {
    id,
    epoch: numberOf(epoch) ?? 1,
    scores: scoresOf(scores ?? score),
    errored: error != null,
    cost: costOf(sample),
    ...sampleIdentity(sample),
  };
}

/** Tokens and dollars of all models that answered or judged; seconds without those of waiting for a model's limits. */
function costOf({
  model_usage: usage,
  working_time: working,
  total_time: total,
}: Readonly<Record<string, unknown>>): Epoch["cost"] {
  const used = Object.values(record(usage)).map(record);
  const sum = (field: string): number | null =>
    used.length === 0 ? null : totalOf(...used.map((own) => lookUp(own, field)));
  return { tokens: sum("total_tokens"), seconds: numberOf(working) ?? numberOf(total), price: sum("total_cost") };
}

/** @throws AnchorEvalError `invalid_data` for an epoch that a sample has twice, and for one that the header doesn't have */
function checkEpochs(all: readonly Epoch[], epochs: number, file: string): void {
  const seen = new Set<string>();
  for (const { id, epoch } of all) {
    const key = JSON.stringify([id, epoch]);
    const problem = seen.has(key)
      ? (["duplicate", `epoch ${epoch} is there twice`] as const)
      : epoch > epochs
        ? (["out_of_range", `epoch ${epoch} is beyond the ${epochs} of the log's header`] as const)
        : null;
    seen.add(key);
    if (problem === null) continue;
    const [code, message] = problem;
    throw new AnchorEvalError("invalid_data", `${file}: sample ${id}: ${message}`, {
      issues: [{ path: [file, id, "epoch"], code, message }],
    });
  }
}

/** The hash of a sample's content, and its text; null where they can't be told. */
export function sampleIdentity(sample: Readonly<Record<string, unknown>>): Pick<LoggedSample, "hash" | "text"> {
  const content = sampleContent(sample);
  return { hash: content && contentHash(content), text: sampleText(sample) };
}

/** By scorer, or by `scorer/value` where a scorer gives several. */
function scoresOf(scores: unknown): Map<string, number | null> {
  const found = new Map<string, number | null>();
  for (const [scorer, score] of Object.entries((scores ?? {}) as Record<string, { value?: unknown } | null>)) {
    const value = score?.value;
    if (Array.isArray(value)) continue;
    if (typeof value === "object" && value !== null)
      for (const [name, own] of Object.entries(value)) found.set(`${scorer}/${name}`, scoreValue(own));
    else found.set(scorer, scoreValue(value));
  }
  return found;
}

/**
 * The content of a sample, for its hash: its input as the dataset has it (a chat's messages as canonical JSON of role and
 * content), its choices and its target; no solver's prompt, no answer of the model.
 */
function sampleContent(sample: Readonly<Record<string, unknown>>): ItemContent | null {
  const { input, choices, target } = sample;
  const text = inputText(input);
  if (text === null) return null;
  const listed = Array.isArray(choices) && choices.every((choice) => typeof choice === "string");
  return {
    input: text,
    ...(listed && choices.length > 0 && { choices }),
    target: typeof target === "string" ? target : Array.isArray(target) ? target.map(String) : "",
  };
}

/** A sample as a person reads it: the text, or the last message, and the choices. */
function sampleText(sample: Readonly<Record<string, unknown>>): string | null {
  const { input, choices } = sample;
  const last: unknown = Array.isArray(input) ? (input.at(-1) as { content?: unknown } | undefined)?.content : input;
  if (typeof last !== "string") return null;
  return [last, ...(Array.isArray(choices) ? choices.map(String) : [])].join("\n");
}

function inputText(input: unknown): string | null {
  if (typeof input === "string") return input;
  if (!Array.isArray(input)) return null;
  return canonicalJson(
    input.map((message: unknown) => {
      const { role, content } = message as { role?: unknown; content?: unknown };
      return { role, content };
    }),
  );
}

/** Text that Inspect reads as a score; `N`, no answer, is wrong. */
const WORDS: ReadonlyMap<string, number> = new Map([
  ["C", 1],
  ["P", 0.5],
  ["I", 0],
  ["N", 0],
]);
const TRUE = new Set(["yes", "true"]);

/**
 * A score's value as Inspect's own metrics read it (`value_to_float`): C = 1, P = ½, I = N = 0, numbers and booleans as
 * they are, yes and true = 1, any other text = 0.
 * @returns null for NaN, Inspect's sign of a sample that was not scored, and for lists and objects, which are no score
 */
export function scoreValue(value: unknown): number | null {
  if (typeof value === "number") return Number.isNaN(value) ? null : value;
  if (typeof value === "boolean") return Number(value);
  if (typeof value !== "string") return null;
  const word = WORDS.get(value);
  if (word !== undefined) return word;
  const text = value.trim().toLowerCase();
  if (TRUE.has(text)) return 1;
  const number = text === "" ? NaN : Number(text);
  return Number.isFinite(number) ? number : 0;
}
