import { readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type Board, type HarnessWriter, Style, type WrittenRun, type WrittenSample } from "./board.ts";

/** What is done to a board before it is written, or to its files after. */
interface Damage {
  readonly name: string;
  /** Harnesses that have nothing to damage so, or can't tell. */
  readonly not?: readonly HarnessWriter["from"][];
  readonly runs?: ChangeRuns;
  readonly files?: ChangeFiles;
}

type ChangeRuns = (runs: readonly WrittenRun[], target: number, style: Style) => WrittenRun[];
type ChangeFiles = (files: readonly string[], style: Style) => void;

/** Values that are no score in any harness. */
const NO_SCORES = ["correct", "c", "50%", "1,5", "1_0", "", "high", null, {}, [1], 7, -3, 1e300];

/** Changes one sample of the run that is meant. */
function onSample(change: (sample: WrittenSample, style: Style) => WrittenSample | WrittenSample[]): ChangeRuns {
  return onRun((run, style) => {
    const place = style.random.below(run.samples.length);
    return { ...run, samples: run.samples.flatMap((sample, k) => (k === place ? change(sample, style) : sample)) };
  });
}

function onRun(change: (run: WrittenRun, style: Style) => WrittenRun | WrittenRun[]): ChangeRuns {
  return (runs, target, style) => runs.flatMap((run, k) => (k === target ? change(run, style) : run));
}

function onFile(change: (file: string, bytes: Buffer, style: Style) => void): ChangeFiles {
  return (files, style) => {
    const file = style.pick(files);
    style.drawn.push(file);
    change(file, readFileSync(file), style);
  };
}

