import type { MapReads } from "../estimators/score-maps.ts";
import { PARAMETERIZATION } from "../irt/item-bank.ts";

/** Version of the bundle format: a reader refuses a newer major, and ignores fields that it doesn't know. */
export const FORMAT_VERSION = "1.4";

/** File names of the format; nothing else may be in a bundle. */
export const BUNDLE_FILES = [
  "manifest.json",
  "parameters.safetensors",
  "anchors.jsonl",
  "items.jsonl",
  "cold-items.jsonl",
  "routing.safetensors",
  "report.html",
] as const;

/** Name of a file of a bundle. */
export type BundleFileName = (typeof BUNDLE_FILES)[number];

/** Whether each subscenario or each item counts the same in a scenario's score. */
export const WEIGHTINGS = ["subscenarios", "items"] as const;
/** The things that count the same in a scenario's score. */
export type Weighting = (typeof WEIGHTINGS)[number];

/** Response models of a bank, by the number of an item's parameters; `2pl` may have several dimensions. */
export const IRT_MODELS = ["1pl", "2pl", "3pl", "4pl"] as const;

/** The parameterization of bundles whose scores are on items that they don't have: a reader that knows no line refuses it. */
export const FULL_SCORE_PARAMETERIZATION = `${PARAMETERIZATION}; full score = level + slope*(S - mean)`;

/** Levels at which a bundle keeps quantiles of the absolute error. */
export const ERROR_LEVELS = [0.5, 0.8, 0.9, 0.95, 0.99] as const;

/**
 * The entry of a table under a name that comes from outside; what every object inherits, such as `constructor`, is none.
 */
export function lookUp<T>(table: Readonly<Record<string, T>> | null | undefined, name: string): T | undefined {
  return table && Object.hasOwn(table, name) ? table[name] : undefined;
}

/** A benchmark's name, as it stands in URLs and keys. */
export const BENCHMARK_NAME = /^[a-z0-9][a-z0-9._-]{0,63}$/;
/** Semver without build metadata, of 64 characters at most; numbers have no leading zeros. */
export const VERSION =
  /^(?=.{5,64}$)(0|[1-9]\d{0,8})\.(0|[1-9]\d{0,8})\.(0|[1-9]\d{0,8})(-(0|[1-9]\d*|\d*[A-Za-z-][0-9A-Za-z-]*)(\.(0|[1-9]\d*|\d*[A-Za-z-][0-9A-Za-z-]*))*)?$/;
/** The version that stands for the highest stable one, where a bundle is asked for. */
export const LATEST = "latest";
/** A form's id. */
export const FORM_ID = /^[A-Za-z0-9][A-Za-z0-9._-]{0,31}$/;
/** Lowercase SHA-256. */
export const SHA256 = /^[0-9a-f]{64}$/;

/**
 * Whether a text is what a bearer token may allow: `publish:<benchmark>`, or `read:<benchmark>` where it is protected; `*`
 * for every benchmark.
 */
export function isAccessScope(text: string): boolean {
  const [action, benchmark = "", ...more] = text.split(":");
  return (
    (action === "publish" || action === "read") &&
    (benchmark === "*" || BENCHMARK_NAME.test(benchmark)) &&
    more.length === 0
  );
}

/**
 * Why an item or scenario id is not allowed, or null: any text of 1 to 512 bytes of UTF-8, NFC, no control characters.
 */
