import type { BatchLine } from "anchoreval";
import { jsonLine } from "../http/ndjson.ts";

/** The last line of results: without it they were cut off. */
export interface ResultsEnd {
  readonly done: true;
  /** Models with an estimate. */
  readonly results: number;
  /** Models with a problem. */
  readonly problems: number;
}

/** Results as lines, each computed when its turn to be sent comes, then how many there were. A reader that leaves ends it. */
export function resultLines(count: number, resultOf: (index: number) => BatchLine): ReadableStream<Uint8Array> {
  let index = 0;
  let results = 0;
  return new ReadableStream({
    pull: (controller) => {
      if (index === count) {
        controller.enqueue(jsonLine({ done: true, results, problems: count - results } satisfies ResultsEnd));
        controller.close();
        return;
      }
      const line = resultOf(index++);
      if ("estimate" in line) results++;
      controller.enqueue(jsonLine(line));
    },
  });
}
