import { existsSync } from "node:fs";
import { readEeeAggregate, eeeLines, readEeeSamples } from "./sdk.js";
import { invalidLog } from "../../sdk/logs/score-rows.js";
import { logsAmong } from "../../sdk/node/logs/log-files.js";
import { readJsonFile, textLines } from "../../sdk/node/read-file.js";
const LINES = /\.jsonl(\.gz)?$/i;
/**
 * Records of Every Eval Ever: instance-level JSON lines (`<id>_samples.jsonl`), each with its aggregate file (`<id>.json`)
 * beside it. A file may have several tasks, by `evaluation_name`; each is a run.
 */
export const eeeLogs = {
  async find(files, { onRemark }) {
    const logs = [];
    const words = "instance-level records of Every Eval Ever are .jsonl files";
    for (const { file } of logsAmong(files, (path) => LINES.test(path), words)) {
      const aggregateFile = aggregateBeside(file);
      const aggregate = await readAggregate(aggregateFile);
      const [models, tasks] = [new Set(), new Set()];
      for await (const { model, task } of eeeLines(file, textLines(file))) {
        models.add(model);
        tasks.add(task);
      }
      if (tasks.size === 0) onRemark(`${file} has no records, and is passed over`);
      const [model, other] = models;
      if (other !== undefined) throw invalidLog(file, `it has records of several models: ${model}, ${other}`);
      const reported = aggregate?.results.model ?? null;
      if (model !== undefined && reported !== null && !isLikeName(model, reported))
        onRemark(`${file} has records of ${model}, and its aggregate is of ${reported}: ${model} counts`);
      for (const task of tasks)
        logs.push({
          ...{ file, model: model, task, date: aggregate?.date ?? "", results: aggregate?.results ?? null },
          resultsFile: aggregate === null ? null : aggregateFile,
        });
    }
    return logs;
  },
  lacking: (files) =>
    `there are no instance-level records of Every Eval Ever (….jsonl)${files.some(({ file }) => file.endsWith(".json")) ? ", only aggregates: scores of single samples are needed" : ""}`,
  async read({ file, task }, options) {
    async function* own() {
      for await (const line of eeeLines(file, textLines(file))) if (line.task.normalize("NFC") === task) yield line;
    }
    const aggregate = await readAggregate(aggregateBeside(file));
    return readEeeSamples(own(), aggregate?.metrics ?? new Map(), options);
  },
};
/** Whether two names may be of one model: the same, or one with its organisation before it. */
function isLikeName(left, right) {
  const [short, long] = [left.toLowerCase(), right.toLowerCase()].sort((one, other) => one.length - other.length);
  return short === long || long.endsWith(`/${short}`);
}
function aggregateBeside(file) {
  return file.replace(LINES, "").replace(/_samples$/, "") + ".json";
}
async function readAggregate(file) {
  return existsSync(file) ? readEeeAggregate(await readJsonFile(file)) : null;
}
