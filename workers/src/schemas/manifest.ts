import { z } from "@hono/zod-openapi";
import { BUNDLE_FILES, IRT_MODELS, WEIGHTINGS } from "anchoreval/bundle";
import { ALL_ESTIMATORS, BASE_ESTIMATORS, MAP_FEATURES } from "anchoreval/core";
import { byEstimator } from "./estimate.ts";

const MeasuredSplitSchema = z
  .object({
    models: z.number().int(),
    estimators: byEstimator(z.object({ mae: z.number(), rmse: z.number(), bias: z.number() })),
    randomMae: z.number(),
    coverage95: z.number().nullable(),
    coverageSe: z.number().nullable().exactOptional(),
    halfWidth95: z.number().nullable(),
    absoluteError: z.array(z.number().nullable()).readonly(),
  })
  .openapi("SplitErrors");

const MeasuredErrorsSchema = z
  .object({ interpolation: MeasuredSplitSchema.nullable(), extrapolation: MeasuredSplitSchema.nullable() })
  .openapi("MeasuredErrors");

const PatternThresholdsSchema = z
  .object({
    models: z.number().int(),
    lzStar: z.number(),
    preknowledge: z.number(),
    stronger: z.object({ lzStar: z.number(), preknowledge: z.number() }).nullable(),
    brokenRun: z.number(),
    infit: z.number(),
    outfit: z.number(),
  })
  .openapi("PatternThresholds");

const BankSchema = z.object({
  id: z.string(),
  scenarios: z.array(z.string()).readonly(),
  irtModel: z.enum(IRT_MODELS),
  dims: z.number().int(),
  prior: z.object({
    mean: z.array(z.number()).readonly(),
    covariance: z.array(z.number()).readonly(),
    scale: z.number(),
    loadings: z.array(z.number()).readonly().exactOptional(),
  }),
});

const ScenarioSchema = z.object({
  id: z.string(),
  weight: z.number(),
  items: z.number().int(),
  subscenarios: z.array(z.object({ id: z.string().nullable(), items: z.number().int() })).readonly(),
  threshold: z.number().nullable(),
  scoreMap: z.object({ x: z.array(z.number()).readonly(), y: z.array(z.number()).readonly() }).nullable(),
});

const measuredBlend = {
  lambda: z.number(),
  stack: z.record(z.enum(BASE_ESTIMATORS), z.number()),
  rmse: z.number(),
  overallRmse: z.number().nullable(),
  tightening: z.object({ inside: z.number(), outside: z.number() }),
  measured: MeasuredErrorsSchema,
};

const MapSchema = z
  .object({
    intercept: z.number(),
    terms: z.array(z.object({ feature: z.enum(MAP_FEATURES), scenario: z.string().nullable() })).readonly(),
  })
  .openapi("ScoreMap");

const FormSchema = z.object({
  id: z.string(),
  selection: z.string(),
  digest: z.string(),
  estimator: z.enum(ALL_ESTIMATORS),
  interval: z.enum(["design", "cross-validated"]),
  disjointFrom: z.string().exactOptional(),
  scenarios: z.record(
    z.string(),
    z.object({
      items: z.number().int(),
      whole: z.boolean(),
      ...measuredBlend,
      together: z.object(measuredBlend).nullable(),
      pattern: PatternThresholdsSchema.nullable().exactOptional(),
      map: z.object({ alone: MapSchema, together: MapSchema.nullable() }).exactOptional(),
    }),
  ),
  overall: z
    .object({
      inflation: z.number(),
      seen: z.object({ worst: z.number(), best: z.number() }).nullable(),
      measured: MeasuredErrorsSchema,
    })
    .nullable(),
});

const FileSchema = z.object({
  name: z.string().openapi({ description: `One of ${BUNDLE_FILES.join(", ")}.` }),
  bytes: z.number().int(),
  sha256: z.string(),
  segments: z
    .array(
      z.object({
        begin: z.number().int(),
        end: z.number().int(),
        sha256: z.string(),
        scenario: z.string().nullable(),
      }),
    )
    .readonly()
    .exactOptional(),
});

const BridgeSchema = z
  .object({ models: z.number().int(), slope: z.number(), intercept: z.number(), error: z.number() })
  .nullable();

const BaseSchema = z
  .object({
    benchmark: z.string(),
    version: z.string(),
    digest: z.string(),
    items: z.object({ standing: z.number().int(), placed: z.number().int() }),
    rerun: z.number().int(),
    drawn: z.number(),
    texts: z.boolean(),
    anchors: z.record(z.string(), z.object({ kept: z.number().int(), of: z.number().int() })),
    bridge: z.object({ overall: BridgeSchema, scenarios: z.record(z.string(), BridgeSchema) }),
  })
  .openapi("BaseVersion");

const ExposureSchema = z
  .object({
    limit: z.number(),
    reached: z.number(),
    unlimited: z.number(),
    simulated: z.object({
      budget: z.number().int(),
      batch: z.number().int(),
      models: z.number().int(),
      evaluations: z.number().int(),
    }),
  })
  .openapi("ExposureLimits");

const ColdStartSchema = z
  .object({
    features: z.enum(["tf-idf", "embeddings"]),
    width: z.number().int(),
    items: z.number().int(),
    neighbours: z.object({ k: z.number().int(), weighted: z.boolean() }).exactOptional(),
    scenarios: z.record(
      z.string(),
      z.object({
        questions: z.number().int(),
        method: z.enum(["ridge", "answer-ridge"]),
        single: z.number().int(),
        leftOut: z.object({
          questions: z.number().int(),
          brier: z.number(),
          logLoss: z.number(),
          calibrationError: z.number(),
          right: z.number(),
          singleRight: z.number(),
        }),
      }),
    ),
  })
  .openapi("ColdStart");

/** Mirrors `Manifest` of anchoreval/bundle. docs/bundle-format.md explains the fields. */
export const ManifestSchema = z
  .object({
    formatVersion: z.string(),
    benchmark: z.string(),
    version: z.string(),
    benchmarkVersion: z.string().nullable(),
    created: z.string(),
    description: z.string().nullable(),
    parameterization: z.string(),
    weighting: z.enum(WEIGHTINGS),
    banks: z.array(BankSchema).readonly(),
    scenarios: z.array(ScenarioSchema).readonly(),
    forms: z.array(FormSchema).readonly(),
    defaultForm: z.string(),
    sources: z.object({
      models: z.number().int(),
      names: z.array(z.string()).readonly().nullable(),
      note: z.string().nullable(),
    }),
    coldStart: ColdStartSchema.exactOptional(),
    exposure: ExposureSchema.exactOptional(),
    base: BaseSchema.exactOptional(),
    protocol: z.record(z.string(), z.union([z.string(), z.number(), z.boolean()])),
    fit: z.record(z.string(), z.unknown()),
    data: z.object({ licence: z.string().nullable(), source: z.string().nullable() }),
    files: z.array(FileSchema).readonly(),
  })
  .openapi("Manifest");
