import { AnchorEvalError } from "anchoreval/internal/core/errors";
import type { RandomSource } from "anchoreval/internal/core/numeric/random";
import { firstFew } from "anchoreval/internal/tables/data-issues";
import { matrixScenarios, type Scenario } from "../../../offline-trainer/src/matrix/benchmark.ts";
import type { FitSettings } from "../../../offline-trainer/src/methods/settings.ts";
import type { FixedBank } from "../../../offline-trainer/src/calibrate/bank.ts";
import {
  LEAST_MODELS,
  groupedOrder,
  type ItemInfo,
  responseMatrix,
  type ResponseMatrix,
  scoreAt,
} from "../../../offline-trainer/src/matrix/response-matrix.ts";
import {
  itemTexts,
  learnProjection,
  PROJECTION,
  projectTexts,
} from "../../../offline-trainer/src/numeric/text-features.ts";
import type { FitPart } from "../../../offline-trainer/src/fit/options.ts";
import { type BaseBundle, type BaseRecord, withBase } from "./base.ts";
import { compareItems, type ItemChanges } from "./compare-items.ts";
import { type EarlierAnchors, keepAnchors, type KeptAnchors } from "./keep-anchors.ts";
import { linkScenario, type LinkedScenario, linkVersionScores } from "./link-bank.ts";

/** The data that link a new version to the scale of an old one. */
interface LinkInput {
  readonly base: BaseBundle;
  /** Answers to the base's items, by their ids there. */
  readonly older: ResponseMatrix;
  /** Answers to the new version's items, of any models to any of the items; null without. */
  readonly rerun: ResponseMatrix | null;
  readonly items: readonly ItemInfo[];
}

/** A new version on the scale of an old one: the data to fit, and what the fit keeps. */
export interface LinkedVersion {
  /** Answers of all models, drawn where a linked item has none. */
  readonly matrix: ResponseMatrix;
  readonly fixed: ReadonlyMap<string, FixedBank>;
  readonly earlier: EarlierAnchors;
  readonly record: BaseRecord;
  readonly changes: ItemChanges;
}

/** The part of a fit that stays on an earlier version's scale, keeps its anchors where it can, and notes what it stands on. */
export function onBase({ fixed, earlier, record }: Pick<LinkedVersion, "fixed" | "earlier" | "record">): FitPart {
  return {
    stage: "base",
    fixed,
    method: (method) => ({ ...method, anchors: keepAnchors(method.anchors, earlier) }),
    add: ({ content }) => withBase(content, record, earlier),
  };
}

/**
 * Links a new version of a benchmark to the scale of an old one's bundle: unchanged items keep their parameters, the others
 * are estimated from answers of models that were run again, and from texts or the scenario's items where these are few. A
 * scenario that the base doesn't have isn't linked item by item: the fit calibrates it by the models that answered it.
 * @throws AnchorEvalError `invalid_data` for answers to items of neither version, and for new scenarios with too few
 * answers; what {@link carryAnswers} and {@link linkScenario} throw
 */
