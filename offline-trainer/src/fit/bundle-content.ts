import {
  FORMAT_VERSION,
  type AnchorRecord,
  type BaseManifest,
  type BundleContent,
  type ItemRecord,
  type ScenarioContent,
} from "anchoreval/bundle";
import { anchorFactors, PARAMETERIZATION, type AnchorSet } from "anchoreval/core";
import type { ItemInfo, ResponseMatrix } from "../matrix/response-matrix.ts";
import { fullScores } from "../prepare/full-scores.ts";
import { answerFactors, sourceAnswers } from "./answer-factors.ts";
import { askedItems } from "./asked-items.ts";
import type { FitOptions } from "./fit-options.ts";
import type { FittedBank } from "./fitted-bank.ts";
import type { FormPlan } from "./form-plans.ts";
import { formManifests } from "./form-manifests.ts";
import { rounded } from "./rounded.ts";
import type { StandingVersion } from "./standing-version.ts";

/** All that a bundle is encoded from, but for the report. */
export function bundleContent(
  matrix: ResponseMatrix,
  banks: readonly FittedBank[],
  forms: readonly FormPlan[],
  options: FitOptions,
): BundleContent {
  const { configuration, seed, backend } = options;
  const scenarios = banks.flatMap((bank) =>
    bank.task.scenarios.map((slice, s) => ({ bank, slice, s, trained: bank.trained.scenarios[s]! })),
  );
  const manifest: BundleContent["manifest"] = {
    formatVersion: FORMAT_VERSION,
    benchmark: options.benchmark,
    version: options.version,
    benchmarkVersion: options.benchmarkVersion ?? null,
    created: options.created,
    description: options.description ?? null,
    parameterization: PARAMETERIZATION,
    weighting: configuration.weighting,
    banks: banks.map(({ task, trained, irtModel, loadings }) => ({
      id: task.id,
      scenarios: task.scenarios.map((slice) => slice.id),
      irtModel,
      dims: trained.dims,
      prior: {
        mean: Array.from(trained.abilities.mean),
        covariance: Array.from(trained.abilities.covariance),
        scale: configuration.priorScale,
        ...(loadings && { loadings: Array.from(loadings) }),
      },
    })),
    scenarios: scenarios.map(({ slice, trained }) => ({
      id: slice.id,
      weight: 1,
      items: slice.count,
      subscenarios: slice.subscenarios,
      threshold: trained.threshold,
      scoreMap: trained.scoreMap && { x: Array.from(trained.scoreMap.x), y: Array.from(trained.scoreMap.y) },
    })),
    forms: formManifests(banks, forms, configuration, seed),
    defaultForm: defaultForm(forms),
    sources: { models: matrix.subjects.length, names: options.includeModelNames ? matrix.subjects : null, note: null },
    ...(options.standing && { base: { ...options.standing.record, anchors: keptAnchors(banks, options.standing) } }),
    protocol: options.protocol ?? {},
    fit: {
      ...configuration,
      seed,
      backend: backend.name,
      precision: backend.precision,
      links: Object.fromEntries(banks.map(({ task, link }) => [task.id, link])),
      shrinkages: Object.fromEntries(banks.map(({ task, shrinkage }) => [task.id, shrinkage])),
      dimensionErrors: Object.fromEntries(
        banks.filter((bank) => bank.dimensionErrors.length > 0).map((bank) => [bank.task.id, bank.dimensionErrors]),
      ),
      ...(configuration.search > 0 && {
        designs: Object.fromEntries(banks.map(({ task, irtModel, design }) => [task.id, { irtModel, ...design }])),
      }),
      ...filteredItems(banks),
      ...subsetRankings(banks),
      calibration: Object.fromEntries(
        banks.map(({ task, trained: { calibration } }) => [
          task.id,
          {
            converged: calibration.converged,
            evaluations: calibration.evaluations,
            gradientNorm: rounded(calibration.gradientNorm),
            value: rounded(calibration.value),
          },
        ]),
      ),
    },
    data: { licence: options.licence ?? null, source: options.source ?? null },
  };
  return {
    manifest,
    scenarios: scenarios.map(({ bank, slice, s, trained }): ScenarioContent => {
      const sets = bank.forms[s]!;
      const maps = bank.maps[s]!;
      const items = bank.task.matrix.items.slice(slice.begin, slice.begin + slice.count);
      const asked = askedItems(sets.values());
      const ascending = asked.map((_, row) => row).sort((x, y) => asked[x]! - asked[y]!);
      const ofAnswers = answerFactors(sourceAnswers(bank.task.matrix, bank.trained.rows, trained), asked);
      const scores = fullScores(bank.task.matrix, slice).score;
      return {
        bank: trained.bank,
        sourceScores: scores.filter((score) => !Number.isNaN(score)),
        forms: sets,
        ...(maps.size > 0 && { maps }),
        factors: anchorFactors(bank.factors[s]!, asked.toSorted()),
        answerFactors: anchorFactors(ofAnswers, ascending),
        anchors: anchorRecords(items, sets, options.includeText ?? false),
        items: items.map(itemRecord),
      };
    }),
  };
}

