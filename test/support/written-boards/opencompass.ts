import { type HarnessWriter, loggedScore, type Style, type WrittenRun } from "./board.ts";
import { jsonText, put } from "./files.ts";

/** Results of OpenCompass, in the folder of their run, with its predictions. */
export const openCompassWriter: HarnessWriter = {
  from: "opencompass",
  repeats: true,
  failedScore: 0,
  isSplit: false, // a part of the questions is numbered anew
  hasContents: true,
  modelOf,
  idOf: ({ id }) => String(id),
  write(folder, runs, style) {
    for (const run of runs) {
      const date = new Date(run.ended).toISOString().replaceAll(/[-:]/g, "").replace("T", "_").slice(0, 15);
      const model = modelOf(run.model);
      const place = (kind: string): string => `${date}/${kind}/${model}/${run.task}.json`;
      put(folder, place("results"), jsonText(resultsOf(run), style));
      if (run.broken === undefined) writePredictions(folder, place("predictions"), run, style);
    }
  },
};

function modelOf(model: string): string {
  return model.replace("/", "-");
}

function resultsOf({ samples, broken }: WrittenRun): object {
  if (broken !== undefined) return { error: broken };
  const several = samples.some(({ attempts }) => attempts.length > 1);
  const details = samples.map(({ id, attempts }) => {
    const scores = attempts.map((attempt) => loggedScore(attempt, 0));
    return { example_abbr: `x_${id}`, pred: "x", score: several ? scores : scores[0] };
  });
  return { score: 50, details };
}

/** Run after run of all questions, by number; whole or in parts. */
function writePredictions(folder: string, name: string, { samples }: WrittenRun, style: Style): void {
  const count = Math.max(0, ...samples.map(({ attempts }) => attempts.length));
  const all = Array.from({ length: count }, (_, run) =>
    samples.map(({ question, target, attempts }) => ({
      origin_prompt: [{ role: "HUMAN", prompt: question }],
      prediction: attempts[run]!.failed ? "" : "x",
      gold: target,
    })),
  ).flat();
  const numbered = (part: readonly object[]): object => Object.fromEntries(part.map((entry, k) => [String(k), entry]));
  if (!style.is("predictions in parts")) put(folder, name, jsonText(numbered(all), style));
  else
    for (const [k, part] of [all.slice(0, 5), all.slice(5)].entries())
      put(folder, name.replace(".json", `_${k}.json`), jsonText(numbered(part), style));
}
