import { formItemIds, type Bundle, unknownForm } from "../core/bundle/bundle.ts";
import { AnchorEvalError, type Issue } from "../core/errors.ts";
import type { EstimateOptions, EstimateWarning, Responses } from "./types.ts";
import { lookUp } from "../core/bundle/names.ts";

interface ResolvedAnswers {
  readonly form: string;
  /** Scores per loaded scenario, aligned with the form's anchors; NaN = no answer. */
  readonly scores: ReadonlyMap<string, Float64Array>;
  /** Items whose content hash differs and whose answers were dropped. */
  readonly dropped: readonly string[];
}

/**
 * Checks answers, finds their form and aligns them with its anchors.
 * @throws AnchorEvalError `invalid_answers` with one issue for each bad answer, `unknown_form`, `ambiguous_form`,
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

  const located = locate(anchorsOf(bundle), Array.isArray(responses) ? ofForm(bundle, responses, options) : responses);
  const form = options.form ?? inferForm(bundle, located);
  refuseOutsideForm(form, located);

  const dropped = changedItems(located, options);
  const scores = new Map<string, Float64Array>();
  for (const [id, { forms: own }] of bundle.scenarios)
    scores.set(id, new Float64Array(own.get(form)!.itemIds.length).fill(NaN));
  for (const { anchor, score } of located)
    if (!dropped.includes(anchor.id)) scores.get(anchor.scenario)![anchor.places.get(form)!] = score;
  return { form, scores, dropped };
}

/** The warning of dropped answers, if there are any. @param whose - the model's name, for one of several */
export function droppedWarnings(dropped: readonly string[], whose?: string): EstimateWarning[] {
  if (dropped.length === 0) return [];
  const message = `${dropped.length} answers were dropped: their items have changed since they were calibrated (${dropped.slice(0, 5).join(", ")}).`;
  return [{ code: "changed_items_dropped", message: whose === undefined ? message : `${whose}: ${message}` }];
}

/** An anchor, and where its answers stand. */
interface LocatedAnchor {
  readonly id: string;
  readonly scenario: string;
  readonly hash: string | undefined;
  /** Its place among the scenario's anchors of a form, by form. */
  readonly places: Map<string, number>;
}

interface LocatedAnswer {
  readonly anchor: LocatedAnchor;
  readonly score: number;
}

const known = new WeakMap<Bundle, ReadonlyMap<string, LocatedAnchor>>();

