import type { CheckResult, DropCheck, MinimumCheck } from "../check/types.ts";
import { INTERVAL_MEANING } from "../words/result-words.ts";
import { percent, points } from "../words/figures.ts";

/** A check for people: points with one decimal, the verdict last. */
export function checkLines(check: CheckResult): string[] {
  const { benchmark, version, form, answered, of, drop, minimum, warnings } = check;
  return [
    `${benchmark} ${version}, form ${form}: ${answered} of ${of} items answered${drop ? " on both sides; only these count" : ""}`,
    ...(drop ? dropLines(drop, check) : []),
    ...(minimum ? minimumLines(minimum, check) : []),
    ...warnings.map(({ message }) => `warning: ${message}`),
    check.verdict === "undecided" ? undecidedLine(check) : check.verdict.toUpperCase(),
  ];
}

/** With what would tell: of the rules that are open, the limits too. */
function undecidedLine({ drop, minimum }: CheckResult): string {
  if (drop?.drop === null || minimum?.low === null) return "CAN'T TELL, for the reason above";
  const limits = [
    ...(drop?.verdict === "undecided" ? ["a larger --max-drop"] : []),
    ...(minimum?.verdict === "undecided" ? ["a lower --min-score"] : []),
  ];
  return `CAN'T TELL: ${["more items would (anchoreval plan says how many)", ...limits].join(", or ")}`;
}

function dropLines(
  { verdict, drop, low, high, maxDrop, reason, alarmsWithoutChange, found }: DropCheck,
  check: CheckResult,
): string[] {
  if (drop === null) return [`drop: none can be told: ${reason!}`];
  const words = {
    passed: `no drop of more than ${points(maxDrop)}`,
    regressed: `more than the ${points(maxDrop)} that are allowed`,
    undecided: `whether it is more than ${points(maxDrop)} is open`,
  }[verdict];
  return [
    `drop: ${points(drop)} points, ${words}: at most ${points(high!)} with ${percent(check.level)} confidence, above ${points(low!)} ${alarmWords(check)}`,
    `such a check finds a drop of ${points(found!)} points in four cases of five, and fails ${times(alarmsWithoutChange!)} a year if nothing changes`,
  ];
}

function minimumLines({ verdict, score, low, high, minScore, reason }: MinimumCheck, check: CheckResult): string[] {
  if (score === null || low === null || high === null) return [`score: ${reason ?? "it has no interval"}`];
  const words = {
    passed: `not below ${points(minScore)}`,
    regressed: `below the ${points(minScore)} that are asked`,
    undecided: `whether it is below ${points(minScore)} is open`,
  }[verdict];
  return [
    `score: ${points(score)}, ${words}: at least ${points(low)} with ${percent(check.level)} confidence, below ${points(high)} ${alarmWords(check)}`,
    INTERVAL_MEANING,
  ];
}

function alarmWords({ alarms: { perYear, runsPerYear } }: CheckResult): string {
  return `but for ${perYear} false ${perYear === 1 ? "alarm" : "alarms"} in ${runsPerYear} runs`;
}

function times(count: number): string {
  return count < 0.001 ? "less than 0.001 times" : `${Number(count.toPrecision(2))} times`;
}
