import type { RandomSource } from "anchoreval/core";
import type { ItemParameters } from "./item-parameters.ts";
import type { ScenarioPlan } from "./scenarios.ts";

const PEOPLE = ["Ada", "Bela", "Chidi", "Dalia", "Emil", "Farah", "Goran", "Hana", "Ines", "Jamal", "Kaito", "Lena"];
/** A theme's things: what an item is about follows its strongest skill. */
const THEMES = [
  ["pears", "loaves", "jars of honey", "eggs"],
  ["stamps", "letters", "parcels", "postcards"],
  ["screws", "planks", "nails", "hinges"],
  ["tickets", "seats", "programmes", "coats"],
  ["beakers", "samples", "filters", "crystals"],
  ["horses", "saddles", "bales of hay", "buckets"],
] as const;
/** Most steps of a question; harder items have more. */
const MOST_STEPS = 7;

/**
 * Writes a question for every item: a little story of additions and subtractions, longer for harder items, about the
 * things of the item's strongest skill. Near-copies tell the same story with other numbers. All are different, for each
 * has its number.
 */
export function writeTexts(
  items: ItemParameters,
  scenarios: readonly ScenarioPlan[],
  skills: number,
  random: RandomSource,
): string[] {
  return Array.from(items.scenario, (s, i) => {
    const story =
      items.cluster[i] === 0
        ? random.fork("item").fork(String(i))
        : random.fork("cluster").fork(String(items.cluster[i]));
    const numbers = random.fork("numbers").fork(String(i));
    const { choices } = scenarios[s]!;
    const things = THEMES[strongest(items.loadings.subarray(i * skills, (i + 1) * skills), s) % THEMES.length]!;
    const person = pick(PEOPLE, story);
    const thing = pick(things, story);
    const steps = Math.max(1, Math.min(MOST_STEPS, Math.round(3 + items.difficulty[i]!)));
    let total = 20 + numbers.below(80);
    let text = `Question ${i + 1}. ${person} has ${total} ${thing}.`;
    for (let step = 0; step < steps; step++) {
      const amount = 2 + numbers.below(17);
      if (story.next() < 0.5 || total < amount) {
        total += amount;
        text += ` ${pick(PEOPLE, story)} brings ${amount} more.`;
      } else {
        total -= amount;
        text += ` ${pick(PEOPLE, story)} takes ${amount} away.`;
      }
    }
    text += " How many are there now?";
    for (let option = 0; option < choices; option++)
      text += ` ${String.fromCharCode(65 + option)}) ${total + 3 * (option - items.key[i]!)}`;
    return text;
  });
}

function strongest(loadings: Float64Array, otherwise: number): number {
  let best = -1;
  loadings.forEach((loading, k) => {
    if (best < 0 || loading > loadings[best]!) best = k;
  });
  return best < 0 ? otherwise : best;
}

function pick<T>(values: readonly T[], random: RandomSource): T {
  return values[random.below(values.length)]!;
}
