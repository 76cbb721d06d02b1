import { createRandom } from "anchoreval/internal/core/numeric/random";
import { describe, expect, test } from "vitest";
import type { PreparedAnchors } from "../../../../offline-trainer/src/anchors/anchor-method.ts";
import { stratified } from "../../../../offline-trainer/src/anchors/stratified.ts";
import { type SublimeKnowledge, sublimeAnchors } from "../../../../offline-trainer/src/methods/sublime/anchors.ts";
import type { SubsetRanking } from "../../../../offline-trainer/src/methods/sublime/untouched-ranking.ts";
import { refusal } from "../../../support/refusal.ts";
import { anchorInput, prepareWithKnowledge, selectAnchors } from "../../../support/select-anchors.ts";

const knowing = (
  features: Partial<SublimeKnowledge["features"]>,
  anchorModels: readonly string[] = [],
): SublimeKnowledge => ({
  features: { columns: [], points: null, subscenarios: null, strata: null, ...features },
  anchorModels,
});
const rankingsOf = async ({ notes }: PreparedAnchors): Promise<Record<string, SubsetRanking>> =>
  (await notes!())["rankings"] as Record<string, SubsetRanking>;

describe("sublime", () => {
  test("every draw has the same anchors, each standing for the same share, and says how they were chosen", async () => {
    const prepared = prepareWithKnowledge(sublimeAnchors, anchorInput());
    const { sets, nested } = await prepared.draw(createRandom(1));
    expect((await prepared.draw(createRandom(2))).sets).toEqual(sets);
    expect(nested).toBe(false);
    for (const [size, { mass, inclusion }] of sets) {
      expect(inclusion).toBeNull();
      expect(Array.from(mass)).toEqual(new Array(size).fill(1 / size));
    }
    const rankings = await rankingsOf(prepared);
    expect(Object.keys(rankings)).toEqual(["5", "10", "20"]);
    expect(rankings[10]).toMatchObject({ anchorModels: 2, candidates: 24 });
    expect(prepareWithKnowledge(stratified, anchorInput()).notes).toBeUndefined();
  });

  test("looks at named anchor models and at features, not at curves", async () => {
    const input = anchorInput();
    const { sets } = await selectAnchors(sublimeAnchors, input);
    const blind = { ...input, bank: { ...input.bank, a: input.bank.a.map(() => NaN) }, abilities: Float64Array.of() };
    expect((await selectAnchors(sublimeAnchors, blind)).sets).toEqual(sets);
    const withKnowledge = async (knowledge: SublimeKnowledge) =>
      (await selectAnchors(sublimeAnchors, { ...input, knowledge })).sets;
    expect(await withKnowledge(knowing({}))).toEqual(sets);
    const named = [0, 5, 7].map((m) => input.models[m]!);
    expect(await withKnowledge(knowing({}, named))).not.toEqual(sets);
    expect(await withKnowledge(knowing({}, ["a model of no source"]))).toEqual(sets);
    const columns = [{ name: "position", values: Float64Array.from({ length: 40 }, (_, i) => i) }];
    expect(await withKnowledge(knowing({ columns }))).not.toEqual(sets);
  });

  test("keeps the strata's proportions at every size, and says of which column", async () => {
    const input = anchorInput();
    const labels = Int32Array.from({ length: 40 }, (_, i) => Math.floor(i / 10) % 2);
    const knowledge = knowing({ strata: { name: "half", labels } });
    const prepared = prepareWithKnowledge(sublimeAnchors, { ...input, knowledge });
    const share = (items: ArrayLike<number>): number =>
      Array.from(items).reduce((sum, i) => sum + input.weights[i]! * labels[i]!, 0);
    const all = share(Array.from({ length: 40 }, (_, i) => i));
    for (const [size, { items }] of (await prepared.draw(createRandom(1))).sets) {
      const ones = Array.from(items).filter((i) => labels[i] === 1).length;
      if (size < 40) expect(Math.abs(ones - size * all)).toBeLessThan(1);
    }
    expect((await rankingsOf(prepared))[10]!.strata).toBe("half");
  });

  test("refuses fewer items than there are strata, before anything is fitted", () => {
    const knowledge = knowing({ strata: { name: "subject", labels: Int32Array.of(0, 1, 2, 0) } });
    expect(refusal(() => sublimeAnchors.check!({ id: "quiz", count: 4 }, 2, knowledge))).toMatchObject({
      code: "invalid_option",
      message:
        "--strata subject has 3 strata in quiz, more than the 2 items asked for: ask for 3 at least, or name a coarser column",
    });
    sublimeAnchors.check!({ id: "quiz", count: 4 }, 3, knowledge);
    sublimeAnchors.check!({ id: "quiz", count: 2 }, 2, knowledge); // the whole scenario
  });
});
