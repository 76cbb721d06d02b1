import { type AnchorMethod, type Method, recommended } from "anchoreval-trainer";

const sharpestItems: AnchorMethod = {
  name: "sharpest",
  source: { module: import.meta.url, name: "sharpestItems" }, // where a thread of the fit loads it from
  drawn: false, // a choice on purpose: no inclusion probabilities
  estimator: "stack", // the score where none is asked for
  prepare: ({ accuracy, bank, sizes }) => {
    const fromHard = Array.from(accuracy.keys()).sort((x, y) => accuracy[x]! - accuracy[y]! || x - y);
    const sharpness = (item: number): number =>
      Math.hypot(...bank.a.subarray(item * bank.dims, (item + 1) * bank.dims));
    const choose = (size: number): number[] =>
      Array.from({ length: size }, (_, band) => {
        const edge = (k: number): number => Math.round((k * fromHard.length) / size);
        const items = fromHard.slice(edge(band), edge(band + 1));
        return items.reduce((best, item) => (sharpness(item) > sharpness(best) ? item : best));
      });
    const sets = new Map(
      sizes.map((size) => {
        const items = Uint32Array.from(choose(size));
        return [size, { items, inclusion: null, mass: new Float64Array(size).fill(1 / size) }] as const;
      }),
    );
    return { draw: () => ({ sets, nested: false }) };
  },
};

export const sharpest: Method = {
  name: "sharpest",
  summary: "the items that discriminate most, in bands of difficulty",
  settings: { ...recommended.settings, selection: "sharpest" },
  anchors: sharpestItems,
};