export function linkVersion(
  { base, older, rerun, items }: LinkInput,
  configuration: FitSettings,
  random: RandomSource,
): LinkedVersion {
  const { manifest, digest, scenarios } = base.bundle;
  const { benchmark, version } = manifest;
  const isNew = (scenario: string): boolean => !scenarios.has(scenario);
  const allowed = new Set(base.items.map(({ item_id: id }) => id));
  for (const { item_id: id, scenario } of items) if (isNew(scenario)) allowed.add(id);
  const foreign = older.items.filter(({ item_id: id }) => !allowed.has(id));
  if (foreign.length > 0)
    throw new AnchorEvalError(
      "invalid_data",
      `the responses have ${foreign.length} items that ${benchmark} ${version} doesn't have, such as ${foreign[0]!.item_id}: give the answers to the base's items, and those to the new ones as \`rerun\``,
    );
  const changes = compareItems(base.items, items);
  const grouped = Array.from(groupedOrder(items), (i) => items[i]!);
  const { matrix: carried, fixedIds, rerun: again } = carryAnswers(older, rerun, grouped, changes, isNew);
  const fresh = new Set(grouped.flatMap(({ item_id: id }) => (fixedIds.has(id) ? [] : [id])));
  const calibrated = grouped.filter(({ scenario }) => isNew(scenario)).length;
  const onBaseScale = fresh.size - calibrated;
  const coordinates = onBaseScale > 0 ? textCoordinates(grouped, random.fork("texts")) : null;
  checkNewScenarios(carried, fixedIds, isNew);
  const standing = matrixScenarios(carried, configuration).filter(({ id }) => !isNew(id));
  const onScale = standing.map((scenario) => ({
    scenario,
    linked: linkScenario(scenario, { base, fixedIds, coordinates }, random.fork(scenario.id)),
  }));
  const cells = onBaseScale * carried.subjects.length;
  const drawn = onScale.reduce(
    (sum, { linked }) => sum + linked.drawn.filter((score) => !Number.isNaN(score)).length,
    0,
  );
  const idNow = new Map(Array.from(fixedIds, ([id, old]) => [old, id]));
  const anchors = Array.from(scenarios, ([id, { forms }]) => {
    const kept = Array.from(forms, ([form, { itemIds }]): [string, KeptAnchors] => [
      form,
      { kept: new Set(itemIds.flatMap((old) => idNow.get(old) ?? [])), of: itemIds.length },
    ]);
    return [id, new Map(kept)] as const;
  });
  const linkingErrors = onScale.map(({ scenario, linked }) => [scenario.id, linked.linkingError] as const);
  const expected = fillScores(carried, onScale, (linked) => linked.expected);
  return {
    matrix: fillScores(carried, onScale, (linked) => linked.drawn),
    changes,
    fixed: new Map(onScale.map(({ scenario, linked }) => [scenario.id, linked.fixed])),
    earlier: { anchors: new Map(anchors), fresh },
    record: {
      benchmark,
      version,
      digest,
      items: { standing: fixedIds.size, placed: onBaseScale, ...(calibrated > 0 && { calibrated }) },
      rerun: again,
      drawn: cells === 0 ? 0 : drawn / cells,
      texts: coordinates !== null,
      bridge: linkVersionScores(older, base, expected, configuration, new Map(linkingErrors)),
    },
  };
}

/**
 * Makes sure that new scenarios can be calibrated and tied to the base's.
 * @throws AnchorEvalError `invalid_data` for fewer than five models with answers to one and to items that stand, and for
 * items of one that nobody answered
 */
function checkNewScenarios(
  matrix: ResponseMatrix,
  fixedIds: ReadonlyMap<string, string>,
  isNew: (scenario: string) => boolean,
): void {
  const models = [...matrix.subjects.keys()];
  const columns = [...matrix.items.keys()];
  const answered = (m: number, i: number): boolean => !Number.isNaN(scoreAt(matrix, m, i));
  const kept = columns.filter((i) => fixedIds.has(matrix.items[i]!.item_id));
  for (const id of new Set(matrix.items.map(({ scenario }) => scenario).filter(isNew))) {
    const inScenario = columns.filter((i) => matrix.items[i]!.scenario === id);
    const both = models.filter((m) => inScenario.some((i) => answered(m, i)) && kept.some((i) => answered(m, i)));
    if (both.length < LEAST_MODELS)
      throw new AnchorEvalError(
        "invalid_data",
        `${id} is a new scenario, and ${both.length} models have answers to it and to the base's items; at least ${LEAST_MODELS} are needed: give more models' answers to it, in \`responses\` or \`rerun\``,
      );
    const silent = inScenario.filter((i) => !models.some((m) => answered(m, i)));
    if (silent.length > 0)
      throw new AnchorEvalError(
        "invalid_data",
        `${id} is a new scenario, and nobody answered ${silent.length} of its ${inScenario.length} items: ${firstFew(silent.map((i) => matrix.items[i]!.item_id))}; give answers to them, or leave them out of the items`,
      );
  }
}

/**
 * Carries old answers over to the unchanged items, and adds those of models that were run again. Old answers to changed
 * items don't apply to their current text. Where a model has both, the new one counts.
 * @param older - answers to the base's items, by their ids there, and to those of new scenarios
 * @param rerun - answers to the new items, any models, any of the items; null without
 * @param items - the new version's, grouped by scenario and subscenario @param isNew - whether the base lacks a scenario
 * @throws AnchorEvalError `invalid_data` for re-run answers to items that aren't described
 */
