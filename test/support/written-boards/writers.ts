import type { HarnessWriter } from "./board.ts";
import { eeeWriter } from "./eee.ts";
import { helmWriter } from "./helm.ts";
import { inspectWriter } from "./inspect.ts";
import { lightevalWriter } from "./lighteval.ts";
import { lmEvalWriter } from "./lm-eval.ts";
import { openCompassWriter } from "./opencompass.ts";
import { tableWriter } from "./table.ts";

/** A writer for every reader of boards. */
export const WRITERS: readonly HarnessWriter[] = [
  lmEvalWriter,
  inspectWriter,
  helmWriter,
  lightevalWriter,
  eeeWriter,
  openCompassWriter,
  tableWriter,
];
