import { expect, test } from "vitest";
import { SELECTIONS } from "../../../offline-trainer/src/anchors/types.ts";
import { describeSelection, type Skip } from "./selection.suite.ts";

const drawn: Skip[] = [
  {
    test: "gives each item's weight to one anchor: the masses sum to the weight",
    reason: "a sample's masses sum to the weight on average over the draw, and the estimators normalise them",
  },
];
const clustered: Skip[] = [
  { test: "puts the smaller sizes into the larger", reason: "each size has clusters of its own" },
  {
    test: "states inclusion probabilities, and the weight over them as mass",
    reason: "medoids are a purposive choice: they have no probabilities",
  },
];

const put: string[] = [];
const call = (...[selection, skips]: Parameters<typeof describeSelection>): void => {
  put.push(selection);
  describeSelection(selection, skips);
};
call("stratified", drawn);
call("random", drawn);
call("hybrid", [
  ...drawn,
  {
    test: "states inclusion probabilities, and the weight over them as mass",
    reason: "they are simulated, not in proportion to the weight: hybrid.test.ts holds them to a simulation",
  },
]);
call("screened", drawn);
call("greedy-variance", [
  {
    test: "states inclusion probabilities, and the weight over them as mass",
    reason: "items are chosen on purpose: they have no probabilities",
  },
  {
    test: "is the same with the same seed, another one with another seed",
    reason: "nothing is drawn: every seed has the same anchors",
  },
]);
call("essence", [
  { test: "puts the smaller sizes into the larger", reason: "each size has a search of its own" },
  {
    test: "states inclusion probabilities, and the weight over them as mass",
    reason: "items are chosen on purpose: they have no probabilities",
  },
]);
call("fisher-information", [
  { test: "puts the smaller sizes into the larger", reason: "a size has bins of its own" },
  {
    test: "states inclusion probabilities, and the weight over them as mass",
    reason: "items are chosen on purpose: they have no probabilities",
  },
  {
    test: "is the same with the same seed, another one with another seed",
    reason: "of 40 items none is left out by a draw",
  },
]);
call("sublime", [
  { test: "puts the smaller sizes into the larger", reason: "each size has candidates of its own" },
  {
    test: "states inclusion probabilities, and the weight over them as mass",
    reason: "items are chosen on purpose: they have no probabilities",
  },
]);
call("irt-kmeans", clustered);
call("correctness-kmeans", clustered);

test("every selection is put to the suite once", () => {
  expect(put.toSorted()).toEqual([...SELECTIONS].sort());
});
