import { essence } from "../methods/essence/index.ts";
import { metabench } from "../methods/metabench/index.ts";
import type { Method } from "../methods/method.ts";
import { sublime } from "../methods/sublime/index.ts";
import { tinybenchmarks } from "../methods/tinybenchmarks/index.ts";
import { DEFAULT_CONFIGURATION, type FitConfiguration } from "./configuration.ts";

/** A way to fit that has a name: what this project recommends, a published method as it is done here, or a baseline. */
export interface Recipe {
  /** One line of help. */
  readonly summary: string;
  readonly configuration: FitConfiguration;
  /** Anchors a scenario where none are asked for. */
  readonly sizes?: readonly number[];
  /** Anchors of all scenarios together where none are asked for. @default those of `sizes` that every scenario can share */
  readonly totals?: readonly number[];
}

/** Published methods and the default, by name. */
export const RECIPE_NAMES = ["recommended", "random", "tinybenchmarks", "essence", "metabench", "sublime"] as const;

/** A published method, or the default. */
export type RecipeName = (typeof RECIPE_NAMES)[number];

/** Every recipe by its name. Options given beside a recipe override its fields. */
export const RECIPES: Readonly<Record<RecipeName, Recipe>> = {
  recommended: { summary: "the default", configuration: DEFAULT_CONFIGURATION },
  /** What all others are measured against: the mean score on items drawn at random. */
  random: {
    summary: "the mean of random items",
    configuration: { ...DEFAULT_CONFIGURATION, selection: "random", estimator: "anchor-mean", linked: false },
  },
  tinybenchmarks: published(tinybenchmarks),
  essence: published(essence),
  metabench: published(metabench),
  sublime: published(sublime),
};

function published({ summary, settings, sizes, totals }: Method): Recipe {
  return { summary, configuration: settings, ...(sizes && { sizes }), ...(totals && { totals }) };
}
