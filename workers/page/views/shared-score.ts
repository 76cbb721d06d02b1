import type { Estimate } from "anchoreval";

/** A score with its interval, as fractions; null without an interval. */
export interface SharedFigure {
  readonly score: number;
  readonly interval: { readonly low: number; readonly high: number } | null;
}

/** A result without its answers, as a link carries it. */
export interface SharedScore {
  readonly model: string;
  readonly overall: SharedFigure | null;
  /** By scenario id. */
  readonly scenarios: ReadonlyMap<string, SharedFigure>;
}

/** Digits of a fraction in a link: with four, whoever rounds to a tenth of a point rounded twice, 57.4496 to 57.5. */
const DIGITS = 8;

/**
 * Writes a result as the text of a link: `{"model":"…","overall":[score, low, high],"scenarios":{"gsm":[…]}}`, figures as
 * fractions. Scenarios without a score are left out.
 * @example shareScore(estimate, "my-model") // '{"model":"my-model","overall":[0.597,0.514,0.674],"scenarios":{…}}'
 */
export function shareScore(result: Estimate, model: string): string {
  const figures = ({ score, interval }: Pick<Estimate, "score" | "interval">): number[] | null =>
    score === null
      ? null
      : [score, ...(interval ? [interval.low, interval.high] : [])].map((value) => Number(value.toFixed(DIGITS)));
  const scenarios = Object.entries(result.scenarios).flatMap(([id, figure]) => {
    const shown = figures(figure);
    return shown === null ? [] : [[id, shown] as const];
  });
  return JSON.stringify({ model, overall: figures(result), scenarios: Object.fromEntries(scenarios) });
}

/** Reads the text of a link. @returns null where it is no result of this bundle */
export function parseSharedScore(text: string, scenarioIds: ReadonlyMap<string, unknown>): SharedScore | null {
  let parsed: unknown;
  try {
    parsed = JSON.parse(text);
  } catch {
    return null;
  }
  if (!isRecord(parsed) || typeof parsed["model"] !== "string" || !isRecord(parsed["scenarios"])) return null;
  const overall = parsed["overall"] === null ? null : figureOf(parsed["overall"]);
  if (overall === undefined) return null;
  const scenarios = new Map<string, SharedFigure>();
  for (const [id, value] of Object.entries(parsed["scenarios"])) {
    const figure = figureOf(value);
    if (figure === undefined || !scenarioIds.has(id)) return null;
    scenarios.set(id, figure);
  }
  return scenarios.size === 0 ? null : { model: parsed["model"], overall, scenarios };
}

/** A figure that could be one: fractions, the score within its interval. */
function figureOf(value: unknown): SharedFigure | undefined {
  if (!Array.isArray(value) || (value.length !== 1 && value.length !== 3)) return undefined;
  if (!value.every((one): one is number => typeof one === "number" && one >= 0 && one <= 1)) return undefined;
  const [score, low, high] = value as [number, number?, number?];
  if (low === undefined || high === undefined) return { score, interval: null };
  return low <= score && score <= high ? { score, interval: { low, high } } : undefined;
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
