import {
  encodeBundle,
  type AnchorRecord,
  type BundleContent,
  type BundleFileName,
  type ScenarioContent,
} from "anchoreval/bundle";
import { itemWeights } from "anchoreval/internal/core/bundle/bundle";
import type { MeasuredErrors, ItemRecord } from "anchoreval/internal/core/bundle/manifest";
import type { UnaskedManifest } from "anchoreval/internal/features/unasked/core";
import { FORMAT_VERSION } from "anchoreval/internal/core/bundle/names";
import { anchorFactors } from "anchoreval/internal/core/estimators/factor-scores";
import type { ScoreMaps } from "anchoreval/internal/core/estimators/score-maps";
import {
  ALL_ESTIMATORS,
  ESTIMATORS,
  type AnchorFactors,
  type AnchorSet,
  type EstimatorId,
} from "anchoreval/internal/core/estimators/types";
import { itemBank, PARAMETERIZATION } from "anchoreval/internal/core/irt/item-bank";
import { itemResponses } from "anchoreval/internal/core/irt/response";
import { createRandom } from "anchoreval/internal/core/numeric/random";
import type { FormFigures, ScenarioGroups } from "anchoreval/internal/features/subscores/core/part";
import { notedPrices } from "anchoreval/internal/features/prices/sdk/bundle-prices";
import { itemFactors } from "./factors.ts";
import { MIXED_STACK } from "./stack-of.ts";

export interface SampleBundleOptions {
  readonly benchmark?: string;
  readonly version?: string;
  readonly dims?: number;
  /** Items per scenario; the second scenario has two subscenarios. */
  readonly items?: readonly [number, number];
  /** Anchors per scenario of the two forms. */
  readonly sizes?: readonly [number, number];
  /** Purposive anchors, without inclusion probabilities. */
  readonly purposive?: boolean;
  readonly report?: boolean;
  /** Every form has score maps, that read the own answers. */
  readonly maps?: boolean;
  /** How scenarios go together: {@link SAMPLE_UNASKED}. */
  readonly unasked?: boolean;
  readonly seed?: number;
  /** Fitted on three trials a cell and by prices, as its notes say. */
  readonly repeated?: boolean;
  /** Fitted with groups of items: {@link SAMPLE_SUBSCORES}. */
  readonly grouped?: boolean;
}

const formFigures: FormFigures = {
  dispersion: 0.9,
  outside: 1.25,
  groups: [
    { says: "score", figures: { shift: 0, variance: 0.25, factors: [0.75, 1.25, 1.75, 2, null] } },
    { says: "score", figures: { shift: 0.125, variance: 0.5, factors: [0.75, 1.25, 1.75, 2.25, null] } },
    { says: "score", figures: { shift: 0, variance: 0, factors: [0.75, 1.25, 1.75, 2, null] } },
    { says: "too_few_items" },
  ],
};

/** Of the second scenario: its two subscenarios, all its items, and a group that overlaps them. */
export const SAMPLE_SUBSCORES: Readonly<Record<string, ScenarioGroups>> = {
  "beta/γ": {
    groups: [
      { name: "first", items: [0, 20] },
      { name: "second", items: [20, 40] },
      { name: "all", items: [0, 60] },
      { name: "some", items: [10, 5, 10, 5] },
    ],
    forms: { "8": { alone: formFigures, together: formFigures }, "20": { alone: formFigures } },
  },
};

/** A map of a scenario's anchors' mean and ability. */
export const SAMPLE_MAPS = (scenario: string): ScoreMaps => ({
  alone: {
    intercept: 0.25,
    terms: [
      { feature: "mean", scenario, begin: 0.125, end: 0.875, values: Float32Array.of(0, 0.25, 0.5) },
      { feature: "expected", scenario, begin: 0.25, end: 0.75, values: Float32Array.of(-0.125, 0.0625, 0.125) },
    ],
  },
  together: null,
});

