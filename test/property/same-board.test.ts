import { describe, expect, test } from "vitest";
import { drawBoard, type HarnessWriter, Style, truthOf } from "../support/written-boards/board.ts";
import { eeeWriter } from "../support/written-boards/eee.ts";
import { helmWriter } from "../support/written-boards/helm.ts";
import { inspectWriter } from "../support/written-boards/inspect.ts";
import { lightevalWriter } from "../support/written-boards/lighteval.ts";
import { lmEvalWriter } from "../support/written-boards/lm-eval.ts";
import { openCompassWriter } from "../support/written-boards/opencompass.ts";
import { contentOf, emptyFolder, readBoard } from "../support/written-boards/read-board.ts";
import { otherRuns } from "../support/written-boards/same.ts";
import { tableWriter } from "../support/written-boards/table.ts";
import { tempFolder } from "../support/temp-folder.ts";

const WRITERS: readonly HarnessWriter[] = [
  lmEvalWriter,
  inspectWriter,
  helmWriter,
  lightevalWriter,
  eeeWriter,
  openCompassWriter,
  tableWriter,
];

/** Ways that are drawn for each reader; SAME_WAYS=1000 draws more. */
const WAYS = Number(process.env["SAME_WAYS"] ?? 100);

const folder = tempFolder();

describe.each(WRITERS)("a board that $from writes", (writer) => {
  test(`is read the same, however it is written (${WAYS} ways)`, async () => {
    for (let way = 0; way < WAYS; way++) {
      const seed = `${writer.from}/${way}`;
      const style = new Style(seed, way === 0 ? 0 : 0.3);
      const board = drawBoard(seed, writer);
      const errors = writer.from === "table" ? "missing" : style.pick(["harness", "missing", "wrong"] as const);
      const place = emptyFolder(folder.path(seed));
      writer.write(place, otherRuns(board, writer, style), style);
      const told = (): string => `${seed}, errors ${errors}: ${style.drawn.join(", ")}\n${contentOf(place)}`;
      const { cells } = await readBoard(place, writer, errors).catch((error: unknown) => {
        throw new Error(`${String(error)}\n${told()}`, { cause: error });
      });
      expect(sorted(cells), told()).toEqual(sorted(truthOf(board, writer, errors)));
    }
  });
});

function sorted(cells: Readonly<Record<string, number | null>>): Record<string, number | null> {
  return Object.fromEntries(Object.entries(cells).sort(([left], [right]) => (left < right ? -1 : 1)));
}
