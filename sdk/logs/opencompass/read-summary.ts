import { parsePythonLiteral } from "../python-literal.ts";

/** What the summary of a run says beside its datasets' results. */
export interface OpenCompassSummary {
  /** OpenCompass's digest of each dataset's prompts and settings, by dataset. */
  readonly versions: ReadonlyMap<string, string>;
  /** Scores of groups in full precision, in percent, by model, group and metric. */
  readonly groups: ReadonlyMap<string, ReadonlyMap<string, ReadonlyMap<string, number>>>;
}

const MODEL = /^Model: (.+)$/;
const SCORES = /^(.+?): (\{.*\})$/;
const HEADER = "dataset,version,metric,mode,";

/**
 * Reads `summary/summary_<date>.txt`: its part in CSV has the versions, its raw part the scores.
 * @param groupNames - the groups whose scores are wanted
 * @throws SyntaxError where a group's line of scores is no dictionary
 */
export function readOpenCompassSummary(text: string, groupNames: readonly string[]): OpenCompassSummary {
  const versions = new Map<string, string>();
  const groups = new Map<string, Map<string, Map<string, number>>>();
  let model: Map<string, Map<string, number>> | null = null;
  let inCsv = false;
  for (const line of text.split(/\r?\n/)) {
    inCsv = line.startsWith(HEADER) || (inCsv && line.includes(","));
    if (inCsv) {
      const [dataset, version] = line.split(",");
      if (version !== undefined && version !== "-" && version !== "version") versions.set(dataset!, version);
      continue;
    }
    const name = MODEL.exec(line)?.[1];
    if (name !== undefined) {
      model = new Map<string, Map<string, number>>();
      groups.set(name, model);
      continue;
    }
    const [, group, values] = SCORES.exec(line) ?? [];
    if (model === null || group === undefined || !groupNames.includes(group)) continue;
    const scores = Object.entries(parsePythonLiteral(values!) ?? {}).filter(([, value]) => typeof value === "number");
    model.set(group, new Map(scores as [string, number][]));
  }
  return { versions, groups };
}
