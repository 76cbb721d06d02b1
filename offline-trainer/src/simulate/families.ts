import type { RandomSource } from "anchoreval/core";
import type { SimulateOptions } from "./options.ts";

/** A model of the leaderboard, as `models.jsonl` describes it. */
export interface SimulatedModel {
  /** `family-3/variant-b`; a replicate adds `@host-2`. */
  readonly name: string;
  /** Number of the family, from 0. */
  readonly family: number;
  /** Years since the first day; ≥ 0. */
  readonly time: number;
  /** ISO day. */
  readonly date: string;
  /** The model of which this is a rerun: its position in the list; null for an original. */
  readonly replicateOf: number | null;
}

/** Day on which the first model can appear. */
const FIRST_DAY = Date.UTC(2022, 0, 1);
const DAY = 86_400_000;
const DAYS_A_YEAR = 365.25;
/** Sd of the log of families' sizes. */
const FAMILY_SIZE_SD = 0.7;
/** Mean time between a family's first model and another of its models, years. */
const FAMILY_LIFE = 0.5;
/** Replicates appear up to so many years after their original. */
const RERUN_DELAY = 0.2;

/**
 * Draws families and their models, oldest first: log-normal family sizes, a first day per family uniform over the
 * years, later variants after truncated exponential waiting times, and reruns of some of the models.
 */
export function drawFamilies(options: SimulateOptions, random: RandomSource): SimulatedModel[] {
  const reruns = Math.min(Math.round(options.replicateShare * options.models), Math.floor(options.models / 2));
  const originals = drawOriginals(options, options.models - reruns, random);
  const pick = random.fork("replicates");
  const delay = random.fork("replicate-dates");
  const again = pick.shuffle([...originals.keys()]).slice(0, reruns);
  const models = [
    ...originals,
    ...again.map((original) => {
      const { name, family, time } = originals[original]!;
      return {
        name: `${name}@host-2`,
        family,
        replicateOf: original,
        ...moment(time + delay.next() * Math.min(RERUN_DELAY, options.years - time)),
      };
    }),
  ];
  const order = [...models.keys()].sort((x, y) => models[x]!.time - models[y]!.time || x - y);
  const position = new Uint32Array(models.length);
  order.forEach((index, rank) => (position[index] = rank));
  return order.map((index) => {
    const { replicateOf, ...model } = models[index]!;
    return { ...model, replicateOf: replicateOf === null ? null : position[replicateOf]! };
  });
}

function drawOriginals(options: SimulateOptions, count: number, random: RandomSource): SimulatedModel[] {
  const families = Math.max(1, Math.min(count, Math.round(count / options.familySize)));
  const sizes = random.fork("sizes");
  const cumulative: number[] = [];
  for (let f = 0; f < families; f++)
    cumulative.push((cumulative.at(-1) ?? 0) + Math.exp(FAMILY_SIZE_SD * sizes.normal()));
  const members = new Array<number>(families).fill(1);
  for (let m = families; m < count; m++) {
    const at = sizes.next() * cumulative.at(-1)!;
    members[
      Math.min(
        families - 1,
        cumulative.findIndex((edge) => at < edge),
      )
    ]!++;
  }
  const models: SimulatedModel[] = [];
  for (let f = 0; f < families; f++) {
    const dates = random.fork("dates").fork(String(f));
    const birth = options.years * dates.next();
    const times = Array.from({ length: members[f]! }, (_, v) =>
      v === 0 ? birth : birth + wait(dates.next(), options.years - birth),
    ).sort((x, y) => x - y);
    times.forEach((time, v) =>
      models.push({ name: `family-${f + 1}/variant-${letters(v)}`, family: f, replicateOf: null, ...moment(time) }),
    );
  }
  return models;
}

/** Exponential waiting time with mean FAMILY_LIFE, given that it is below `longest`, at the quantile u. */
function wait(u: number, longest: number): number {
  return -FAMILY_LIFE * Math.log1p(u * Math.expm1(-longest / FAMILY_LIFE));
}

function moment(time: number): { time: number; date: string } {
  const day = new Date(FIRST_DAY + Math.floor(time * DAYS_A_YEAR) * DAY);
  return { time, date: day.toISOString().slice(0, 10) };
}

/** a … z, aa, ab …: bijective numbers in base 26. */
function letters(index: number): string {
  let text = "";
  for (let rest = index + 1; rest > 0; rest = Math.floor((rest - 1) / 26))
    text = String.fromCharCode(97 + ((rest - 1) % 26)) + text;
  return text;
}
