import { difficulties, discriminations, itemBank, normalCdf } from "anchoreval/core";
import type { AuditedItem } from "./audited-items.ts";
import type { BankAudit } from "./audit-bank.ts";
import type { ItemCopy } from "./item-copies.ts";
import { correlationInterval } from "./correlation-interval.ts";
import type { Audit } from "./audit.ts";

/** A line of the saved file; numbers that are none are null. */
export type AuditRecord = Readonly<
  Record<string, string | number | boolean | null | readonly (string | number | null)[]>
>;

/** Everything about one item. */
export function itemRecord(item: AuditedItem, items: Audit["matrix"]["items"]): AuditRecord {
  const { info, audit, findings, rank, q, copies } = item;
  const { statistics, a, b, aErrors, bError, general, meanSquares, residualGroups, sX2, key } = audit;
  const bank = itemBank(a, Float64Array.of(b));
  const rest = correlationInterval(statistics.correlation, statistics.models);
  const other = ({ items: pair }: ItemCopy): string => items[pair[0] === item.column ? pair[1] : pair[0]]!.item_id;
  const closest = copies.find(({ likeness }) => likeness !== null);
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
    mean: finite(statistics.mean),
    weakest: finite(statistics.weakest),
    strongest: finite(statistics.strongest),
    itemRest: finite(statistics.correlation),
    itemRestLow: finite(rest.low),
    itemRestHigh: finite(rest.high),
    slope: finite(general.slope),
    slopeError: finite(general.standardError),
    slopeNegative: finite(normalCdf(-general.slope / general.standardError)),
    rising: finite(key.rising),
    falling: finite(key.falling),
    flat: finite(key.flat),
    peaked: finite(key.peaked),
    dipped: finite(key.dipped),
    difficulty: finite(difficulties(bank)[0]),
    discrimination: finite(discriminations(bank)[0]),
    a: Array.from(a, finite),
    aErrors: Array.from(aErrors, finite),
    b: finite(b),
    bError: finite(bError),
    infit: finite(meanSquares.infit),
    infitZ: finite(meanSquares.infitZ),
    outfit: finite(meanSquares.outfit),
    outfitZ: finite(meanSquares.outfitZ),
    chiSquare: finite(residualGroups?.statistic),
    chiSquareDf: finite(residualGroups?.degrees),
    chiSquareP: finite(residualGroups?.p),
    chiSquareQ: finite(q.residualGroups),
    sX2: finite(sX2?.statistic),
    sX2Df: finite(sX2?.degrees),
    sX2P: finite(sX2?.p),
    sX2Q: finite(q.sX2),
    sameText: copies.filter(({ sameness }) => sameness !== null).map(other),
    alike: copies.filter(({ chance }) => chance !== null).map(other),
    q3: finite(closest?.likeness?.q3),
    q3Z: finite(closest?.likeness?.z),
  };
}

/** A pair of items of which one may be enough. */
export function copyRecord({ items: pair, sameness, likeness, chance }: ItemCopy, { matrix }: Audit): AuditRecord {
  return {
    record: "pair",
    item_id: matrix.items[pair[0]]!.item_id,
    other: matrix.items[pair[1]]!.item_id,
    same: sameness,
    models: finite(likeness?.models),
    agreement: finite(likeness?.agreement),
    expectedAgreement: finite(likeness?.expectedAgreement),
    q3: finite(likeness?.q3),
    z: finite(likeness?.z),
    chance: finite(chance),
  };
}

/** Fit of every model of a bank. */
export function modelRecords({ id, models }: BankAudit): AuditRecord[] {
  return models.map(({ name, meanSquares }) => ({
    record: "model",
    model: name,
    bank: id,
    answers: meanSquares.answers,
    infit: finite(meanSquares.infit),
    infitZ: finite(meanSquares.infitZ),
    outfit: finite(meanSquares.outfit),
    outfitZ: finite(meanSquares.outfitZ),
  }));
}

/** The calibration of a bank as a whole. */
export function bankRecord({ id, models, items, calibration, reliability, heldOut, copies }: BankAudit): AuditRecord {
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

/** The scores of the scenarios of a bank. */
export function scenarioRecords({ scenarios }: BankAudit): AuditRecord[] {
  return scenarios.map(({ id, items, threshold, reliability }) => ({
    record: "scenario",
    scenario: id,
    items,
    threshold,
    reliability: finite(reliability.model),
    alpha: finite(reliability.alpha),
    completeModels: reliability.complete,
  }));
}

/** Six digits; null for what is no number. */
function finite(value: number | null | undefined): number | null {
  return value === null || value === undefined || !Number.isFinite(value) ? null : Number(value.toPrecision(6));
}
