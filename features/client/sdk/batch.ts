import { AnchorEvalError } from "../../../sdk/core/errors.ts";
import type { BundleRef } from "./call.ts";

/** A job: many models, estimated one part after another. */
export interface JobStatus {
  /** 128 random bits: whoever knows it may read the job. */
  readonly id: string;
  readonly benchmark: string;
  readonly version: string;
  readonly digest: string;
  readonly state: "running" | "done";
  readonly models: number;
  /** Models with an estimate so far. */
  readonly results: number;
  /** Models with a problem so far. */
  readonly problems: number;
  /** ISO 8601. */
  readonly created: string;
  /** When it can't be read any more. */
  readonly expires: string;
}

/** A job, by what its submission answered. */
export type JobRef = BundleRef & Pick<JobStatus, "id">;

interface ResultsEnd {
  readonly done: true;
  readonly results: number;
  readonly problems: number;
}

/**
 * Results from the bytes of an answer in lines.
 * @param name - of the answer, for messages
 * @param most - how many results were asked for
 * @throws AnchorEvalError `truncated` where the last line, which counts the others, is missing or counts otherwise;
 * `unavailable` for what is no JSON, and for more results than were asked for; `unsupported` for a line without an end
 */
export async function* readResultLines<Line extends object>(
  chunks: AsyncIterable<Uint8Array>,
  name: string,
  most = Infinity,
): AsyncGenerator<Line, void, undefined> {
  let seen = 0;
  for await (const line of textLines(chunks, name)) {
    const value = parseAnswer(line, `${name}: line ${seen + 1}`) as Line | ResultsEnd;
    if ("done" in value) {
      if (value.results + value.problems === seen) return;
      throw new AnchorEvalError("truncated", `${name}: ${seen} of ${value.results + value.problems} results came`);
    }
    if (++seen > most)
      throw new AnchorEvalError(
        "unavailable",
        `${name}: more than ${most} results came: is this an anchoreval Worker?`,
      );
    yield value;
  }
  throw new AnchorEvalError("truncated", `${name}: the answer ended after ${seen} results, without its last line`);
}

/** @param what - what is parsed, for messages */
export function parseAnswer(text: string, what: string): unknown {
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw new AnchorEvalError("unavailable", `${what} is not JSON: is this an anchoreval Worker?`, { cause });
  }
}

/** Longest line of results: an estimate of ten thousand scenarios. @unit letters */
const LONGEST_LINE = 1 << 22;

/** Whole lines that hold anything; a last one without its end is none. */
async function* textLines(chunks: AsyncIterable<Uint8Array>, name: string): AsyncGenerator<string, void, undefined> {
  const decoder = new TextDecoder();
  let rest = "";
  let blank = 0;
  for await (const chunk of chunks) {
    const lines = (rest + decoder.decode(chunk, { stream: true })).split("\n");
    rest = lines.pop()!;
    const filled = lines.filter((line) => line.trim() !== "");
    blank = filled.length > 0 ? 0 : blank + chunk.length;
    if (rest.length > LONGEST_LINE || blank > LONGEST_LINE)
      throw new AnchorEvalError(
        "unsupported",
        `${name}: a line has more than ${LONGEST_LINE} letters, at most so many are read: is this an anchoreval Worker?`,
      );
    yield* filled;
  }
}
