import type { BundlePart } from "../../sdk/core/bundle/part.ts";
import { type Infer, number, object, record, text } from "../../sdk/core/bundle/schema.ts";

const gateNote = object({
  /** Whose runs told which items flip. */
  by: text(),
  /** Share of the answers that flip between two runs of one model, expected. */
  flips: number({ min: 0, max: 1 }),
  /** Of a drop, over that by even draws. */
  variance: number({ min: 0 }),
});

/** How the forms for a gate were drawn, by scenario. */
export const gateFormsPart: BundlePart<Readonly<Record<string, Infer<typeof gateNote>>>> = {
  key: "gateForms",
  at: "fit",
  bears: "beside",
  schema: record(gateNote),
};
