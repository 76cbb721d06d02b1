import { AnchorEvalError } from "../../../sdk/core/errors.ts";
import { createRandom, type RandomSource } from "../../../sdk/core/numeric/random.ts";
import type { Responses } from "../../../sdk/tables/item-trials.ts";
import { beginAdaptive, continueAdaptive, type AdaptiveProgress } from "./adaptive-session.ts";
import type { ItemPool } from "./item-pool.ts";
import type { AdaptiveAnswers, AdaptiveItem, AdaptiveOptions, AdaptiveSession, AdaptiveStep } from "./types.ts";

/** A step and what to send back with its answers. */
export interface AdaptiveTurn extends AdaptiveStep {
  /** Opaque; null once the evaluation has stopped. */
  readonly state: string | null;
}

/** Where the next items come from: a Worker (`client.adaptive(ref)`), or a bundle at hand ({@link localAdaptive}). */
export interface AdaptiveSource {
  begin(options: AdaptiveOptions): Promise<AdaptiveTurn>;
  /** The same state and answers give the same turn again. */
  next(state: string, answers: AdaptiveAnswers): Promise<AdaptiveTurn>;
}

/**
 * Next items from a bundle at hand, without a Worker.
 * @param seed - of the draws: the same seed and answers give the same items
 * @example
 * const source = localAdaptive(await loadAdaptive("https://evals.example/v1/bundles/mine/1.0.0"));
 * let turn = await source.begin({ stop: { halfWidth: 0.03 } });
 * while (turn.state !== null) turn = await source.next(turn.state, { responses: await ask(turn.items) });
 */
export function localAdaptive(pool: ItemPool, seed: number | string = crypto.randomUUID()): AdaptiveSource {
  return drawnFrom(pool, createRandom(seed).fork("adaptive"));
}

/** Next items from a pool. @param random - of the draws, which are a function of it and of the answers */
export function drawnFrom(pool: ItemPool, random: RandomSource): AdaptiveSource {
  const drawn = ({ session, step }: AdaptiveProgress): Promise<AdaptiveTurn> =>
    Promise.resolve({ ...step, state: step.stopped === null ? JSON.stringify(session) : null });
  return {
    begin: async (options) => drawn(beginAdaptive(pool, options, random)),
    next: async (state, answers) =>
      drawn(continueAdaptive(pool, JSON.parse(state) as AdaptiveSession, answers, random)),
  };
}

/** An adaptive evaluation that is going on: iterate over the items to ask, and give the answers to each. */
export interface AdaptiveEvaluation extends AsyncIterable<readonly AdaptiveItem[]> {
  /** Scores of the items that were given last: of one model, or of two, A's and B's. */
  answer(responses: Responses, b?: Responses): void;
  /** Where it stands; null before the first items. */
  readonly step: AdaptiveTurn | null;
}

/**
 * Asks a model, or two, only as many items as it takes: after each batch the next items are drawn by what the answers so
 * far predict, until a stop rule is met or the budget is spent.
 * @throws AnchorEvalError while iterating: `invalid_option`, `invalid_answers`, and what the source throws
 * @example
 * const evaluation = adaptiveEvaluation(client.adaptive(ref), { stop: { halfWidth: 0.03 } });
 * for await (const items of evaluation) evaluation.answer(await run(model, items));
 * console.log(evaluation.step?.model?.score, evaluation.step?.stopped?.message);
 */
export function adaptiveEvaluation(source: AdaptiveSource, options: AdaptiveOptions = {}): AdaptiveEvaluation {
  let step: AdaptiveTurn | null = null;
  let answers: AdaptiveAnswers | null = null;
  const taken = (): AdaptiveAnswers => {
    if (answers === null)
      throw new AnchorEvalError(
        "invalid_answers",
        "these items have no answers yet: call answer(…) before the next ones are asked for",
      );
    return answers;
  };
  return {
    get step() {
      return step;
    },
    answer: (a, b) => {
      answers = b === undefined ? { responses: a } : { a: { responses: a }, b: { responses: b } };
    },
    async *[Symbol.asyncIterator]() {
      step = await source.begin(options);
      while (step.state !== null) {
        answers = null;
        yield step.items;
        step = await source.next(step.state, taken());
      }
    },
  };
}
