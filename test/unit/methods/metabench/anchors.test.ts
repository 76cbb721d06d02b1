import { itemBank } from "anchoreval/internal/core/irt/item-bank";
import { itemResponses, itemInformation } from "anchoreval/internal/core/irt/response";
import { createRandom } from "anchoreval/internal/core/numeric/random";
import { describe, expect, test } from "vitest";
import type { AnchorInput } from "../../../../offline-trainer/src/anchors/anchor-method.ts";
import { itemColumns, weightedScores } from "../../../../offline-trainer/src/methods/item-columns.ts";
import {
  informationAnchors,
  informationPool,
  informedAnchors,
  reconstructionError,
  subsampledItems,
  DEFAULT_DESIGN,
  binnedInformation,
  informationItems,
} from "../../../../offline-trainer/src/methods/metabench/anchors.ts";
import { familyFolds } from "../../../../offline-trainer/src/methods/score-maps/form-score-maps.ts";
import { anchorInputOf } from "../../../support/select-anchors.ts";

/** 60 models of a 2PL whose every fifth item is steep; the last ten items are right for all. */
function input(items: number, sizes: readonly number[]): AnchorInput {
  const random = createRandom(`information ${items}`);
  const bank = itemBank(
    Float64Array.from({ length: items }, (_, i) => (i % 5 === 0 ? 2.5 : 0.4)),
    Float64Array.from({ length: items }, () => 1.2 * random.normal()),
  );
  const abilities = Float64Array.from({ length: 60 }, () => random.normal());
  const answers = Array.from(abilities, (theta) =>
    itemResponses(Float64Array.of(theta), bank).map((p, i) => (i >= items - 10 || random.next() < p ? 1 : 0)),
  );
  const column = (item: number): Float64Array => Float64Array.from(answers, (own) => own[item]!);
  return anchorInputOf({
    weights: new Float64Array(items).fill(1 / items),
    accuracy: Float64Array.from({ length: items }, (_, i) => column(i).reduce((sum, score) => sum + score, 0) / 60),
    bank,
    abilities,
    column,
    sizes,
    random: createRandom(4),
  });
}

describe("anchors by information", () => {
  const own = input(100, [20]);
  const { filtered, pool } = informationPool(own);
  const share = (items: Uint32Array): number => items.filter((item) => item % 5 === 0).length / items.length;
  const chosen = (threshold: number | null): Uint32Array =>
    informedAnchors(own, pool, { ...DEFAULT_DESIGN, threshold }, 20).items;

  test("are among what screening leaves, without what all have right", () => {
    expect(filtered.dropped.constant).toBe(10);
    expect(Array.from(pool)).toEqual(Array.from(filtered.pool)); // too few to draw subsets of
    expect(Math.max(...pool)).toBeLessThan(90);
  });

  test("are the steep ones; with a threshold that none reaches, spread over the accuracies instead", () => {
    expect(share(pool)).toBeLessThan(0.35);
    expect(share(chosen(0))).toBeGreaterThan(0.8);
    expect(share(chosen(null))).toBeLessThan(0.5);
    expect(Array.from(chosen(100))).toEqual(Array.from(chosen(null)));
    const some = chosen(0.5); // 2.5²/4 at most, .4²/4 of the others
    expect(some.filter((item) => item % 5 === 0).length).toBeGreaterThanOrEqual(15);
    for (const items of [chosen(0), some, chosen(null)]) {
      expect(new Set(items).size).toBe(20);
      for (let j = 1; j < 20; j++) expect(own.accuracy[items[j]!]).toBeGreaterThanOrEqual(own.accuracy[items[j - 1]!]!);
    }
  });

  test("are the same in every draw", async () => {
    const prepared = informationAnchors.prepare(own);
    const [one, other] = [await prepared.draw(createRandom(1)), await prepared.draw(createRandom(2))];
    expect(one.sets.get(20)).toBe(other.sets.get(20));
  });
});

