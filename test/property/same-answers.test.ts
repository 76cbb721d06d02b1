import { rmSync } from "node:fs";
import { isDeepStrictEqual } from "node:util";
import { loadBundle } from "anchoreval/node";
import { describe, expect, test } from "vitest";
import { FORMATS } from "anchoreval-trainer/internal/matrix/readers/formats";
import { readAnchorLogs } from "anchoreval/internal/node/logs/anchor-logs";
import { harnessNamed } from "anchoreval/internal/node/logs/harnesses";
import { createRandom } from "../../sdk/core/numeric/random.ts";
import {
  type Board,
  type HarnessWriter,
  loggedScore,
  Style,
  type WrittenRun,
} from "../support/written-boards/board.ts";
import { contentOf, emptyFolder } from "../support/written-boards/read-board.ts";
import { otherRuns } from "../support/written-boards/same.ts";
import { WRITERS } from "../support/written-boards/writers.ts";
import { writeBundle } from "../support/logged-bundle.ts";
import { sampleContent } from "../support/sample-bundle.ts";
import { tempFolder } from "../support/temp-folder.ts";

/** Ways that are drawn for each reader; SAME_WAYS=100 draws more. */
const WAYS = Number(process.env["SAME_WAYS"] ?? 6);

const folder = tempFolder();

describe.each(WRITERS.filter(({ from }) => from !== "table"))("a model's logs by $from", (writer) => {
  test(`give an estimate the same answers, however they are written (${WAYS} ways)`, async () => {
    const content = sampleContent({ items: [12, 10], sizes: [4, 6] });
    const scenarios = content.scenarios.map((scenario) => ({
      ...scenario,
      anchors: scenario.anchors.map((anchor) => ({
        ...anchor,
        ...{ task: anchor.scenario === "alpha" ? "alpha" : "beta", doc_id: idOf(writer, anchor.index) },
      })),
    }));
    const bundle = await loadBundle(writeBundle(folder.path(`${writer.from}-bundle`), { ...content, scenarios }));
    const anchors = scenarios.flatMap(({ anchors: own }) => own);
    for (let way = 0; way < WAYS; way++) {
      const seed = `answers/${writer.from}/${way}`;
      const style = new Style(seed, way === 0 ? 0 : 0.3);
      const board = drawModel(seed, anchors);
      const errors = style.pick(["harness", "missing", "wrong"] as const);
      const place = emptyFolder(folder.path(seed));
      // Nothing but ids names these anchors.
      writer.write(place, otherRuns(board, { ...writer, hasContents: false }, style), style);
      const said = (): string => `${seed}, errors ${errors}: ${style.drawn.join(", ")}\n${contentOf(place)}`;
      const { responses } = await readAnchorLogs(bundle, [place], {
        harness: harnessNamed(writer.from as Exclude<HarnessWriter["from"], "table">, FORMATS),
        errors,
      }).catch((error: unknown) => {
        throw new Error(`${String(error)}\n${said()}`, { cause: error });
      });
      const scores = board.runs.flatMap(({ task, samples }) =>
        samples.map(({ id, attempts: [attempt] }) => {
          const { item_id } = anchors.find(({ task: own, index }) => own === task && index === id)!;
          const score = loggedScore(attempt!, writer.failedScore) as number | null;
          const counted = attempt!.failed && errors !== "harness" ? (errors === "wrong" ? 0 : null) : score;
          return [item_id, counted] as const;
        }),
      );
      const truth = Object.fromEntries(scores.sort());
      const read = Object.fromEntries([...responses].sort());
      if (!isDeepStrictEqual(read, truth)) expect(read, said()).toEqual(truth);
      rmSync(place, { recursive: true });
    }
  });
});

function idOf(writer: HarnessWriter, index: number): string | number {
  const id = writer.idOf({ id: index, question: "", target: "", attempts: [] });
  return /^\d+$/.test(id) ? Number(id) : id;
}

/** One model's run on all anchors, a task each. */
function drawModel(seed: string, anchors: readonly { readonly task: string; readonly index: number }[]): Board {
  const random = createRandom(seed);
  const runs = ["alpha", "beta"].map((task, t): WrittenRun => {
    const ids = anchors.flatMap((anchor) => (anchor.task === task ? [anchor.index] : [])).sort((a, b) => a - b);
    const samples = ids.map((id, k) => ({
      id,
      question: `What is ${task} ${id}?`,
      target: "x",
      attempts: [{ score: random.below(2), failed: k > 0 && random.below(8) === 0 }],
    }));
    return { model: "org/a", task, ended: Date.UTC(2026, 2, 1, 12 + 5 * t), samples };
  });
  return { runs, attempts: 1 };
}
