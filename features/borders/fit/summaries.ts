import { groupBy } from "anchoreval/internal/logs/run-log";
import { quoted } from "anchoreval/internal/tables/data-issues";
import { isBinary, type ResponseMatrix, scoreAt } from "../../../offline-trainer/src/matrix/response-matrix.ts";
import type { BorderFinding } from "./findings.ts";

/** Chance, over all that a line of a table is compared with, at which it is the mean of others and no line of its own. */
const CERTAIN = 1e-6;
/** The same of a line whose name says that it is a summary. */
const NAMED = 1e-2;
/** Lines that a mean is of, at least. */
const FEWEST = 3;
/** Cells of a column or row that equal the others' means, at least. */
const FEWEST_CELLS = 5;
/** Decimals to which summaries are rounded, at least; 1 where the name says that it is one. */
const FEWEST_DECIMALS = 2;
/** Units of the last decimal in 1 from which on numbers aren't rounded: a float32 has no more. */
const MOST_UNITS = 1e7;
/** The error of a mean of thousands of float32. */
const FLOAT_NOISE = 2e-6;
/** The error of a decimal number of [0,1] as a float32, at most. */
const FLOAT32_STEP = 6e-8;
/** Columns up to which those before a column are tried for its mean from each of them on: the square of so many in all. */
const MOST_BLOCKS = 5000;
/** Groups of which each has its mean: a board has fewer scenarios, and ids that have nothing in common more. */
const MOST_GROUPS = 500;
/** Cells that are looked at first. */
const FIRST_CELLS = 8;

/** Words by which a column or row may be a summary. */
const SUMMARY = /(?:^|[^a-z])(?:avg|average|mean|median|overall|total|aggregate|summary|macro|micro|all|score|accuracy|acc)(?:[^a-z]|$)/i; // prettier-ignore
/** Words by which a row is the best or the worst of the others, item by item. */
const EXTREME = /(?:^|[^a-z])(?:oracle|best|max|maximum|worst|min|minimum|upper|lower|ensemble|majority|median)(?:[^a-z]|$)/i; // prettier-ignore

/** A table of scores seen by its columns, or by its rows: lines of cells, NaN where there is none. */
export interface Lines {
  readonly names: readonly string[];
  readonly cells: number;
  at(line: number, cell: number): number;
}

/**
 * Columns that are the mean, or the sum, of other columns, and rows of other rows, to the decimals that they have: of all others, of those
 * of their scenario or of another one, of a block of columns before them, or of the scenarios' means. Binary boards have none:
 * a mean of three answers is a fraction.
 */
export function summaryFindings(matrix: ResponseMatrix): BorderFinding[] {
  const { subjects, items } = matrix;
  const { columns, rows } = linesOf(matrix);
  const groupings = [items.map(({ scenario }) => scenario), stems(columns.names)];
  return [
    ...(isBinary(matrix) ? [] : means(columns, groupings)).map(({ line, of }) =>
      summary("item", columns.names[line]!, of, true),
    ),
    ...(isBinary(matrix) ? [] : means(rows, [])).map(({ line, of }) =>
      summary("model", subjects[line]!, `on every item ${of}`, true),
    ),
    ...extremes(rows).map(({ line, of }) => summary("model", subjects[line]!, of, false)),
  ];
}

/** A board by its columns, and by its rows. */
export function linesOf(matrix: ResponseMatrix): { columns: Lines; rows: Lines } {
  const { subjects, items } = matrix;
  return {
    columns: {
      names: items.map((item) => item.item_id),
      cells: subjects.length,
      at: (line, cell) => scoreAt(matrix, cell, line),
    },
    rows: { names: subjects, cells: items.length, at: (line, cell) => scoreAt(matrix, line, cell) },
  };
}

/** @param certain - whether it is one for certain, not by its name alone */
function summary(kind: "item" | "model", name: string, of: string, certain: boolean): BorderFinding {
  const place = kind === "item" ? "column" : "row";
  return {
    code: `summary_${place}`,
    refused: certain,
    names: [name],
    message: `${kind} ${quoted(name)} is ${of}: a summary, no ${kind}; leave its ${place} out`,
  };
}

/** The lines that are means of others. */
function means(lines: Lines, groupings: readonly (readonly string[])[]): { line: number; of: string }[] {
  const count = lines.names.length;
  const summaries = new Map<number, string>();
  const shareOf = scoreShares(lines);
  const cells = Array.from({ length: count }, (_, line) => cellsOf(lines, line, shareOf));
  // A summary of summaries, and the means of two scenarios beside that of both, are found once the others are out.
  for (let size = -1; size < summaries.size;) {
    size = summaries.size;
    const others = (line: number): number[] =>
      Array.from({ length: count }, (_, k) => k).filter((k) => k !== line && !summaries.has(k));
    const sums = lineSums(lines, others(-1), groupings);
    for (const [line, lineCells] of cells.entries()) {
      if (lineCells === null || summaries.has(line)) continue;
      const of =
        sums.match(line, lineCells) ??
        (count <= MOST_BLOCKS && groupings.length > 0 ? blockMatch(lines, line, lineCells, summaries) : null);
      if (of !== null) summaries.set(line, of);
    }
  }
  return [...summaries].map(([line, of]) => ({ line, of }));
}

