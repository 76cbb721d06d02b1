import { rmSync } from "node:fs";
import { isDeepStrictEqual } from "node:util";
import { describe, expect, test } from "vitest";
import { drawBoard, Style, truthOf } from "../support/written-boards/board.ts";
import { contentOf, emptyFolder, readBoard } from "../support/written-boards/read-board.ts";
import { otherRuns } from "../support/written-boards/same.ts";
import { WRITERS } from "../support/written-boards/writers.ts";
import { tempFolder } from "../support/temp-folder.ts";
import { WHOLE } from "../support/whole.ts";

/** Ways that are drawn for each reader; SAME_WAYS=100 draws more. */
const WAYS = Number(process.env["SAME_WAYS"] ?? (WHOLE ? 12 : 6));

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
      const truth = truthOf(board, writer, errors);
      if (!isDeepStrictEqual(cells, truth)) expect(sorted(cells), told()).toEqual(sorted(truth));
      rmSync(place, { recursive: true });
    }
  });
});

function sorted(cells: Readonly<Record<string, number | null>>): Record<string, number | null> {
  return Object.fromEntries(Object.entries(cells).sort(([left], [right]) => (left < right ? -1 : 1)));
}
