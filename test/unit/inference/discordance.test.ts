import { addDiscordances, discordance } from "anchoreval/core";
import { expect, test } from "vitest";

test("counts the items and the points by which either model is ahead", () => {
  const one = discordance([1, 0, 0.5, 1, 0], [0, 1, 0.75, 1, 0]);
  expect(one).toEqual({ items: 5, aHigher: 1, aAhead: 1, bHigher: 2, bAhead: 1.25 });
  expect(addDiscordances([one, discordance([1], [0.25])])).toEqual({
    items: 6,
    aHigher: 2,
    aAhead: 1.75,
    bHigher: 2,
    bAhead: 1.25,
  });
});
