import { difficulties, discriminations, itemBank } from "anchoreval/internal/core/irt/item-bank";
import { normalCdf, normalQuantile } from "anchoreval/internal/core/numeric/distributions";
import type { MeanSquareFit } from "anchoreval/internal/core/person-fit/statistics";
import type { ItemInfo } from "../../../offline-trainer/src/matrix/response-matrix.ts";
import { csvCell } from "../../../offline-trainer/src/matrix/write-tables.ts";
import type { Audit, ScenarioAudit, ItemAudit } from "./audit-leaderboard.ts";
import { type AuditedItem, othersOf } from "./findings.ts";
import type { ItemCopy } from "./near-copies.ts";

/** A line of the saved file; missing numbers are null. */
export type AuditRecord = Readonly<
  Record<string, string | number | boolean | null | readonly (string | number | null)[]>
>;

export function itemRecord(item: AuditedItem<ItemAudit>, items: readonly ItemInfo[]): AuditRecord {
  const { info, audit, findings, rank, q, copies } = item;
  const { statistics, a, b, aErrors, bError, general, meanSquares, residualGroups, sX2, key } = audit;
  const bank = itemBank(a, Float64Array.of(b));
  const rest = correlationInterval(statistics.correlation, statistics.models);
  const closest = copies.find(({ likeness }) => likeness !== null)?.likeness;
  const others = (pairs: readonly ItemCopy[]): string[] => othersOf(item.column, pairs, items);
  return {
    record: "item",
    rank,
    item_id: info.item_id,
    scenario: info.scenario,
    subscenario: info.subscenario ?? null,
    reasons: findings.map(({ reason }) => reason),
    why: findings.map(({ words }) => words),
    text: info.text ?? null,
    models: statistics.models,
    ...finites({
      mean: statistics.mean,
      weakest: statistics.weakest,
      strongest: statistics.strongest,
      itemRest: statistics.correlation,
      itemRestLow: rest.low,
      itemRestHigh: rest.high,
      slope: general.slope,
      slopeError: general.standardError,
      slopeNegative: normalCdf(-general.slope / general.standardError),
      ...key,
      difficulty: difficulties(bank)[0],
      discrimination: discriminations(bank)[0],
    }),
    a: Array.from(a, finite),
    aErrors: Array.from(aErrors, finite),
    b: finite(b),
    bError: finite(bError),
    ...squaresOf(meanSquares),
    ...finites({
      chiSquare: residualGroups?.statistic,
      chiSquareDf: residualGroups?.degrees,
      chiSquareP: residualGroups?.p,
      chiSquareQ: q.residualGroups,
      sX2: sX2?.statistic,
      sX2Df: sX2?.degrees,
      sX2P: sX2?.p,
      sX2Q: q.sX2,
    }),
    sameText: others(copies.filter(({ sameness }) => sameness !== null)),
    alike: others(copies.filter(({ chance }) => chance !== null)),
    q3: finite(closest?.q3),
    q3Z: finite(closest?.z),
  };
}

/** A pair of items of which one may be enough. */
export function copyRecord(
  { items: [one, other], sameness, likeness, chance }: ItemCopy,
  items: readonly ItemInfo[],
): AuditRecord {
  return {
    record: "pair",
    item_id: items[one]!.item_id,
    other: items[other]!.item_id,
    same: sameness,
    ...finites({
      models: likeness?.models,
      agreement: likeness?.agreement,
      expectedAgreement: likeness?.expectedAgreement,
      q3: likeness?.q3,
      z: likeness?.z,
      chance,
    }),
  };
}

export function modelRecords({ id, models }: ScenarioAudit): AuditRecord[] {
  return models.map(({ name, meanSquares }) => ({
    record: "model",
    model: name,
    bank: id,
    answers: meanSquares.answers,
    ...squaresOf(meanSquares),
  }));
}