describe("the subset of a pool", () => {
  const own = input(120, [10]);
  const columns = itemColumns(own.column, 120);
  const full = weightedScores(columns, own.weights);
  const fold = familyFolds(
    Array.from({ length: 60 }, (_, m) => Math.floor(m / 2)),
    5,
    createRandom(1),
  );
  const pool = Uint32Array.from({ length: 110 }, (_, i) => i);

  test("folds keep families together and are about as large", () => {
    for (let m = 0; m < 60; m += 2) expect(fold[m]).toBe(fold[m + 1]);
    for (let k = 0; k < 5; k++) expect(fold.filter((at) => at === k).length).toBe(12);
    expect(new Set(familyFolds(new Int32Array(9), 5, createRandom(1)))).toEqual(new Set([0, 1, 2, 3, 4]));
  });

  test("has the size asked for, errs less than most, and depends on the seed alone", () => {
    const of = (draws: number): Uint32Array =>
      subsampledItems(columns, full, pool, fold, { size: 20, draws, random: createRandom(9) });
    const worst = (items: Uint32Array): number =>
      Math.max(
        ...reconstructionError(
          [Float64Array.from({ length: 60 }, (_, m) => items.reduce((sum, i) => sum + own.column(i)[m]!, 0) / 20)],
          full,
          fold,
        ),
      );
    const [first, best] = [of(1), of(30)];
    expect(best.length).toBe(20);
    expect(Array.from(best)).toEqual(Array.from(best.toSorted((x, y) => x - y)));
    expect(worst(best)).toBeLessThan(worst(first));
    expect(of(30)).toEqual(best);
    expect(subsampledItems(columns, full, pool, fold, { size: 110, draws: 3, random: createRandom(9) })).toBe(pool);
  });

  test("the error is that of models that the curves haven't seen: none of the score itself, about its spread of noise", () => {
    expect(Math.max(...reconstructionError([full], full, fold))).toBeLessThan(1e-3);
    const random = createRandom(2);
    const noise = reconstructionError([full.map(() => random.normal())], full, fold);
    const mean = full.reduce((sum, score) => sum + score, 0) / 60;
    const spread = Math.sqrt(full.reduce((sum, score) => sum + (score - mean) ** 2, 0) / 60);
    const error = Math.sqrt(noise.reduce((sum, own) => sum + own ** 2, 0) / 5);
    expect(error).toBeGreaterThan(0.8 * spread);
  });
});

describe("the most informative items of bins", () => {
  const information = Float64Array.of(
    ...[5, 4, 1, 0, 3], // of five items in the first bin
    ...[6, 1, 2, 0, 1],
    ...[0, 0, 9, 1, 8],
  );

  test("bins take in turn what no other has; a round that brings too many keeps its most informative ones", () => {
    expect(informationItems(information, 5, 3, 0)).toEqual([4, 0, 2]);
    expect(informationItems(information, 5, 2, 0)).toEqual([4, 0]);
    expect(informationItems(information, 5, 5, 0).toSorted()).toEqual([0, 1, 2, 3, 4]);
  });

  test("what doesn't reach the threshold isn't taken", () => {
    expect(informationItems(information, 5, 5, 2.5)).toEqual([2, 0, 4, 1]); // item 3 has 1 at most
    expect(informationItems(information, 5, 5, 10)).toEqual([]);
  });
});

describe("the information of items in bins", () => {
  const random = createRandom(3);
  const bank = itemBank(
    Float64Array.from({ length: 20 }, () => 0.5 + random.next()),
    Float64Array.from({ length: 20 }, () => random.normal()),
  );
  const abilities = Float64Array.from({ length: 9 }, () => random.normal());
  const candidates = [3, 7, 11, 19];

  test("is the largest at the sources' abilities in each, ascending", () => {
    const sorted = abilities.toSorted();
    const expected = [0, 3, 6].flatMap((begin) =>
      candidates.map((item) =>
        Math.max(
          ...Array.from(sorted.subarray(begin, begin + 3), (own) => itemInformation([own] as never, bank, item)),
        ),
      ),
    );
    expect(Array.from(binnedInformation(bank, abilities, candidates, "sources", 3))).toEqual(expected);
    expect(binnedInformation(bank, abilities, candidates, "sources", 100).length).toBe(9 * 4);
  });

  test("lies on an even grid between the ends: of one bin the peak, where that is between them", () => {
    const wide = Float64Array.of(-6, 6, 5.5);
    const [peak] = binnedInformation(bank, wide, [3], "even", 1);
    expect(peak).toBeGreaterThan(0.999 * (bank.a[3]! ** 2 / 4));
    expect(peak).toBeLessThanOrEqual(bank.a[3]! ** 2 / 4);
  });
});