const DAMAGES: readonly Damage[] = [
  {
    name: "a value that is no score",
    not: ["lighteval"], // a column of numbers
    runs: onSample((sample, style) => {
      const raw = style.pick(NO_SCORES);
      style.drawn.push(JSON.stringify(raw));
      const [first, ...others] = sample.attempts;
      return { ...sample, attempts: [{ ...first!, failed: false, raw }, ...others] };
    }),
  },
  {
    name: "values that are no score",
    not: ["lighteval"],
    runs: onRun((run, style) => {
      const raw = style.pick(NO_SCORES);
      style.drawn.push(JSON.stringify(raw));
      const samples = run.samples.map((sample) => ({
        ...sample,
        attempts: sample.attempts.map((attempt) => ({ ...attempt, failed: false, raw })),
      }));
      return { ...run, samples };
    }),
  },
  {
    name: "failures",
    runs: onRun((run) => ({
      ...run,
      samples: run.samples.map((sample, k) => ({
        ...sample,
        attempts: sample.attempts.map((attempt) => (k % 3 === 0 ? { ...attempt, failed: true } : attempt)),
      })),
    })),
  },
  { name: "a sample twice", runs: onSample((sample) => [sample, sample]) },
  {
    name: "two contents under one id",
    not: ["table"],
    runs: onSample((sample) => [sample, { ...sample, question: `${sample.question} And why?` }]),
  },
  {
    name: "other content under an id",
    not: ["table"],
    runs: onSample((sample) => ({ ...sample, question: `${sample.question} And why?` })),
  },
  {
    name: "the contents of two samples swapped",
    not: ["table"],
    runs: onRun((run) => {
      const [one, two, ...others] = run.samples as [WrittenSample, WrittenSample, ...WrittenSample[]];
      const { question, target } = one;
      const swapped = [
        { ...one, question: two.question, target: two.target },
        { ...two, question, target },
      ];
      return { ...run, samples: [...swapped, ...others] };
    }),
  },
  { name: "half of the samples", runs: onRun((run) => ({ ...run, samples: run.samples.slice(0, 3) })) },
  { name: "a run that isn't there", runs: onRun(() => []) },
  { name: "a task that is called otherwise", runs: onRun((run) => ({ ...run, task: `${run.task}2` })) },
  { name: "a task with a space", not: ["lm-eval"], runs: onRun((run) => ({ ...run, task: `${run.task} ` })) },
  { name: "a task in capitals", runs: onRun((run) => ({ ...run, task: run.task.toUpperCase() })) },
  { name: "a model that is called otherwise", runs: onRun((run) => ({ ...run, model: `${run.model}2` })) },
  {
    name: "scores in percent",
    runs: onRun((run) => ({
      ...run,
      samples: run.samples.map((sample) => ({
        ...sample,
        attempts: sample.attempts.map((attempt) => ({ ...attempt, score: 100 * attempt.score })),
      })),
    })),
  },
  {
    name: "a run that broke off",
    not: ["table", "lm-eval", "lighteval", "helm", "eee"],
    runs: onRun((run) => ({ ...run, samples: run.samples.slice(0, 2), broken: "Connection error." })),
  },
  {
    name: "another run that ended at the same time",
    not: ["table", "lm-eval", "lighteval", "helm", "opencompass"], // the same file
    runs: onRun((run) => [
      run,
      {
        ...run,
        samples: run.samples.map((sample) => ({
          ...sample,
          attempts: sample.attempts.map((attempt) => ({ ...attempt, score: 1 - attempt.score })),
        })),
      },
    ]),
  },
  {
    name: "a half that was asked at another temperature",
    not: ["table", "opencompass"], // in no parts
    runs: onRun((run) => {
      const half = run.samples.length / 2;
      const rest = { ...run, samples: run.samples.slice(half), ended: run.ended + 60_000, temperature: 1 };
      return [{ ...run, samples: run.samples.slice(0, half) }, rest];
    }),
  },
  {
    name: "a model's ids as fractions, as tables have them where one is missing",
    not: ["lm-eval", "inspect", "helm", "lighteval", "eee", "opencompass"],
    files: onFile((file, bytes) => writeFileSync(file, bytes.toString().replace(/^org\/b,\w+\/\d+/gm, "$&.0"))),
  },
  {
    name: "a file that is cut",
    files: onFile((file, bytes, { random }) => writeFileSync(file, cut(file, bytes, random.next()))),
  },
  { name: "an empty file", files: onFile((file) => writeFileSync(file, "")) },
  { name: "a file that isn't there", not: ["table"], files: onFile((file) => rmSync(file)) },
  { name: "a file of another kind", files: onFile((file) => renameSync(file, `${file}.bak`)) },
  {
    name: "a block of zeros",
    not: ["lighteval"], // Parquet's pages have no checksum
    files: onFile((file, bytes, { random }) => {
      const begin = random.below(Math.max(1, bytes.length - 16));
      writeFileSync(file, Buffer.from(bytes).fill(0, begin, begin + 16));
    }),
  },
  {
    name: "text behind the end",
    not: ["lighteval"],
    files: onFile((file, bytes) => writeFileSync(file, Buffer.concat([bytes, Buffer.from("\n\nx")]))),
  },
];

/** A file's beginning. Of a CSV the cut is in a row's first cells, where it shows. */
function cut(file: string, bytes: Buffer, share: number): Buffer {
  const end = Math.floor(share * bytes.length);
  if (!file.endsWith(".csv")) return bytes.subarray(0, end);
  const row = bytes.lastIndexOf("\n", end) + 1;
  return bytes.subarray(0, row + 2);
}

/**
 * Damages a board in one way, and writes it.
 * @param which - which damage it is, round and round; details are drawn by the style
 * @returns the model whose scores may change; null where any may
 */
export function writeDamaged(
  folder: string,
  board: Board,
  writer: HarnessWriter,
  { style, which }: { readonly style: Style; readonly which: number },
): string | null {
  const able = DAMAGES.filter(({ not = [] }) => !not.includes(writer.from));
  const damage = able[which % able.length]!;
  style.drawn.push(damage.name);
  const target = style.random.below(board.runs.length);
  const plain = new Style("plain", 0);
  writer.write(folder, damage.runs?.(board.runs, target, style) ?? board.runs, plain);
  damage.files?.(filesOf(folder), style);
  return damage.runs ? board.runs[target]!.model : null;
}

function filesOf(folder: string): string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => join(parentPath, name))
    .sort();
}