/** The cells of a line that may be a summary. */
interface LineCells {
  /** Half of its last decimal. */
  readonly tolerance: number;
  /** Log chance that all cells but two are the same as others' means by chance. */
  readonly chance: number;
}

/**
 * How often a score between 0 and 1 is on a board, as a share of such scores: of pass rates among ten runs each is, and the mean
 * of three may well be a fourth. 0 and 1 tell nothing: the mean of right answers is right.
 */
function scoreShares(lines: Lines): (score: number) => number {
  const times = new Map<number, number>();
  let sum = 0;
  for (let line = 0; line < lines.names.length; line++)
    for (let cell = 0; cell < lines.cells; cell++) {
      const score = lines.at(line, cell);
      if (!(score > 0 && score < 1)) continue;
      times.set(score, (times.get(score) ?? 0) + 1);
      sum++;
    }
  return (score) => ((times.get(score) ?? 1) - 1) / sum;
}

/** The cells of a line; null where it can't be a summary. @param shareOf - {@link scoreShares} */
function cellsOf(lines: Lines, line: number, shareOf: (score: number) => number): LineCells | null {
  let [low, high, cells] = [Infinity, -Infinity, 0];
  const fractions: number[] = [];
  let unit = 10 ** (SUMMARY.test(lines.names[line]!) ? 1 : FEWEST_DECIMALS);
  for (let cell = 0; cell < lines.cells; cell++) {
    const score = lines.at(line, cell);
    if (Number.isNaN(score)) continue;
    cells++;
    low = Math.min(low, score);
    high = Math.max(high, score);
    if (score > 0 && score < 1) fractions.push(score);
    while (unit < MOST_UNITS && Math.abs(score - Math.round(score * unit) / unit) > FLOAT32_STEP) unit *= 10;
  }
  if (fractions.length === 0 || cells < FEWEST_CELLS || high <= low) return null;
  const tolerance = (unit < MOST_UNITS ? 0.5 / unit : 0) + FLOAT_NOISE;
  const near = Math.min(1, (2 * tolerance) / (high - low));
  const chances = fractions.map((score) => Math.log(Math.max(near, shareOf(score)))).sort((x, y) => x - y);
  return { tolerance, chance: chances.slice(2).reduce((sum, log) => sum + log, 0) };
}

/** Whether the cells of a line are others' means by more than chance, out of so many sets of others. */
function isCertain({ chance }: LineCells, sets: number, name: string): boolean {
  return Math.log(sets) + chance < Math.log(SUMMARY.test(name) ? NAMED : CERTAIN);
}

/** The beginnings of ids, without a number or what comes after the last separator at their end: "math" of "math/q1", "math_avg" and "math12". */
function stems(ids: readonly string[]): string[] {
  return ids.map((id) => id.replace(/(?:[^\p{L}\d]*\d+|[/:_.\s-][^/:_.\s-]*)$/u, ""));
}

/** Lines that a mean may be of. */
interface LineSet {
  readonly of: string;
  readonly members: ReadonlySet<number>;
  readonly sum: Float64Array;
  readonly count: Float64Array;
}

