import { readFullScores } from "anchoreval-trainer/internal/features/full-scores/fit/read-full-scores";
import { option, rare } from "../../cli/src/program/command.ts";
import type { BoardPart } from "../../cli/src/options/board-part.ts";

/** `--full-scores`: the models' scores on more items than they have answers to, which are to be estimated. */
export const fullScores: BoardPart = {
  options: rare({
    "full-scores": option(
      "FILE",
      "model, scenario, score (CSV, JSONL, Parquet): estimate these, on more items than --responses has",
    ),
  }),
  async read(options, { matrix, remarks }, reading) {
    const file = options.text("full-scores");
    if (file === undefined) return null;
    const read = await readFullScores(file, matrix, reading);
    return { matrix: read.matrix, remarks: [...remarks, ...read.remarks] };
  },
};
