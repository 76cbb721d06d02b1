import { existsSync } from "node:fs";
import { basename, dirname, resolve } from "node:path";
import { list, numberOf, record, settingsText } from "../../sdk/logs/json.ts";
import { groupBy, type RunLog, UNTOLD_RUN, UNTOLD_TASK } from "../../sdk/logs/run-log.ts";
import { invalidLog } from "../../sdk/logs/score-rows.ts";
import { type LogReader, readFoundJson } from "../../sdk/node/logs/log-files.ts";
import { readJsonFile } from "../../sdk/node/read-file.ts";
import { firstFew } from "../../sdk/tables/data-issues.ts";
import { counted } from "../../sdk/words/figures.ts";
import {
  gradedSamples,
  isGraded,
  isSite,
  isSummary,
  isUngraded,
  PASS,
  type Question,
  readGraded,
  readSite,
  type Scenario,
  scenarioOf,
} from "./sdk.ts";

const GRADED = /_eval_all([^/\\]*)\.json$/i;
/** `Scenario.codegeneration_N_TEMPERATURE_eval_all.json`; of code execution the model may have been asked to reason, `_cot`. */
const SETTINGS = /_\d+_(\d+(?:\.\d+)?)(_cot)?_eval_all/;
/** `MODEL_Scenario.codegeneration_RELEASE_N__eval_all.json`, as nvidia-livecodebench calls the files of all models in one folder. */
const OF_MODEL = /^(.+)_Scenario\./;
/** `FILE_codegeneration_output_eval_all.json`, of answers that `custom_evaluator` was handed in FILE.json. */
const CUSTOM = /^(.+)_[a-z]+_output_eval_all/;
/** Scenarios by the site's names of them; of the others it has a question several times. */
const SITE_SCENARIOS: ReadonlyMap<string, Scenario> = new Map([["generation", "codegeneration"], ["repair", "selfrepair"]]); // prettier-ignore

/** Why JSON that is LiveCodeBench's isn't a run's. */
const UNREAD = {
  ungraded:
    "answers that weren't graded (….json), and a run's scores (…_eval.json), don't say which questions are solved: lcb_runner.runner.main with --evaluate writes …_eval_all.json, which does",
  summary:
    "there is no question with graded_list in it: the score of a run, as in a summary, doesn't say which questions are solved",
  site: "of the site's files performances_generation.json and performances_repair.json are read, under these names: those of other scenarios have a question several times, and nothing tells its rows apart",
} as const;

/**
 * Runs of LiveCodeBench: `MODEL/Scenario.codegeneration_N_TEMPERATURE_eval_all.json` as `--evaluate` writes it and the
 * repository of submissions has it, with the run's scores in `…_eval.json` beside; and the site's
 * `performances_generation.json`, of many models. The folder names the model, the file's name the scenario; what stands before
 * that names the model, too, where programs put several models into one folder.
 */
export const liveCodeBenchLogs: LogReader<readonly Question[]> = {
  async find(files, { onRemark }) {
    const logs: RunLog<readonly Question[]>[] = [];
    const unread: { readonly file: string; readonly named: boolean; readonly why: keyof typeof UNREAD }[] = [];
    for (const { file, named } of files) {
      const isJson = /\.json$/i.test(file);
      const value = isJson ? await readFoundJson(file, !named && !GRADED.test(file)) : null;
      const why = whyUnread(value, file);
      if (isGraded(value)) logs.push(await gradedLog(file, value));
      else if (why !== null) unread.push({ file, named, why });
      else if (isSite(value)) logs.push(...siteLogs(file, value));
      else if (named) throw invalidLog(file, this.lacking([]));
    }
    const beside = new Set(logs.flatMap(({ file }) => ["$1", "_eval$1"].map((end) => resolve(file.replace(GRADED, `${end}.json`))))); // prettier-ignore
    const left = unread.filter(({ file }) => !beside.has(resolve(file)));
    const [first] = left.filter(({ named }) => named || logs.length === 0);
    if (first !== undefined) throw invalidLog(first.file, UNREAD[first.why]);
    for (const [why, words] of Object.entries(UNREAD)) {
      const same = left.filter((other) => other.why === why).map(({ file }) => file);
      if (same.length > 0)
        onRemark(`${counted(same.length, "file")} of LiveCodeBench ${same.length === 1 ? "is" : "are"} left out: ${firstFew(same)}: ${words}`); // prettier-ignore
    }
    return namedByFile(logs);
  },

  lacking(files) {
    const graded = "a list of questions with graded_list (…_eval_all.json), or the site's performances_generation.json";
    const isUnread = files.some(({ file }) => /_eval\.json$|^Scenario\.[^/\\]*$/.test(basename(file)));
    return `there is no graded run of LiveCodeBench, ${graded}${isUnread ? `: ${UNREAD.ungraded}` : ""}`;
  },

  read({ content }, options) {
    return Promise.resolve(gradedSamples(content!, options));
  },
};

