import { AnchorEvalError } from "../errors.ts";
import type { ScoreMaps } from "../estimators/score-maps.ts";
import type { AnchorFactors, AnchorSet } from "../estimators/types.ts";
import type { FloatArray, ItemBank } from "../irt/item-bank.ts";
import type { MonotoneMap } from "../numeric/functions.ts";
import type { Yank } from "./decode-manifest.ts";
import type {
  AnchorRecord,
  BankManifest,
  FormScenarioManifest,
  Manifest,
  MeasuredBlend,
  ScenarioManifest,
} from "./manifest.ts";
import { FULL_SCORE_PARAMETERIZATION, type BundleFileName, type Weighting } from "./names.ts";

/** A decoded bundle: plain arrays, ready for estimates. */
export interface Bundle {
  readonly manifest: Manifest;
  /** `sha256:` and the digest of manifest.json, which names every other file's. */
  readonly digest: string;
  /** The scenarios that were loaded, in the manifest's order. */
  readonly scenarios: ReadonlyMap<string, BundleScenario>;
  /** Bytes that the decoded arrays and ids hold, about. */
  readonly byteLength: number;
  /** Why its publisher took this version back, where its address says so; absent else. */
  readonly yanked?: string;
  /** Parts that this version of anchoreval doesn't know, and that no score bears on; absent where there are none. */
  readonly unknownParts?: readonly string[];
}

/** The warning of parts that aren't known, if there are some. */
export function partWarnings({
  unknownParts,
}: Pick<Bundle, "unknownParts">): { code: "unknown_part"; message: string }[] {
  if (unknownParts === undefined) return [];
  const names = unknownParts.join(", ");
  return [
    { code: "unknown_part", message: `the bundle has parts of a newer anchoreval, which are left alone: ${names}.` },
  ];
}

/** The warning of a version that its publisher took back, if it is one. @param reason - {@link Bundle.yanked} */
export function yankedWarnings(
  { version }: { readonly version: string },
  reason: string | undefined,
): { code: "yanked_version"; message: string }[] {
  if (reason === undefined) return [];
  return [{ code: "yanked_version", message: `version ${version} was yanked by its publisher: ${reason}` }];
}

/** A scenario of a loaded bundle: parameters, weights and forms. */
export interface BundleScenario {
  readonly id: string;
  readonly bank: ItemBank;
  /** Item weights, summing to 1. */
  readonly weights: Float64Array;
  readonly scoreMap: MonotoneMap | null;
  /** To the full score, where that is on items that the bundle doesn't have; else null. */
  readonly fullScore: NonNullable<ScenarioManifest["fullScore"]> | null;
  /** The source models' full scores, ascending. */
  readonly sourceScores: FloatArray;
  /** Anchor records of all forms by item id, in the order in which they are asked. */
  readonly anchors: ReadonlyMap<string, AnchorRecord>;
  readonly forms: ReadonlyMap<string, BundleForm>;
}

/** A scenario's part of a form: its anchors and what their answers are read by. */
export interface BundleForm {
  readonly anchors: AnchorSet;
  /** Aligned with `anchors.items`. */
  readonly factors: AnchorFactors;
  /** Aligned with `anchors.items`. */
  readonly answerFactors: AnchorFactors;
  /** Of the score map; null where the form has none. */
  readonly maps: ScoreMaps | null;
  /** Item ids aligned with `anchors.items`. */
  readonly itemIds: readonly string[];
}

/**
 * Item weights of a scenario, summing to 1, in parameter order: 1/N, or 1/(S·n_s) for an item of one of S subscenarios
 * with n_s items.
 */
export function itemWeights(
  scenario: Pick<ScenarioManifest, "items" | "subscenarios">,
  weighting: Weighting,
): Float64Array {
  const weights = new Float64Array(scenario.items);
  if (weighting === "items") return weights.fill(1 / scenario.items);
  let begin = 0;
  for (const { items } of scenario.subscenarios) {
    weights.fill(1 / (scenario.subscenarios.length * items), begin, begin + items);
    begin += items;
  }
  return weights;
}

/**
 * The meaning of a bundle's scores, where that isn't the plain mean over the items: a sentence; null where it is.
 * @example estimandWords({ weighting: "items", scenarios: [] }) // null
 */