export function carryAnswers(
  older: ResponseMatrix,
  rerun: ResponseMatrix | null,
  items: readonly ItemInfo[],
  { unchanged, unchecked, renamed, changed }: ItemChanges,
  isNew: (scenario: string) => boolean,
) {
  const fixedIds = new Map([...unchanged, ...unchecked].map(({ item_id: id }) => [id, id]));
  for (const { from, to } of renamed) if (from.scenario === to.scenario) fixedIds.set(to.item_id, from.item_id);
  const ids = items.map(({ item_id: id }) => id);
  const described = new Set(ids);
  const unknown = (rerun?.items ?? []).filter(({ item_id: id }) => !described.has(id));
  if (unknown.length > 0)
    throw new AnchorEvalError(
      "invalid_data",
      `the re-run answers have ${unknown.length} ${unknown.length === 1 ? "item that isn't" : "items that aren't"} described: ${firstFew(unknown.map(({ item_id: id }) => id))}`,
    );
  const subjects = [...new Set([...older.subjects, ...(rerun?.subjects ?? [])])];
  const newScore = scoreLookup(rerun, subjects, ids);
  const moved = new Map(renamed.map(({ from, to }) => [to.item_id, from.item_id]));
  const replaced = new Set([...renamed, ...changed].map(({ from }) => from.item_id));
  const oldIds = items.map(({ item_id: id, scenario }) =>
    isNew(scenario) ? (moved.get(id) ?? (replaced.has(id) ? undefined : id)) : fixedIds.get(id),
  );
  const oldScore = scoreLookup(older, subjects, oldIds);
  const scores = new Float32Array(subjects.length * items.length);
  const again = new Set<string>();
  subjects.forEach((subject, m) =>
    ids.forEach((id, i) => {
      const fresh = newScore(m, i);
      scores[m * items.length + i] = Number.isNaN(fresh) ? oldScore(m, i) : fresh;
      if (!Number.isNaN(fresh) && !fixedIds.has(id) && !isNew(items[i]!.scenario)) again.add(subject);
    }),
  );
  return {
    /** Of all models, old and re-run; missing where a model didn't answer an item's current text. */
    matrix: responseMatrix(subjects, items, scores),
    /** Id in the base of every fixed item, by its id now. */
    fixedIds,
    /** Models with answers to items that are linked. */
    rerun: again.size,
  };
}

/** Scores of a matrix by positions in lists of models and items; NaN for none. */
function scoreLookup(
  matrix: ResponseMatrix | null,
  subjects: readonly string[],
  ids: readonly (string | undefined)[],
): (m: number, i: number) => number {
  if (!matrix) return () => NaN;
  const place = new Map(matrix.subjects.map((subject, row) => [subject, row]));
  const rows = subjects.map((subject) => place.get(subject));
  const columnOf = new Map(matrix.items.map(({ item_id: id }, column) => [id, column]));
  const columns = ids.map((id) => (id === undefined ? undefined : columnOf.get(id)));
  return (m, i) => {
    const [row, column] = [rows[m], columns[i]];
    return row === undefined || column === undefined ? NaN : scoreAt(matrix, row, column);
  };
}

/** Coordinates of all items' texts; null where one has none. */
function textCoordinates(items: readonly ItemInfo[], random: RandomSource): Map<string, Float64Array> | null {
  if (items.some(({ text }) => text === undefined || text.trim() === "")) return null;
  const texts = itemTexts(items);
  const projection = learnProjection(texts, PROJECTION, random);
  const coordinates = projectTexts(texts, projection);
  const width = coordinates.length / items.length;
  return new Map(items.map(({ item_id: id }, i) => [id, coordinates.subarray(i * width, (i + 1) * width)]));
}

/** The given scores, completed by those of the linked scenarios. @param scoresOf - M×N of a scenario's columns, NaN for none */
function fillScores(
  matrix: ResponseMatrix,
  onScale: readonly { readonly scenario: Scenario; readonly linked: LinkedScenario }[],
  scoresOf: (linked: LinkedScenario) => Float64Array,
): ResponseMatrix {
  const place = new Map(matrix.items.map(({ item_id: id }, i) => [id, i]));
  const count = matrix.items.length;
  const scores = new Float32Array(matrix.subjects.length * count);
  for (let at = 0; at < scores.length; at++) scores[at] = scoreAt(matrix, Math.floor(at / count), at % count);
  for (const { scenario, linked } of onScale) {
    const values = scoresOf(linked);
    const columns = scenario.matrix.items.map(({ item_id: id }) => place.get(id)!);
    values.forEach((score, at) => {
      const m = Math.floor(at / columns.length);
      if (!Number.isNaN(score)) scores[m * count + columns[at % columns.length]!] = score;
    });
  }
  return responseMatrix(matrix.subjects, matrix.items, scores);
}
