import { formItemIds, type Bundle, partWarnings, unknownForm, yankedWarnings } from "../core/bundle/bundle.ts";
import { AnchorEvalError } from "../core/errors.ts";
import type { EstimateOptions, EstimateWarning } from "./types.ts";
import type { Responses } from "../tables/item-trials.ts";
import { firstFew, quoted } from "../tables/data-issues.ts";
import { chooseForm } from "./choose-form.ts";
import { type LocatedAnswer, type LocatedAnswers, locateAnswers, unknownItem } from "./locate-answers.ts";

/** All answers to a scenario of which a form asks a part: its score is known. */
export interface WholeScenario {
  /** In [0,1], in parameter order. */
  readonly scores: Float64Array;
  /** Aligned with the scores. */
  readonly itemIds: readonly string[];
}

/** One model's checked answers to a form, and what it answered beyond. */
export interface ResolvedAnswers {
  readonly form: string;
  /** Scores per loaded scenario, aligned with the form's anchors; NaN = no answer. */
  readonly scores: ReadonlyMap<string, Float64Array>;
  /** The scenarios of which every item was answered, and not only because the form asks them all. */
  readonly whole: ReadonlyMap<string, WholeScenario>;
  /** Whether an item's answer counts. */
  readonly counts: (id: string) => boolean;
  /** Of answers that don't count. */
  readonly warnings: readonly EstimateWarning[];
}

/**
 * Checks answers, finds their form and aligns them with its anchors. Answers to other items of the bundle count where they
 * make a scenario whole; the others, and those to no item, are named in warnings.
 * @throws AnchorEvalError `invalid_answers` with one issue for each bad answer, for answers of which hardly any is to an
 * anchor, and for answers to no anchor of a bundle that doesn't know its items; `unknown_form`, `ambiguous_form`,
 * `digest_mismatch`, `item_changed`
 */
export function resolveAnswers(bundle: Bundle, responses: Responses, options: EstimateOptions): ResolvedAnswers {
  if (options.digest !== undefined && options.digest !== bundle.digest)
    throw new AnchorEvalError(
      "digest_mismatch",
      `the answers belong to bundle ${options.digest}, this one is ${bundle.digest}`,
    );
  const forms = bundle.manifest.forms.map((form) => form.id);
  if (options.form !== undefined && !forms.includes(options.form)) throw unknownForm(options.form, bundle.manifest);

  const located = locateAnswers(bundle, responses, options);
  const { anchors, unknown } = located;
  const form = options.form ?? chooseForm(bundle, anchors.map(({ item }) => item), anchors.length < located.count); // prettier-ignore
  const complete = wholeScenarios(bundle, form, [...anchors, ...located.others]);
  const inForm = anchors.filter(({ item }) => item.places.has(form));
  const read = [...inForm, ...complete.flatMap(({ answers }) => answers.filter(({ item }) => !item.places.has(form)))];
  refuseOthers(bundle, form, { counting: read.length, inForm, located });

  const dropped = new Set(changedItems(read, options));
  const scores = new Map<string, Float64Array>();
  for (const [id, { forms: anchored }] of bundle.scenarios)
    scores.set(id, new Float64Array(anchored.get(form)!.itemIds.length).fill(NaN));
  for (const { item, score } of inForm)
    if (!dropped.has(item.id)) scores.get(item.scenario)![item.places.get(form)!] = score;
  const kept = complete.filter(({ answers }) => !answers.some(({ item }) => dropped.has(item.id)));
  const whole = new Map(kept.map(({ scenario, answers }) => [scenario, inOrder(answers)]));
  const counting = new Set<string>();
  for (const { item } of read)
    if (!dropped.has(item.id) && (item.places.has(form) || whole.has(item.scenario))) counting.add(item.id);
  const others = anchors.length + located.others.length - counting.size - dropped.size;
  return {
    form,
    scores,
    whole,
    counts: (id) => counting.has(id),
    warnings: [
      ...yankedWarnings(bundle.manifest, bundle.yanked),
      ...partWarnings(bundle),
      ...droppedWarnings([...dropped]),
      ...otherWarnings(form, { others, unknown, elsewhere: located.elsewhere }),
    ],
  };
}

/** The warning of dropped answers, if there are any. @param whose - the model's name, for one of several */
export function droppedWarnings(dropped: readonly string[], whose?: string): EstimateWarning[] {
  if (dropped.length === 0) return [];
  const message = `${dropped.length} answers were dropped: their items have changed since they were calibrated (${dropped.slice(0, 5).join(", ")}).`;
  return [{ code: "changed_items_dropped", message: whose === undefined ? message : `${whose}: ${message}` }];
}

/** Names and counts the answers that don't count. @param others - to items of the loaded scenarios */
function otherWarnings(
  form: string,
  { others, unknown, elsewhere }: Pick<LocatedAnswers, "unknown" | "elsewhere"> & { readonly others: number },
): EstimateWarning[] {
  const warnings: EstimateWarning[] = [];
  if (others > 0)
    warnings.push({
      code: "other_items",
      count: others,
      message:
        others === 1
          ? `1 answer is to an item of the bundle that isn't an anchor of form ${form}: it doesn't count yet.`
          : `${others} answers are to items of the bundle that aren't anchors of form ${form}: they don't count yet.`,
    });
  if (elsewhere > 0)
    warnings.push({
      code: "other_items",
      count: elsewhere,
      message: `${elsewhere === 1 ? "1 answer is to an item" : `${elsewhere} answers are to items`} of scenarios that weren't loaded: ${elsewhere === 1 ? "it doesn't" : "they don't"} count.`,
    });
  if (unknown.length > 0)
    warnings.push({
      code: "unknown_items",
      count: unknown.length,
      message:
        unknown.length === 1
          ? `1 answer is to no item of the bundle (${firstFew(unknown)}): it doesn't count; is the id misspelt?`
          : `${unknown.length} answers are to no item of the bundle (${firstFew(unknown, 3)}): they don't count; are ids misspelt?`,
    });
  return warnings;
}

