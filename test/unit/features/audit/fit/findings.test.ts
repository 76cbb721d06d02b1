import { describe, expect, test } from "vitest";
import type { Audit, ItemAudit, ScenarioAudit } from "../../../../../features/audit/fit/audit-leaderboard.ts";
import { auditCsv, auditLines, itemRecord } from "../../../../../features/audit/fit/audit-records.ts";
import { auditSummary } from "../../../../../features/audit/fit/audit-summary.ts";
import { auditedItems, type Reason, REASONS } from "../../../../../features/audit/fit/findings.ts";
import type { KeyPosterior } from "../../../../../features/audit/fit/key-audit.ts";
import type { ItemCopy } from "../../../../../features/audit/fit/near-copies.ts";
import { calibrationOf } from "./reference.ts";

const SOUND: KeyPosterior = { rising: 0.99, falling: 0.0025, flat: 0.0025, peaked: 0.0025, dipped: 0.0025 };

interface Shape {
  readonly right?: number;
  readonly models?: number;
  readonly correlation?: number;
  readonly key?: Partial<KeyPosterior>;
  readonly q?: number;
  readonly text?: string;
}

/** An audit of items that are sound but for what is said of them. */
function auditOf(shapes: readonly Shape[], copies: readonly ItemCopy[] = []): Audit {
  const items = shapes.map(({ right = 0.5, models = 100, correlation = 0.5, key }, item): ItemAudit => {
    const quarter = { weakest: right, strongest: right };
    return {
      item,
      statistics: { models, mean: right, correlation, ...quarter },
      a: Float64Array.of(1, 0.5),
      b: 0.3,
      aErrors: Float64Array.of(0.1, 0.2),
      bError: 0.05,
      general: { slope: 1, standardError: 0.5 },
      meanSquares: { answers: models, infit: 1, infitZ: 0, outfit: 1, outfitZ: NaN },
      residualGroups: { statistic: 8, degrees: 8, p: 0.43 },
      sX2: null,
      key: { ...SOUND, ...key },
    };
  });
  const audited: ScenarioAudit = {
    id: "s",
    models: [{ name: "odd one", meanSquares: { answers: 9, infit: 2, infitZ: 5, outfit: 3, outfitZ: 4 } }],
    calibration: calibrationOf({ dims: 2, theta: [0, 0], a: [1, 0], b: [0] }),
    reliability: Float64Array.of(0.9, 0.5),
    heldOut: null,
    threshold: null,
    scoreReliability: { model: 0.95, alpha: null, complete: 0 },
    items,
    copies: { pairs: [], compared: 10, comparable: 40 },
    likeness: [],
  };
  return {
    matrix: {
      subjects: ["odd one"],
      items: shapes.map(({ text }, i) => ({ item_id: `item "${i}", s`, scenario: "s", ...(text && { text }) })),
      stride: items.length,
      scores: new Uint8Array(items.length),
      observed: null,
    },
    scenarios: [{ begin: 0, audit: audited }],
    q: {
      residualGroups: Float64Array.from(shapes, ({ q }) => q ?? 0.9),
      sX2: new Float64Array(shapes.length).fill(NaN),
    },
    copies,
    families: 1,
  };
}

const likeness = { models: 90, agreement: 0.95, expectedAgreement: 0.6, q3: 0.8, z: 7 };

