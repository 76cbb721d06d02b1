import type { Manifest } from "../../../sdk/core/bundle/manifest.ts";
import type { RoutingContent } from "../core/routing-file.ts";

/** The part of a bundle that predicts answers to questions that no model has seen. */
export interface BundleRouting extends RoutingContent {
  readonly manifest: Manifest;
  /** `sha256:…` of manifest.json. */
  readonly digest: string;
  /** Bytes that its arrays hold, about. */
  readonly byteLength: number;
}

/** A question to be routed: its text, where the bundle goes by texts, or its vector, where it goes by embeddings. */
export interface RoutedQuestion {
  /** Any name; the route carries it. */
  readonly id?: string;
  readonly text?: string;
  /** As many numbers as the bundle's `coldStart.width`; its length doesn't matter. */
  readonly embedding?: readonly number[];
}

/** How models are weighed against their costs. */
export interface RouteOptions {
  /** Needed where the bundle has routes of several. */
  readonly scenario?: string;
  /** The cost of one question, by model; a model without a cost costs nothing. */
  readonly costs?: Readonly<Record<string, number>>;
  /** Probability of a right answer that one unit of cost must bring. @default 1 */
  readonly costWeight?: number;
}

/** A request to a Worker. */
export interface RoutesRequest extends RouteOptions {
  readonly questions: readonly RoutedQuestion[];
}

/** One question's route. */
export interface Route {
  readonly id: string | null;
  /** Chance of a right answer, in the order of `models`. */
  readonly chances: readonly number[];
  /** The model with the largest chance less its cost. */
  readonly pick: string;
  /** Standard error of the pick's logit before scaling; null where chances don't come from item parameters. */
  readonly pickLogitError: number | null;
  /** The text has no term that the bundle knows: the chances are those of a mean question. */
  readonly unknown: boolean;
}

/** A model for every question, and what speaks for it. */
export interface Routes {
  readonly benchmark: string;
  readonly version: string;
  readonly digest: string;
  readonly scenario: string;
  /** Source models, in the order of `chances`. */
  readonly models: readonly string[];
  /** The model that was right most often on the questions with answers. */
  readonly single: string;
  /** The picks' success on the questions with answers, each predicted from the others. */
  readonly leftOut: { readonly questions: number; readonly right: number; readonly singleRight: number };
  /** In the order of the questions. */
  readonly routes: readonly Route[];
}
