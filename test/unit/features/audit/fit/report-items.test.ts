import { parseHTML } from "linkedom";
import { beforeAll, describe, expect, test } from "vitest";
import type { Fit } from "../../../../../offline-trainer/src/fit/fit.ts";
import { renderReport } from "../../../../../features/fit-report.ts";
import { sampleFit } from "../../report/fit/sample-fit.ts";
import { typescriptBackend } from "../../../../../offline-trainer/src/backends/typescript.ts";
import { auditLeaderboard } from "../../../../../features/audit/fit/audit-leaderboard.ts";
import { diagnoseFit } from "../../../../../features/audit/fit/report-items.ts";
import { type AuditedItem, auditedItems } from "../../../../../features/audit/fit/findings.ts";
import { DEFAULT_SETTINGS } from "../../../../../offline-trainer/src/methods/settings.ts";

const HOSTILE = `<script>alert("1 & 2")</script>`;

const pageOf = async (result: Fit): Promise<Document> =>
  parseHTML(new TextDecoder().decode(await renderReport(result))).document;
const wordsOf = (element: Element | null): string => (element?.textContent ?? "").replace(/\s+/g, " ").trim();
const sectionOf = (document: Document, id: string): Element => document.getElementById(id)!;

describe("items worth auditing", () => {
  let audit: Element;
  let drawn: Element;
  beforeAll(async () => {
    const scenarios = { [HOSTILE]: 60, other: 40 };
    const document = await pageOf(await sampleFit({ models: 60, scenarios, sizes: [10], odd: HOSTILE }));
    audit = sectionOf(document, "audit");
    drawn = sectionOf(document, "items");
  });
  const rowsOf = (table: Element): string[][] =>
    [...table.querySelectorAll("tbody tr")].map((row) => [...row.children].map(wordsOf));

  test.each([
    [0, "strong models miss it more than weak ones (r -0."],
    [1, "hardly tells strong models from weak ones"],
    [2, "every model gets it"],
    [3, "no model gets it"],
    [4, `answered like ${HOSTILE}/5, beyond what ability explains`],
    [5, `answered like ${HOSTILE}/4, beyond what ability explains`],
    [6, `the same text as ${HOSTILE}/7`],
    [7, `the same text as ${HOSTILE}/6`],
  ])("item %i: %s", (place, words) => {
    const rows = rowsOf(audit.querySelector("details")!);
    expect(rows.find(([id]) => id === `${HOSTILE}/${place}`)![1]).toContain(words);
  });

  test("reasons are counted over all scenarios, and the items that are listed are those marked in the map", () => {
    const counts = new Map(rowsOf(audit.querySelector("table")!).map(([reason, items]) => [reason, Number(items)]));
    expect(counts.get("the same text as another")).toBe(4);
    expect(counts.get("no model gets it, or hardly one")).toBeGreaterThanOrEqual(2);
    expect(counts.get("strong models miss it more than weak ones")).toBe(2);
    const listed = [...audit.querySelectorAll("details")].map((list) => rowsOf(list).map(([id]) => id));
    const marked = [...drawn.querySelectorAll("svg.plot")].map((chart) =>
      [...chart.querySelectorAll('g[stroke="var(--miss)"] title')].map((title) => title.textContent),
    );
    expect(marked.map((ids) => [...ids].sort())).toEqual(listed.map((ids) => [...ids].sort()));
  });

  test("a fit of something else than the 2PL is told by its answers alone", async () => {
    const settings = { irtModel: "3pl", estimation: "marginal" } as const;
    const fit = await sampleFit({ models: 40, scenarios: { only: 30 }, sizes: [10], odd: HOSTILE, settings });
    const words = wordsOf(sectionOf(await pageOf(fit), "audit"));
    expect(words).toContain("strong models miss it more");
    expect(words).toContain("the same text as only/7");
    expect(words).not.toContain("answered like");
    expect(words).not.toContain("fitted curve (");
  });

  test("can be stopped", async () => {
    const fit = await sampleFit({ models: 20, scenarios: { only: 30 }, sizes: [10] });
    await expect(renderReport(fit, { signal: AbortSignal.abort() })).rejects.toMatchObject({ code: "aborted" });
  });
});

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
