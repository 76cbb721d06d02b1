// Plain means of answers: to random items (the yardstick itself), and to items stratified by their difficulty.
import { randomItems } from "./source.js";

const mean = (answers) => answers.reduce((sum, answer) => sum + answer, 0) / answers.length;

export const randomMean = {
  name: "random-mean",
  label: "mean of random items",
  forms: 10,
  fit: (source, n, random) => ({ items: randomItems(source.items, n, random), predict: mean }),
};

/** Systematic sampling over the items in the order of their means over the sources, equal means in random order. */
export const stratifiedMean = {
  name: "stratified-mean",
  label: "mean of items stratified by difficulty",
  forms: 10,
  fit({ items: count, itemMeans }, n, random) {
    const order = random.shuffle(Array.from({ length: count }, (_, i) => i));
    order.sort((x, y) => itemMeans[x] - itemMeans[y]);
    const start = random.next();
    const items = Int32Array.from({ length: n }, (_, k) => order[Math.floor(((k + start) * count) / n)]);
    return { items, predict: mean };
  },
};
