import { parseChoices } from "anchoreval/internal/logs/choices";
import { describe, expect, it } from "vitest";
import { expectRefusal, refusal } from "../../support/refusal.ts";

describe("parseChoices", () => {
  const choose = parseChoices("metric", [
    "acc",
    "gsm8k=exact_match",
    "mmlu=acc_norm",
    "mmlu_pro*=em,custom",
    "mmlu*=x",
  ]);

  it("takes the nearest: task, its groups, the longest beginning, all", () => {
    expect(choose(["gsm8k", "board"])).toBe("exact_match");
    expect(choose(["mmlu_anatomy", "mmlu_stem", "mmlu"])).toBe("acc_norm");
    expect(choose(["mmlu_pro_law"])).toBe("em,custom");
    expect(choose(["mmlu_anatomy"])).toBe("x");
    expect(choose(["arc"])).toBe("acc");
  });

  it("chooses nothing where nothing was said", () => {
    expect(parseChoices("metric", [])(["arc"])).toBeUndefined();
    expect(parseChoices("metric", ["gsm8k=em"])(["arc"])).toBeUndefined();
  });

  it("refuses two choices for the same tasks, and empty ones", () => {
    expectRefusal(
      refusal(() => parseChoices("metric", ["acc", "em"])),
      "invalid_option",
      "for all tasks: acc and em",
    );
    expectRefusal(
      refusal(() => parseChoices("filter", ["=em"])),
      "invalid_option",
      "--filter must be NAME or TASK=NAME",
    );
  });
});
