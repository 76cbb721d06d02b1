import { formItemIds, type Bundle } from "../core/bundle/bundle.ts";
import { AnchorEvalError, type Issue } from "../core/errors.ts";
import type { EstimateOptions, EstimateWarning, Responses } from "./types.ts";

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
  if (options.form !== undefined && !forms.includes(options.form))
    throw new AnchorEvalError("unknown_form", `this bundle has no form ${options.form}: it has ${forms.join(", ")}`);

  const answers = Array.isArray(responses) ? fromArray(bundle, responses, options) : fromEntries(responses);
  const located = locate(bundle, answers);
  const form = options.form ?? inferForm(bundle, located);
  refuseOutsideForm(bundle, form, located);

  const dropped = changedItems(located, options);
  const scores = new Map<string, Float64Array>();
  for (const [id, scenario] of bundle.scenarios) {
    const { itemIds } = scenario.forms.get(form)!;
    scores.set(
      id,
      Float64Array.from(itemIds, (itemId) =>
        dropped.includes(itemId) ? NaN : (located.get(id)?.get(itemId)?.score ?? NaN),
      ),
    );
  }
  return { form, scores, dropped };
}

/** The warning of dropped answers, if there are any. @param whose - the model's name, for one of several */
export function droppedWarnings(dropped: readonly string[], whose?: string): EstimateWarning[] {
  if (dropped.length === 0) return [];
  const message = `${dropped.length} answers were dropped: their items have changed since they were calibrated (${dropped.slice(0, 5).join(", ")}).`;
  return [{ code: "changed_items_dropped", message: whose === undefined ? message : `${whose}: ${message}` }];
}

type Located = Map<string, Map<string, { score: number; hash: string | undefined }>>;

function fromEntries(responses: unknown): Map<string, number> {
  if (typeof responses !== "object" || responses === null)
    throw new AnchorEvalError(
      "invalid_answers",
      "answers are an object of item id → score, a Map, or an array with the form's digest",
    );
  const entries: Iterable<[unknown, unknown]> = responses instanceof Map ? responses : Object.entries(responses);
  return readScores(Array.from(entries, ([id, score]) => [String(id), id, score]));
}

function fromArray(bundle: Bundle, responses: readonly unknown[], options: EstimateOptions): Map<string, number> {
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
  return readScores(ids.map((id, index) => [index, id, responses[index]]));
}

function readScores(
  entries: readonly (readonly [place: string | number, id: unknown, score: unknown])[],
): Map<string, number> {
  const issues: Issue[] = [];
  const answers = new Map<string, number>();
  for (const [place, id, score] of entries) {
    const problem =
      typeof id === "string"
        ? scoreProblem(score)
        : { code: "invalid_type", message: `an item id must be text, got ${typeof id}` };
    if (problem) issues.push({ path: ["responses", place], ...problem });
    else if (score !== null) answers.set(id as string, score as number);
  }
  refuse(issues);
  return answers;
}

export function scoreProblem(score: unknown): { code: string; message: string } | null {
  if (score === null) return null;
  if (typeof score !== "number")
    return { code: "invalid_type", message: `a score must be in [0,1], got ${typeof score}` };
  if (Number.isNaN(score))
    return { code: "not_a_number", message: "a score must be in [0,1], got NaN; null means no answer" };
  if (score < 0 || score > 1) return { code: "out_of_range", message: `a score must be in [0,1], got ${score}` };
  return null;
}

/** Finds each item's scenario among the loaded ones. */
function locate(bundle: Bundle, answers: Map<string, number>): Located {
  const located: Located = new Map();
  const issues: Issue[] = [];
  const scenarios = [...bundle.scenarios.values()];
  for (const [id, score] of answers) {
    const scenario = scenarios.find((candidate) => candidate.anchors.has(id));
    if (!scenario) {
      // White space about an id would not be seen.
      const shown = id.trim() === id ? id : JSON.stringify(id);
      issues.push({ path: ["responses", id], code: "unknown_item", message: `${shown} is no anchor of this bundle` });
      continue;
    }
    const items = located.get(scenario.id) ?? new Map<string, { score: number; hash: string | undefined }>();
    items.set(id, { score, hash: scenario.anchors.get(id)!.hash });
    located.set(scenario.id, items);
  }
  refuse(issues, "; leave out other items");
  if (located.size === 0) throw new AnchorEvalError("invalid_answers", "there are no answers to estimate from");
  return located;
}

/**
 * The form that the answered items leave no doubt about: the default or the only one that they fill, else the only one
 * that holds them all.
 */
function inferForm(bundle: Bundle, located: Located): string {
  const answered = [...located];
  const holding = bundle.manifest.forms.filter(({ id: form }) =>
    answered.every(([id, items]) => {
      const { anchors } = bundle.scenarios.get(id)!;
      return [...items.keys()].every((itemId) => anchors.get(itemId)!.forms.includes(form));
    }),
  );
  const filled = holding
    .filter(({ scenarios }) => answered.every(([id, items]) => scenarios[id]!.items === items.size))
    .map((form) => form.id);
  if (filled.includes(bundle.manifest.defaultForm)) return bundle.manifest.defaultForm;
  if (filled.length === 1) return filled[0]!;
  if (holding.length === 1) return holding[0]!.id;
  if (holding.length === 0)
    throw new AnchorEvalError(
      "invalid_answers",
      "no form of this bundle holds all of these items: name the form, and send its items only",
    );
  throw new AnchorEvalError(
    "ambiguous_form",
    `these answers fit the forms ${holding.map(({ id }) => id).join(", ")}: name one with form`,
  );
}

function refuseOutsideForm(bundle: Bundle, form: string, located: Located): void {
  const issues: Issue[] = [];
  for (const [id, items] of located) {
    const { anchors } = bundle.scenarios.get(id)!;
    for (const itemId of items.keys())
      if (!anchors.get(itemId)!.forms.includes(form))
        issues.push({ path: ["responses", itemId], code: "not_in_form", message: `${itemId} is not in form ${form}` });
  }
  refuse(issues);
}

function changedItems(located: Located, options: EstimateOptions): string[] {
  if (!options.hashes) return [];
  const given: ReadonlyMap<unknown, unknown> =
    options.hashes instanceof Map ? options.hashes : new Map(Object.entries(options.hashes));
  const changed: string[] = [];
  for (const items of located.values())
    for (const [itemId, { hash }] of items) {
      const own = given.get(itemId);
      if (own !== undefined && hash !== undefined && own !== hash) changed.push(itemId);
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
