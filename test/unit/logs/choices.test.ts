import { metricReasons, type MetricValue, type MetricValues, parseChoices } from "anchoreval/internal/logs/choices";
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
      "`filter` must be NAME or TASK=NAME",
    );
  });
});

describe("metricReasons", () => {
  const of = (...logged: MetricValue[]): { values: MetricValues }[] =>
    logged.map((value) => ({ values: new Map([["acc", value]]) }));

  it("one broken value takes nothing from a metric, and a metric of lists alone is none", () => {
    for (const documents of [of(1, undefined, 0), of(undefined, "x"), of(undefined, true, null)])
      expect(metricReasons(documents, () => null).get("acc")).toBeNull();
    for (const documents of [of(undefined), of(undefined, null)])
      expect(metricReasons(documents, () => null).get("acc")).toContain("several values");
    expect(metricReasons(of(null), () => null)).toEqual(new Map([["acc", null]]));
    expect(metricReasons(of(undefined), () => "is a median").get("acc")).toBe("is a median");
  });
});
