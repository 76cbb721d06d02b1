import type { Bundle } from "anchoreval/internal/core/bundle/bundle";
import { AnchorEvalError } from "anchoreval/internal/core/errors";
import { firstFew, quoted } from "anchoreval/internal/tables/data-issues";

/** A warning of how answers came, for `warnings` of `--json`. */
export interface AnswerWarning {
  readonly code: "unknown_items" | "other_protocol" | "failed_answers";
  readonly message: string;
}

/** Of answers to more items than a form's, those that count. */
interface FormAnswers {
  /** The form that was asked for, else the largest that is answered whole; without one, `estimateFromAnchors` infers it. */
  readonly form?: string;
  readonly responses: ReadonlyMap<string, number | null>;
  /** Answers that don't count. */
  readonly ignored: number;
  readonly warnings: readonly AnswerWarning[];
}

/** Share of a scenario's anchors below which answers are taken to be to other items altogether. */
const LEAST_KNOWN = 0.1;

/**
 * Keeps the answers to one form, of a run on more items than it asks.
 * @param name - of the file, for messages
 * @param asked - the form; without it, the largest that is answered whole
 * @throws AnchorEvalError `invalid_answers` where hardly any answer is to one of its items
 */
export function formAnswers(
  bundle: Bundle,
  answers: ReadonlyMap<string, number | null>,
  name: string,
  asked: string | undefined,
): FormAnswers {
  const forms = new Map<string, readonly string[]>();
  for (const scenario of bundle.scenarios.values())
    for (const [id, { forms: own }] of scenario.anchors) forms.set(id, own);
  const unknown = [...answers.keys()].filter((id) => !forms.has(id));
  // An unknown form is refused by the estimate, with those that there are.
  const isForm = (id: string): boolean => bundle.manifest.forms.some((form) => form.id === id);
  const form = asked === undefined || isForm(asked) ? (asked ?? filledForm(bundle, answers)) : undefined;
  const responses = new Map([...answers].filter(([id]) => forms.get(id)?.includes(form ?? forms.get(id)![0]!)));
  const ignored = answers.size - responses.size;
  if (ignored > 0) refuseOthers(bundle, name, responses, answers.size, unknown, form);
  const complete = form !== undefined && formItems(bundle, form).every((id) => responses.has(id));
  const warnings: AnswerWarning[] =
    unknown.length === 0 || complete
      ? []
      : [
          {
            code: "unknown_items",
            message: `${unknown.length === 1 ? "1 answer is" : `${unknown.length} answers are`} to no item of the bundle (${firstFew(unknown, 3)}), and ${form === undefined ? "no form is answered whole" : `form ${form} isn't answered whole`}: are ids misspelt?`,
          },
        ];
  return { ...(asked !== undefined ? { form: asked } : form !== undefined && { form }), responses, ignored, warnings };
}

/** The line that counts answers which don't count; null where there are none. */
export function ignoredWords({ ignored, form }: Pick<FormAnswers, "ignored" | "form">): string | null {
  if (ignored === 0) return null;
  return `${ignored === 1 ? "1 answer is to an item" : `${ignored} answers are to items`} that ${ignored === 1 ? "isn't" : "aren't"} among the anchors${form === undefined ? "" : ` of form ${form}`}: ignored`;
}

/** Refuses answers of which hardly any is to the form: they are another benchmark's, or called otherwise. */
function refuseOthers(
  bundle: Bundle,
  name: string,
  kept: ReadonlyMap<string, unknown>,
  count: number,
  unknown: readonly string[],
  form = bundle.manifest.defaultForm,
): void {
  const shares = [...bundle.scenarios.values()].map((scenario) => {
    const { itemIds } = scenario.forms.get(form)!;
    return itemIds.filter((id) => kept.has(id)).length / itemIds.length;
  });
  if (Math.max(...shares) >= LEAST_KNOWN) return;
  const [own = ""] = formItems(bundle, form);
  const known = kept.size === 0 ? "none" : `only ${kept.size}`;
  throw new AnchorEvalError(
    "invalid_answers",
    `${name}: ${known} of its ${count === 1 ? "answer" : `${count} answers`} is to one of the anchors of form ${form}, which are called ${quoted(own)}, …; the file has ${firstFew(unknown, 3)}`,
    {
      issues: unknown.slice(0, 20).map((id) => ({
        path: ["responses", id],
        code: "unknown_item",
        message: `${quoted(id)} is no anchor of this bundle`,
      })),
    },
  );
}

function formItems(bundle: Bundle, form: string): string[] {
  return [...bundle.scenarios.values()].flatMap((scenario) => scenario.forms.get(form)!.itemIds);
}

/** The largest form whose anchors are all there; of two as large, the default. */
function filledForm(bundle: Bundle, answers: ReadonlyMap<string, unknown>): string | undefined {
  const sizes = bundle.manifest.forms.flatMap(({ id }) => {
    const ids = formItems(bundle, id);
    return ids.every((itemId) => answers.has(itemId)) ? [{ id, size: ids.length }] : [];
  });
  const isDefault = (id: string): number => Number(id === bundle.manifest.defaultForm);
  return sizes.sort((left, right) => right.size - left.size || isDefault(right.id) - isDefault(left.id))[0]?.id;
}
