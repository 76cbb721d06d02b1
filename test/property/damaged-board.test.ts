import { rmSync } from "node:fs";
import { isDeepStrictEqual } from "node:util";
import { describe, expect, test } from "vitest";
import { type Board, drawBoard, Style } from "../support/written-boards/board.ts";
import { writeDamaged } from "../support/written-boards/damage.ts";
import { contentOf, emptyFolder, type ReadBoard, readBoard } from "../support/written-boards/read-board.ts";
import { WRITERS } from "../support/written-boards/writers.ts";
import { tempFolder } from "../support/temp-folder.ts";

/** Damages for each reader, about half of those that there are, others for the next one; DAMAGED_WAYS=100 tries all. */
const WAYS = Number(process.env["DAMAGED_WAYS"] ?? 12);

const folder = tempFolder();

describe.each(WRITERS.map((writer, reader) => ({ from: writer.from, writer, reader })))(
  "a board that $from writes, damaged",
  ({ writer, reader }) => {
    test(`is refused, or what changed is said (${WAYS} ways)`, async () => {
      const outcomes = { refused: 0, said: 0, unmoved: 0 };
      let [board, before]: [Board | null, ReadBoard | null] = [null, null];
      for (let way = 0; way < WAYS; way++) {
        const seed = `damaged/${writer.from}/${way}`;
        const style = new Style(seed, 0);
        // Several damages to one board: to read it whole takes as long as to read it damaged.
        if (board === null || before === null || way % 4 === 0) {
          board = drawBoard(seed, writer);
          const whole = emptyFolder(folder.path(`${seed}/whole`));
          writer.write(whole, board.runs, new Style("plain", 0));
          before = await readBoard(whole, writer, "missing");
        }
        const place = emptyFolder(folder.path(`${seed}/damaged`));
        const model = writeDamaged(place, board, writer, { style, which: way + reader * WAYS });
        const said = (): string => `${seed}: ${style.drawn.join(", ")}\n${contentOf(place)}`;
        const after = await readBoard(place, writer, "missing").catch((error: unknown) => {
          expectNamed(error, said);
          return null;
        });
        const isSame = after !== null && isDeepStrictEqual(after.cells, before.cells);
        if (after !== null && !isSame) expectSaid({ before, after, model, said });
        outcomes[after === null ? "refused" : isSame ? "unmoved" : "said"]++;
        rmSync(folder.path(seed), { recursive: true });
      }
      // Damages that do nothing would show nothing.
      expect(outcomes.unmoved, JSON.stringify(outcomes)).toBeLessThan(WAYS / 2);
      if (process.env["DAMAGED_WAYS"] !== undefined) console.log(writer.from, outcomes);
    });
  },
);

/** A refusal has a code, and says where. */
function expectNamed(error: unknown, said: () => string): void {
  const { name, code, message } = error as { name: string; code: string; message: string };
  expect(name, `${String(error)}\n${said()}`).toBe("AnchorEvalError");
  expect(code, said()).toMatch(/^(invalid_data|invalid_option|unsupported|not_found|unavailable)$/);
  expect(message, said()).toMatch(/alpha|beta|org|damaged/i);
}

/** What changed is another thing said than before, and no other model's scores have changed. */
function expectSaid({
  before,
  after,
  model,
  said,
}: {
  before: ReadBoard;
  after: ReadBoard;
  model: string | null;
  said: () => string;
}): void {
  const fresh = after.remarks.filter((remark) => !before.remarks.includes(remark));
  expect(fresh, `nothing was said\n${said()}`).not.toEqual([]);
  expect(fresh.join("\n"), said()).toMatch(/\d/);
  if (model === null) return;
  const others = ({ cells }: ReadBoard): object =>
    Object.fromEntries(
      Object.entries(cells).filter(([cell, score]) => score !== null && !cell.includes(model.slice(4))),
    );
  expect(others(after), said()).toEqual(others(before));
}
