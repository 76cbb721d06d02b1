import { HttpProblem } from "../problem.ts";
import type { Shard } from "./job.ts";

export interface SplitLimits {
  /** Most models of a shard. */
  readonly shardModels: number;
  /** Most models of the job. */
  readonly jobModels: number;
  /** Longest line, and longest shard of more than one line. @unit bytes */
  readonly bytes: number;
}

const LINE_END = 0x0a;
const BLANKS: ReadonlySet<number> = new Set([0x09, 0x0d, 0x20]);

/**
 * Finds the shards of a body of lines while it passes, a model each line that isn't blank; keeps no byte of it.
 * @throws HttpProblem `payload_too_large` from `see` once a limit is passed
 */
export function splitShards(limits: SplitLimits): { see: (part: Uint8Array) => void; end: () => Shard[] } {
  const shards: Shard[] = [];
  let [begin, first, models] = [0, 0, 0]; // of the shard that is open
  let [at, lineBegin, blank] = [0, 0, true];
  const close = (end: number): void => {
    if (models > 0) shards.push({ begin, end, first, models });
    [begin, first, models] = [end, first + models, 0];
  };
  const endLine = (end: number): void => {
    if (end - lineBegin > limits.bytes) throw tooLong(limits.bytes);
    if (!blank) {
      if (first + models === limits.jobModels)
        throw new HttpProblem("payload_too_large", `a job has at most ${limits.jobModels} models here`);
      if (end - begin > limits.bytes) close(lineBegin);
      if (++models === limits.shardModels) close(end);
    }
    [lineBegin, blank] = [end, true];
  };
  return {
    see: (part) => {
      for (let from = 0; from < part.length;) {
        const found = part.indexOf(LINE_END, from);
        const to = found < 0 ? part.length : found;
        for (let k = from; blank && k < to; k++) blank = BLANKS.has(part[k]!);
        if (found >= 0) endLine(at + found + 1);
        from = to + 1;
      }
      at += part.length;
      if (at - lineBegin > limits.bytes) throw tooLong(limits.bytes);
    },
    end: () => {
      endLine(at);
      close(at);
      return shards;
    },
  };
}

function tooLong(bytes: number): HttpProblem {
  return new HttpProblem("payload_too_large", `a line has at most ${bytes} bytes here`);
}
