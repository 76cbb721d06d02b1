import { invalidOption } from "anchoreval/internal/core/errors";
import type { BaseBundle } from "anchoreval-trainer/internal/features/versions/fit/base";
import type { LinkedVersion } from "anchoreval-trainer/internal/features/versions/fit/link-version";
import { readItems } from "anchoreval-trainer/internal/matrix/items-file";
import { poolItems, readResponses } from "anchoreval-trainer/internal/matrix/read-responses";
import { ANCHOR_METHOD_NAMES, customised } from "anchoreval-trainer/internal/methods/index";
import { type Method, recommended } from "anchoreval-trainer/internal/methods/method";
import { DEFAULT_SETTINGS, type FitSettings } from "anchoreval-trainer/internal/methods/settings";
import type { Manifest } from "anchoreval/bundle";
import { ALL_ESTIMATORS } from "anchoreval/internal/core/estimators/types";
import { createRandom } from "anchoreval/internal/core/numeric/random";
import { type OptionReader, option, rare } from "../../../cli/src/program/command.ts";
import type { FitBeginning, FitOptionPart } from "../../../cli/src/options/fit.ts";
import { lookUp } from "anchoreval/internal/core/bundle/names";

/** `fit --base`: a version on the scale of an earlier one's bundle. */
export const earlierVersion: FitOptionPart = {
  options: {
    Data: rare({
      base: option(
        "BUNDLE",
        "bundle of an earlier version whose scale is kept: --responses are answers to its items and new scenarios, --items the new items",
      ),
      rerun: option("FILE", "with --base: some models' answers to the new items, or only to the changed ones"),
    }),
  },
  async begin({ options, signal }) {
    const place = options.text("base");
    if (place === undefined) {
      options.refuse(["rerun"], "is for --base alone: a fit reads all answers as --responses");
      return null;
    }
    if (options.isGiven("full-scores"))
      throw invalidOption(
        "--base reads the mean over the items as the score, which isn't what --full-scores asks for: leave one out",
      );
    if (options.text("cold-start") !== undefined)
      throw invalidOption("--base links items without answers itself: name them in --items, without --cold-start");
    options.refuse(["metric", "gate-form"], "doesn't go with --base, whose scores and anchors are kept: leave one out");
    options.required("items");
    const { openBundle } = await import("../../../cli/src/bundles/open-bundle.ts");
    const { readBase } = await import("anchoreval-trainer/internal/features/versions/fit/base");
    const base = await readBase(openBundle(place), signal);
    return { recipe: (named) => baseRecipe(base, options, named), read: (input) => readBasedVersion(base, input) };
  },
};

/** A fit as the base's was, with its sizes; a recipe that is named counts before it. */
async function baseRecipe({ bundle: { manifest } }: BaseBundle, options: OptionReader, named: Method): Promise<Method> {
  const { forms } = manifest;
  const numbers = (pattern: RegExp): number[] =>
    forms.flatMap(({ id }) => {
      const [, n] = pattern.exec(id) ?? [];
      return n === undefined ? [] : [Number(n)];
    });
  const sizes = numbers(/^(\d+)$/);
  const totals = numbers(/^total-(\d+)$/);
  const recipe = options.text("recipe") === undefined ? settingsOf(manifest) : named.settings;
  const settings = { ...recipe, weighting: manifest.weighting };
  return {
    ...(await customised(options.text("recipe") === undefined ? recommended : named, settings)),
    ...(sizes.length + totals.length > 0 && { sizes, totals }),
  };
}

/**
 * Reads the answers to both versions, and puts the new one on the base's scale.
 * @throws AnchorEvalError `invalid_option` for another weighting than the base's, or a version that doesn't
 * say that items changed; what {@link linkVersion} throws
 */
async function readBasedVersion(
  base: BaseBundle,
  { options, name, method: { settings }, reading, seed }: Parameters<FitBeginning["read"]>[0],
): ReturnType<FitBeginning["read"]> {
  const { manifest } = base.bundle;
  const { items: described, pool, ...scores } = reading;
  if (settings.weighting !== manifest.weighting)
    throw invalidOption(`--base: the base weighs by ${manifest.weighting}; a version on its scale must do the same`);
  const read = await readItems(described!);
  const { items, remarks: pooled } = pool === undefined ? { items: read, remarks: [] } : poolItems(read, pool);
  const raw = { ...scores, oneScenario: true };
  const older = await readResponses(options.required("responses"), raw);
  const file = options.text("rerun");
  const rerun = file === undefined ? null : await readResponses(file, { ...raw, leastModels: 1 });
  const { linkVersion, onBase } = await import("anchoreval-trainer/internal/features/versions/fit/link-version");
  const linked = linkVersion(
    { base, older: older.matrix, rerun: rerun?.matrix ?? null, items },
    settings,
    createRandom(seed).fork("base"),
  );
  checkVersion(base, name, linked);
  const { unchecked } = linked.changes;
  const trusted =
    unchecked.length > 0
      ? [`${unchecked.length} items are assumed to be the base's by their ids: no content hash on one side or both`]
      : [];
  const remarks = [...pooled, ...older.remarks, ...(rerun?.remarks ?? []), ...trusted];
  return { board: { matrix: linked.matrix, remarks }, part: onBase(linked) };
}

/** Scores on different items aren't comparable: the version must say so. */
function checkVersion(
  { bundle: { manifest } }: BaseBundle,
  { benchmark, version }: { readonly benchmark: string; readonly version: string },
  { changes: { changed, added, removed } }: LinkedVersion,
): void {
  const major = (text: string): number => Number(text.split(".")[0]);
  if (benchmark !== manifest.benchmark)
    throw invalidOption(
      `--base is a bundle of ${manifest.benchmark}, --name says ${benchmark}: they are versions of one benchmark`,
    );
  const touched = changed.length + added.length + removed.length;
  if (touched > 0 && major(version) <= major(manifest.version))
    throw invalidOption(
      `${changed.length} items changed, ${added.length} were added, ${removed.length} removed: scores aren't comparable with those of ${manifest.version}, so the version must be at least ${major(manifest.version) + 1}.0.0, got ${version}`,
    );
}

/** The settings that a bundle says it was fitted by; what it doesn't say is the default. */
function settingsOf({ fit }: Manifest): FitSettings {
  const entries = Object.entries(DEFAULT_SETTINGS).filter(
    ([key, value]) => typeof lookUp(fit, key) === typeof value || (key === "dims" && lookUp(fit, key) === "auto"),
  );
  const settings = { ...DEFAULT_SETTINGS, ...Object.fromEntries(entries.map(([key]) => [key, lookUp(fit, key)])) };
  const current =
    (ANCHOR_METHOD_NAMES as readonly string[]).includes(settings.selection) &&
    ["auto", ...ALL_ESTIMATORS].includes(settings.estimator) &&
    settings.folds > 1;
  return current ? settings : DEFAULT_SETTINGS;
}
