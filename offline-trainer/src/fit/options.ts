import type { BundleContent, Manifest } from "anchoreval/bundle";
import { BENCHMARK_NAME, VERSION } from "anchoreval/internal/core/bundle/names";
import { type OptionNames, invalidOption } from "anchoreval/internal/core/errors";
import type { FixedBank } from "../calibrate/bank.ts";
import type { CalibrationBackend } from "../calibrate/types.ts";
import type { Benchmark } from "../matrix/benchmark.ts";
import type { Method } from "../methods/method.ts";
import type { Blends } from "./blends.ts";
import type { FoldThreads } from "./folds.ts";
import type { AskedForms, FormPlan } from "./form-plans.ts";
import type { Form, LearnedScenario } from "./forms.ts";
import type { Learned } from "./learn.ts";
import type { Observer } from "./observer.ts";

/** A bundle's description of itself and its data. */
export interface BundleDescription {
  readonly benchmark: string;
  readonly version: string;
  /** ISO 8601; never the clock's. */
  readonly created: string;
  readonly benchmarkVersion?: string;
  readonly description?: string;
  readonly protocol?: Manifest["protocol"];
  readonly licence?: string;
  readonly source?: string;
  readonly includeModelNames?: boolean;
  readonly includeText?: boolean;
}

/**
 * Something that a fit learns or writes beside its road, as a value: `fit(matrix, { …, parts: [byPrices(prices)] })`. The road knows
 * none of them by name; parts that change the same thing do so in the order of the list.
 */
export interface FitPart {
  /** Its name in the timings. */
  readonly stage: string;
  /** The method to fit by, from the one that was asked for. */
  readonly method?: (method: Method) => Method;
  /** Forms beside those that were asked for, in ways of their own. */
  readonly forms?: readonly FormPlan[];
  /** Scenarios whose items keep parameters; held-out models are fitted without. */
  readonly fixed?: ReadonlyMap<string, FixedBank>;
  /** Notes something of every model that is held out. */
  readonly observer?: Observer;
  /** The bundle's content with what this part adds, once it is fitted. */
  readonly add?: (fitted: FittedContent) => Promise<BundleContent> | BundleContent;
}

/** Scenarios that are pooled, fitted. */
export interface FittedPart {
  readonly benchmark: Benchmark;
  /** From all models that answered anything. */
  readonly learned: Learned;
  /** The forms that a bundle is made with. */
  readonly forms: readonly Form[];
  /** From held-out models. */
  readonly blends: Blends;
}

/** A bundle before its files are written, and what was learned for it. */
interface FittedContent {
  readonly content: BundleContent;
  readonly learned: readonly LearnedScenario[];
  readonly parts: readonly FittedPart[];
  readonly method: Method;
  readonly forms: readonly FormPlan[];
}

/** Options of a fit, beside the responses. */
export interface FitOptions extends BundleDescription, AskedForms {
  /** @default recommended */
  readonly method?: Method;
  readonly seed: number;
  /** Family by model name, for models that are held out by whole families; where it has none, the name tells. */
  readonly families?: ReadonlyMap<string, string>;
  /** Learned and written beside, such as `byPrices` and `withGateForms` make. @default none */
  readonly parts?: readonly FitPart[];
  readonly backend: CalibrationBackend;
  /** Notes of what the bundle is made from, as `provenanceOf` has them. @default none */
  readonly provenance?: object;
  /** Held-out models are computed on threads. The bundle doesn't depend on it. @default on the caller's own */
  readonly threads?: FoldThreads;
  /** Folder where calibrations leave their state, after each round, to go on from there to the same end. */
  readonly checkpoint?: string;
  readonly signal?: AbortSignal;
  readonly onProgress?: (done: number, of: number, note: string) => void;
}

/** The options of a fit. */
export const FIT_OPTIONS: OptionNames<FitOptions> = {
  benchmark: true,
  version: true,
  created: true,
  benchmarkVersion: true,
  description: true,
  protocol: true,
  licence: true,
  source: true,
  includeModelNames: true,
  includeText: true,
  sizes: "list",
  totals: "list",
  secondForms: true,
  method: true,
  seed: "number",
  families: true,
  parts: "list",
  backend: true,
  provenance: true,
  threads: true,
  checkpoint: true,
  signal: true,
  onProgress: true,
};

/** A bundle's name and version out of BENCHMARK@X.Y.Z. @throws AnchorEvalError `invalid_option` */
export function readName(name: string): { benchmark: string; version: string } {
  const [benchmark = "", version = "", ...rest] = name.split("@");
  if (rest.length > 0 || !BENCHMARK_NAME.test(benchmark) || !VERSION.test(version))
    throw invalidOption(
      `\`name\` must be BENCHMARK@X.Y.Z, the benchmark of a-z, 0-9, ".", "_", "-" (at most 64), the version semver; got ${name}`,
    );
  return { benchmark, version };
}