/** All anchors of the loaded scenarios by item id, found once a bundle. */
function anchorsOf(bundle: Bundle): ReadonlyMap<string, LocatedAnchor> {
  const found = known.get(bundle);
  if (found) return found;
  const anchors = new Map<string, LocatedAnchor>();
  for (const [scenario, own] of bundle.scenarios) {
    for (const [id, { hash }] of own.anchors) anchors.set(id, { id, scenario, hash, places: new Map() });
    for (const [form, { itemIds }] of own.forms)
      itemIds.forEach((id, place) => anchors.get(id)!.places.set(form, place));
  }
  known.set(bundle, anchors);
  return anchors;
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

/** Checks every answer and finds its anchor; those without a score are left out. */
function locate(anchors: ReadonlyMap<string, LocatedAnchor>, responses: unknown): LocatedAnswer[] {
  if (typeof responses !== "object" || responses === null)
    throw new AnchorEvalError(
      "invalid_answers",
      "answers are an object of item id → score, a Map, or an array with the form's digest",
    );
  const located: LocatedAnswer[] = [];
  const [bad, unknown]: [Issue[], Issue[]] = [[], []];
  const add = (id: unknown, score: unknown, place: string | number): void => {
    const problem =
      typeof id === "string"
        ? scoreProblem(score)
        : { code: "invalid_type", message: `an item id must be text, got ${typeof id}` };
    if (problem) {
      bad.push({ path: ["responses", place], ...problem });
      return;
    }
    if (score === null) return;
    const anchor = anchors.get(id as string);
    if (anchor) located.push({ anchor, score: Number(score) });
    else unknown.push(unknownItem(id as string));
  };
  if (responses instanceof Map || Array.isArray(responses))
    for (const [id, score, place] of responses as Iterable<Entry>) add(id, score, place ?? String(id));
  else for (const [id, score] of Object.entries(responses)) add(id, score, id);
  refuse(bad);
  refuse(unknown, "; leave out other items");
  if (located.length === 0) throw new AnchorEvalError("invalid_answers", "there are no answers to estimate from");
  return located;
}

function unknownItem(id: string): Issue {
  const shown = id.trim() === id ? id : JSON.stringify(id); // white space about an id would not be seen
  return { path: ["responses", id], code: "unknown_item", message: `${shown} is no anchor of this bundle` };
}

/** The rule that a score breaks; null where it is a number in [0,1], true, false, or null for no answer. */
export function scoreProblem(score: unknown): { code: string; message: string } | null {
  if (score === null || typeof score === "boolean") return null;
  if (typeof score !== "number")
    return { code: "invalid_type", message: `a score must be in [0,1], got ${typeof score}` };
  if (Number.isNaN(score))
    return { code: "not_a_number", message: "a score must be in [0,1], got NaN; null means no answer" };
  if (score < 0 || score > 1) return { code: "out_of_range", message: `a score must be in [0,1], got ${score}` };
  return null;
}

/**
 * The form that the answered items leave no doubt about: the only one that holds them all, else the default or the only
 * one that they fill.
 */
function inferForm({ manifest }: Bundle, located: readonly LocatedAnswer[]): string {
  const holding = manifest.forms.filter(({ id }) => located.every(({ anchor }) => anchor.places.has(id)));
  if (holding.length === 1) return holding[0]!.id;
  if (holding.length === 0)
    throw new AnchorEvalError(
      "invalid_answers",
      "no form of this bundle holds all of these items: name the form, and send its items only",
    );
  const answers = new Map<string, number>();
  for (const { anchor } of located) answers.set(anchor.scenario, (answers.get(anchor.scenario) ?? 0) + 1);
  const filled = holding.filter(({ scenarios }) =>
    [...answers].every(([id, count]) => lookUp(scenarios, id)!.items === count),
  );
  const [only, ...others] = filled.map((form) => form.id);
  if (filled.some(({ id }) => id === manifest.defaultForm)) return manifest.defaultForm;
  if (only !== undefined && others.length === 0) return only;
  throw new AnchorEvalError(
    "ambiguous_form",
    `these answers fit the forms ${holding.map(({ id }) => id).join(", ")}: name one with form`,
  );
}

function refuseOutsideForm(form: string, located: readonly LocatedAnswer[]): void {
  const issues: Issue[] = [];
  for (const { anchor } of located)
    if (!anchor.places.has(form))
      issues.push({
        path: ["responses", anchor.id],
        code: "not_in_form",
        message: `${anchor.id} is not in form ${form}`,
      });
  refuse(issues);
}

function changedItems(located: readonly LocatedAnswer[], options: EstimateOptions): string[] {
  if (!options.hashes) return [];
  const given: ReadonlyMap<unknown, unknown> =
    options.hashes instanceof Map ? options.hashes : new Map(Object.entries(options.hashes));
  const changed: string[] = [];
  for (const { anchor } of located) {
    const own = given.get(anchor.id);
    if (own !== undefined && anchor.hash !== undefined && own !== anchor.hash) changed.push(anchor.id);
  }
  if (changed.length > 0 && options.onChangedItem !== "drop")
    throw new AnchorEvalError(
      "item_changed",
      `${changed.length} answered ${changed.length === 1 ? "item differs" : "items differ"} in content from the calibrated ones: ${changed.slice(0, 5).join(", ")}${changed.length > 5 ? ", …" : ""}; use another bundle version, or --drop-changed (onChangedItem: "drop")`,
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

function refuse(issues: readonly Issue[], advice = ""): void {
  if (issues.length === 0) return;
  throw new AnchorEvalError(
    "invalid_answers",
    `${issues.length} ${issues.length === 1 ? "answer" : "answers"} cannot be scored: ${issues[0]!.message}${issues.length > 1 ? ", …" : ""}${advice}`,
    { issues },
  );
}