/** How many of every form's anchors are an earlier version's: of the same form, or of any, where that had none such. */
function keptAnchors(banks: readonly FittedBank[], { anchors }: StandingVersion): BaseManifest["anchors"] {
  const counts: Record<string, { kept: number; of: number }> = {};
  for (const { task, forms } of banks)
    forms.forEach((sets, s) => {
      const { id, begin } = task.scenarios[s]!;
      const earlier = anchors.get(id);
      for (const [form, { items }] of sets) {
        const same = earlier?.get(form);
        const had = same ? [same] : [...(earlier?.values() ?? [])];
        const ids = Array.from(items, (item) => task.matrix.items[begin + item]!.item_id);
        const kept = ids.filter((item) => had.some((own) => own.kept.has(item))).length;
        const { kept: before, of } = counts[form] ?? { kept: 0, of: 0 };
        counts[form] = { kept: before + kept, of: of + items.length };
      }
    });
  return counts;
}

/** How many items a selection's filter left, and how many it left out by which rule; nothing where none filters. */
function filteredItems(banks: readonly FittedBank[]): { filtered?: Record<string, object> } {
  const filtered = banks.flatMap(({ filtered: own }) =>
    Array.from(own, ([id, { pool, dropped, needed }]) => [id, { pool: pool.length, dropped, needed }] as const),
  );
  return filtered.length > 0 ? { filtered: Object.fromEntries(filtered) } : {};
}

/** How subsets were chosen by the models' ranking, by scenario and number of anchors; nothing where none was. */
function subsetRankings(banks: readonly FittedBank[]): { rankings?: Record<string, object> } {
  const rankings = banks.flatMap(({ rankings: own }) =>
    Array.from(own, ([id, bySize]) => [id, Object.fromEntries(bySize)] as const),
  );
  return rankings.length > 0 ? { rankings: Object.fromEntries(rankings) } : {};
}

/** The form that is asked by default: the largest of at most 100 anchors a scenario, else the smallest. */
function defaultForm(forms: readonly FormPlan[]): string {
  const first = forms.filter(({ disjointFrom }) => disjointFrom === undefined);
  return (first.filter(({ anchors }) => Math.max(...anchors.values()) <= 100).at(-1) ?? first[0]!).id;
}

function itemRecord({ item_id, scenario, subscenario, hash }: ItemInfo): ItemRecord {
  return { item_id, scenario, ...(subscenario !== undefined && { subscenario }), ...(hash !== undefined && { hash }) };
}

/** Anchors in the order in which they are asked: the smallest form's first, so that nested forms are prefixes. */
function anchorRecords(
  items: readonly ItemInfo[],
  sets: ReadonlyMap<string, AnchorSet>,
  includeText: boolean,
): AnchorRecord[] {
  const members = new Map<number, string[]>();
  for (const [form, set] of sets)
    for (const index of Array.from(set.items).sort((x, y) => x - y)) {
      const forms = members.get(index);
      if (forms) forms.push(form);
      else members.set(index, [form]);
    }
  return Array.from(members, ([index, forms]) => {
    const item = items[index]!;
    const { task, doc_id: docId, text } = item;
    return {
      ...itemRecord(item),
      index,
      ...(task !== undefined && { task }),
      ...(docId !== undefined && { doc_id: docId }),
      ...(includeText && text !== undefined && { text }),
      forms,
    };
  });
}
