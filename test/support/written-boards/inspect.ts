import { type HarnessWriter, loggedScore, type Style, type WrittenAttempt, type WrittenRun } from "./board.ts";
import { isoDate, jsonText, put, zipOf } from "./files.ts";

/** Logs of Inspect: a file a run, JSON or an archive. */
export const inspectWriter: HarnessWriter = {
  from: "inspect",
  repeats: true,
  failedScore: null,
  isSplit: true,
  hasContents: true,
  idOf: ({ id }) => String(id),
  write(folder, runs, style) {
    for (const [k, run] of runs.entries()) {
      const name = `${style.is("other file names") ? style.random.below(1e9) : k}-${run.task}`;
      const { samples, ...header } = logOf(run, style);
      if (style.is("an archive")) {
        const files = Object.fromEntries(
          samples.map((sample) => [`samples/${sample.id}_epoch_${sample.epoch}.json`, jsonText(sample, style)]),
        );
        const archive = zipOf({ ...files, "header.json": jsonText(header, style) }, style);
        put(folder, `${name}${style.is("capitals") ? ".EVAL" : ".eval"}`, archive);
      } else put(folder, `${name}.json`, jsonText({ ...header, samples }, style));
    }
  },
};

function logOf({ model, task, ended, samples, broken, temperature }: WrittenRun, style: Style) {
  const epochs = Math.max(1, ...samples.map(({ attempts }) => attempts.length));
  const asText = style.is("scores as Inspect's letters and numbers as text");
  const textIds = style.is("ids as text");
  const nfd = style.is("decomposed characters") ? "NFD" : "NFC";
  const entries = samples.flatMap((sample) => sample.attempts.map((attempt, k) => ({ sample, attempt, epoch: k + 1 })));
  if (style.is("epochs in another order")) style.random.shuffle(entries);
  return {
    version: 2,
    status: broken === undefined ? "success" : "error",
    ...(broken !== undefined && { error: { message: broken, traceback: "…" } }),
    eval: {
      created: isoDate(ended - 60_000, style),
      task,
      task_version: 0,
      model: model.normalize(nfd),
      model_args: {},
      dataset: { samples: 20 },
      config: { epochs },
      packages: { inspect_ai: "0.3.285" },
    },
    plan: {
      steps: [{ solver: "generate", params: {}, params_passed: {} }],
      config: { max_connections: style.random.below(9), temperature },
    },
    results: { scores: [] },
    stats: style.is("without its end") ? {} : { completed_at: isoDate(ended, style) },
    samples: entries.map(({ sample, attempt, epoch }) => ({
      id: textIds ? String(sample.id) : sample.id,
      epoch,
      input: sample.question.normalize(nfd),
      target: sample.target,
      scores: isScored(attempt)
        ? { match: { value: asText ? lettered(attempt) : loggedScore(attempt, null), answer: "x" } }
        : {},
      ...(attempt.failed && { error: { message: "429 Too Many Requests", traceback: "…" } }),
    })),
  };
}

function isScored(attempt: WrittenAttempt): boolean {
  return !attempt.failed || attempt.raw !== undefined;
}

function lettered({ score, raw }: WrittenAttempt): unknown {
  return raw ?? { 0: "I", 1: "C", 0.5: "P" }[score] ?? String(score);
}
