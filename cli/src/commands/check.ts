import { writeFile } from "node:fs/promises";
import { loadBundle } from "anchoreval/internal/bundles/load-bundle";
import { checkFromAnchors } from "anchoreval/internal/check/check-from-anchors";
import type { CheckResult, CheckVerdict, DropCheck, MinimumCheck } from "anchoreval/internal/check/types";
import { AnchorEvalError } from "anchoreval/internal/core/errors";
import { INTERVAL_MEANING } from "anchoreval/internal/words/estimate-words";
import { percent, points } from "anchoreval/internal/words/figures";
import { ANSWER_DATA_OPTIONS, FORM_OPTION, readModel, type ReadModel } from "../options/answers.ts";
import type { Command } from "../command.ts";
import { isPinned, openBundle } from "../open-bundle.ts";

const EXIT_CODES: Readonly<Record<CheckVerdict, number>> = { passed: 0, regressed: 3, undecided: 4 };

/** `anchoreval check`: whether a model got worse, for CI; exit code 0 passed, 3 regressed, 4 can't tell. */
export const checkCommand: Command = {
  options: {
    Data: {
      bundle: {
        type: "string",
        value: "DIR|URL",
        required: true,
        description: "the bundle; of an address the version too, …/1.0.0",
      },
      responses: {
        type: "string",
        multiple: true,
        value: "PATH",
        required: true,
        description: "the answers to be checked, as estimate takes them; of several runs the mean counts",
      },
      baseline: { type: "string", multiple: true, value: "PATH", description: "earlier answers, the same" },
      ...ANSWER_DATA_OPTIONS,
    },
    Rules: {
      "max-drop": {
        type: "string",
        value: "POINTS",
        description: "the largest drop against the baseline (default 1)",
      },
      "min-score": { type: "string", value: "POINTS", description: "the lowest score, 0 to 100" },
      ...FORM_OPTION,
      level: {
        type: "string",
        value: "0.95",
        description: "one-sided confidence that passing needs",
      },
      "alarms-per-year": {
        type: "string",
        value: "N",
        description: "false alarms that are accepted a year (default 1)",
      },
      "runs-per-year": { type: "string", value: "N", description: "checks a year (default 365)" },
    },
    Output: {
      save: { type: "string", value: "FILE", description: "write the answers as JSON, a baseline for later checks" },
    },
  },
  examples: [
    "check --bundle bundles/quiz --responses tonight.json --baseline last-release.json --max-drop 2",
    "check --bundle bundles/quiz --responses tonight.json --min-score 65",
  ],
  run: async ({ options, output, signal }) => {
    const place = options.required("bundle");
    const paths = options.texts("responses");
    if (paths.length === 0) throw new AnchorEvalError("invalid_option", "--responses is needed");
    const minScore = options.number("min-score", { min: 0, max: 100 }, undefined);
    const save = options.text("save");
    const baselinePaths = options.texts("baseline");
    const rules = baselinePaths.length > 0 || minScore !== undefined;
    if (save !== undefined && paths.length > 1)
      throw new AnchorEvalError("invalid_option", "--save is of one run: give one --responses");
    if (save !== undefined && (options.text("score-range") !== undefined || options.flag("flip")))
      throw new AnchorEvalError(
        "invalid_option",
        "--save writes scores in [0,1], which --score-range and --flip would turn once more when they are read",
      );
    if (!rules && save === undefined)
      throw new AnchorEvalError("invalid_option", "give --baseline PATH, --min-score POINTS, or both");
    const asked = {
      maxDrop: options.number("max-drop", { min: 0, max: 99 }, 1) / 100,
      alarmsPerYear: options.number("alarms-per-year", {}, 1),
      runsPerYear: options.number("runs-per-year", {}, 365),
      level: options.number("level", { min: 0.5, max: 1 }, 0.95),
      ...(minScore !== undefined && { minScore: minScore / 100 }),
      ...(options.flag("drop-changed") && { onChangedItem: "drop" as const }),
    };
    const form = options.text("form");
    const bundle = await loadBundle(openBundle(place), { signal, ...(form !== undefined && { form }) });
    const { benchmark, version } = bundle.manifest;
    if (!isPinned(place))
      output.remark(
        `warning: ${place} is the latest version, today ${version}: a newer one would move the scores; pin it, …/${benchmark}/${version}`,
      );
    const runs: ReadModel[] = [];
    for (const path of paths) runs.push(await readModel(path, bundle, { options, output }));
    const baselines: ReadModel[] = [];
    for (const path of baselinePaths)
      baselines.push(await readModel(path, bundle, { options, output, filesAreAnswers: true }));
    if (save !== undefined) await saveAnswers(save, runs[0]!);
    if (!rules) {
      output.line(`${save!}: ${runs[0]!.responses.size} answers; nothing was checked`);
      return 0;
    }
    const check = checkFromAnchors(bundle, runs, { ...asked, baselines });
    if (output.json) output.document(check);
    else for (const line of checkLines(check)) output.line(line);
    return EXIT_CODES[check.verdict];
  },
};

async function saveAnswers(file: string, { responses, hashes }: ReadModel): Promise<void> {
  const document = { responses: Object.fromEntries(responses), hashes: Object.fromEntries(hashes) };
  try {
    await writeFile(file, `${JSON.stringify(document, null, 1)}\n`);
  } catch (cause) {
    throw new AnchorEvalError("unavailable", `${file} could not be written`, { cause });
  }
}

/** A check for people: points with one decimal, the verdict last. */
function checkLines(check: CheckResult): string[] {
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
