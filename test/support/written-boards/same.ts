import type { Board, HarnessWriter, Style, WrittenAttempt, WrittenRun, WrittenSample } from "./board.ts";

const HOUR = 3_600_000;

/**
 * Other runs of which the same scores are to be read: shards, older and broken-off runs, runs that were resumed, documents
 * that were numbered anew.
 */
export function otherRuns(board: Board, writer: HarnessWriter, style: Style): WrittenRun[] {
  const { random } = style;
  const renumbered = writer.hasContents && writer.isSplit && style.is("documents numbered anew") ? "org/b" : null;
  const runs = board.runs.flatMap((run): WrittenRun[] => {
    // OpenCompass numbers questions by their places.
    const isShuffled = writer.from !== "opencompass" && style.is("samples in another order");
    const samples = isShuffled ? random.shuffle([...run.samples]) : run.samples;
    const own = {
      ...run,
      samples:
        run.model === renumbered
          ? samples.map((sample) => ({ ...sample, id: run.samples.length - 1 - sample.id }))
          : samples,
    };
    if (writer.from === "table") return [own];
    const others: WrittenRun[] = [];
    if (style.is("an older whole run"))
      others.push({ ...otherAnswers(own), ended: own.ended - HOUR * (1 + random.below(3)) });
    if (style.is("a newer run that broke off before its first sample"))
      others.push({ ...own, samples: [], broken: "Connection error.", ended: own.ended + 3 * HOUR });
    if (!writer.isSplit) return [own, ...others];
    if (style.is("shards")) return [...shards(own), ...others];
    if (style.is("resumed")) return [...resumed(own), ...others];
    if (!style.is("a newer run on less")) return [own, ...others];
    const less = { ...otherAnswers(own), samples: otherAnswers(own).samples.slice(0, 2), ended: own.ended + HOUR };
    return [own, less, ...others];
  });
  return style.is("runs in another order") ? random.shuffle(runs) : runs;
}

/** A run on two parts of the documents, not together. */
function shards(run: WrittenRun): WrittenRun[] {
  const [even, odd] = [0, 1].map((rest) => run.samples.filter((_, k) => k % 2 === rest));
  return [
    { ...run, samples: even! },
    { ...run, samples: odd!, ended: run.ended + HOUR / 2 },
  ];
}

/** A run of which the last samples failed, and another on these. */
function resumed(run: WrittenRun): WrittenRun[] {
  const isLate = (_: WrittenSample, k: number): boolean => k >= run.samples.length - 2;
  const failed = (sample: WrittenSample): WrittenSample => ({
    ...sample,
    attempts: sample.attempts.map((attempt): WrittenAttempt => ({ ...attempt, failed: true })),
  });
  return [
    { ...run, samples: run.samples.map((sample, k) => (isLate(sample, k) ? failed(sample) : sample)) },
    { ...run, samples: run.samples.filter(isLate), ended: run.ended + HOUR / 2 },
  ];
}

/** The same run with other answers. */
function otherAnswers(run: WrittenRun): WrittenRun {
  const other = ({ score, failed }: WrittenAttempt): WrittenAttempt => ({ score: 1 - score, failed });
  return { ...run, samples: run.samples.map((sample) => ({ ...sample, attempts: sample.attempts.map(other) })) };
}
