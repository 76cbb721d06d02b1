import { invalidOption } from "anchoreval/internal/core/errors";
import { checkFromAnchors } from "anchoreval/internal/features/compare/sdk/check-from-anchors";
import type {
  CheckResult,
  CheckVerdict,
  DropCheck,
  MinimumCheck,
} from "anchoreval/internal/features/compare/sdk/check-types";
import { INTERVAL_MEANING } from "anchoreval/internal/words/result-words";
import { percent, points } from "anchoreval/internal/words/figures";
import { type Answered, ANSWER_DATA_OPTIONS, FORM_OPTION, withAnswers } from "../../../cli/src/options/answers.ts";
import { EXIT_CODES, readDropRule, readSides } from "./check-options.ts";
import type { ReadModel } from "anchoreval/internal/node/logs/anchor-logs";
import { readPoints } from "../../../cli/src/options/scale.ts";
import { type Command, flag, given, option, rare } from "../../../cli/src/program/command.ts";
import { writeOver } from "../../../cli/src/program/errors.ts";
import { type RuleCase, writeJunit } from "../../../cli/src/program/junit.ts";
import {
  addSummary,
  plainLines,
  readSideFile,
  type ResultParts,
  SUMMARY_OPTION,
} from "../../../cli/src/program/summary.ts";
import { warningLines } from "../../../cli/src/program/output.ts";

export const checkCommand: Command = {
  options: {
    Data: {
      bundle: option("BUNDLE", "the bundle; an address should name the version, …/1.0.0", { required: true }),
      responses: option("PATH", "answers to check, in the format of estimate; several runs are averaged", {
        multiple: true,
      }),
      baseline: option("PATH", "earlier answers to check against; several runs are averaged", { multiple: true }),
      ...ANSWER_DATA_OPTIONS,
    },
    Rules: {
      "max-drop": option("POINTS", "the largest allowed drop from the baseline (default 1; less as 0.5pt)"),
      "min-score": option("POINTS", "the lowest allowed score, 0 to 100"),
      ...FORM_OPTION,
      level: option("0.95", "one-sided confidence that a pass needs"),
      ...rare({ "allow-yanked": flag("check also by a version that its publisher took back") }),
      "alarms-per-year": option("N", "accepted false alarms a year (default 1)"),
      "runs-per-year": option("N", "checks a year (default 365)"),
    },
    Output: {
      save: option("FILE", "write the answers as JSON, as a baseline for later"),
      ...SUMMARY_OPTION,
      junit: option("FILE", "also write the check as JUnit XML, a test case a rule"),
    },
  },
  examples: [
    "check --bundle bundles/quiz --responses tonight.json --baseline last-release.json --max-drop 2",
    "check --bundle bundles/quiz --baseline run1.json --baseline run2.json --baseline run3.json --table",
  ],
  run: async (input) => {
    const { options, output } = input;
    const paths = options.texts("responses");
    if (paths.length === 0) throw invalidOption("--responses is needed");
    const minScore = readPoints(options, "min-score", { min: 0, isScore: true });
    const save = options.text("save");
    const rules = options.isGiven("baseline") || minScore !== undefined;
    if (save !== undefined && paths.length > 1) throw invalidOption("--save takes one run: give one --responses");
    if (save !== undefined && options.isGiven("score-range"))
      throw invalidOption("--save writes scores in [0,1], which --score-range would turn once more when they are read");
    if (!rules && save === undefined) throw invalidOption("give --baseline PATH, --min-score POINTS, or both");
    const asked = { ...readDropRule(options), ...given({ minScore }) };
    const summary = await readSideFile(options, "summary");
    const junit = await readSideFile(options, "junit");
    if (!rules && (summary !== undefined || junit !== undefined))
      throw invalidOption(`--${summary === undefined ? "junit" : "summary"} is for a check: give --baseline PATH or --min-score POINTS too`); // prettier-ignore
    const { bundle, runs, baselines } = await readSides(input);
    const { benchmark, version } = bundle.manifest;
    if (save !== undefined) await saveAnswers(save, runs[0]!);
    if (!rules) {
      const [{ responses, warnings }] = runs as [ReadModel];
      output.result({ save, answers: responses.size, warnings }, [
        `${save!}: ${responses.size} answers; nothing was checked`,
        ...warningLines(warnings),
      ]);
      return 0;
    }
    const earlier = baselines.map((baseline) => ({ ...baseline, name: `baseline ${baseline.name}` }));
    const check = withAnswers(checkFromAnchors(bundle, runs, { ...asked, baselines }), [...runs, ...earlier]);
    const parts = checkParts(check);
    output.result(check, plainLines(parts));
    await addSummary(summary, `${benchmark} ${version}: ${headline(check)}`, parts.slice(1));
    if (junit !== undefined)
      await writeJunit(junit, `${benchmark} ${version}, form ${check.form}`, ruleCases(check), plainLines(parts));
    return EXIT_CODES[check.verdict];
  },
};

