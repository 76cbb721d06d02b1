import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { logFileName } from "anchoreval/internal/logs/lm-eval/read-results";
import { describe, expect, it } from "vitest";
import { readLmEvalSamples } from "../../support/lm-eval-samples.ts";

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
    expect(read.samples.every(({ state, text }) => state === "scored" && text !== null)).toBe(true);
    const logged = lines.filter((line) => line !== "").map((line) => (JSON.parse(line) as { acc: number }).acc);
    expect(read.samples.map(({ score }) => score)).toEqual(logged);
  });
});