/** The scenarios of which every item was answered, and the form asks a part. */
function wholeScenarios(
  bundle: Bundle,
  form: string,
  located: readonly LocatedAnswer[],
): { readonly scenario: string; readonly answers: readonly LocatedAnswer[] }[] {
  const answers = new Map<string, LocatedAnswer[]>();
  for (const answer of located) {
    const { scenario } = answer.item;
    const list = answers.get(scenario);
    if (list) list.push(answer);
    else answers.set(scenario, [answer]);
  }
  return [...answers].flatMap(([id, list]) => {
    const { bank, fullScore, forms } = bundle.scenarios.get(id)!;
    const isWhole = list.length === bank.count && forms.get(form)!.itemIds.length < bank.count && fullScore === null;
    return isWhole ? [{ scenario: id, answers: list }] : [];
  });
}

/** @param answers - to all items of a scenario */
function inOrder(answers: readonly LocatedAnswer[]): WholeScenario {
  const scores = new Float64Array(answers.length);
  const itemIds = new Array<string>(answers.length);
  for (const { item, score } of answers) {
    scores[item.index] = score;
    itemIds[item.index] = item.id;
  }
  return { scores, itemIds };
}

/** Share of a scenario's anchors below which answers are taken to be to other items altogether. */
const LEAST_KNOWN = 0.1;

/** Refuses answers of which hardly any counts: they are another benchmark's, or called otherwise. */
function refuseOthers(
  bundle: Bundle,
  form: string,
  {
    counting,
    inForm,
    located,
  }: { readonly counting: number; readonly inForm: readonly LocatedAnswer[]; readonly located: LocatedAnswers },
): void {
  const { count, unknown } = located;
  if (counting === count) return;
  const asked = [...bundle.scenarios].map(([id, { forms }]) => [id, forms.get(form)!.itemIds] as const);
  const isEnough = asked.some(
    ([id, { length }]) => inForm.filter(({ item }) => item.scenario === id).length / length >= LEAST_KNOWN,
  );
  if (isEnough) return;
  const few = inForm.length === 0 ? "none" : `only ${inForm.length}`;
  const names = unknown.length > 0 ? `; among the answers are ${firstFew(unknown, 3)}` : "";
  throw new AnchorEvalError(
    "invalid_answers",
    `${few} of ${count === 1 ? "the answer" : `the ${count} answers`} is to one of the anchors of form ${form}, which are called ${quoted(asked[0]![1][0]!)}, …${names}`,
    { issues: unknown.slice(0, MOST_ISSUES).map(unknownItem) },
  );
}

/** Answers that a refusal lists: enough to see how ids differ. */
const MOST_ISSUES = 100;

function changedItems(read: readonly LocatedAnswer[], options: EstimateOptions): string[] {
  if (!options.hashes) return [];
  const hashes: ReadonlyMap<unknown, unknown> =
    options.hashes instanceof Map ? options.hashes : new Map(Object.entries(options.hashes));
  const changed: string[] = [];
  for (const { item } of read) {
    const hash = hashes.get(item.id);
    if (hash !== undefined && item.hash !== undefined && hash !== item.hash) changed.push(item.id);
  }
  if (changed.length > 0 && options.onChangedItem !== "drop")
    throw new AnchorEvalError(
      "item_changed",
      `${changed.length} answered ${changed.length === 1 ? "item differs" : "items differ"} in content from the calibrated ones: ${changed.slice(0, 5).join(", ")}${changed.length > 5 ? ", …" : ""}; use another bundle version, or \`onChangedItem: "drop"\``,
      {
        issues: changed.map((id) => ({
          path: ["hashes", id],
          code: "item_changed",
          message: `${id} has another content hash`,
        })),
      },
    );
  return changed;
}

/** An array of answers by item id, with the form whose order it has. @throws AnchorEvalError as `estimateFromAnchors` */
export function namedAnswers<T>(
  bundle: Bundle,
  responses: readonly T[],
  { form: asked, formDigest }: Pick<EstimateOptions, "form" | "formDigest">,
): { readonly form: string; readonly responses: ReadonlyMap<string, T> } {
  const named = asked ?? bundle.manifest.forms.find(({ digest }) => digest === formDigest)?.id;
  // For its checks of an array: the answers themselves are checked with all others, by their ids.
  const { form } = resolveAnswers(bundle, new Array<number>(responses.length).fill(0), {
    ...(named !== undefined && { form: named }),
    ...(formDigest !== undefined && { formDigest }),
  });
  const ids = [...bundle.scenarios.values()].flatMap((scenario) => formItemIds(scenario, form));
  return { form, responses: new Map(ids.map((id, index) => [id, responses[index]!])) };
}
