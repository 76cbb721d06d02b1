import type { AnchorEvalErrorCode } from "anchoreval";
import { expect, test } from "vitest";
import { calibrateMarginal } from "../../../../offline-trainer/src/calibrate/marginal/calibrate-marginal.ts";
import type { MarginalOptions } from "../../../../offline-trainer/src/calibrate/marginal/types.ts";
import type { CodedResponses } from "../../../../offline-trainer/src/matrix/code-responses.ts";
import { expectRefusal, rejection } from "../../../support/refusal.ts";

interface BadInput {
  readonly responses?: Partial<CodedResponses>;
  readonly options?: Partial<MarginalOptions>;
  readonly code: AnchorEvalErrorCode;
  readonly says: string;
}

const signs = Int8Array.of(1, -1, 1, 1, -1, -1, 1, -1, 1, -1, 1, 1, 1, -1, 1, 0, 1, -1, -1, 1);

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
    says: "model 2, item 1: a sign must be 1, −1 or 0; got 2",
  },
  "no answers": {
    responses: { signs: new Int8Array(20) },
    code: "invalid_data",
    says: "needs 3 items with answers, got 0",
  },
  "too few items for discriminations": {
    responses: { signs: signs.map((sign, k) => (k % 4 < 2 ? sign : 0)) },
    code: "invalid_data",
    says: "the 2pl needs 3 items with answers, got 2",
  },
  "one item for the 1PL": {
    responses: { signs: signs.map((sign, k) => (k % 4 < 1 ? sign : 0)) },
    options: { model: "1pl" },
    code: "invalid_data",
    says: "the 1pl needs 2 items",
  },
  "a prior without width": {
    options: { priors: { a: { flat: 1, sd: 0 } } },
    code: "invalid_option",
    says: "priors.a.sd must be above 0; got 0",
  },
  "a prior of negative flatness": {
    options: { priors: { b: { mean: 0, flat: -1, sd: 1 } } },
    code: "invalid_option",
    says: "priors.b.flat must be a number from 0 on; got -1",
  },
  "a prior about nothing": {
    options: { priors: { lower: { mean: NaN, flat: 0, sd: 1 } } },
    code: "invalid_option",
    says: "priors.lower.mean must be a number; got NaN",
  },
  "no iterations": {
    options: { maxIterations: 0 },
    code: "invalid_option",
    says: "maxIterations must be a whole number from 1 on; got 0",
  },
  "no tolerance": { options: { tolerance: 0 }, code: "invalid_option", says: "tolerance must be above 0; got 0" },
};

test.each(Object.entries(BAD))("%s is refused", async (_, { responses, options, code, says }) => {
  const run = calibrateMarginal({ subjects: 5, items: 4, signs, ...responses }, { model: "2pl", ...options });
  expectRefusal(await rejection(run), code, says);
});

test("what is refused there is taken here: the same without the fault", async () => {
  const fit = await calibrateMarginal({ subjects: 5, items: 4, signs }, { model: "2pl" });
  expect(fit.a.every(Number.isFinite)).toBe(true);
});
