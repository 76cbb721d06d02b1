import { type AdaptiveState, emptyState, takeAnswers } from "../core/adaptive/state.ts";
import { AnchorEvalError } from "../core/errors.ts";
import type { RandomSource } from "../core/numeric/random.ts";
import { adaptivePlan } from "./adaptive-plan.ts";
import { adaptiveStep } from "./adaptive-step.ts";
import { batchScores } from "./batch-scores.ts";
import type { PoolPopulation } from "./benchmark-population.ts";
import type { ItemPool } from "./item-pool.ts";
import { nextBatch } from "./next-batch.ts";
import { modelResult, pairResult } from "./running-result.ts";
import { stoppedBy, type Findings } from "./stop-rules.ts";
import type { AdaptiveAnswers, AdaptiveOptions, AdaptivePlan, AdaptiveSession, AdaptiveStep } from "./types.ts";

/** A session after a step, to be kept for the next one, and what to tell. */
export interface AdaptiveProgress {
  readonly session: AdaptiveSession;
  readonly step: AdaptiveStep;
}

/**
 * Begins an adaptive evaluation: draws the first items.
 * @param random - of the whole session: the draws are a function of it and of the answers
 * @throws AnchorEvalError `invalid_option`, `unknown_scenario`
 * @example
 * const pool = await loadAdaptive(folderSource("out/helm-lite"));
 * const { session, step } = beginAdaptive(pool, { budget: 100 }, createRandom("model-x"));
 * for (const { item_id: id } of step.items) console.log(id); // to be asked
 */
export function beginAdaptive(pool: ItemPool, options: AdaptiveOptions, random: RandomSource): AdaptiveProgress {
  const plan = adaptivePlan(pool, options);
  const population = pool.population(plan.scenarios);
  const state = nextBatch(population, plan, emptyState(population, plan.models), 0, random);
  const session = { digest: pool.digest, plan, batches: 1, state };
  return { session, step: adaptiveStep(pool, population, session, findings(population, plan, state), null) };
}

/**
 * Takes the answers to a session's items, and draws the next ones unless a rule says that it is enough. The same session
 * and answers give the same step again.
 * @param random - the one that the session began with
 * @throws AnchorEvalError `invalid_answers` with an issue for each item that wasn't asked, lacks an answer or has a bad
 * one; `digest_mismatch` for the session of another bundle; `invalid_option` for a session that has ended
 * @example
 * const responses = Object.fromEntries(step.items.map(({ item_id: id }) => [id, scores.get(id)!]));
 * const { step: next } = continueAdaptive(pool, session, { responses }, createRandom("model-x"));
 */
export function continueAdaptive(
  pool: ItemPool,
  session: AdaptiveSession,
  answers: AdaptiveAnswers,
  random: RandomSource,
): AdaptiveProgress {
  if (session.digest !== pool.digest)
    throw new AnchorEvalError(
      "digest_mismatch",
      `the session belongs to bundle ${session.digest}, this one is ${pool.digest}`,
    );
  const { plan } = session;
  if (session.state.pending === null)
    throw new AnchorEvalError("invalid_option", "this evaluation has ended: begin another one");
  const population = pool.population(plan.scenarios);
  const names = session.state.pending.items.map((i) => pool.item(population.lines[i]!).item_id);
  const answered = takeAnswers(population, session.state, batchScores(names, answers, plan.models));
  const found = findings(population, plan, answered);
  const stopped = stoppedBy(population, plan, found);
  const next =
    stopped === null
      ? {
          ...session,
          state: nextBatch(population, plan, answered, session.batches, random),
          batches: session.batches + 1,
        }
      : { ...session, state: answered };
  return { session: next, step: adaptiveStep(pool, population, next, found, stopped) };
}

function findings(population: PoolPopulation, plan: AdaptivePlan, state: AdaptiveState): Findings {
  const { asked } = state;
  return plan.models === 2
    ? { asked: asked.length, model: null, pair: pairResult(population, plan, state) }
    : { asked: asked.length, model: modelResult(population, plan, state, 0), pair: null };
}
