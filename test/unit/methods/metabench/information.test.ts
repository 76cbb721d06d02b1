import { itemBank } from "anchoreval/internal/core/irt/item-bank";
import { itemInformation } from "anchoreval/internal/core/irt/response";
import { createRandom } from "anchoreval/internal/core/numeric/random";
import { describe, expect, test } from "vitest";
import { binnedInformation, informationItems } from "../../../../offline-trainer/src/methods/metabench/information.ts";

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
