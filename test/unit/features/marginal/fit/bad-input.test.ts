import { expect, test } from "vitest";
import { calibrateMarginal, type MarginalOptions } from "../../../../../features/marginal/fit/calibrate-marginal.ts";
import type { CodedResponses } from "../../../../../offline-trainer/src/matrix/code-responses.ts";
import { expectRefusal, rejection } from "../../../../support/refusal.ts";

interface BadInput {
  readonly responses?: Partial<CodedResponses>;
  readonly options?: Partial<MarginalOptions>;
  readonly says: string;
}

const signs = Int8Array.of(1, -1, 1, 1, -1, -1, 1, -1, 1, -1, 1, 1, 1, -1, 1, 0, 1, -1, -1, 1);

const BAD: Readonly<Record<string, BadInput>> = {
  "no answers": {
    responses: { signs: new Int8Array(20) },
    says: "needs 3 items with answers, got 0",
  },
  "too few items for discriminations": {
    responses: { signs: signs.map((sign, k) => (k % 4 < 2 ? sign : 0)) },
    says: "the 2pl needs 3 items with answers, got 2",
  },
  "one item for the 1PL": {
    responses: { signs: signs.map((sign, k) => (k % 4 < 1 ? sign : 0)) },
    options: { model: "1pl" },
    says: "the 1pl needs 2 items",
  },
};

test.each(Object.entries(BAD))("%s is refused", async (_, { responses, options, says }) => {
  const run = calibrateMarginal({ subjects: 5, items: 4, signs, ...responses }, { model: "2pl", ...options });
  expectRefusal(await rejection(run), "invalid_data", says);
});

test("what is refused there is taken here: the same without the fault", async () => {
  const fit = await calibrateMarginal({ subjects: 5, items: 4, signs }, { model: "2pl" });
  expect(fit.a.every(Number.isFinite)).toBe(true);
});
