import { expect, test } from "vitest";
import { typescriptBackend } from "../../../../../offline-trainer/src/backends/typescript.ts";
import { auditLeaderboard } from "../../../../../features/audit/fit/audit-leaderboard.ts";
import { diagnoseFit } from "../../../../../features/audit/fit/diagnose-fit.ts";
import { type AuditedItem, auditedItems } from "../../../../../features/audit/fit/findings.ts";
import { DEFAULT_SETTINGS } from "../../../../../offline-trainer/src/methods/settings.ts";
import { sampleFit } from "../../../report/sample-fit.ts";

/** What both tell: the reasons of every item, but those that its key's curve gives. */
const told = (items: readonly AuditedItem[]): [string, string[]][] =>
  items
    .map(({ info, findings }): [string, string[]] => [
      info.item_id,
      findings.map(({ reason }) => reason).filter((reason) => reason !== "wrong-key" && reason !== "turning"),
    ])
    .sort(([one], [other]) => (one < other ? -1 : 1));

test("a fit's items are judged as the audit judges them", async () => {
  const { parts } = await sampleFit({ models: 80, scenarios: { only: 90 }, sizes: [10], odd: "What is the capital?" });
  const scenarios = parts.flatMap(({ learned }) => learned.scenarios);
  const { scenario, trained } = scenarios[0]!;
  const audit = await auditLeaderboard(scenario.matrix, {
    configuration: DEFAULT_SETTINGS,
    dims: trained.bank.dims,
    seed: 1,
    backend: typescriptBackend,
    heldOut: 0,
  });
  const shares: number[] = [];
  const own = await diagnoseFit(scenarios, { onProgress: (done) => void shares.push(done) });
  expect(told(own)).toEqual(told(auditedItems(audit)));
  expect(own.filter(({ findings }) => findings.length > 0).length).toBeGreaterThanOrEqual(8);
  expect(shares).toEqual([...shares].sort((x, y) => x - y));
  expect(shares.at(-1)).toBe(1);
});