/** The calibration of a scenario as a whole. */
export function bankRecord({
  id,
  models,
  items,
  calibration,
  reliability,
  heldOut,
  copies,
}: ScenarioAudit): AuditRecord {
  return {
    record: "bank",
    bank: id,
    models: models.length,
    items: items.length,
    dims: calibration.dims,
    converged: calibration.converged,
    gradientNorm: finite(calibration.gradientNorm),
    evaluations: calibration.evaluations,
    penalisedLogLikelihood: finite(-calibration.value),
    reliability: Array.from(reliability, finite),
    heldOutAnswers: finite(heldOut?.answers),
    heldOutLogLikelihood: finite(heldOut?.model),
    itemMeansLogLikelihood: finite(heldOut?.itemMeans),
    heldOutGain: finite(heldOut?.gain),
    heldOutGainError: finite(heldOut?.gainError),
    pairsCompared: copies.compared,
    pairsComparable: copies.comparable,
  };
}

export function scenarioRecord({ id, items, threshold, scoreReliability }: ScenarioAudit): AuditRecord {
  return {
    record: "scenario",
    scenario: id,
    items: items.length,
    threshold,
    reliability: finite(scoreReliability.model),
    alpha: finite(scoreReliability.alpha),
    completeModels: scoreReliability.complete,
  };
}

function squaresOf({ infit, infitZ, outfit, outfitZ }: MeanSquareFit): Record<string, number | null> {
  return finites({ infit, infitZ, outfit, outfitZ });
}

function finites(values: Readonly<Record<string, number | null | undefined>>): Record<string, number | null> {
  return Object.fromEntries(Object.entries(values).map(([name, value]) => [name, finite(value)]));
}

/** Six digits; null for anything but a finite number. */
function finite(value: number | null | undefined): number | null {
  return value === null || value === undefined || !Number.isFinite(value) ? null : Number(value.toPrecision(6));
}

/**
 * An audit as JSON lines: items by rank, then pairs, models, scenarios and banks; `record` says which.
 * @param items - of {@link auditedItems}
 */
export function* auditLines(
  { matrix, copies, scenarios }: Audit,
  items: readonly AuditedItem<ItemAudit>[],
): Generator<string> {
  const line = (record: AuditRecord): string => `${JSON.stringify(record)}\n`;
  for (const item of items) yield line(itemRecord(item, matrix.items));
  for (const copy of copies) yield line(copyRecord(copy, matrix.items));
  for (const { audit } of scenarios) for (const record of modelRecords(audit)) yield line(record);
  for (const { audit } of scenarios) yield line(scenarioRecord(audit));
  for (const { audit } of scenarios) yield line(bankRecord(audit));
}

/** The items of an audit as CSV, by rank; discriminations in columns of their own, lists joined by semicolons. */
export function* auditCsv(audit: Audit, items: readonly AuditedItem<ItemAudit>[]): Generator<string> {
  const dims = Math.max(...audit.scenarios.map((scenario) => scenario.audit.calibration.dims));
  for (const [k, item] of items.entries()) {
    const row = Object.entries(itemRecord(item, audit.matrix.items)).flatMap(([name, value]): [string, string][] => {
      if (name === "record") return [];
      if (name !== "a" && name !== "aErrors") return [[name, text(value)]];
      const numbers = value as readonly (number | null)[];
      return Array.from({ length: dims }, (_, d) => [`${name}${d + 1}`, text(numbers[d] ?? null)]);
    });
    if (k === 0) yield `${row.map(([name]) => name).join(",")}\n`;
    yield `${row.map(([, value]) => csvCell(value)).join(",")}\n`;
  }
}

function text(value: AuditRecord[string]): string {
  if (value === null) return "";
  return typeof value === "object" ? value.join("; ") : String(value);
}

const REACH = normalQuantile(0.975);

/**
 * 95 % interval of a correlation by Fisher's transformation, tanh(artanh r ± 1.96/√(n − 3)).
 * @param r - correlation @param n - pairs that it is of
 * @returns NaN where r is NaN or there are fewer than four pairs
 * @see Fisher (1921), Metron 1, 3–32
 * @example correlationInterval(0, 103) // ≈ { low: -0.194, high: 0.194 }
 */
export function correlationInterval(r: number, n: number): { low: number; high: number } {
  if (!(n > 3)) return { low: NaN, high: NaN };
  const centre = Math.atanh(r);
  const reach = REACH / Math.sqrt(n - 3);
  return { low: Math.tanh(centre - reach), high: Math.tanh(centre + reach) };
}
