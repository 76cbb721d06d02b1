import { basename, dirname, join, resolve } from "node:path";
import { record, settingsText, sortableDate, textOf } from "../../sdk/logs/json.ts";
import { type RunLog, UNTOLD_RUN, UNTOLD_TASK } from "../../sdk/logs/run-log.ts";
import { invalidLog } from "../../sdk/logs/score-rows.ts";
import { type LogReader, readFoundJson, readJsonBeside, runName } from "../../sdk/node/logs/log-files.ts";
import { firstFew } from "../../sdk/tables/data-issues.ts";
import { counted } from "../../sdk/words/figures.ts";
import { isResults, readResults, type Solution, solutionSamples } from "./sdk.ts";

/** Of versions up to 0.3.1, later ones, and of samples in a folder. */
const RESULTS = /(?:^|[._])eval_results\.json$/i;
const SAMPLES = /(?:\.raw)?\.jsonl$/i;
const UNJUDGED =
  "samples (….jsonl) don't say which tests they pass: evalplus.evaluate --dataset DATASET --samples FILE writes it, into ….eval_results.json beside them";

/**
 * Results of EvalPlus: `MODEL_BACKEND_temp_TEMPERATURE_eval_results.json` of version 0.3.1, `….eval_results.json` of later
 * ones, `eval_results.json` of samples in a folder. The file names the model, else the folder, with `--` for its slashes; the
 * folder also where the file is called `samples` or by its benchmark.
 */
export const evalPlusLogs: LogReader<readonly Solution[]> = {
  beside: /\.jsonl$/i,

  async find(files, { onRemark }) {
    const logs: RunLog<readonly Solution[]>[] = [];
    const [samples, others]: [(typeof files)[number][], string[]] = [[], []];
    for (const entry of files) {
      const { file, named } = entry;
      const isNamed = named || RESULTS.test(basename(file));
      const value = /\.json$/i.test(file) ? await readFoundJson(file, !isNamed) : null;
      if (isResults(value)) logs.push(await runLog(file, value));
      else if (SAMPLES.test(file)) samples.push(entry);
      else if (named) throw invalidLog(file, this.lacking([]));
      else if (isNamed) others.push(file);
    }
    const judged = new Set(logs.map(({ file }) => stemOf(file)));
    const unjudged = samples.filter(({ file }) => !judged.has(stemOf(file)));
    const first = unjudged.find(({ named }) => named);
    if (first !== undefined) throw invalidLog(first.file, UNJUDGED);
    if (logs.length > 0 && unjudged.length > 0)
      onRemark(`${counted(unjudged.length, "file")} of samples without results ${unjudged.length === 1 ? "is" : "are"} left out: ${firstFew(unjudged.map(({ file }) => file))}: ${UNJUDGED}`); // prettier-ignore
    if (others.length > 0)
      onRemark(`${counted(others.length, "file")} with another benchmark's results, or none, ${others.length === 1 ? "is" : "are"} passed over: ${firstFew(others)}`); // prettier-ignore
    return logs;
  },

  lacking(files) {
    const isUnjudged = files.some(({ file }) => SAMPLES.test(file));
    return `there are no results of EvalPlus, …_eval_results.json or ….eval_results.json${isUnjudged ? `: ${UNJUDGED}` : ""}`;
  },

  read({ content }, options) {
    return Promise.resolve(solutionSamples(content!, options));
  },
};

async function runLog(file: string, value: Readonly<Record<string, unknown>>): Promise<RunLog<readonly Solution[]>> {
  const { task, solutions, epochs, hash, aggregates } = readResults(value, file);
  const { model, backend, generation } = readName(file);
  const version = await releaseOf(file, hash);
  return {
    ...{ file, model, task, date: sortableDate(value.date), content: solutions },
    resultsFile: aggregates.size === 0 ? null : file,
    results: {
      ...UNTOLD_RUN,
      generation,
      modelFacts: new Map(backend === null ? [] : [["backend", backend]]),
      tasks: new Map([[task, { ...UNTOLD_TASK, version, epochs, aggregates }]]),
    },
  };
}

/**
 * The digest of the release that was judged by. Tasks that `export` takes out of one have a digest of their own, and beside their
 * results a file with both.
 */
async function releaseOf(file: string, hash: string | null): Promise<string | null> {
  if (hash === null) return null;
  const part = record(await readJsonBeside(join(dirname(file), "anchoreval.json")));
  return part.hash === hash ? (textOf(part.release) ?? hash) : hash;
}

interface RunName extends Record<"backend" | "generation", string | null> {
  readonly model: string;
}

/** A file or folder that is called by its benchmark or by what it has, `samples` or `humaneval`, and not by its model. */
const UNNAMED = /^(?:(?:humaneval|mbpp)(?:plus|\+)?[-_.]?)?(?:samples?|outputs?|generations?|completions?|predictions?|solutions?|results?)?(?:[-_.](?:sanitized|raw))?$/i; // prettier-ignore

/** Model, engine and settings by the name, `ORG--MODEL_BACKEND_temp_TEMPERATURE`, what follows being how samples were changed. */
function readName(file: string): RunName {
  const name = runName(stemOf(file), UNNAMED);
  const [, run = name, temperature, variant = ""] = /^(.+)_temp_(\d+(?:\.\d+)?)(.*)$/.exec(name) ?? [];
  const [ending, backend = null] = (temperature !== undefined && BACKEND.exec(run)) || [""];
  return {
    model: run.slice(0, run.length - ending.length).replaceAll("--", "/"),
    backend,
    generation: settingsText({
      temperature: temperature === undefined ? null : Number(temperature),
      variant: variant === "" ? null : variant,
    }),
  };
}

/** Engines of evalplus 0.3.1 that make answers. */
const BACKEND = /_(vllm|hf|openai|anthropic|google|bedrock|gptqmodel|ollama|hf_gaudi)$/;

/** The path of results and of their samples without what tells them apart; of `eval_results.json` its folder. */
function stemOf(file: string): string {
  const path = resolve(file);
  const stem = basename(path).replace(RESULTS, "").replace(SAMPLES, "").replace(/\.json$/i, ""); // prettier-ignore
  return stem === "" ? dirname(path) : resolve(dirname(path), stem);
}
