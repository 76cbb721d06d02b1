import { loadBundle } from "anchoreval";
import type { Bundle, BundleSource } from "anchoreval/bundle";
import { AnchorEvalError, type RandomSource } from "anchoreval/core";
import { firstFew } from "anchoreval/node";
import { bankTasks } from "../../fit/bank-tasks.ts";
import { type FitConfiguration, SCORE_LINKS, type ScoreLink } from "../../fit/configuration.ts";
import type { StandingBank, StandingVersion } from "../../fit/standing-version.ts";
import { groupedOrder } from "../../matrix/group-items.ts";
import { type ItemInfo, responseMatrix, type ResponseMatrix, scoreAt } from "../../matrix/response-matrix.ts";
import { itemTexts, learnProjection, projectTexts, PROJECTION } from "../../spectral/text-features.ts";
import { compareItems, type ItemChanges, type VersionItem, versionItems } from "./compare-items.ts";
import { putOnScale, type ScaledBank, standardNormal } from "./link-bank.ts";
import { bridgeVersions } from "./score-linking.ts";

/** What a new version is put on the scale of an old one with. */
interface BaseInput {
  readonly base: BaseBundle;
  /** Answers to the base's items, by their ids there. */
  readonly older: ResponseMatrix;
  /** Answers to the new version's items, of any models to any of the items; null without. */
  readonly rerun: ResponseMatrix | null;
  /** The new version's items. */
  readonly items: readonly ItemInfo[];
}

/** A new version that stands on an old one. */
export interface BasedVersion {
  /** Answers of all models, drawn where a placed item has none: what is fitted. */
  readonly matrix: ResponseMatrix;
  readonly standing: StandingVersion;
  readonly changes: ItemChanges;
}

/**
 * Puts a new version of a benchmark on the scale of an old one's bundle: what stands keeps its parameters, the rest is
 * placed by answers of models that were run again, and by texts or its scenario's items where these are few or none.
 * @throws AnchorEvalError `invalid_data` for answers to items that the base doesn't have, what {@link carryAnswers} and
 * {@link putOnScale} throw
 */
export function standOnBase(
  { base, older, rerun, items }: BaseInput,
  configuration: FitConfiguration,
  random: RandomSource,
): BasedVersion {
  const { manifest, digest } = base.bundle;
  const known = new Set(base.items.map(({ item_id: id }) => id));
  const foreign = older.items.filter(({ item_id: id }) => !known.has(id));
  if (foreign.length > 0)
    throw new AnchorEvalError(
      "invalid_data",
      `the responses have ${foreign.length} items that ${manifest.benchmark} ${manifest.version} doesn't have, such as ${foreign[0]!.item_id}: give the answers to the base's items, and those to the new ones as --rerun`,
    );
  const changes = compareItems(base.items, items);
  const grouped = Array.from(groupedOrder(items), (i) => items[i]!);
  const { matrix: given, standing, rerun: again } = carryAnswers(older, rerun, grouped, changes);
  const fresh = new Set(grouped.flatMap(({ item_id: id }) => (standing.has(id) ? [] : [id])));
  const coordinates = fresh.size > 0 ? textCoordinates(grouped, random.fork("texts")) : null;
  const banks = bankTasks(given, configuration).map((task) => ({
    task,
    scaled: putOnScale(task, { base, standing, coordinates }, random.fork(task.id)),
  }));

  const completed = matrixWith(given, banks, ({ drawn }) => drawn);
  const cells = fresh.size * given.subjects.length;
  const drawn = banks.reduce((sum, { scaled }) => sum + scaled.drawn.filter((score) => !Number.isNaN(score)).length, 0);
  const kept = new Map(
    [...base.bundle.scenarios].map(([id, { forms }]) => [
      id,
      new Map(
        [...forms].map(([form, { itemIds }]) => [form, { kept: standingIds(itemIds, standing), of: itemIds.length }]),
      ),
    ]),
  );
  return {
    matrix: completed,
    changes,
    standing: {
      banks: new Map(banks.map(({ task, scaled }) => [task.id, standingBank(scaled)])),
      anchors: kept,
      fresh,
      record: {
        benchmark: manifest.benchmark,
        version: manifest.version,
        digest,
        items: { standing: standing.size, placed: fresh.size },
        rerun: again,
        drawn: cells === 0 ? 0 : drawn / cells,
        texts: coordinates !== null,
        bridge: bridgeVersions(
          older,
          base,
          matrixWith(given, banks, ({ expected }) => expected),
          configuration,
          new Map(
            banks.flatMap(({ task, scaled }) => task.scenarios.map(({ id }, s) => [id, scaled.placementErrors[s]!])),
          ),
        ),
      },
    },
  };
}

