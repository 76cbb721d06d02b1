// Forms of a pool drawn in several ways, each as lists of items.
import { createRandom } from "anchoreval/internal/core/numeric/random";
import { buildParallelForms, NO_DIFFICULTY } from "anchoreval-trainer";

/** Ways to draw forms: `(pool, difficulty, { size, count, buckets, seed }) => lists of items`. */
export const WAYS = {
  random: (pool, _, { size, count, seed }) => {
    const order = createRandom(seed)
      .fork("random forms")
      .shuffle([...pool.rows.keys()]);
    return Array.from({ length: count }, (__, k) => order.slice(k * size, (k + 1) * size));
  },
  "subjects alone": (pool, _, shape) => built(pool, NO_DIFFICULTY, shape),
  "difficulty alone known": (pool, difficulty, shape) => built(pool, { ...difficulty, answered: null }, shape),
  "anchoreval forms": built,
};

function built(pool, difficulty, { size, count, buckets, seed }) {
  const options = { size, count, buckets, random: createRandom(seed) };
  return buildParallelForms(pool, difficulty, options).forms.map(({ items }) => [...items]);
}

/**
 * Forms drawn one after the other, each by largest remainders over the strata of what is left, with random items for what
 * strata could not give: how subsets are often made.
 */
export function oneAfterTheOther({ stratumOf }, { size, count, seed }) {
  const random = createRandom(seed).fork("one after the other");
  let left = [...stratumOf.keys()];
  return Array.from({ length: count }, () => {
    const strata = grouped(left, stratumOf);
    const exact = [...strata].map(([, items]) => ({ items, share: (size * items.length) / left.length }));
    exact.sort((x, y) => (y.share % 1) - (x.share % 1));
    const rest = size - exact.reduce((sum, { share }) => sum + Math.floor(share), 0);
    const form = exact.flatMap(({ items, share }, k) =>
      random.shuffle([...items]).slice(0, Math.floor(share) + Number(k < rest)),
    );
    const taken = new Set(form);
    left = left.filter((item) => !taken.has(item));
    return form;
  });
}

function grouped(items, stratumOf) {
  const groups = new Map();
  for (const item of items) {
    const own = groups.get(stratumOf[item]);
    if (own) own.push(item);
    else groups.set(stratumOf[item], [item]);
  }
  return groups;
}
