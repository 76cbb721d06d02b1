import { chooseInformative, type Population, populationAbilities } from "../core/population.ts";
import { type AdaptiveState, askedItems, drawNext, emptyState, takeAnswers } from "../core/state.ts";
import { yankedWarnings } from "../../../sdk/core/bundle/bundle.ts";
import { AnchorEvalError, invalidOption, type Issue } from "../../../sdk/core/errors.ts";
import { type RandomSource, createRandom } from "../../../sdk/core/numeric/random.ts";
import { readScore } from "../../../sdk/core/numeric/score-bounds.ts";
import type { EstimateWarning } from "../../../sdk/estimate/types.ts";
import type { Responses } from "../../../sdk/tables/item-trials.ts";
import { adaptivePlan } from "./adaptive-plan.ts";
import { type Findings, findings, stoppedBy } from "./findings.ts";
import type { ItemPool, PoolPopulation } from "./item-pool.ts";
import type {
  AdaptiveAnswers,
  AdaptiveOptions,
  AdaptivePlan,
  AdaptiveSession,
  AdaptiveStep,
  AdaptiveStop,
  AdaptiveItem,
} from "./types.ts";

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
  return { session, step: adaptiveStep(pool, population, session, findings({ population, plan, state }), null) };
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
  if (session.state.pending === null) throw invalidOption("this evaluation has ended: begin another one");
  const population = pool.population(plan.scenarios);
  const names = session.state.pending.items.map((i) => pool.item(population.lines[i]!).item_id);
  const answered = takeAnswers(population, session.state, batchScores(names, answers, plan.models));
  const results = findings({ population, plan, state: answered });
  const stopped = stoppedBy(population, plan, results);
  const { batches } = session;
  const next =
    stopped === null
      ? { ...session, state: nextBatch(population, plan, answered, batches, random), batches: batches + 1 }
      : { ...session, state: answered };
  return { session: next, step: adaptiveStep(pool, population, next, results, stopped) };
}

/**
 * Items of a score's next batch: one item says nothing of its own variance, so what would be left alone goes along.
 * @example batchSize({ batch: 10, budget: 21 }, 10) // 11
 */
export function batchSize({ batch, budget }: Pick<AdaptivePlan, "batch" | "budget">, asked: number): number {
  const left = budget - asked;
  return left === batch + 1 ? left : Math.min(batch, left);
}

/**
 * The state with the next items of a plan: drawn for a score, chosen for an ability.
 * @param batches - drawn before: names the stream of this draw
 */
function nextBatch(
  population: Population,
  plan: AdaptivePlan,
  state: AdaptiveState,
  batches: number,
  random: RandomSource,
): AdaptiveState {
  const stream = random.fork(`batch ${batches}`);
  const { goal, batch, budget } = plan;
  const asked = state.asked.length;
  if (goal === "score") return drawNext(population, state, batchSize(plan, asked), stream);
  const abilities = populationAbilities(population, askedItems(state, 0));
  const items = chooseInformative(population, abilities, state.asked, Math.min(batch, budget - asked), stream);
  return { ...state, pending: items.length > 0 ? { items, inclusion: null, forecasts: [] } : null };
}

function adaptiveStep(
  pool: ItemPool,
  { lines }: PoolPopulation,
  { plan, state }: AdaptiveSession,
  findings: Findings,
  stopped: AdaptiveStop | null,
): AdaptiveStep {
  const { benchmark, version, digest, item } = pool;
  const warnings: EstimateWarning[] = yankedWarnings(pool, pool.yanked);
  const missing = state.models.reduce((sum, { scores }) => sum + scores.filter((score) => score === null).length, 0);
  if (missing > 0)
    warnings.unshift({
      code: "missing_answers",
      message: `${missing} of ${state.asked.length * state.models.length} answers are missing; the score and its interval assume that they are missing at random.`,
    });
  const items = (state.pending?.items ?? []).map((i) => item(lines[i]!));
  return { benchmark, version, digest, items, stopped, plan, ...findings, warnings };
}

/**
 * The answers to the items that were asked, by model and aligned with them; NaN = no answer.
 * @throws AnchorEvalError `invalid_answers`: every item needs a score, or null where there is no answer
 */
export function batchScores(names: readonly string[], answers: AdaptiveAnswers, models: 1 | 2): Float64Array[] {
  const sides: { path: string[]; responses: Responses }[] =
    "responses" in answers
      ? [{ path: ["responses"], responses: answers.responses }]
      : (["a", "b"] as const).map((side) => ({ path: [side, "responses"], responses: answers[side].responses }));
  if (sides.length !== models)
    throw new AnchorEvalError(
      "invalid_answers",
      models === 1
        ? "this evaluation is of one model: its answers are `responses`"
        : "this evaluation is of two models: their answers are `a.responses` and `b.responses`",
    );
  const issues: Issue[] = [];
  const scores = sides.map(({ path, responses }) => alignedScores(names, responses, path, issues));
  if (issues.length > 0)
    throw new AnchorEvalError(
      "invalid_answers",
      `${issues.length} answers can't be used: ${issues[0]!.path.join(".")}: ${issues[0]!.message}`,
      { issues },
    );
  return scores;
}

function alignedScores(names: readonly string[], responses: Responses, path: string[], issues: Issue[]): Float64Array {
  const report = (at: string[], code: string, message: string): void => void issues.push({ path: at, code, message });
  if (Array.isArray(responses)) {
    if (responses.length !== names.length)
      report(path, "wrong_length", `${names.length} items were asked, got ${responses.length} answers`);
    return Float64Array.from(names, (_, j) => checked(responses[j], [...path, j], issues));
  }
  if (typeof responses !== "object" || (responses as unknown) === null) {
    report(path, "invalid_type", "answers are an object of item id → score");
    return new Float64Array(names.length);
  }
  const scores = responses instanceof Map ? responses : new Map(Object.entries(responses));
  const asked = new Set(names);
  for (const id of scores.keys())
    if (!asked.has(String(id))) report([...path, String(id)], "unknown_item", "this item wasn't asked now");
  return Float64Array.from(names, (id) => checked(scores.get(id), [...path, id], issues));
}

function checked(score: unknown, path: (string | number)[], issues: Issue[]): number {
  if (score === undefined) {
    issues.push({ path, code: "missing", message: "this item was asked: send its score, or null for no answer" });
    return NaN;
  }
  const read = readScore(score);
  if (typeof read === "number") return read;
  if (read) issues.push({ path, ...read });
  return NaN;
}

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
