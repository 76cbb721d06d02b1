import { intervalWords, percent, points, scoreWords, signedPoints } from "anchoreval/words";
import { expect, test } from "vitest";

test.each([
  [points(0.6243), "62.4"],
  [points(1), "100.0"],
  [signedPoints(0.0123), "+1.2"],
  [signedPoints(-0.0123), "−1.2"],
  [signedPoints(-0.0001), "0.0"],
  [percent(0.95), "95 %"],
  [percent(0.975), "97.5 %"],
  [scoreWords(null), "–"],
  [intervalWords(null), "none"],
  [intervalWords({ low: 0.5, high: 0.5, level: 0.95, method: "exact" }), "exact"],
  [intervalWords({ low: 0.583, high: 0.6621, level: 0.95, method: "conformal" }), "58.3 to 66.2"],
])("%s", (words, expected) => {
  expect(words).toBe(expected);
});
