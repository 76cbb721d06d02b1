import {
  count,
  counted,
  decimals,
  listed,
  percent,
  points,
  priceWords,
  signedPoints,
  thousandths,
  wholePercent,
} from "anchoreval/internal/words/figures";
import { intervalWords, scoreWords } from "anchoreval/internal/words/result-words";
import { expect, test } from "vitest";

test.each([
  [points(0.6243), "62.4"],
  [points(1), "100.0"],
  [signedPoints(0.0123), "+1.2"],
  [signedPoints(-0.0123), "−1.2"],
  [signedPoints(-0.0001), "0.0"],
  [percent(0.95), "95 %"],
  [percent(0.975), "97.5 %"],
  [priceWords(1234.5, "tokens"), "1\u202f235 tokens"],
  [priceWords(0.00012345, null), "0.000123"],
  [priceWords(119, "seconds"), "119 seconds"],
  [priceWords(2400, "seconds"), "40 minutes"],
  [priceWords(25_200, "seconds"), "7 hours"],
  [scoreWords(null), "–"],
  [intervalWords(null), "none"],
  [intervalWords({ low: 0.5, high: 0.5, level: 0.95, method: "exact" }), "exact"],
  [intervalWords({ low: 0.583, high: 0.6621, level: 0.95, method: "conformal" }), "58.3 to 66.2"],
])("%s", (words, expected) => {
  expect(words).toBe(expected);
});

test("points have one decimal and a minus sign, never a negative zero", () => {
  expect([0.0244, 0, -0.0123, -0.0001, 1].map(points)).toEqual(["2.4", "0.0", "−1.2", "0.0", "100.0"]);
  expect([-0.004, 0.126, -1.5].map(decimals)).toEqual(["0.00", "0.13", "−1.50"]);
  expect([-0.0004, 0.1264, -1.5].map(thousandths)).toEqual(["0.000", "0.126", "−1.500"]);
});

test("a share never reads as all or none where it isn't", () => {
  expect([0, 0.001, 0.5, 0.948, 0.997, 1].map(wholePercent)).toEqual([
    "0 %",
    "under 1 %",
    "50 %",
    "95 %",
    "over 99 %",
    "100 %",
  ]);
});

test("counts, nouns and lists", () => {
  expect([7, 1234, 28659, 1234567].map(count)).toEqual(["7", "1\u202f234", "28\u202f659", "1\u202f234\u202f567"]);
  expect([counted(1, "item"), counted(2, "item")]).toEqual(["1 item", "2 items"]);
  expect([listed([]), listed(["a"]), listed(["a", "b", "c"])]).toEqual(["", "a", "a, b and c"]);
});