/** Measured for the form of 20 alone. */
export const SAMPLE_UNASKED: UnaskedManifest = {
  models: 50,
  mean: [0.25, -0.125],
  covariance: [0.75, 0.5, 0.5, 1],
  forms: {
    "20": {
      alpha: { factor: 1.25, mae: 0.0625, coverage95: 0.94 },
      "beta/γ": { factor: 1.5, mae: 0.075, coverage95: null },
    },
  },
};

const measured = (error: number, ids: readonly EstimatorId[]): MeasuredErrors => {
  const estimators = Object.fromEntries(
    ids.map((id) => [id, { mae: error, rmse: error * 1.3, bias: 0 }]),
  ) as NonNullable<MeasuredErrors["interpolation"]>["estimators"];
  const split = {
    models: 60,
    estimators,
    randomMae: error * 1.4,
    coverage95: 0.95,
    coverageSe: 0.02,
    halfWidth95: error * 2.6,
    halfWidth95P90: error * 3.2,
    absoluteError: [error * 0.8, error * 1.5, error * 2, error * 2.5, null],
  };
  return { interpolation: split, extrapolation: { ...split, models: 18 } };
};

/** A small bundle drawn from a 2PL: two scenarios, "alpha" and "beta/γ" (two subscenarios), two nested forms. */
export function sampleContent(options: SampleBundleOptions = {}): BundleContent {
  const {
    benchmark = "sample",
    version = "1.0.0",
    dims = 2,
    items = [40, 60],
    sizes = [8, 20],
    purposive = false,
    maps = false,
    unasked = false,
    seed = 7,
  } = options;
  const random = createRandom(seed);
  const ids = ["alpha", "beta/γ"];
  const forms = sizes.map(String);
  const scenarios = items.map((count, s): ScenarioContent => {
    const stream = random.fork(`scenario ${s}`);
    const bank = itemBank(
      Float32Array.from({ length: count * dims }, () => 0.6 + 0.5 * Math.abs(stream.normal())),
      Float32Array.from({ length: count }, () => stream.normal()),
    );
    const sourceScores = Float32Array.from({ length: 50 }, () => {
      const p = itemResponses(
        Float64Array.from({ length: dims }, () => stream.normal()),
        bank,
      );
      return p.reduce((sum, value) => sum + value, 0) / count;
    });
    const order = stream.shuffle(Array.from({ length: count }, (_, i) => i));
    const sets = new Map<string, AnchorSet>();
    sizes.forEach((size, f) => {
      const chosen = order.slice(0, size).sort((x, y) => bank.b[x]! - bank.b[y]!);
      sets.set(forms[f]!, {
        items: Uint32Array.from(chosen),
        mass: new Float64Array(size).fill(1 / size),
        inclusion: purposive ? null : new Float64Array(size).fill(size / count),
      });
    });
    const half = Math.floor(count / 3);
    const record = (i: number): ItemRecord => ({
      item_id: `${ids[s]}/${i}`,
      scenario: ids[s]!,
      ...(s === 1 && { subscenario: i < half ? "first" : "second" }),
    });
    const anchors = order
      .slice(0, Math.max(...sizes))
      .map((i, rank): AnchorRecord => ({ ...record(i), index: i, forms: forms.filter((_, f) => rank < sizes[f]!) }));
    const asked = order.slice(0, Math.max(...sizes)).sort((x, y) => x - y);
    const weights = itemWeights(
      {
        items: count,
        subscenarios:
          s === 1
            ? [
                { id: null, items: half },
                { id: null, items: count - half },
              ]
            : [{ id: null, items: count }],
      },
      "subscenarios",
    );
    const spread = stream.fork("factors");
    const draw = (least: number, width: number, length: number): number[] =>
      Array.from({ length }, () => least + width * spread.next());
    const drawFactors = (): AnchorFactors =>
      anchorFactors(
        itemFactors(weights, draw(0.3, 0.4, count), draw(-0.1, 0.3, 2 * count), draw(0.1, 0.1, count)),
        Uint32Array.from(asked),
      );
    const [factors, answerFactors] = [drawFactors(), drawFactors()];
    return {
      bank,
      sourceScores,
      forms: sets,
      factors,
      answerFactors,
      anchors,
      ...(maps && { maps: new Map(forms.map((form) => [form, SAMPLE_MAPS(ids[s]!)])) }),
      items: Array.from({ length: count }, (_, i) => record(i)),
    };
  });
  return {
    manifest: {
      formatVersion: FORMAT_VERSION,
      benchmark,
      version,
      benchmarkVersion: null,
      created: "2026-01-01T00:00:00Z",
      description: "drawn from a 2PL for tests",
      parameterization: PARAMETERIZATION,
      weighting: "subscenarios",
      banks: ids.map((id) => ({
        id,
        scenarios: [id],
        irtModel: "2pl",
        dims,
        prior: {
          mean: new Array<number>(dims).fill(0),
          covariance: Array.from({ length: dims * dims }, (_, k) => (k % (dims + 1) === 0 ? 1 : 0)),
          scale: 2.5,
        },
      })),
      ...(unasked && { unasked: SAMPLE_UNASKED }),
      scenarios: items.map((count, s) => ({
        id: ids[s]!,
        weight: 1,
        items: count,
        subscenarios:
          s === 1
            ? [
                { id: "first", items: Math.floor(count / 3) },
                { id: "second", items: count - Math.floor(count / 3) },
              ]
            : [{ id: null, items: count }],
        threshold: null,
        scoreMap: null,
      })),
      forms: forms.map((id, f) => ({
        id,
        selection: purposive ? "irt-kmeans" : "random",
        estimator: purposive ? "gp-irt" : "p-irt-dr",
        interval: purposive ? "cross-validated" : "design",
        scenarios: Object.fromEntries(
          ids.map((scenario, s) => [
            scenario,
            {
              items: sizes[f]!,
              whole: sizes[f] === items[s],
              lambda: 0.4,
              stack: MIXED_STACK,
              rmse: 0.06,
              overallRmse: null,
              tightening: { inside: 0.75, outside: 0.875 },
              measured: measured(0.05, maps ? ALL_ESTIMATORS : ESTIMATORS),
              together: null,
              ...(maps && {
                map: {
                  alone: {
                    intercept: SAMPLE_MAPS(scenario).alone.intercept,
                    terms: SAMPLE_MAPS(scenario).alone.terms.map(({ feature, scenario: of }) => ({
                      feature,
                      scenario: of,
                    })),
                  },
                  together: null,
                },
              }),
            },
          ]),
        ),
        overall: { inflation: 1, seen: null, measured: measured(0.03, maps ? ALL_ESTIMATORS : ESTIMATORS) },
      })),
      defaultForm: forms[1]!,
      sources: { models: 50, names: null, note: null },
      protocol: {},
      fit: { seed },
      data: { licence: "CC0-1.0", source: "drawn by a test" },
      ...(options.grouped && { parts: { subscores: { bears: "beside", value: SAMPLE_SUBSCORES } } }),
    },
    scenarios,
    ...(options.report && { report: new TextEncoder().encode("<!doctype html><title>report</title>") }),
  };
}

/** The files of {@link sampleContent}. */
export function sampleBundle(options: SampleBundleOptions = {}): Map<BundleFileName, Uint8Array> {
  const content = sampleContent(options);
  return encodeBundle(options.repeated ? withTrialsAndPrices(content) : content);
}

function withTrialsAndPrices(content: BundleContent): BundleContent {
  const { manifest, scenarios } = content;
  const own = { model: 0.02, item: 0.04, modelItem: 0.06, trial: 0.12, trials: 3, repeated: 900 };
  const items = scenarios.flatMap((scenario) => scenario.items.map(({ item_id: id }) => id));
  const seconds = { unit: "seconds", items: new Map(items.map((id, k) => [id, 60 * (1 + (k % 5))])) };
  const prices = { unit: "usd", items: new Map(items.map((id, k) => [id, (1 + (k % 7)) / 1024])), beside: [seconds] };
  const varianceComponents = Object.fromEntries(manifest.scenarios.map(({ id }) => [id, own]));
  const fit = { ...manifest.fit, varianceComponents, prices: notedPrices(content, prices) };
  return { ...content, manifest: { ...manifest, fit } };
}
