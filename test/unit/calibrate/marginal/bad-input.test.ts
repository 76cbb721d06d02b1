import { createRandom, itemBank, type AnchorEvalErrorCode } from "anchoreval/core";
import { expect, test } from "vitest";
import { calibrateMarginal } from "../../../../offline-trainer/src/calibrate/marginal/calibrate-marginal.ts";
import type { MarginalOptions } from "../../../../offline-trainer/src/calibrate/marginal/types.ts";
import type { CodedResponses } from "../../../../offline-trainer/src/calibrate/types.ts";
import { expectRefusal, rejection } from "../../../support/refusal.ts";

interface BadInput {
  readonly responses?: Partial<CodedResponses>;
  readonly options?: Partial<MarginalOptions>;
  readonly code: AnchorEvalErrorCode;
  readonly says: string;
}

const signs = Int8Array.of(1, -1, 1, 1, -1, -1, 1, -1, 1, -1, 1, 1, 1, -1, 1, 0, 1, -1, -1, 1);
const bank = itemBank(Float64Array.of(1, 1.2), Float64Array.of(0, 0.5));

const BAD: Readonly<Record<string, BadInput>> = {
  "a model that there isn't": {
    options: { model: "5pl" as never },
    code: "invalid_option",
    says: "1pl, 2pl, 3pl, 4pl; got 5pl",
  },
  "no models": {
    responses: { subjects: 0, signs: new Int8Array(0) },
    code: "invalid_data",
    says: "from 1 on; got 0 and 4",
  },
  "half an item": { responses: { items: 2.5 }, code: "invalid_data", says: "got 5 and 2.5" },
  "signs that don't fill the table": {
    responses: { subjects: 6 },
    code: "invalid_data",
    says: "have 24 signs; got 20",
  },
  "a sign that is none": {
    responses: { signs: signs.map((sign, k) => (k === 9 ? 2 : sign)) },
    code: "invalid_data",
    says: "model 2, item 1: a sign is 1, −1 or 0; got 2",
  },
  "no answers": {
    responses: { signs: new Int8Array(20) },
    code: "invalid_data",
    says: "needs 3 items with answers, got 0",
  },
  "too few items for discriminations": {
    options: { itemWeights: [1, 1, 0, 0] },
    code: "invalid_data",
    says: "the 2pl needs 3 items with answers, got 2",
  },
  "one item for the 1PL": {
    options: { model: "1pl", itemWeights: [1, 0, 0, 0] },
    code: "invalid_data",
    says: "the 1pl needs 2 items",
  },
  "weights of other models": {
    options: { modelWeights: [1, 1] },
    code: "invalid_option",
    says: "modelWeights has 5 entries; got 2",
  },
  "weights of other items": {
    options: { itemWeights: [1] },
    code: "invalid_option",
    says: "itemWeights has 4 entries; got 1",
  },
  "a negative weight": {
    options: { modelWeights: [1, 1, -1, 1, 1] },
    code: "invalid_option",
    says: "modelWeights[2] is a number from 0 on; got -1",
  },
  "a weight that is no number": {
    options: { itemWeights: [1, NaN, 1, 1] },
    code: "invalid_option",
    says: "itemWeights[1] is a number from 0 on; got NaN",
  },
  "an endless weight": { options: { itemWeights: [1, 1, 1, Infinity] }, code: "invalid_option", says: "got Infinity" },
  "weights of 0 all": {
    options: { modelWeights: [0, 0, 0, 0, 0] },
    code: "invalid_option",
    says: "modelWeights are all 0",
  },
  "a fixed item that isn't there": {
    options: { fixed: { items: [0, 4], bank } },
    code: "invalid_data",
    says: "fixed.items[1] is a column from 0 to 3; got 4",
  },
  "a fixed item twice": {
    options: { fixed: { items: [1, 1], bank } },
    code: "invalid_data",
    says: "names column 1 twice",
  },
  "a bank of other items": {
    options: { fixed: { items: [1], bank } },
    code: "invalid_data",
    says: "parameters of 2 fixed items; fixed.items has 1",
  },
  "a bank of two dimensions": {
    options: { fixed: { items: [0], bank: itemBank(Float64Array.of(1, 1), Float64Array.of(0)) } },
    code: "invalid_data",
    says: "one dimension; the bank has 2",
  },
  "a fixed parameter that is no number": {
    options: { fixed: { items: [0, 1], bank: itemBank(Float64Array.of(1, NaN), Float64Array.of(0, 0)) } },
    code: "invalid_data",
    says: "fixed item 1: a and b are numbers; got NaN and 0",
  },
  "fixed asymptotes that cross": {
    options: {
      fixed: {
        items: [0, 2],
        bank: itemBank(Float64Array.of(1, 1), Float64Array.of(0, 0), {
          lower: Float64Array.of(0, 0.6),
          upper: Float64Array.of(1, 0.5),
        }),
      },
    },
    code: "invalid_data",
    says: "fixed item 2: 0 ≤ lower < upper ≤ 1; got 0.6 and 0.5",
  },
  "fixed items of two discriminations for the 1PL": {
    options: { model: "1pl", fixed: { items: [0, 1], bank } },
    code: "invalid_data",
    says: "fixed item 1: the 1pl has one discrimination, 1 before; got 1.2",
  },
  "fixed items that discriminate nothing": {
    options: { fixed: { items: [0, 1], bank: itemBank(new Float64Array(2), new Float64Array(2)) } },
    code: "invalid_data",
    says: "nothing holds the scale",
  },
  "fixed items that nobody answered": {
    responses: { signs: signs.map((sign, k) => (k % 4 < 2 ? 0 : sign)) },
    options: { fixed: { items: [0, 1], bank } },
    code: "invalid_data",
    says: "nothing holds the scale",
  },
  "a prior without width": {
    options: { priors: { a: { flat: 1, sd: 0 } } },
    code: "invalid_option",
    says: "priors.a.sd is above 0; got 0",
  },
  "a prior of negative flatness": {
    options: { priors: { b: { mean: 0, flat: -1, sd: 1 } } },
    code: "invalid_option",
    says: "priors.b.flat is a number from 0 on; got -1",
  },
  "a prior about nothing": {
    options: { priors: { lower: { mean: NaN, flat: 0, sd: 1 } } },
    code: "invalid_option",
    says: "priors.lower.mean is a number; got NaN",
  },
  "no starts": {
    options: { starts: { count: 0, random: createRandom(1) } },
    code: "invalid_option",
    says: "starts.count is a whole number from 1 on; got 0",
  },
  "no iterations": {
    options: { maxIterations: 0 },
    code: "invalid_option",
    says: "maxIterations is a whole number from 1 on; got 0",
  },
  "no tolerance": { options: { tolerance: 0 }, code: "invalid_option", says: "tolerance is above 0; got 0" },
};

test.each(Object.entries(BAD))("%s is refused", async (_, { responses, options, code, says }) => {
  const run = calibrateMarginal({ subjects: 5, items: 4, signs, ...responses }, { model: "2pl", ...options });
  expectRefusal(await rejection(run), code, says);
});

test("what is refused there is taken here: the same without the fault", async () => {
  const fit = await calibrateMarginal(
    { subjects: 5, items: 4, signs },
    { model: "2pl", fixed: { items: [0, 1], bank } },
  );
  expect(fit.a.every(Number.isFinite)).toBe(true);
});
