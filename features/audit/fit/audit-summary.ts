import { textTable } from "anchoreval/internal/words/figures";
import type { Audit, ItemAudit } from "./audit-leaderboard.ts";
import { probability, REASONS, type AuditedItem, type Reason } from "./findings.ts";
import { LEAST_MODELS_FOR_AUDIT } from "./item-statistics.ts";

/** Reasons whose items are listed; the others are only counted. */
const LISTED: readonly Reason[] = ["wrong-key", "reversed", "turning", "unrelated", "misfit"];
/** The column of a list beside the shares of right answers and r: its heading, and the cell. */
const EVIDENCE: Partial<Record<Reason, { heading: string; cell: (item: AuditedItem<ItemAudit>) => string }>> = {
  "wrong-key": { heading: "probability", cell: ({ audit: { key } }) => probability(key.falling) },
  turning: {
    heading: "probability",
    cell: ({ audit: { key } }) =>
      `${key.peaked > key.dipped ? "best" : "worst"} ${probability(key.peaked + key.dipped)}`,
  },
  misfit: { heading: "q", cell: ({ q }) => q.residualGroups.toPrecision(1) },
};
/** Smallest z of infit at which a model is listed: by chance one in seven hundred. */
const SURPRISING_Z = 3;
/** Longest text of an item that a line shows. */
const TEXT_WIDTH = 60;

/**
 * An audit in a screenful: the quality of each calibration, the items to inspect by reason, the worst first, and pairs.
 * @param top - most items and pairs listed of each kind
 */
export function* auditSummary(audit: Audit, items: readonly AuditedItem<ItemAudit>[], top: number): Generator<string> {
  yield* calibrationLines(audit);
  for (const reason of LISTED) {
    const affected = items.filter(({ findings }) => findings[0]?.reason === reason);
    if (affected.length === 0) continue;
    yield "";
    yield `${capital(REASONS[reason])} (${counted(affected.length, "item")}${affected.length > top ? `, the first ${top}` : ""})`;
    yield* itemTable(affected.slice(0, top), EVIDENCE[reason]);
  }
  yield* pairLines(audit, top);
  yield* modelLines(audit, top);
  const rest = (["floor", "ceiling", "few-answers"] as const)
    .map((reason) => ({
      reason,
      affected: items.filter((item) => item.findings.some((finding) => finding.reason === reason)),
    }))
    .filter(({ affected }) => affected.length > 0);
  if (rest.length > 0) yield "";
  for (const { reason, affected } of rest) yield `${capital(REASONS[reason])}: ${counted(affected.length, "item")}`;
  const models = Math.max(...audit.scenarios.map((scenario) => scenario.audit.models.length));
  if (models < LEAST_MODELS_FOR_AUDIT) {
    yield "";
    yield `With fewer than ${LEAST_MODELS_FOR_AUDIT} models a faulty item can't be distinguished from bad luck: none is listed for its answers.`;
  }
}

function* calibrationLines({ scenarios }: Audit): Generator<string> {
  const header = ["scenario", "models", "items", "dims", "reliability", "alpha", "held out", "misfit", "converged"];
  const rows = scenarios.map(({ audit }) => {
    const { id, models, calibration, heldOut, items, scoreReliability } = audit;
    const tests = items.flatMap(({ residualGroups }) => (residualGroups === null ? [] : [residualGroups.p]));
    const gain = heldOut === null ? "" : `${heldOut.gain >= 0 ? "+" : ""}${heldOut.gain.toFixed(3)}`;
    return [
      id,
      String(models.length),
      String(items.length),
      String(calibration.dims),
      scoreReliability.model?.toFixed(3) ?? "",
      scoreReliability.alpha?.toFixed(3) ?? "",
      gain,
      tests.length === 0 ? "" : `${Math.round((100 * tests.filter((p) => p < 0.05).length) / tests.length)} %`,
      calibration.converged ? "yes" : "no",
    ];
  });
  yield* textTable([header, ...rows], "lrrrrrrrl");
  yield "held out: gain of an answer's log-likelihood over the item's mean. misfit: items with p < .05; 5 % are expected.";
}