describe("what speaks against an item", () => {
  const cases: readonly [string, Shape, readonly Reason[], string][] = [
    ["nothing", {}, [], ""],
    ["a falling curve", { key: { rising: 0.2, falling: 0.8 } }, ["wrong-key"], "(probability 0.80)"],
    ["certainty is never printed", { key: { rising: 1e-9, falling: 1 } }, ["wrong-key"], "(probability > .99)"],
    ["a negative correlation", { correlation: -0.3 }, ["reversed"], "(r -0.30)"],
    ["both", { correlation: -0.3, key: { rising: 0, falling: 1 } }, ["wrong-key", "reversed"], "likely a wrong key"],
    [
      "a peak",
      { key: { rising: 0.1, peaked: 0.6, dipped: 0.3 } },
      ["turning"],
      "in the middle do best (probability 0.90)",
    ],
    ["a dip", { key: { rising: 0.1, peaked: 0.1, dipped: 0.8 } }, ["turning"], "in the middle do worst"],
    ["no correlation", { correlation: 0.1 }, ["unrelated"], "hardly tells strong models from weak ones (r 0.10)"],
    ["misfit", { q: 0.001 }, ["misfit"], "answers don't follow the fitted curve (q 0.001)"],
    ["nobody right", { right: 0, correlation: NaN }, ["floor"], "no model gets it"],
    ["two right", { right: 0.02, correlation: -0.9 }, ["floor"], "only 2 of 100 models get it"],
    ["all right", { right: 1, correlation: NaN }, ["ceiling"], "every model gets it"],
    ["one wrong", { right: 0.99 }, ["ceiling"], "only 1 of 100 models miss it"],
    ["few answers, whatever they are", { models: 19, correlation: -1, right: 0 }, ["few-answers"], "only 19 models"],
  ];
  test.each(cases)("%s", (_, shape, reasons, words) => {
    const [own] = auditedItems(auditOf([shape]));
    expect(own!.findings.map(({ reason }) => reason)).toEqual(reasons);
    expect(own!.findings[0]?.words ?? "").toContain(words);
    expect(own!.rank).toBe(reasons.length === 0 ? null : 1);
  });

  test("copies name the other item, of text and of answers", () => {
    const copies: ItemCopy[] = [
      { items: [0, 1], sameness: "text", likeness, chance: null },
      { items: [2, 3], sameness: null, likeness, chance: 0.01 },
      { items: [1, 3], sameness: "numbers", likeness, chance: 0.01 },
    ];
    const items = auditedItems(auditOf([{}, {}, {}, {}], copies));
    const words = (column: number) => items.find((own) => own.column === column)!.findings.map((own) => own.words);
    expect(words(0)).toEqual(['the same text as item "1", s']);
    expect(words(2)).toEqual(['answered like item "3", s, beyond what ability explains (Q3 0.80)']);
    expect(words(3)).toEqual([
      'but for numbers the same text as item "1", s',
      'answered like item "2", s, beyond what ability explains (Q3 0.80)',
    ]);
  });
});

describe("the ranking", () => {
  test("goes by reason, then by how bad it is, then by place; items without findings come last", () => {
    const items = auditedItems(
      auditOf([
        {},
        { correlation: 0.1 },
        { key: { rising: 0.4, falling: 0.6 } },
        { correlation: -0.4 },
        { key: { rising: 0.001, falling: 0.99 } },
        { correlation: -0.6 },
        {},
        { q: 0.01 },
        { q: 0.01 },
      ]),
    );
    expect(items.map(({ column }) => column)).toEqual([4, 2, 5, 3, 1, 7, 8, 0, 6]);
    expect(items.map(({ rank }) => rank)).toEqual([1, 2, 3, 4, 5, 6, 7, null, null]);
  });

  test("tells apart what rounds to certainty", () => {
    const items = auditedItems(
      auditOf([
        { key: { rising: 1e-9, flat: 0, peaked: 0, dipped: 0, falling: 1 } },
        { key: { rising: 1e-30, flat: 0, peaked: 0, dipped: 0, falling: 1 } },
      ]),
    );
    expect(items.map(({ column }) => column)).toEqual([1, 0]);
  });
});

