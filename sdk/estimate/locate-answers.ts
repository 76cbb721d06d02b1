import { type Bundle, formItemIds } from "../core/bundle/bundle.ts";
import { bundleItems } from "../core/bundle/item-lines.ts";
import { AnchorEvalError, type Issue } from "../core/errors.ts";
import { readScore } from "../core/numeric/score-bounds.ts";
import type { Responses } from "../tables/item-trials.ts";
import type { EstimateOptions } from "./types.ts";

/** An item, and where its answers stand. */
interface LocatedItem {
  readonly id: string;
  readonly scenario: string;
  /** Among the scenario's items, in parameter order. */
  readonly index: number;
  readonly hash: string | undefined;
  /** Its place among the scenario's anchors of a form, by form; empty for an item that is no anchor. */
  readonly places: ReadonlyMap<string, number>;
}

export interface LocatedAnswer {
  readonly item: LocatedItem;
  readonly score: number;
}

/** Answers by what they are to. */
export interface LocatedAnswers {
  readonly anchors: readonly LocatedAnswer[];
  /** To items that no form asks. */
  readonly others: readonly LocatedAnswer[];
  /** Ids that are no item's. */
  readonly unknown: readonly string[];
  /** Answers to items of scenarios that aren't loaded. */
  readonly elsewhere: number;
  readonly count: number;
}

const anchorsByBundle = new WeakMap<Bundle, ReadonlyMap<string, LocatedItem>>();

/** All anchors of the loaded scenarios by item id, found once a bundle. */
function anchorsOf(bundle: Bundle): ReadonlyMap<string, LocatedItem> {
  const cached = anchorsByBundle.get(bundle);
  if (cached) return cached;
  const anchors = new Map<string, LocatedItem & { readonly places: Map<string, number> }>();
  for (const [scenario, part] of bundle.scenarios) {
    for (const [id, { hash, index }] of part.anchors) anchors.set(id, { id, scenario, index, hash, places: new Map() });
    for (const [form, { itemIds }] of part.forms)
      itemIds.forEach((id, place) => anchors.get(id)!.places.set(form, place));
  }
  anchorsByBundle.set(bundle, anchors);
  return anchors;
}

/** Whether some answer is to none of a bundle's anchors: then the names of its items are needed. */
export function answersOthers(bundle: Bundle, responses: unknown): boolean {
  if (typeof responses !== "object" || responses === null || Array.isArray(responses)) return false;
  const anchors = anchorsOf(bundle);
  const ids: Iterable<unknown> = responses instanceof Map ? responses.keys() : Object.keys(responses);
  for (const id of ids) if (!anchors.has(id as string)) return true;
  return false;
}

const NO_PLACES: ReadonlyMap<string, number> = new Map();

/** Where an item that is no anchor stands; undefined for an id that is no item's, or one of a scenario that isn't loaded. */
function otherItem(bundle: Bundle, id: string): LocatedItem | "not loaded" | undefined {
  const items = bundleItems(bundle);
  const position = items?.positions.get(id);
  if (items === null || position === undefined) return undefined;
  let begin = 0;
  for (const scenario of bundle.manifest.scenarios) {
    if (position < begin + scenario.items) {
      if (!bundle.scenarios.has(scenario.id)) return "not loaded";
      const { hash } = items.record(position);
      return { id, scenario: scenario.id, index: position - begin, hash, places: NO_PLACES };
    }
    begin += scenario.items;
  }
  return undefined;
}

/** An array of answers by item id, each under its index. */
function ofForm(bundle: Bundle, responses: readonly unknown[], options: EstimateOptions): Entry[] {
  const form = bundle.manifest.forms.find((candidate) => candidate.digest === options.formDigest);
  if (!form || (options.form !== undefined && options.form !== form.id))
    throw new AnchorEvalError(
      "invalid_answers",
      `an array of answers needs formDigest, the digest of its form${options.formDigest === undefined ? "" : `; ${options.formDigest} is not one of this bundle's`}`,
      {
        issues: [
          { path: ["formDigest"], code: "missing", message: "name the form by its digest, or send answers by item id" },
        ],
      },
    );
  if (bundle.scenarios.size !== bundle.manifest.scenarios.length)
    throw new AnchorEvalError(
      "invalid_answers",
      "an array of answers needs the whole bundle, not some of its scenarios: send answers by item id",
    );
  const ids = [...bundle.scenarios.values()].flatMap((scenario) => formItemIds(scenario, form.id));
  if (responses.length !== ids.length)
    throw new AnchorEvalError(
      "invalid_answers",
      `form ${form.id} has ${ids.length} anchors, got ${responses.length} answers`,
    );
  return ids.map((id, index) => [id, responses[index], index]);
}

/** An item id and its score, unchecked; `place` is how messages name it where that isn't by its id. */
type Entry = readonly [id: unknown, score: unknown, place?: number];

/** Checks every answer and finds its item; those without a score are left out. */
export function locateAnswers(bundle: Bundle, responses: Responses, options: EstimateOptions): LocatedAnswers {
  const named: unknown = Array.isArray(responses) ? ofForm(bundle, responses, options) : responses;
  if (typeof named !== "object" || named === null)
    throw new AnchorEvalError(
      "invalid_answers",
      "answers are an object of item id → score, a Map, or an array with the form's digest",
    );
  const located = anchorsOf(bundle);
  const [anchors, others]: [LocatedAnswer[], LocatedAnswer[]] = [[], []];
  const [bad, unknown]: [Issue[], string[]] = [[], []];
  let elsewhere = 0;
  const add = (id: unknown, score: unknown, place: string | number): void => {
    const problem =
      typeof id === "string" ? null : { code: "invalid_type", message: `an item id must be text, got ${typeof id}` };
    const read = problem ?? readScore(score);
    if (typeof read === "object") {
      if (read) bad.push({ path: ["responses", place], ...read });
      return;
    }
    const anchor = located.get(id as string);
    if (anchor) {
      anchors.push({ item: anchor, score: read });
      return;
    }
    const other = otherItem(bundle, id as string);
    if (other === undefined) unknown.push(id as string);
    else if (other === "not loaded") elsewhere++;
    else others.push({ item: other, score: read });
  };
  if (named instanceof Map || Array.isArray(named))
    for (const [id, score, place] of named as Iterable<Entry>) add(id, score, place ?? String(id));
  else for (const [id, score] of Object.entries(named)) add(id, score, id);
  refuse(bad);
  if (unknown.length > 0 && bundleItems(bundle) === null)
    refuse(
      unknown.map(unknownItem),
      "; leave out other items, or load the bundle with the names of all its items (items: true)",
    );
  const count = anchors.length + others.length + unknown.length + elsewhere;
  if (count === 0) throw new AnchorEvalError("invalid_answers", "there are no answers to estimate from");
  return { anchors, others, unknown, elsewhere, count };
}

/** The issue of an answer to no item. */
export function unknownItem(id: string): Issue {
  const shown = id.trim() === id ? id : JSON.stringify(id); // white space about an id would not be seen
  return { path: ["responses", id], code: "unknown_item", message: `${shown} is no anchor of this bundle` };
}

function refuse(issues: readonly Issue[], advice = ""): void {
  if (issues.length === 0) return;
  throw new AnchorEvalError(
    "invalid_answers",
    `${issues.length} ${issues.length === 1 ? "answer" : "answers"} cannot be scored: ${issues[0]!.message}${issues.length > 1 ? ", …" : ""}${advice}`,
    { issues },
  );
}
