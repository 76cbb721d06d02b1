import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { expect, it } from "vitest";
import { tempFolder } from "../../support/temp-folder.ts";

const folder = tempFolder();

const EXAMPLE = fileURLToPath(new URL("../../../examples/lm-eval/run.js", import.meta.url));

it("examples/lm-eval goes from 60 models' logs to an estimate from a log of the anchors", async () => {
  const { stdout } = await promisify(execFile)(process.execPath, [EXAMPLE], {
    env: { ...process.env, TMPDIR: folder.path("") },
  });
  expect(stdout).toContain("60 models, 900 items, 3 scenarios:");
  expect(stdout).toContain("900 of 900 scores equal the harness's own to 1e-6");
  expect(stdout).toContain("150 items of form 50");
  expect(stdout).toContain("example 1.0.0, form 50: 150 of 150 items answered");
  expect(stdout).toMatch(/on all 900 documents: \d+\.\d\n/);
}, 120_000);
