import type { Board, HarnessWriter, Style, WrittenAttempt, WrittenRun, WrittenSample } from "./board.ts";

const HOUR = 3_600_000;

/**
 * Other runs of which the same scores are to be read: shards, older and broken-off runs, runs that were resumed, documents
 * that were numbered anew, in each run in its way.
 */
export function otherRuns(board: Board, writer: HarnessWriter, style: Style): WrittenRun[] {
  const { random } = style;
  const renumbered = writer.hasContents && writer.isSplit && style.is("documents numbered anew") ? "org/b" : null;
  const runs = board.runs.flatMap((run): WrittenRun[] => {
    // OpenCompass numbers questions by their places.
    const isShuffled = writer.from !== "opencompass" && style.is("samples in another order");
    const ordered = { ...run, samples: isShuffled ? random.shuffle([...run.samples]) : run.samples };
    const written = withOthers(ordered, writer, style);
    return run.model === renumbered ? written.map((own) => numberedAnew(own, style)) : written;
  });
  return style.is("runs in another order") ? random.shuffle(runs) : runs;
}

function withOthers(run: WrittenRun, writer: HarnessWriter, style: Style): WrittenRun[] {
  if (writer.from === "table") return [run];
  const others: WrittenRun[] = [];
  if (style.is("an older whole run"))
    others.push({ ...otherAnswers(run), ended: run.ended - HOUR * (1 + style.random.below(3)) });
  if (style.is("a newer run that broke off before its first sample"))
    others.push({ ...run, samples: [], broken: "Connection error.", ended: run.ended + 3 * HOUR });
  if (!writer.isSplit) return [run, ...others];
  if (style.is("shards")) return [...shards(run, style), ...others];
  if (style.is("resumed")) return [...resumed(run), ...others];
  if (!style.is("a newer run on less")) return [run, ...others];
  const less = { ...otherAnswers(run), samples: otherAnswers(run).samples.slice(0, 2), ended: run.ended + HOUR };
  return [run, less, ...others];
}

/** Ways to number the documents of a run, by their places in it or by the ids that they have. */
const NUMBERINGS: Readonly<Record<string, (sample: WrittenSample, place: number) => number>> = {
  "by their places": (_, place) => place,
  "from 1": ({ id }) => id + 1,
  "by their places from 1": (_, place) => place + 1,
  backwards: ({ id }) => 7 - id,
  "after they were shuffled": ({ id }) => (3 * id + 1) % 8,
};

function numberedAnew(run: WrittenRun, style: Style): WrittenRun {
  const name = style.pick([...Object.keys(NUMBERINGS), "as they are"]);
  style.drawn.push(`numbered ${name}`);
  const number = NUMBERINGS[name];
  return number ? { ...run, samples: run.samples.map((sample, k) => ({ ...sample, id: number(sample, k) })) } : run;
}

/** A run on two parts of the documents, not together; one document may be in both, and counts by the newer. */
function shards(run: WrittenRun, style: Style): WrittenRun[] {
  const [even, odd] = [0, 1].map((rest) => run.samples.filter((_, k) => k % 2 === rest)) as [
    WrittenSample[],
    WrittenSample[],
  ];
  const answered = [even, odd].map((part) => part.filter(({ attempts }) => attempts.every(({ failed }) => !failed)));
  const isShared = answered.every(({ length }) => length > 1) && style.is("a document in two shards");
  const shared = isShared ? otherAnswers({ ...run, samples: [answered[1]![0]!] }).samples : [];
  return [
    { ...run, samples: [...even, ...shared] },
    { ...run, samples: odd, ended: run.ended + HOUR / 2 },
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
