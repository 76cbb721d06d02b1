import type { BundlePart } from "../../sdk/core/bundle/part.ts";
import { lookUp } from "../../sdk/core/bundle/names.ts";
import { list, nullable, number, object, record, text, type Infer } from "../../sdk/core/bundle/schema.ts";

const price = number({ min: 0 });
const measure = {
  unit: nullable(text()),
  /** Of all items together, by scenario. */
  whole: record(price),
  /** By form and scenario, of all its anchors. */
  forms: record(record(price)),
  /** By scenario, in the order of anchors.jsonl. */
  anchors: record(list(price)),
};
const notedPrices = object(measure, {
  /** Of the same items by other measures, such as seconds: they chose nothing. */
  beside: list(object(measure)),
});

/** Prices of a bundle's anchors and of the whole benchmark. */
export type NotedPrices = Infer<typeof notedPrices>;

/** The prices that a bundle was fitted by. */
export const pricesPart: BundlePart<NotedPrices> = {
  key: "prices",
  at: "fit",
  bears: "beside",
  schema: notedPrices,
  problems: ({ beside = [], ...first }, manifest) => {
    const lacking = (part: object | undefined): string[] =>
      manifest.scenarios.flatMap(({ id }) => (part && Object.hasOwn(part, id) ? [] : [id]));
    const parts = [first, ...beside].flatMap(({ whole, forms, anchors }) => [
      ["whole", whole],
      ["anchors", anchors],
      ...manifest.forms.map(({ id }) => [`form ${id}`, lookUp(forms, id)]),
    ]);
    return (parts as [string, object | undefined][]).flatMap(([name, part]) =>
      lacking(part).map((id) => `${name} has no prices of scenario ${id}`),
    );
  },
};
