import { ESTIMATORS } from "anchoreval/core";
import { expect, test } from "vitest";
import { describeEstimator, type Skip } from "./estimator.suite.ts";

const usesModel: Skip = {
  test: "rests on the answers alone, not on the ability",
  reason: "it predicts the items that weren't asked",
};
const leansOnModel: Skip = {
  test: "is right on average over the draw, however wrong the response model is",
  reason: "where the response model is wrong, so are the predicted scores",
};
const called: string[] = [];
const call = (...[id, skips]: Parameters<typeof describeEstimator>): void => {
  called.push(id);
  describeEstimator(id, skips);
};

call("anchor-mean");
call("p-irt", [usesModel, leansOnModel]);
call("gp-irt", [usesModel, leansOnModel]);
call("p-irt-dr", [usesModel]);

test("every estimator is put to the suite once", () => {
  expect(called.toSorted()).toEqual([...ESTIMATORS].sort());
});