export function estimandWords({ scenarios, weighting }: Pick<Manifest, "scenarios" | "weighting">): string | null {
  const uneven = (sizes: readonly number[]): boolean => sizes.some((size) => size !== sizes[0]);
  const grouped =
    weighting === "items"
      ? []
      : scenarios.filter(({ subscenarios }) => uneven(subscenarios.map(({ items }) => items))).map(({ id }) => id);
  const weights = scenarios.map(({ weight }) => weight);
  const parts = [
    ...(grouped.length === 0
      ? []
      : [`${scenarios.length === 1 ? "" : `in ${grouped.join(", ")} `}each subscenario counts the same`]),
    ...(uneven(weights)
      ? [`overall the scenarios count by the weights ${weights.join(", ")}`]
      : uneven(scenarios.map(({ items }) => items))
        ? ["overall each scenario counts the same"]
        : []),
  ];
  return parts.length === 0 ? null : `What is estimated: ${parts.join("; ")}: not the mean over items.`;
}

/** How a scenario was calibrated: the entry of `banks` that names it, and no other scenario. */
export function bankOf({ banks }: Pick<Manifest, "banks">, scenario: string): BankManifest {
  return banks.find(({ scenarios }) => scenarios[0] === scenario)!; // parseManifest makes sure of it
}

/** The blend for a scenario whose form is answered whole: of all scenarios' answers, where these err less than its own. */
export function servedBlend(scenario: FormScenarioManifest): MeasuredBlend {
  return scenario.together ?? scenario;
}

/**
 * Refuses what reads the bundle's own items alone.
 * @param what - that needs their mean as the score
 * @throws AnchorEvalError `unsupported` for a bundle whose scores are on items that it doesn't have
 */
export function refuseFullScores({ parameterization }: Pick<Manifest, "parameterization">, what: string): void {
  if (parameterization === FULL_SCORE_PARAMETERIZATION)
    throw new AnchorEvalError(
      "unsupported",
      `${what} of the mean over a bundle's items, and this bundle's scores are on items that it doesn't have: estimate each model's score, or fit without \`fullScores\``,
    );
}

/** The refusal of a form that a bundle doesn't have. */
export function unknownForm(id: unknown, { forms }: Pick<Manifest, "forms">): AnchorEvalError {
  const shown = String(id);
  const hint = typeof id === "string" ? "" : `; a form's id is text, "${shown}", not a ${typeof id}`;
  return new AnchorEvalError(
    "unknown_form",
    `this bundle has no form ${shown}: it has ${forms.map((form) => form.id).join(", ")}${hint}`,
  );
}

/** Ids of a form's anchors in one scenario, in the order in which they are asked. */
export function formItemIds(scenario: BundleScenario, form: string): string[] {
  return [...scenario.anchors.values()].filter((anchor) => anchor.forms.includes(form)).map((anchor) => anchor.item_id);
}

/** A byte range, end exclusive. */
export interface ByteRange {
  readonly begin: number;
  readonly end: number;
}

/** The bundle that is meant; what is absent may be anything. */
export interface ExpectedBundle {
  readonly benchmark?: string;
  readonly version?: string;
  /** `sha256:…` */
  readonly digest?: string;
}

/** Where a bundle's files are read from: HTTP, an R2 bucket, a folder. Implementations don't check digests: loadBundle does. */
export interface BundleSource {
  /** For messages: a URL, a key prefix, a folder. */
  readonly name: string;
  /** Which bundle its address names, as far as it does: readers refuse another. */
  readonly expected?: ExpectedBundle;
  /**
   * Bytes of one file, or of a part of it.
   * @param options - `fileBytes`: length of the whole file by the manifest. A source that learns the file's length, whatever
   * part is read, refuses another, and reads no more than that
   * @returns null where the file doesn't exist
   * @throws AnchorEvalError `unavailable` where storage or network failed; `bundle_corrupt` for a file of another length
   */
  read(
    file: BundleFileName,
    options?: { range?: ByteRange; fileBytes?: number; signal?: AbortSignal },
  ): Promise<Uint8Array | null>;
  /**
   * Bytes of a whole file without waiting, of a source on this machine.
   * @returns null where the file doesn't exist
   * @throws AnchorEvalError as `read`
   */
  readNow?(file: BundleFileName, fileBytes: number): Uint8Array | null;
  /**
   * Whether this version was yanked, null where nothing says so; what can't be read says nothing. A source without this can't
   * know.
   */
  readYank?(options?: { signal?: AbortSignal }): Promise<Yank | null>;
  /** manifest.sig, null where there is none. A source without this has no signatures. */
  readSignatures?(options?: { signal?: AbortSignal }): Promise<Uint8Array | null>;
  /** trust.json of the benchmark, null where there is none. A source without this is no published one. */
  readTrust?(options?: { signal?: AbortSignal }): Promise<Uint8Array | null>;
  /** card.md, Markdown in UTF-8, which no digest covers; null where there is none. A source without this has no cards. */
  readCard?(options?: { signal?: AbortSignal }): Promise<Uint8Array | null>;
}