function standingBank({ dims, link, thresholds, a, b }: ScaledBank): StandingBank {
  return {
    dims,
    link,
    thresholds,
    known: { known: new Uint8Array(b.length).fill(1), a, b, prior: standardNormal(dims) },
  };
}

/** Where old anchors are now. */
function standingIds(itemIds: readonly string[], standing: ReadonlyMap<string, string>): Set<string> {
  const now = new Map(Array.from(standing, ([id, old]) => [old, id]));
  return new Set(itemIds.flatMap((id) => now.get(id) ?? []));
}

/** Coordinates of all items' texts; null where one has none, or they don't tell items apart. */
function textCoordinates(items: readonly ItemInfo[], random: RandomSource): Map<string, Float64Array> | null {
  if (items.some(({ text }) => text === undefined || text.trim() === "")) return null;
  const texts = itemTexts(items);
  const projection = learnProjection(texts, PROJECTION, random);
  const coordinates = projectTexts(texts, projection);
  const width = coordinates.length / items.length;
  return new Map(items.map(({ item_id: id }, i) => [id, coordinates.subarray(i * width, (i + 1) * width)]));
}

/** The given scores, and others where there are none. @param others - M×N of a bank's columns, NaN for none */
function matrixWith(
  given: ResponseMatrix,
  banks: readonly { readonly task: { readonly matrix: ResponseMatrix }; readonly scaled: ScaledBank }[],
  others: (scaled: ScaledBank) => Float64Array,
): ResponseMatrix {
  const place = new Map(given.items.map(({ item_id: id }, i) => [id, i]));
  const count = given.items.length;
  const scores = new Float32Array(given.subjects.length * count);
  for (let m = 0; m < given.subjects.length; m++)
    for (let i = 0; i < count; i++) scores[m * count + i] = scoreAt(given, m, i);
  for (const { task, scaled } of banks) {
    const own = others(scaled);
    task.matrix.items.forEach(({ item_id: id }, i) => {
      const column = place.get(id)!;
      for (let m = 0; m < given.subjects.length; m++) {
        const score = own[m * task.matrix.items.length + i]!;
        if (!Number.isNaN(score)) scores[m * count + column] = score;
      }
    });
  }
  return responseMatrix(given.subjects, given.items, scores);
}

/** Answers to a new version's items, as far as there are any. */
interface CarriedAnswers {
  /** Of all models, old and re-run; missing where a model didn't answer an item as it is now. */
  readonly matrix: ResponseMatrix;
  /** Id in the base of every item that stands, by its id now. */
  readonly standing: ReadonlyMap<string, string>;
  /** Models with answers to items that don't stand. */
  readonly rerun: number;
}

/**
 * Carries old answers over to the items that are the same, and adds those of models that were run again. Old answers to
 * changed items are no answers to what these are now. Where a model has both, the new one counts.
 * @param older - answers to the base's items, by their ids there
 * @param rerun - answers to the new items, any models, any of the items; null without
 * @param items - the new version's, grouped by scenario and subscenario
 * @throws AnchorEvalError `invalid_data` for re-run answers to items that aren't described
 */