async function saveAnswers(file: string, { responses, hashes }: ReadModel): Promise<void> {
  const document = { responses: Object.fromEntries(responses), hashes: Object.fromEntries(hashes) };
  await writeOver(file, `${JSON.stringify(document, null, 1)}\n`);
}

function checkParts(check: Answered<CheckResult>): ResultParts {
  const { benchmark, version, form, answered, of, drop, minimum, warnings } = check;
  const rows = [
    ...(drop ? [row("drop", drop.drop, "at most", drop.maxDrop, drop)] : []),
    ...(minimum ? [row("score", minimum.score, "at least", minimum.minScore, minimum)] : []),
  ];
  return [
    headline(check),
    ...(drop && drop.found !== null ? [foundWords(drop)] : []),
    "",
    `${benchmark} ${version}, form ${form}: ${answered} of ${of} items answered${drop ? " on both sides; only these count" : ""}`,
    { rows: [["", "measured", "allowed", "lower bound", "upper bound", "verdict"], ...rows], align: "lrrrrl" },
    "",
    confidenceWords(check),
    ...(minimum && minimum.low !== null ? [INTERVAL_MEANING] : []),
    ...warningLines(warnings),
  ];
}

/** The rules as test cases. */
function ruleCases({ drop, minimum }: Answered<CheckResult>): RuleCase[] {
  return [
    ...(drop ? [{ name: `a drop of at most ${points(drop.maxDrop)} points`, verdict: drop.verdict, words: dropWords(drop) }] : []), // prettier-ignore
    ...(minimum ? [{ name: `a score of at least ${points(minimum.minScore)}`, verdict: minimum.verdict, words: minimumWords(minimum) }] : []), // prettier-ignore
  ];
}

const VERDICT_WORDS: Readonly<Record<CheckVerdict, string>> = {
  passed: "passed",
  regressed: "regressed",
  undecided: "can't tell",
};

/** The verdict and what it goes by. @example "passed: 8.5 points better" */
function headline(check: Omit<CheckResult, "warnings">): string {
  const { drop, minimum, verdict } = check;
  const parts = [...(drop ? [dropWords(drop)] : []), ...(minimum ? [minimumWords(minimum)] : [])];
  const open = verdict === "undecided" ? `; ${remedyWords(check)}` : "";
  return `${VERDICT_WORDS[verdict]}: ${parts.join(", ")}${open}`;
}

function dropWords({ drop, reason }: DropCheck): string {
  if (drop === null) return `the drop is not known, ${reason!}`;
  const size = points(Math.abs(drop));
  if (Number(size) === 0) return "no measured change";
  return `${counted(size, "point")} ${drop < 0 ? "better" : "worse"}`;
}

function minimumWords({ score, minScore, reason }: MinimumCheck): string {
  if (score === null) return `the score is not known, ${reason ?? "it has no interval"}`;
  const size = points(Math.abs(score - minScore));
  const where = Number(size) === 0 ? "at" : `${counted(size, "point")} ${score < minScore ? "below" : "above"}`;
  return `the score is ${where} the minimum`;
}

function counted(size: string, noun: string): string {
  return `${size} ${noun}${size === "1.0" ? "" : "s"}`;
}

/** Advice on an open check: more items, or limits that it would meet. */
function remedyWords({ drop, minimum }: Omit<CheckResult, "warnings">): string {
  if (drop?.drop === null || minimum?.score === null || minimum?.low === null) return "answer more items";
  const limits = [
    ...(drop?.verdict === "undecided" ? ["allow a larger --max-drop"] : []),
    ...(minimum?.verdict === "undecided" ? ["ask a lower --min-score"] : []),
  ];
  return ["ask more items (anchoreval plan says how many)", ...limits].join(", or ");
}

/** A row of the table: a rule, and the bounds that decide it. */
function row(
  name: string,
  measured: number | null,
  direction: string,
  limit: number,
  { low, high, verdict }: Pick<DropCheck, "low" | "high" | "verdict">,
): string[] {
  const shown = (value: number | null): string => (value === null ? "–" : points(value));
  return [name, shown(measured), `${direction} ${points(limit)}`, shown(low), shown(high), VERDICT_WORDS[verdict]];
}

function foundWords({ found: drop, alarmsWithoutChange }: DropCheck): string {
  return `This check finds a drop of ${points(drop!)} points in four of five runs; if nothing changes, it fails ${timesWords(alarmsWithoutChange!)} a year.`;
}

function timesWords(count: number): string {
  if (count < 0.001) return "less than 0.001 times";
  const rounded = Number(count.toPrecision(2));
  return rounded === 1 ? "once" : `${rounded} times`;
}

function confidenceWords({ level, alarms: { perYear, runsPerYear } }: Omit<CheckResult, "warnings">): string {
  const alarms = `${perYear} false ${perYear === 1 ? "alarm" : "alarms"}`;
  return `“passed” holds with ${percent(level)} confidence; “regressed” allows ${alarms} in ${runsPerYear} runs.`;
}