/** Means of all lines, and of those of each group of a grouping, without one of them. */
function lineSums(
  lines: Lines,
  all: readonly number[],
  groupings: readonly (readonly string[])[],
): { match(line: number, cells: LineCells): string | null } {
  const sumOf = (of: string, members: readonly number[]): LineSet => {
    const [sum, count] = [new Float64Array(lines.cells), new Float64Array(lines.cells)];
    for (const line of members)
      for (let cell = 0; cell < lines.cells; cell++) {
        const score = lines.at(line, cell);
        if (Number.isNaN(score)) continue;
        sum[cell]! += score;
        count[cell]!++;
      }
    return { of, members: new Set(members), sum, count };
  };
  const divisions = groupings.flatMap((groups, k) => {
    const sets = [...groupBy(all, (line) => groups[line]!)].filter(
      ([, members]) => k === 0 || members.length >= FEWEST,
    );
    if (sets.length < 2 || (k > 0 && sets.length > MOST_GROUPS)) return [];
    return [sets.map(([id, members]) => sumOf(`the items of ${id}`, members))];
  });
  const sums = [sumOf("all others", all), ...divisions.flat()];
  return {
    match: (line, cells) => {
      if (!isCertain(cells, 3 * sums.length + divisions.length, lines.names[line]!)) return null;
      const others = ({ members, sum, count }: LineSet, cell: number): [sum: number, count: number] => {
        const inside = members.has(line) && !Number.isNaN(lines.at(line, cell));
        return inside ? [sum[cell]! - lines.at(line, cell), count[cell]! - 1] : [sum[cell]!, count[cell]!];
      };
      const mean = (set: LineSet, cell: number): number => {
        const [sum, count] = others(set, cell);
        return sum / count;
      };
      for (const set of sums) {
        if (set.members.size - (set.members.has(line) ? 1 : 0) < FEWEST) continue;
        if (equals(lines, line, cells, (cell) => mean(set, cell))) return `the mean of ${set.of}`;
        if (equals(lines, line, cells, (cell) => 1 - mean(set, cell))) return `1 less the mean of ${set.of}`;
        if (equals(lines, line, cells, (cell) => others(set, cell)[0])) return `the sum of ${set.of}`;
      }
      const isMeanOfMeans = divisions.some((sets) =>
        equals(lines, line, cells, (cell) => sets.reduce((sum, set) => sum + mean(set, cell), 0) / sets.length),
      );
      return isMeanOfMeans ? "the mean of the scenarios' means" : null;
    },
  };
}

/** Whether every cell of a line is what others say, to its decimals. */
function equals(lines: Lines, line: number, { tolerance }: LineCells, expected: (cell: number) => number): boolean {
  for (let cell = 0; cell < lines.cells; cell++) {
    const score = lines.at(line, cell);
    if (!Number.isNaN(score) && !(Math.abs(score - expected(cell)) <= tolerance)) return false;
  }
  return true;
}

/** A block of columns just before a column whose mean it is, as spreadsheets have them. */
function blockMatch(
  lines: Lines,
  line: number,
  lineCells: LineCells,
  summaries: ReadonlyMap<number, string>,
): string | null {
  if (!isCertain(lineCells, line + 1, lines.names[line]!)) return null;
  // Few cells tell most blocks apart; the others are looked at where these agree.
  const cells = Array.from({ length: lines.cells }, (_, cell) => cell)
    .filter((cell) => !Number.isNaN(lines.at(line, cell)))
    .slice(0, FIRST_CELLS);
  const sums = cells.map(() => 0);
  const counts = cells.map(() => 0);
  const block: number[] = [];
  for (let first = line - 1; first >= 0; first--) {
    if (summaries.has(first)) continue;
    block.push(first);
    let equal = block.length >= FEWEST;
    cells.forEach((cell, k) => {
      const score = lines.at(first, cell);
      if (!Number.isNaN(score)) {
        sums[k]! += score;
        counts[k]!++;
      }
      equal &&= Math.abs(lines.at(line, cell) - sums[k]! / counts[k]!) <= lineCells.tolerance;
    });
    if (equal && equals(lines, line, lineCells, (cell) => meanAt(lines, block, cell)))
      return `the mean of the ${block.length} before it, from ${quoted(lines.names[first]!)} on`;
  }
  return null;
}

function meanAt(lines: Lines, block: readonly number[], cell: number): number {
  const scores = block.map((line) => lines.at(line, cell)).filter((score) => !Number.isNaN(score));
  return scores.reduce((sum, score) => sum + score, 0) / scores.length;
}

/** Rows whose names say that they are the best, the worst or the middle of the others, and that are on every item. */
function extremes(lines: Lines): { line: number; of: string }[] {
  const count = lines.names.length;
  return lines.names.flatMap((name, line) => {
    if (!EXTREME.test(name)) return [];
    const possible = new Set(["the best", "the worst", "the median"]);
    let cells = 0;
    for (let cell = 0; cell < lines.cells && possible.size > 0; cell++) {
      const score = lines.at(line, cell);
      const others = Array.from({ length: count }, (_, k) => (k === line ? NaN : lines.at(k, cell)))
        .filter((value) => !Number.isNaN(value))
        .sort((x, y) => x - y);
      if (Number.isNaN(score) || others.length < FEWEST) continue;
      cells++;
      if (score !== others.at(-1)) possible.delete("the best");
      if (score !== others[0]) possible.delete("the worst");
      const middle = [others[(others.length - 1) >> 1]!, others[others.length >> 1]!];
      if (score < middle[0]! || score > middle[1]!) possible.delete("the median");
    }
    const [of] = possible;
    return of !== undefined && cells >= FEWEST_CELLS ? [{ line, of: `on every item ${of} of the other models` }] : [];
  });
}