export function carryAnswers(
  older: ResponseMatrix,
  rerun: ResponseMatrix | null,
  items: readonly ItemInfo[],
  { unchanged, unchecked, renamed }: ItemChanges,
): CarriedAnswers {
  const standing = new Map([...unchanged, ...unchecked].map(({ item_id: id }) => [id, id]));
  for (const { from, to } of renamed) if (from.scenario === to.scenario) standing.set(to.item_id, from.item_id);
  const known = new Set(items.map(({ item_id: id }) => id));
  const unknown = (rerun?.items ?? []).filter(({ item_id: id }) => !known.has(id));
  if (unknown.length > 0)
    throw new AnchorEvalError(
      "invalid_data",
      `the re-run answers have ${unknown.length} ${unknown.length === 1 ? "item that isn't" : "items that aren't"} described: ${firstFew(unknown.map(({ item_id: id }) => id))}`,
    );
  const subjects = [...new Set([...older.subjects, ...(rerun?.subjects ?? [])])];
  const oldColumns = columnsOf(older);
  const newColumns = rerun && columnsOf(rerun);
  const oldRows = rowsOf(older);
  const newRows = rerun && rowsOf(rerun);
  const scores = new Float32Array(subjects.length * items.length).fill(NaN);
  const again = new Set<number>();
  items.forEach(({ item_id: id }, i) => {
    const oldColumn = oldColumns.get(standing.get(id) ?? "");
    const newColumn = newColumns?.get(id);
    subjects.forEach((subject, m) => {
      const newRow = newRows?.get(subject);
      const fresh = newRow === undefined || newColumn === undefined ? NaN : scoreAt(rerun!, newRow, newColumn);
      const oldRow = oldRows.get(subject);
      const own = Number.isNaN(fresh) && oldRow !== undefined && oldColumn !== undefined;
      scores[m * items.length + i] = own ? scoreAt(older, oldRow, oldColumn) : fresh;
      if (!Number.isNaN(fresh) && !standing.has(id)) again.add(m);
    });
  });
  return { matrix: responseMatrix(subjects, items, scores), standing, rerun: again.size };
}

function columnsOf({ items }: ResponseMatrix): Map<string, number> {
  return new Map(items.map(({ item_id: id }, i) => [id, i]));
}

function rowsOf({ subjects }: ResponseMatrix): Map<string, number> {
  return new Map(subjects.map((subject, m) => [subject, m]));
}

/** A published bundle, on whose scale another version's items are put. */
export interface BaseBundle {
  readonly bundle: Bundle;
  /** All items in parameter order, with the hashes that anchors have. */
  readonly items: readonly VersionItem[];
  /** How each bank's scores were calibrated, by bank. */
  readonly links: ReadonlyMap<string, ScoreLink>;
}

/**
 * Reads all of a bundle that a later version may keep.
 * @throws AnchorEvalError what {@link loadBundle} throws; `unsupported` for banks of other models than the 2PL
 */
export async function readBase(source: BundleSource, signal?: AbortSignal): Promise<BaseBundle> {
  const options = signal ? { signal } : {};
  const bundle = await loadBundle(source, options);
  const { manifest } = bundle;
  const other = manifest.banks.find(({ irtModel }) => irtModel !== "2pl" && irtModel !== "1pl");
  if (other)
    throw new AnchorEvalError(
      "unsupported",
      `${source.name}: ${other.id} was calibrated by ${other.irtModel}; only items without asymptotes can stand while others are put on their scale: fit anew, without --base`,
    );
  return {
    bundle,
    items: await versionItems(source, bundle, options),
    links: new Map(manifest.banks.map(({ id }) => [id, linkOf(manifest.fit, id)])),
  };
}

/** The link that a fit resolved; of a bundle that doesn't say, the one that binary scores have. */
function linkOf(fit: Readonly<Record<string, unknown>>, bank: string): ScoreLink {
  const links = fit["links"] as Readonly<Record<string, unknown>> | undefined;
  return SCORE_LINKS.find((link) => link === links?.[bank]) ?? "binarize";
}
