import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { gunzipSync } from "node:zlib";
import type { AnchorRecord } from "anchoreval/bundle";
import { logFileName } from "anchoreval/internal/logs/lm-eval/read-results";
import { describe, expect, it, test } from "vitest";
import { countedSample } from "../../support/counted-sample.ts";
import { writeInspectLog } from "../../support/inspect-logs.ts";
import { readLmEvalSamples } from "../../support/lm-eval-samples.ts";
import { runCommand } from "../../support/run-command.ts";
import { ROOT } from "../../support/source-imports.js";
import { tempFolder } from "../../support/temp-folder.ts";

const FOLDER = fileURLToPath(new URL("../../../../shared/data/lm-eval-pythia-14m", import.meta.url));
const ABSENT = existsSync(FOLDER) ? "" : " (skipped: the shared data are not beside this checkout)";

describe.skipIf(ABSENT !== "")(`logs of EleutherAI/pythia-14m, lm-eval of 2024${ABSENT}`, () => {
  const files = ABSENT === "" ? readdirSync(FOLDER).filter((name) => logFileName(name)?.kind === "samples") : [];

  it.each([
    ["metabench_winogrande_permute", 133],
    ["metabench_truthfulqa_secondary", 60],
  ])("%s is read whole", (task, count) => {
    const file = files.find((name) => logFileName(name)!.task === task)!;
    const lines = readFileSync(join(FOLDER, file), "utf8").split("\n");
    const read = readLmEvalSamples(lines, { file, task });
    expect(read).toMatchObject({ metric: "acc", filter: "none" });
    expect(read.samples.map(({ doc_id }) => doc_id)).toEqual(Array.from({ length: count }, (_, i) => i));
    expect(new Set(read.samples.map(({ hash }) => hash)).size).toBe(count);
    expect(read.samples.every(({ text }) => text !== null)).toBe(true);
    const logged = lines.filter((line) => line !== "").map((line) => (JSON.parse(line) as { acc: number }).acc);
    const counted = read.samples.map((own) => countedSample(own));
    expect(counted.map(({ state, score }) => [state, score])).toEqual(logged.map((score) => ["scored", score]));
  });
});

const ITEMS = fileURLToPath(new URL("../../../../shared/data/zeroeval/items.jsonl.gz", import.meta.url));
const NO_ITEMS = existsSync(ITEMS) ? "" : " (skipped: the shared data are not beside this checkout)";
const folder = tempFolder();

test.skipIf(NO_ITEMS !== "")(
  `GSM8K as Inspect's package numbers it, from 1, is found by its text${NO_ITEMS}`,
  async () => {
    const lines = (text: string): unknown[] => text.trim().split("\n").map((line) => JSON.parse(line) as unknown); // prettier-ignore
    const items = lines(gunzipSync(readFileSync(ITEMS)).toString()) as { item_id: string; text: string }[];
    const texts = new Map(items.map(({ item_id, text }) => [item_id.replace(/^gsm\//, "gsm8k/"), text]));
    const anchors = (
      lines(readFileSync(join(ROOT, "bundles/gsm8k/1.0.0/anchors.jsonl"), "utf8")) as AnchorRecord[]
    ).filter(({ forms }) => forms.includes("50"));
    const right = ({ index }: AnchorRecord): boolean => index % 3 !== 0;
    const log = writeInspectLog(folder.path("log.json"), {
      model: "lab/m",
      task: "inspect_evals/gsm8k",
      samples: anchors.map((anchor) => ({
        ...{ id: Number(anchor.doc_id) + 1, input: texts.get(anchor.item_id)!, target: "not told to the bundle" },
        scores: { match: right(anchor) ? "C" : "I" },
      })),
    });
    const own = Object.fromEntries(anchors.map((anchor) => [anchor.item_id, Number(right(anchor))]));
    const file = folder.write("answers.json", JSON.stringify(own));
    const logged = await runCommand("estimate", "--bundle", "gsm8k", "--from", "inspect", log);
    expect(logged.out).toContain("gsm8k 1.0.0, form 50: 50 of 50 items answered");
    const plain = await runCommand("estimate", "--bundle", "gsm8k", file);
    expect(logged.out.split("\n").slice(0, 4)).toEqual(plain.out.split("\n").slice(0, 4));
  },
);
