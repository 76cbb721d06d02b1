import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { describe, expect, it } from "vitest";
import { HARNESS_ENV, hasModules, PYTHON } from "../../../../support/harness-tasks.ts";
import { tempFolder } from "../../../../support/temp-folder.ts";
import { WHOLE } from "../../../../support/whole.ts";

const folder = tempFolder();

const example = (file: string): string =>
  fileURLToPath(new URL(`../../../../../examples/lm-eval/${file}`, import.meta.url));

it.skipIf(!WHOLE)(
  "examples/lm-eval goes from 30 models' logs to an estimate from a log of the anchors",
  async () => {
    const { stdout } = await promisify(execFile)(process.execPath, [example("run.js")], {
      env: { ...process.env, TMPDIR: folder.path("") },
    });
    expect(stdout).toContain("30 models, 300 items, 3 scenarios:");
    expect(stdout).toContain("450 of 450 scores equal the harness's own to 1e-6");
    expect(stdout).toContain("150 items of form 50");
    expect(stdout).toContain("example 1.0.0, form 50: 150 of 150 items answered");
    expect(stdout).toMatch(/on all 300 documents: \d+\.\d\n/);
  },
  120_000,
);

describe.skipIf(!hasModules("lm_eval", "datasets"))("examples/lm-eval/harness.py (skipped without lm_eval)", () => {
  it("goes from lm_eval's dummy model to an estimate of a run of the anchors", async () => {
    const { stdout } = await promisify(execFile)(PYTHON, [example("harness.py"), folder.path("harness")], {
      env: HARNESS_ENV,
    });
    expect(stdout).toContain("12 models, 80 items, 2 scenarios:");
    expect(stdout).toContain("24 of 24 scores equal the harness's own to 1e-6");
    expect(stdout).toContain("tiny 1.0.0, form 10: 20 of 20 items answered");
    expect(stdout).toMatch(/\noverall +\d+\.\d +\d+\.\d to \d+\.\d +20 of 20\n/);
  }, 180_000);
});