describe("what is saved", () => {
  const audit = auditOf(
    [{ text: 'He said "2, 3"\nand left' }, { key: { rising: 0.1, falling: 0.9 } }, { models: 5 }],
    [{ items: [0, 1], sameness: "text", likeness: null, chance: null }],
  );
  const items = auditedItems(audit);

  test("as JSON lines has every item, pair, model, scenario and bank, numbers or null", () => {
    const records = [...auditLines(audit, items)].map((line) => JSON.parse(line) as Record<string, unknown>);
    expect(records.map(({ record }) => record)).toEqual(["item", "item", "item", "pair", "model", "scenario", "bank"]);
    expect(records[0]).toMatchObject({
      rank: 1,
      item_id: 'item "1", s',
      reasons: ["wrong-key", "same-text"],
      falling: 0.9,
      a: [1, 0.5],
      aErrors: [0.1, 0.2],
      slopeNegative: 0.0227501,
      discrimination: 1.11803,
      difficulty: 0.268328,
      outfitZ: null,
      sX2: null,
      sX2Q: null,
      sameText: ['item "0", s'],
    });
    expect(records[3]).toMatchObject({ same: "text", z: null, chance: null, other: 'item "1", s' });
    expect(records[6]).toMatchObject({ bank: "s", heldOutGain: null, reliability: [0.9, 0.5] });
  });

  test("as CSV has a row an item, quoted where it must be, and as many cells as columns", () => {
    const text = [...auditCsv(audit, items)].join("");
    const rows = cells(text);
    expect(rows).toHaveLength(4);
    expect(new Set(rows.map((row) => row.length)).size).toBe(1);
    const row = Object.fromEntries(rows[0]!.map((name, k) => [name, rows[2]![k]!]));
    expect(row).toMatchObject({
      rank: "2",
      item_id: 'item "0", s',
      text: 'He said "2, 3"\nand left',
      reasons: "same-text",
      a1: "1",
      a2: "0.5",
      aErrors2: "0.2",
      outfitZ: "",
    });
    expect(Object.keys(row)).not.toContain("record");
  });

  test("records know nothing but what is in the audit", () => {
    expect(itemRecord(items[0]!, audit.matrix.items)["text"]).toBeNull();
  });
});

/** A CSV's cells, by RFC 4180. */
function cells(text: string): string[][] {
  const rows: string[][] = [[]];
  for (const [, quoted, plain, end] of text.matchAll(/(?:"((?:[^"]|"")*)"|([^",\n]*))(,|\n)/g)) {
    rows.at(-1)!.push(quoted?.replaceAll('""', '"') ?? plain!);
    if (end === "\n") rows.push([]);
  }
  return rows.slice(0, -1);
}

describe("the screen", () => {
  const lines = (audit: Audit, top = 2): string[] => [...auditSummary(audit, auditedItems(audit), top)];

  test("lists each kind's worst, counts the rest, and says what stands for what", () => {
    const audit = auditOf([
      ...[-0.2, -0.5, -0.4].map((correlation) => ({ correlation })),
      { key: { rising: 0.04, falling: 0.96 } },
      { right: 0, correlation: NaN },
      { right: 1, correlation: NaN },
    ]);
    const text = lines(audit).join("\n");
    expect(text).toContain("Likely a wrong key: strong models miss it, weak ones get it (1 item)");
    expect(text).toContain("Strong models miss it more than weak ones (3 items, the first 2)");
    expect(text).toMatch(/item "1", s .* -0\.50\n.*item "2", s .* -0\.40/);
    expect(text).not.toContain('item "0", s');
    expect(text).toContain("No model gets it, or hardly one: 1 item");
    expect(text).toContain("Every model gets it, or nearly every one: 1 item");
    expect(text).toContain("Answers were compared for 25 % of the pairs, those of similar difficulty.");
    expect(text).toMatch(
      /Models that miss easy items and get hard ones \(1\)\n.*\nodd one +s +2\.00 +5\.00 +3\.00 +4\.00/,
    );
  });

  test("with few models says that nothing can be said", () => {
    const text = lines(auditOf([{ models: 19 }])).join("\n");
    expect(text).toContain("Too few answers to judge: 1 item");
    expect(text).toContain("With fewer than 20 models");
  });

  test("every reason has its words", () => {
    for (const words of Object.values(REASONS)) expect(words).toMatch(/^[a-z]/);
  });
});
