import { writeFile } from "node:fs/promises";
import { loadBundle } from "../bundles/load-bundle.ts";
import { checkFromAnchors } from "../check/check-from-anchors.ts";
import type { CheckVerdict } from "../check/types.ts";
import { AnchorEvalError } from "../core/errors.ts";
import { HARNESSES } from "../node/harnesses.ts";
import { ANSWER_OPTIONS, logsBeyond } from "./answer-options.ts";
import { checkLines } from "./check-lines.ts";
import type { Command } from "./command.ts";
import { isPinned, openBundle } from "./open-bundle.ts";
import { readModel, type ReadModel } from "./read-model.ts";

const EXIT_CODES: Readonly<Record<CheckVerdict, number>> = { passed: 0, regressed: 3, undecided: 4 };

/** `anchoreval check`: whether a model got worse, for CI; exit code 0 passed, 3 regressed, 4 can't tell. */
export const checkCommand: Command = {
  name: "check",
  summary: "whether a model got worse, for CI: exit code 0 passed, 3 regressed, 4 can't tell",
  options: {
    bundle: { type: "string", value: "DIR|URL", description: "the bundle; of an address the version too, …/1.0.0" },
    responses: {
      type: "string",
      multiple: true,
      value: "PATH",
      description: "the answers to be checked, a file as estimate takes it; of several runs the mean counts",
    },
    baseline: {
      type: "string",
      multiple: true,
      value: "PATH",
      description: "earlier answers, the same",
    },
    "max-drop": { type: "string", value: "POINTS", description: "the largest drop against the baseline; 1" },
    "min-score": { type: "string", value: "POINTS", description: "the lowest score, 0 to 100" },
    "alarms-per-year": { type: "string", value: "N", description: "false alarms that are accepted a year; 1" },
    "runs-per-year": { type: "string", value: "N", description: "checks a year; 365" },
    save: { type: "string", value: "FILE", description: "write the answers as JSON, a baseline for later checks" },
    from: {
      type: "string",
      value: HARNESSES.join("|"),
      description: "every --responses has the harness's logs, and every --baseline that is a folder",
    },
    ...ANSWER_OPTIONS,
    level: { type: "string", value: "0.95", description: "one-sided confidence that passing needs" },
  },
  beyond: logsBeyond,
  run: async ({ options, output, signal, formats }) => {
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
    for (const path of paths) runs.push(await readModel(path, bundle, { options, output, formats }));
    const baselines: ReadModel[] = [];
    for (const path of baselinePaths)
      baselines.push(await readModel(path, bundle, { options, output, formats, filesAreAnswers: true }));
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