/** Why a file of LiveCodeBench has no scores of single questions; null where it has them, or is none. */
function whyUnread(value: unknown, file: string): keyof typeof UNREAD | null {
  if (isGraded(value)) return null;
  if (isUngraded(value)) return "ungraded";
  if (isSummary(value) || (GRADED.test(file) && value !== null)) return "summary";
  return isSite(value) && siteScenario(file) === null ? "site" : null;
}

async function gradedLog(file: string, value: readonly unknown[]): Promise<RunLog<readonly Question[]>> {
  const scenario = scenarioOf(value, basename(file), file);
  const questions = readGraded(value, scenario, file);
  const [settings, temperature, chain] = SETTINGS.exec(basename(file)) ?? [];
  const [count = 0] = questions.map(({ grades }) => grades.length);
  const epochs = questions.every(({ grades }) => grades.length === count) ? count : null;
  const scoresFile = file.replace(GRADED, "_eval$1.json");
  const score = scoresFile !== file && existsSync(scoresFile) ? scoreIn(await readJsonFile(scoresFile)) : null;
  const aggregates = new Map(score === null ? [] : [[`${PASS},none`, score]]);
  const task = taskOf(scenario);
  const results = {
    ...UNTOLD_RUN,
    generation: settings === undefined ? null : settingsText({ temperature: Number(temperature) }),
    solver: scenario !== "codeexecution" || settings === undefined ? null : chain === undefined ? "direct" : "cot",
    tasks: new Map([[task, { ...UNTOLD_TASK, epochs, aggregates }]]),
  };
  const model = OF_MODEL.exec(basename(file))?.[1] ?? basename(dirname(resolve(file)));
  return { file, model, task, date: "", resultsFile: score === null ? null : scoresFile, results, content: questions };
}

/** Runs of `custom_evaluator` that lie in one folder under several names are of several models, called `FOLDER/FILE`. */
function namedByFile(logs: readonly RunLog<readonly Question[]>[]): RunLog<readonly Question[]>[] {
  const nameOf = ({ file }: RunLog): string | undefined => CUSTOM.exec(basename(file))?.[1];
  const folders = groupBy(logs, ({ file }) => dirname(resolve(file)));
  return logs.map((log) => {
    const names = new Set(folders.get(dirname(resolve(log.file)))!.flatMap((other) => nameOf(other) ?? []));
    return names.size > 1 && nameOf(log) !== undefined ? { ...log, model: `${log.model}/${nameOf(log)}` } : log;
  });
}

/** A run's score as `…_eval.json` has it: first in a list. */
function scoreIn(value: unknown): number | null {
  return numberOf(record(list(value)[0])[PASS]);
}

function siteLogs(file: string, site: Readonly<Record<string, unknown>>): RunLog<readonly Question[]>[] {
  const task = taskOf(siteScenario(file)!);
  const results = { ...UNTOLD_RUN, tasks: new Map([[task, UNTOLD_TASK]]) };
  return readSite(site, file).map(({ model, date, questions }): RunLog<readonly Question[]> => ({
    ...{ file, model, task, date: "", resultsFile: null, results, content: questions },
    about: date === null ? {} : { date },
  }));
}

/** @example siteScenario("mocks/performances_generation.json") // "codegeneration" */
function siteScenario(file: string): Scenario | null {
  const [, name = ""] = /^performances_(generation|repair)\b/.exec(basename(file)) ?? [];
  return SITE_SCENARIOS.get(name) ?? null;
}

function taskOf(scenario: Scenario): string {
  return scenario === "codegeneration" ? "livecodebench" : `livecodebench-${scenario}`;
}
