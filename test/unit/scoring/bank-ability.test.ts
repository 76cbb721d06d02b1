import { mapAbility } from "anchoreval/internal/core/ability/map";
import { scaledPrior } from "anchoreval/internal/core/ability/prior";
import { itemBank } from "anchoreval/internal/core/irt/item-bank";
import { itemLogit } from "anchoreval/internal/core/irt/response";
import { gatherItems } from "anchoreval/internal/core/scoring/bank-ability";
import { expect, test } from "vitest";

const first = itemBank(Float32Array.of(1, 2, 3, 4, 5, 6), Float32Array.of(0.5, 1.5, 2.5));
const second = itemBank(Float32Array.of(7, 8, 9, 10), Float32Array.of(3.5, 4.5), { lower: Float32Array.of(0, 0.25) });

test("takes the answered items, in order", () => {
  const { bank, items, scores } = gatherItems({ bank: first, items: Uint32Array.of(2, 1, 0), scores: [1, NaN, 0.5] })!;
  expect(bank).toEqual({
    count: 2,
    dims: 2,
    a: Float64Array.of(5, 6, 1, 2),
    b: Float64Array.of(2.5, 0.5),
    lower: null,
    upper: null,
  });
  expect(items).toEqual(Uint32Array.of(0, 1));
  expect(scores).toEqual(Float64Array.of(1, 0.5));
  expect(gatherItems({ bank: second, items: [1, 0], scores: [0, 1] })!.bank.lower).toEqual(Float64Array.of(0.25, 0));
});

test("asymptotes that are all trivial are left out: the 2PL's path is exact in the tails", () => {
  expect(gatherItems({ bank: second, items: [0], scores: [1] })!.bank).toMatchObject({ lower: null, upper: null });
});

test("no answer at all is null", () => {
  expect(gatherItems({ bank: first, items: [0, 1], scores: [NaN, NaN] })).toBeNull();
});

test("the ability is the one of the original banks", () => {
  const prior = scaledPrior(new Float64Array(2), Float64Array.of(1, 0, 0, 1), 1);
  const gathered = gatherItems({ bank: first, items: [2, 0], scores: [0, 1] })!;
  expect(mapAbility(gathered.bank, gathered, prior).theta).toEqual(
    mapAbility(first, { items: [2, 0], scores: [0, 1] }, prior).theta,
  );
  expect(itemLogit(Float64Array.of(0.3, -0.2), gathered.bank, 0)).toBe(itemLogit(Float64Array.of(0.3, -0.2), first, 2));
});
