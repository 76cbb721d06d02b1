import type { RandomSource } from "anchoreval/core";

/** Values of every field of a candidate. */
export type SearchSpace<Candidate> = { readonly [Field in keyof Candidate]: readonly Candidate[Field][] };

/** Share of the budget that goes to candidates drawn at random, before the best one's neighbours are tried. */
const RANDOM_SHARE = 0.5;

/** Draws in a row that brought nothing new, after which there is nothing more. */
const IDLE_DRAWS = 200;

/**
 * Looks for the candidate of least error within a budget: the start, then candidates drawn at random, then ones that differ
 * from the best so far in one field. None is judged twice. The first of equal ones stays.
 * @param budget - candidates that are judged, the start among them
 * @param canonical - the same of candidates that are the same in effect
 */
export async function searchSpace<Candidate extends object>(
  space: SearchSpace<Candidate>,
  start: Candidate,
  judge: (candidate: Candidate) => Promise<number>,
  budget: number,
  random: RandomSource,
  canonical: (candidate: Candidate) => Candidate = (candidate) => candidate,
): Promise<{ best: Candidate; error: number; judged: number }> {
  const fields = Object.keys(space) as (keyof Candidate)[];
  const keyOf = (candidate: Candidate): string => JSON.stringify(fields.map((field) => candidate[field]));
  const drawn = <Field extends keyof Candidate>(field: Field): Candidate[Field] =>
    space[field][random.below(space[field].length)]!;
  let best = canonical(start);
  let error = await judge(best);
  const known = new Set([keyOf(best)]);
  for (let idle = 0; known.size < budget && idle < IDLE_DRAWS; idle++) {
    const fresh = known.size < 1 + RANDOM_SHARE * (budget - 1);
    const moved = fresh ? fields : [fields[random.below(fields.length)]!];
    const candidate = canonical({ ...best, ...Object.fromEntries(moved.map((field) => [field, drawn(field)])) });
    if (known.has(keyOf(candidate))) continue;
    known.add(keyOf(candidate));
    idle = -1;
    const own = await judge(candidate);
    if (own < error) [best, error] = [candidate, own];
  }
  return { best, error, judged: known.size };
}
