import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { cardPoints } from "../../../workers/page/parts/card.ts";
import { ROOT } from "../../support/source-imports.js";

test("a card's points are those of its list, each whole", () => {
  const text = "# a 1.0.0\n\nWords - with a dash.\n\n- **One:** first\n  goes on.\n- two\n\n| a - b |\n";
  expect(cardPoints(text)).toEqual(["**One:** first goes on.", "two"]);
  expect(cardPoints("# a\n\nNothing else.\n")).toEqual([]);
});

test("cards of the bundles that come along say who measured what, and how the best new models fare", () => {
  const points = cardPoints(readFileSync(join(ROOT, "bundles/gsm8k/1.0.0/card.md"), "utf8"));
  expect(points).toHaveLength(7);
  expect(points[0]).toMatch(/^\*\*In short:\*\* 50 of 1.319 items: ± 7\.1 points for a model like those seen\.$/);
  expect(points[1]).toMatch(/^\*\*Measured by\*\*/);
  expect(points[6]).toMatch(/the best seen/);
});