export function idProblem(id: string): string | null {
  if (id === "") return "an id must not be empty";
  if (new TextEncoder().encode(id).length > 512) return "an id has at most 512 bytes";
  if (id.normalize("NFC") !== id) return "an id must be in Unicode's NFC";
  // eslint-disable-next-line no-control-regex
  if (/[\u0000-\u001f\u007f-\u009f]/.test(id)) return "an id must not have control characters";
  if (/[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/.test(id))
    return "an id must be valid Unicode";
  return null;
}

/**
 * Order of two semver versions (semver.org, §11): negative where `left` is older.
 * @example compareVersions("1.0.0-rc.1", "1.0.0") // negative
 */
export function compareVersions(left: string, right: string): number {
  const [leftCore = "", ...leftRest] = left.split("-");
  const [rightCore = "", ...rightRest] = right.split("-");
  const l = leftCore.split(".").map(Number);
  const r = rightCore.split(".").map(Number);
  for (let i = 0; i < 3; i++) if (l[i] !== r[i]) return l[i]! - r[i]!;
  const leftTag = leftRest.join("-");
  const rightTag = rightRest.join("-");
  if (leftTag === rightTag) return 0;
  if (leftTag === "") return 1;
  if (rightTag === "") return -1;
  const a = leftTag.split(".");
  const b = rightTag.split(".");
  const differing = a.findIndex((part, i) => part !== b[i]);
  const [x, y] = [a[differing], b[differing]];
  if (x === undefined) return -1; // all its parts begin the other's
  if (y === undefined) return 1;
  const [xNumber, yNumber] = [/^\d+$/.test(x), /^\d+$/.test(y)];
  if (xNumber !== yNumber) return xNumber ? -1 : 1;
  if (xNumber && x.length !== y.length) return x.length - y.length; // no leading zeros: longer is larger
  return x < y ? -1 : 1;
}

/** A version that may be `latest`: no pre-release tag. */
export function isStable(version: string): boolean {
  return !version.includes("-");
}

/** Keys of published bundles, in R2 as in a static folder: the one place that spells them. */

/** `bundles/<benchmark>/index.json`: the versions and `latest`. */
export const indexKey = (benchmark: string): string => `bundles/${benchmark}/index.json`;

/** `bundles/<benchmark>/<version>/<file>`: where a static host has a version's files. */
export const fileKey = (benchmark: string, version: string, file: BundleFileName): string =>
  `bundles/${benchmark}/${version}/${file}`;

/** `bundles/<benchmark>/<version>/manifest.json`: its creation commits a version. */
export const manifestKey = (benchmark: string, version: string): string => fileKey(benchmark, version, "manifest.json");

/** Says of a version that it is yanked, beside its files. */
export const YANKED_FILE = "yanked.json";

/** `bundles/<benchmark>/<version>/yanked.json`: whether a version is yanked, and why; absent where it never was. */
export const yankedKey = (benchmark: string, version: string): string =>
  `bundles/${benchmark}/${version}/${YANKED_FILE}`;

/**
 * `bundles/<benchmark>/signatures/<sha256>`: the signatures of the manifest of this digest. Not the version's: they are
 * there before the manifest is, and whichever of two publishers wins, its own are the ones that count.
 */
export const signatureKey = (benchmark: string, sha256: string): string => `bundles/${benchmark}/signatures/${sha256}`;

/** `bundles/<benchmark>/<version>/manifest.sig`: where a static host has them. */
export const plainSignatureKey = (benchmark: string, version: string): string =>
  `bundles/${benchmark}/${version}/manifest.sig`;

/** A benchmark's publications, line by line. */
export const LOG_FILE = "log.jsonl";

/** `bundles/<benchmark>/log.jsonl`: who published and yanked what, and when; each line names the digest of the one before. */
export const logKey = (benchmark: string): string => `bundles/${benchmark}/${LOG_FILE}`;

/**
 * `bundles/<benchmark>/publishers/<sha256>`: who publishes the manifest of this digest, and the contents that it names; there
 * before the manifest is.
 */
export const publisherKey = (benchmark: string, sha256: string): string => `bundles/${benchmark}/publishers/${sha256}`;

/** A benchmark's root of trust and its signed index. */
export const TRUST_FILE = "trust.json";

/** `bundles/<benchmark>/trust.json`: who signs, and a signed index; absent where no root is published. */
export const trustKey = (benchmark: string): string => `bundles/${benchmark}/${TRUST_FILE}`;

/** A bundle's card, beside its files and no part of it: who measured what, and what estimates err by, in Markdown. */
export const CARD_FILE = "card.md";

/** `bundles/<benchmark>/<version>/card.md`: a version's card; unlike its files it may change. */
export const cardKey = (benchmark: string, version: string): string => `bundles/${benchmark}/${version}/${CARD_FILE}`;

/** `bundles/<benchmark>/blobs/<sha256>`: a file's content, once. */
export const blobKey = (benchmark: string, sha256: string): string => `bundles/${benchmark}/blobs/${sha256}`;

/** `bundles/<benchmark>/swept/<sha256>`: a copy of a content while a sweep removes it; read where the content is gone. */
export const sweptKey = (benchmark: string, sha256: string): string => `bundles/${benchmark}/swept/${sha256}`;

/** Factors of the response model's curves (`factors`) or of the source models' answers (`answer_factors`). */
export type FactorsOf = "factors" | "answer_factors";

/**
 * Names of the tensors in parameters.safetensors. Scenarios are numbered in the manifest's order, since their ids may
 * be any text. The file holds, in this order: all forms' float64 arrays, all source scores (float32), all forms' item
 * indices (uint32), then one scenario's item parameters, factors and score maps after another (float32).
 */
export const tensorNames = {
  /** N×D discriminations. */
  a: (scenario: number): string => `scenario.${scenario}.a`,
  /** N intercepts. */
  b: (scenario: number): string => `scenario.${scenario}.b`,
  /** N lower asymptotes; absent where all are 0. */
  lower: (scenario: number): string => `scenario.${scenario}.lower`,
  /** N upper asymptotes; absent where all are 1. */
  upper: (scenario: number): string => `scenario.${scenario}.upper`,
  /** μ of every anchor's factors; rows are the items that any form asks, by index. */
  factorMean: (scenario: number, of: FactorsOf): string => `scenario.${scenario}.${of}.mean`,
  /** Their loadings, n×Q. */
  factorLoadings: (scenario: number, of: FactorsOf): string => `scenario.${scenario}.${of}.loadings`,
  /** Their noise. */
  factorNoise: (scenario: number, of: FactorsOf): string => `scenario.${scenario}.${of}.noise`,
  /** Σwμ and Σwz over all items, 1 + Q (float64). */
  factorTotal: (scenario: number, of: FactorsOf): string => `scenario.${scenario}.${of}.total`,
  /** The source models' full scores, ascending. */
  sourceScores: (scenario: number): string => `scenario.${scenario}.source_scores`,
  /** Item indices of a form's anchors, by the items' accuracy among the source models. */
  items: (scenario: number, form: string): string => `scenario.${scenario}.form.${form}.items`,
  /** The weight that each anchor carries. */
  mass: (scenario: number, form: string): string => `scenario.${scenario}.form.${form}.mass`,
  /** A score map's curves, T×(2+K): begin, end and K values each; absent from forms without one. */
  map: (scenario: number, form: string, of: MapReads): string => `scenario.${scenario}.form.${form}.map.${of}`,
  /** Inclusion probabilities; absent for a purposive form. */
  inclusion: (scenario: number, form: string): string => `scenario.${scenario}.form.${form}.inclusion`,
} as const;
