import { ALL_ESTIMATORS } from "anchoreval/internal/core/estimators/types";
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
const leansOnSources: Skip = {
  test: "is right on average over the draw, however wrong the response model is",
  reason: "the gap between anchors and score is what it was among the source models",
};
const mayTurn: Skip = {
  test: "never falls when an answer gets better and the ability stays",
  reason: "an item that goes against the others, given them, has a negative weight",
};
const mapped: Skip[] = [
  {
    test: "reproduces a constant: the same score on every item, and predicted",
    reason: "a map says what such answers came to among the source models",
  },
  mayTurn,
];
const called: string[] = [];
const call = (...[id, skips]: Parameters<typeof describeEstimator>): void => {
  called.push(id);
  describeEstimator(id, skips);
};

call("anchor-mean");
call("p-irt", [usesModel, leansOnModel]);
call("gp-irt", [usesModel, leansOnModel]);
call("p-irt-dr", [usesModel]);
call("gaussian", [leansOnModel, mayTurn]);
call("ridge-gap", [leansOnSources, mayTurn]);
call("aipw", [mayTurn]);
call("stack", [usesModel, leansOnModel, mayTurn]);
call("gate", [usesModel, leansOnModel, mayTurn]);
call("score-map", [usesModel, leansOnModel, ...mapped]);

test("every estimator is put to the suite once", () => {
  expect(called.toSorted()).toEqual([...ALL_ESTIMATORS].sort());
});
