import { firstFew, quoted } from "anchoreval/internal/tables/data-issues";
import { isBinary, type ResponseMatrix } from "../../../offline-trainer/src/matrix/response-matrix.ts";
import type { BorderFinding } from "./findings.ts";
import { type Lines, linesOf } from "./summaries.ts";

/** Words of which a summary's name has one. */
const SUMMARY = /^(?:avg|average|mean|median|overall|total|sum|subtotal|aggregate|aggregated|summary|macro|micro|geomean|std|stdev|stddev|stderr|sem|variance|rank|ranking|percentile|winrate|difficulty|min|max|minimum|maximum)$/; // prettier-ignore
/** Words that it may have besides. */
const BESIDE = /^(?:of|the|all|by|per|and|over|models?|items?|questions?|tasks?|scores?|accuracy|acc|weighted|unweighted|normali[sz]ed|norm|harmonic|geometric|pct|percent|rate|correct|win|error|dev|standard|deviation|difference|top|best|group|grand|row|column)$/; // prettier-ignore
/** Lines of fractions beside others of 0 and 1 alone: more are a part of the board. */
const MOST_LONE = 5;
/** Share of a line's cells that are many fractions: more than a summary of the other kind makes. */
const MANY = 0.25;
/** Lines of 0 and 1 for one of fractions, at least. */
const BESIDE_ONE = 10;

/**
 * Columns and rows that no sum tells to be summaries, as medians, weighted means, deviations and ranks, and that look like some:
 * by their whole names, or since they have fractions where all others have 0 and 1 alone.
 */
export function likelySummaries(matrix: ResponseMatrix, findings: readonly BorderFinding[]): BorderFinding[] {
  const { columns, rows } = linesOf(matrix);
  const taken = new Set(findings.flatMap(({ names }) => names));
  const lone = isBinary(matrix) ? { columns: [], rows: [] } : loneFractions(columns, rows);
  return [...likely("item", columns, lone.columns, taken), ...likely("model", rows, lone.rows, taken)];
}

function likely(
  kind: "item" | "model",
  { names }: Lines,
  lone: readonly number[],
  taken: ReadonlySet<string>,
): BorderFinding[] {
  const place = kind === "item" ? "column" : "row";
  const said = (lines: readonly string[], one: string, several: string): BorderFinding[] => {
    if (lines.length === 0) return [];
    const whose = lines.length === 1 ? `${kind} ${quoted(lines[0]!)} ${one}` : `${kind}s ${firstFew(lines)} ${several}`;
    const which = lines.length === 1 ? `a summary, leave its ${place} out` : `summaries, leave their ${place}s out`;
    return [{ code: `summary_${place}`, names: lines, message: `${whose}: if ${lines.length === 1 ? "it is" : "they are"} ${which}` }]; // prettier-ignore
  };
  const byName = names.filter((name) => isSummaryName(name) && !taken.has(name));
  const fractions = lone.map((line) => names[line]!).filter((name) => !taken.has(name) && !byName.includes(name));
  const others = "between 0 and 1, where all others have 0 and 1 alone";
  return [
    ...said(byName, "is called as summaries are", "are called as summaries are"),
    ...said(fractions, `has scores ${others}`, `have scores ${others}`),
  ];
}

/** Whether a name, after its scenario, says a summary and nothing else. */
function isSummaryName(name: string): boolean {
  const words = name
    .slice(name.lastIndexOf("/") + 1)
    .toLowerCase()
    .split(/[^\p{L}]+/u)
    .filter((word) => word !== "");
  return words.some((word) => SUMMARY.test(word)) && words.every((word) => SUMMARY.test(word) || BESIDE.test(word));
}

/** The few columns, and the few rows, with many fractions in a board that has none elsewhere. */
function loneFractions(columns: Lines, rows: Lines): { columns: number[]; rows: number[] } {
  const zeros = ({ names }: Lines) => ({
    fractions: new Uint32Array(names.length),
    cells: new Uint32Array(names.length),
  });
  const counts = { columns: zeros(columns), rows: zeros(rows) };
  const eachCell = (take: (row: number, column: number, isFraction: boolean) => void): void => {
    for (let row = 0; row < rows.names.length; row++)
      for (let column = 0; column < columns.names.length; column++) {
        const score = rows.at(row, column);
        if (!Number.isNaN(score)) take(row, column, score > 0 && score < 1);
      }
  };
  eachCell((row, column, isFraction) => {
    counts.rows.cells[row]!++;
    counts.columns.cells[column]!++;
    if (!isFraction) return;
    counts.rows.fractions[row]!++;
    counts.columns.fractions[column]!++;
  });
  const few = ({ fractions, cells }: (typeof counts)["rows"]): number[] => {
    const lines = [...fractions.keys()].filter((line) => fractions[line]! > MANY * cells[line]!);
    return lines.length <= Math.min(MOST_LONE, fractions.length / BESIDE_ONE) ? lines : [];
  };
  const lone = { columns: few(counts.columns), rows: few(counts.rows) };
  if (lone.columns.length + lone.rows.length === 0) return lone;
  let elsewhere = 0;
  eachCell((row, column, isFraction) => {
    if (isFraction && !lone.rows.includes(row) && !lone.columns.includes(column)) elsewhere++;
  });
  return elsewhere > 0 ? { columns: [], rows: [] } : lone;
}
