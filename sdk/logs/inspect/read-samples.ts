import { contentHash, type ItemContent } from "../../core/bundle/digest.ts";
import { AnchorEvalError } from "../../core/errors.ts";
import { chooseMetric } from "../choices.ts";
import { canonicalJson, record } from "../json.ts";
import type { LoggedSample, RunSamples } from "../run-log.ts";
import { invalidLog, itemScorer, type SampleOptions } from "../scores.ts";
import type { InspectHeader } from "./read-header.ts";

/** The kept part of one epoch of a sample: events, messages and the rest of a log are large. */
interface Epoch extends Pick<LoggedSample, "hash" | "text"> {
  readonly id: number | string;
  readonly scores: ReadonlyMap<string, number | null>;
  readonly errored: boolean;
}

/**
 * Takes the samples of one log of Inspect, one after another, and scores each item by the mean over its epochs.
 * @throws AnchorEvalError `invalid_data` naming file, sample and rule; `invalid_option` with a list where samples have
 * several scores and none was chosen, or not the one that was
 */
export class InspectSampleReader {
  readonly #header: InspectHeader;
  readonly #options: SampleOptions;
  readonly #epochs: Epoch[] = [];

  constructor(header: InspectHeader, options: SampleOptions) {
    this.#header = header;
    this.#options = options;
  }

  /** @param sample - one of a log's samples, as parsed JSON */
  add(sample: unknown): void {
    const fields = record(sample);
    const { id, scores, score, error } = fields;
    if (typeof id !== "number" && typeof id !== "string")
      throw new AnchorEvalError("invalid_data", `${this.#options.file}: sample ${this.#epochs.length + 1} has no id`, {
        issues: [
          {
            path: [this.#options.file, "samples", this.#epochs.length, "id"],
            code: "missing",
            message: "a sample has an id",
          },
        ],
      });
    const content = sampleContent(fields);
    this.#epochs.push({
      id,
      scores: scoresOf(scores ?? score),
      errored: error != null,
      hash: content && contentHash(content),
      text: sampleText(fields),
    });
  }

  finish(): RunSamples {
    const { task, status, epochs, reducers, invalidated } = this.#header;
    const { file } = this.#options;
    if (this.#epochs.length === 0) throw invalidLog(file, "the log has no samples");
    const metrics = new Map(this.#epochs.flatMap(({ scores }) => [...scores.keys()]).map((name) => [name, null]));
    const asked = this.#options.metric;
    if (metrics.size === 0 && asked === undefined)
      throw new AnchorEvalError("unsupported", `${file}: no sample of ${task} has a score that is one number`);
    const metric = chooseMetric(metrics, { file, task, metric: asked, noun: "score" });
    const scored = itemScorer(file, metric, this.#options);
    const items = new Map<number | string, Epoch[]>();
    for (const epoch of this.#epochs) items.set(epoch.id, [...(items.get(epoch.id) ?? []), epoch]);
    const samples = [...items].map(([id, own]): LoggedSample => {
      const score = scored(
        own.flatMap(({ scores }) => scores.get(metric) ?? []),
        "sample",
        id,
      );
      const state = score !== null ? "scored" : own.some(({ errored }) => errored) ? "errored" : "unscored";
      return { task, doc_id: id, state, score, hash: own[0]!.hash, text: own[0]!.text };
    });
    const failed = this.#epochs.filter(({ errored }) => errored).length;
    return {
      task,
      metric,
      filter: "mean",
      samples,
      remarks: [
        ...(status === "success" ? [] : [`${file}: the run ended with the status ${status}: what it lacks is missing`]),
        ...(invalidated ? [`${file}: the log is marked as invalidated`] : []),
        ...(epochs > 1 ? [`${file}: scores are means over ${epochs} epochs`] : []),
        ...(failed > 0 && epochs > 1 ? [`${file}: ${failed} epochs of samples ended in an error and don't count`] : []),
        ...(epochs > 1 && !reducers.includes("mean")
          ? [
              `${file}: Inspect made one score of the epochs by ${reducers.join(", ")}, which is no mean: the scores differ from its own`,
            ]
          : []),
      ],
    };
  }
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