function itemTable(items: readonly AuditedItem<ItemAudit>[], evidence: (typeof EVIDENCE)[Reason]): string[] {
  const texts = items.some(({ info }) => info.text !== undefined);
  const header = ["rank", "item", "models", "right", "weakest ¼", "strongest ¼", "r"];
  if (evidence) header.push(evidence.heading);
  if (texts) header.push("text");
  const rows = items.map((item) => {
    const { models, mean, weakest, strongest, correlation } = item.audit.statistics;
    const shares = [mean, weakest, strongest].map(percent);
    const cells = [String(item.rank!), item.info.item_id, String(models), ...shares, decimals(correlation)];
    if (evidence) cells.push(evidence.cell(item));
    if (texts) cells.push(clipped(item.info.text ?? ""));
    return cells;
  });
  return textTable([header, ...rows], `rlrrrrr${evidence ? "r" : ""}${texts ? "l" : ""}`);
}

function* pairLines({ matrix, copies, scenarios }: Audit, top: number): Generator<string> {
  const compared = scenarios.reduce((sum, { audit }) => sum + audit.copies.compared, 0);
  const comparable = scenarios.reduce((sum, { audit }) => sum + audit.copies.comparable, 0);
  if (copies.length > 0) {
    yield "";
    yield `One of the two may be enough (${counted(copies.length, "pair")}${copies.length > top ? `, the first ${top}` : ""})`;
    const header = ["item", "item", "same", "agree", "expected", "Q3", "z", "chance"];
    const rows = copies
      .slice(0, top)
      .map(({ items, sameness, likeness, chance }) => [
        matrix.items[items[0]]!.item_id,
        matrix.items[items[1]]!.item_id,
        sameness === "numbers" ? "text but for numbers" : (sameness ?? ""),
        percent(likeness?.agreement),
        percent(likeness?.expectedAgreement),
        decimals(likeness?.q3),
        likeness?.z.toFixed(1) ?? "",
        chance === null ? "" : chance < 0.01 ? "< 1 %" : percent(chance),
      ]);
    yield* textTable([header, ...rows], "lllrrrrr");
  }
  if (compared < comparable) {
    yield "";
    yield `Answers were compared for ${percent(compared / comparable)} of the pairs, those of similar difficulty.`;
  }
}

/** Models whose infit chance can't explain. */
function* modelLines({ scenarios }: Audit, top: number): Generator<string> {
  const surprising = scenarios.flatMap(({ audit: { id, models } }) =>
    models.filter(({ meanSquares }) => meanSquares.infitZ > SURPRISING_Z).map((model) => ({ scenario: id, ...model })),
  );
  if (surprising.length === 0) return;
  surprising.sort((x, y) => y.meanSquares.infitZ - x.meanSquares.infitZ);
  yield "";
  yield `Models that miss easy items and get hard ones (${surprising.length}${surprising.length > top ? `, the first ${top}` : ""})`;
  const rows = surprising.slice(0, top).map(({ scenario, name, meanSquares: { infit, infitZ, outfit, outfitZ } }) => {
    return [name, scenario, ...[infit, infitZ, outfit, outfitZ].map(decimals)];
  });
  yield* textTable([["model", "in", "infit", "z", "outfit", "z"], ...rows], "llrrrr");
}

function percent(share: number | null | undefined): string {
  return share === null || share === undefined || Number.isNaN(share) ? "" : `${Math.round(100 * share)} %`;
}

function decimals(value: number | null | undefined): string {
  return value === null || value === undefined || Number.isNaN(value) ? "" : value.toFixed(2);
}

function counted(count: number, what: string): string {
  return `${count} ${what}${count === 1 ? "" : "s"}`;
}

function capital(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

function clipped(text: string): string {
  const line = Array.from(text.replace(/\s+/g, " ").trim());
  return line.length > TEXT_WIDTH ? `${line.slice(0, TEXT_WIDTH - 1).join("")}…` : line.join("");
}
