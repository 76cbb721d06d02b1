import { higherOrderAbilities } from "../ability/higher-order.ts";
import { mapAbility } from "../ability/map.ts";
import type { AbilityEstimate } from "../ability/map.ts";
import type { AbilityPrior, HigherOrderPrior } from "../ability/prior.ts";
import { gatherItems, type AnsweredPart } from "./gather-items.ts";

/** What a model answered in the scenarios of one bank. */
export interface BankAnswers<Prior extends AbilityPrior = AbilityPrior> {
  readonly parts: readonly AnsweredPart[];
  readonly prior: Prior;
}

/** The same, to be estimated together with other banks. */
export interface LinkedAnswers extends BankAnswers<HigherOrderPrior> {
  /** The mode by these answers alone, where it is known: it is near. */
  readonly own?: AbilityEstimate | null;
}

/**
 * One ability for all scenarios of a bank, from every answer to their items: the posterior mode.
 * @returns null where there is no answer
 */
export function bankAbility({ parts, prior }: BankAnswers): AbilityEstimate | null {
  const gathered = gatherItems(parts);
  return gathered && mapAbility(gathered.bank, gathered, prior);
}

/**
 * The same of several banks together: what was answered in one bank counts in the others, by {@link higherOrderAbilities}.
 * @returns an ability a bank; null for a bank without an answer
 */
export function bankAbilities(banks: readonly LinkedAnswers[]): (AbilityEstimate | null)[] {
  const gathered = banks.map(({ parts }) => gatherItems(parts));
  const abilities = new Map<number, AbilityEstimate>();
  const answered = gathered.flatMap((own, b) => (own === null ? [] : [{ ...own, b }]));
  if (answered.length > 0)
    higherOrderAbilities(
      answered.map(({ b, bank, items, scores }) => {
        const { prior, own } = banks[b]!;
        return { bank, answers: { items, scores }, prior, ...(own && { start: own.theta }) };
      }),
    ).forEach((ability, k) => abilities.set(answered[k]!.b, ability));
  return banks.map((_, b) => abilities.get(b) ?? null);
}
