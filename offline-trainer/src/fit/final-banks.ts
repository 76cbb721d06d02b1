import { setImmediate as turn } from "node:timers/promises";
import { AnchorEvalError } from "anchoreval/core";
import type { FilteredItems } from "../methods/coarse-filter.ts";
import type { SubsetRanking } from "../methods/sublime/untouched-ranking.ts";
import { drawForms, prepareForms, type BankForms, type PrepareFormsOptions } from "./draw-forms.ts";
import { drawStream } from "./held-out.ts";
import { linkBanks, type LinkedBanks } from "./link-banks.ts";
import type { ResolvedModel } from "./resolve-model.ts";
import type { StandingVersion } from "./standing-version.ts";
import { trainBank, type BankTask, type TrainedBank, type TrainOptions } from "./train-bank.ts";

/**
 * Proposals simulated for the inclusion probabilities of a bundle's form, where they have no formula: ten times what a
 * fold's forms have, once for each scenario (2 s for 1000 items).
 */
const SIMULATED_PROPOSALS = 100_000;

/**
 * Trains some banks on all of their sources, and links them.
 * @param rows - by bank @param models - by bank
 */
export async function trainFinalBanks(
  tasks: readonly BankTask[],
  rows: readonly (readonly number[])[],
  models: readonly ResolvedModel[],
  options: Omit<TrainOptions, keyof ResolvedModel | "standing"> & { readonly standing?: StandingVersion },
): Promise<LinkedBanks> {
  const { standing, ...shared } = options;
  const { random, onStep } = shared;
  const trained: TrainedBank[] = [];
  for (const [b, task] of tasks.entries())
    trained.push(
      await trainBank(task, rows[b]!, {
        ...shared,
        ...models[b]!,
        ...(standing && { standing: standing.banks.get(task.id)! }),
        random: random.fork(task.id),
        ...(onStep && { onStep: (step) => onStep({ ...step, share: (b + step.share) / tasks.length }) }),
      }),
    );
  return linkBanks(trained, random.fork("links"));
}

export interface FinalFormsOptions extends Omit<PrepareFormsOptions, "simulatedProposals" | "design"> {
  /** By bank. */
  readonly models: readonly ResolvedModel[];
  readonly signal?: AbortSignal;
  /** @param done - banks that have their forms */
  readonly onBank?: (done: number) => void;
}

/** A bank's forms, and what its scenarios' anchors were chosen among where that isn't all items. */
export interface FinalForms {
  readonly forms: BankForms;
  /** By scenario. */
  readonly filtered: ReadonlyMap<string, FilteredItems>;
  /** How anchors were chosen by the models' ranking where they were, by scenario and number of anchors. */
  readonly rankings: ReadonlyMap<string, ReadonlyMap<number, SubsetRanking>>;
}

/**
 * Draws the forms that a bundle is made with, in every bank. Lets the event loop turn before each: threads may wait for
 * their next fold, or a signal to be heard.
 * @throws AnchorEvalError `aborted`
 */
export async function drawFinalForms(
  tasks: readonly BankTask[],
  { banks }: LinkedBanks,
  { signal, onBank, models, ...options }: FinalFormsOptions,
): Promise<FinalForms[]> {
  const drawn: FinalForms[] = [];
  for (const [b, task] of tasks.entries()) {
    await turn();
    if (signal?.aborted) throw new AnchorEvalError("aborted", "the choice of anchors was stopped");
    const prepared = prepareForms(task, banks[b]!.rows, banks[b]!, {
      ...options,
      ...(models[b]!.design && { design: models[b]!.design }),
      simulatedProposals: SIMULATED_PROPOSALS,
    });
    const filtered = prepared.scenarios.flatMap((own) => (own.filtered ? [[own.id, own.filtered] as const] : []));
    const rankings = new Map<string, ReadonlyMap<number, SubsetRanking>>();
    for (const own of prepared.scenarios) if (own.rankings) rankings.set(own.id, own.rankings());
    const forms = await drawForms(prepared, drawStream(options.random, 0));
    drawn.push({ forms, filtered: new Map(filtered), rankings });
    onBank?.(b + 1);
  }
  return drawn;
}
