import { contentHash } from "anchoreval/bundle";
import type { Bundle } from "anchoreval/internal/core/bundle/bundle";
import type { AnchorRecord } from "anchoreval/internal/core/bundle/manifest";
import { AnchorEvalError, invalidOption } from "anchoreval/internal/core/errors";
import { versionText } from "anchoreval/internal/logs/json";
import { documentContent, documentText } from "anchoreval/internal/logs/lm-eval/read-samples";
import { groupedRemarks, UNTOLD_RUN } from "anchoreval/internal/logs/run-log";
import { fittedChoices } from "anchoreval/internal/node/logs/anchor-logs";
import { differenceWords } from "anchoreval/internal/logs/answer-warnings";
import { otherHarness, sameItems, type SeenItem } from "./same-items.ts";

/** A task as lm-evaluation-harness itself has it. */
export interface SeenTask {
  readonly version: unknown;
  readonly shots: number | null;
  readonly metrics: readonly string[];
  readonly filters: readonly string[];
  /** Those that were asked for, or all, by id: the document's place, the document and its target. */
  readonly documents: Readonly<Record<string, readonly [place: number, document: unknown, target: string]>>;
}

/** The documents of the harness's tasks as items that may be anchors. */
export function seenItems(tasks: Readonly<Record<string, SeenTask>>): SeenItem[] {
  return Object.entries(tasks).flatMap(([task, { documents }]) =>
    Object.entries(documents).map(([doc_id, [place, document, target]]) => {
      const hash = contentHash(documentContent(document, target));
      return { task, doc_id, place, hash, text: documentText(document) };
    }),
  );
}

/** How a task is asked and scored. */
export interface TaskChoice {
  readonly metric: string;
  readonly filter: string;
  readonly shots: number;
  readonly chatTemplate: boolean;
}

/**
 * Holds the harness's tasks against the bundle.
 * @param choices - how a task will be asked and scored; several, where its score is taken in several ways
 * @returns the anchors, named by their places, and what should be known
 * @throws AnchorEvalError `item_changed` for documents that aren't there, or have another content
 */
export function checkTasks(
  tasks: Readonly<Record<string, SeenTask>>,
  asked: { readonly bundle: Bundle; readonly anchors: readonly AnchorRecord[]; readonly dropChanged: boolean },
  choices: (name: string, task: SeenTask) => readonly TaskChoice[],
): { readonly anchors: readonly AnchorRecord[]; readonly remarks: readonly string[] } {
  const { protocol } = asked.bundle.manifest;
  const checked = sameItems(asked.anchors, seenItems(tasks), {
    ...{ harness: "lm-eval", fitted: protocol["harness"], dropChanged: asked.dropChanged },
  });
  const differences = Object.entries(tasks).map(([name, task]) => {
    const words = choices(name, task).flatMap((choice) =>
      differenceWords(protocol, name, {
        ...UNTOLD_RUN,
        scorer: null,
        taskCall: null,
        epochs: null, // `repeats` are averaged by the harness: only its logs tell
        taskVersion: versionText(task.version),
        ...choice,
      }),
    );
    return { who: name, remarks: [...new Set(words)] };
  });
  return { anchors: checked.anchors, remarks: [...checked.remarks, ...groupedRemarks(differences)] };
}

/** A task of the Python package: a form's documents, as the harness's own tasks have them. */
export interface AnchoredTask {
  readonly form: string;
  /** The documents of each item: its place in the task, or the value of the field that names it. */
  readonly items: readonly (readonly [item: string, task: string, id: string | number])[];
  readonly tasks: Readonly<Record<string, SeenTask>>;
  readonly chatTemplate: boolean;
}

/**
 * Holds the tasks that an anchored task asks against the bundle.
 * @returns metrics and filters that each is scored by: those that the bundle's models were, else all that it has
 * @throws AnchorEvalError `item_changed` as `checkTasks`; `invalid_data` for other items than the form's; `invalid_option`
 * for a task without the bundle's metric or filter
 */
export function checkAnchoredTask(
  bundle: Bundle,
  anchors: readonly AnchorRecord[],
  { form, items, tasks, chatTemplate }: AnchoredTask,
): { readonly remarks: readonly string[]; readonly scored: Readonly<Record<string, ScoredBy>> } {
  const byId = new Map(items.map(([item, task, doc_id]) => [item, { task, doc_id }]));
  const rows = anchors.flatMap((anchor) => {
    const named = byId.get(anchor.item_id);
    return named === undefined ? [] : [{ ...anchor, ...named }];
  });
  if (rows.length !== anchors.length || rows.length !== items.length)
    throw new AnchorEvalError(
      "invalid_data",
      `the task's file names other items than form ${form} has: export it again`,
    );
  const choose = fittedChoices(bundle, "lm-eval", { anchors: rows });
  const scored = new Map<string, ScoredBy>();
  const checked = checkTasks(tasks, { bundle, anchors: rows, dropChanged: false }, (name, task) => {
    const scoring: ScoredBy = {
      metrics: chosen("metric", name, choose.metric([name]), task.metrics),
      filters: chosen("filter", name, choose.filter([name]), task.filters),
    };
    scored.set(name, scoring);
    return scoring.metrics.flatMap((metric) =>
      scoring.filters.map((filter) => ({ metric, filter, shots: task.shots ?? 0, chatTemplate })),
    );
  });
  return {
    remarks: [...otherHarness(bundle.manifest.protocol, "lm-eval"), ...checked.remarks],
    scored: Object.fromEntries(scored),
  };
}

interface ScoredBy {
  readonly metrics: readonly string[];
  readonly filters: readonly string[];
}

function chosen(what: string, task: string, fitted: string | undefined, all: readonly string[]): readonly string[] {
  if (fitted === undefined) return all;
  if (all.includes(fitted)) return [fitted];
  throw invalidOption(
    `${task} has no ${what} ${fitted}, by which the bundle's models were scored: it has ${all.join(", ")}`,
  );
}
