import { inspectArguments } from "anchoreval/internal/logs/harness-arguments";
import { taskAmong } from "anchoreval/internal/logs/run-log";
import { expect, test } from "vitest";
import { expectRefusal, refusal } from "../../support/refusal.ts";

test("Inspect's ids are literal, though it takes patterns; one with a comma is refused", () => {
  const ids = inspectArguments("quiz", ["plain", 7, "a[0]", "why?", "2*3"], "logs")[3];
  expect(ids).toBe("plain,7,a[[]0],why[?],2[*]3");
  expectRefusal(
    refusal(() => inspectArguments("quiz", ["a,b"], "logs")),
    "unsupported",
    "can't take an id with a comma: a,b",
  );
});

test("a package's task is the one of its name, unless that is there itself", () => {
  expect(taskAmong(["gsm8k", "math"], "inspect_evals/gsm8k")).toBe("gsm8k");
  expect(taskAmong(["gsm8k", "inspect_evals/gsm8k"], "inspect_evals/gsm8k")).toBe("inspect_evals/gsm8k");
  expect(taskAmong(["gsm8k"], "inspect_evals/mgsm8k")).toBe("inspect_evals/mgsm8k");
});
