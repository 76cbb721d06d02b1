import type { BundlePart } from "../../sdk/core/bundle/part.ts";
import { flag, type Infer, nullable, object, record, text } from "../../sdk/core/bundle/schema.ts";
import { count, name, offset, real, share, size, version } from "../../sdk/core/bundle/values.ts";

/** Score in the base ≈ intercept + slope·score, fractions. */
const bridge = object({
  /** Source models behind the line. */
  models: count,
  slope: real,
  intercept: real,
  /** Standard deviation of a model's score about the line. */
  error: size,
});

/** The earlier version on whose scale a bundle is. Items that are the same have the same parameters in both. */
const base = object({
  benchmark: name,
  version,
  /** Of its bundle, `sha256:…`. */
  digest: text({ pattern: /^sha256:[0-9a-f]{64}$/ }),
  /** Items whose parameters are the base's, items that were linked to them, and maybe those of scenarios that it hasn't. */
  items: object({ standing: count, placed: offset }, { calibrated: count }),
  /** Source models with answers to linked items. */
  rerun: offset,
  /** Share of the answers to linked items that no model gave and that were drawn from their chances. */
  drawn: share,
  /** Whether texts helped to link items. */
  texts: flag,
  /** By form: anchors that are the base's, of all. */
  anchors: record(object({ kept: offset, of: count })),
  /** From a score in this version to the base's; null where too few models have both. */
  bridge: object({ overall: nullable(bridge), scenarios: record(nullable(bridge)) }),
});

/** The earlier version on whose scale this one lies. @interface */
export type BaseManifest = Infer<typeof base>;
/** A line that takes scores of this version to the base's. @interface */
export type BridgeManifest = NonNullable<Infer<typeof bridge>>;

/** The earlier version on whose scale a bundle is. */
export const basePart: BundlePart<BaseManifest> = {
  key: "base",
  at: "manifest",
  bears: "beside",
  title: "BaseVersion",
  schema: base,
};
