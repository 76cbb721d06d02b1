import type { RandomSource } from "anchoreval/internal/core/numeric/random";
import type { ScenarioPlan } from "./scenarios.ts";
import type { SimulateOptions } from "./settings.ts";

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
  const replicates = again.map((original): SimulatedModel => {
    const { name, family, time } = originals[original]!;
    const later = time + delay.next() * Math.min(RERUN_DELAY, options.years - time);
    return { name: `${name}@host-2`, family, replicateOf: original, ...moment(later) };
  });
  const models = [...originals, ...replicates];
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
    members[cumulative.findIndex((edge) => at < edge)]!++;
  }
  const models: SimulatedModel[] = [];
  for (let f = 0; f < families; f++) {
    const dates = random.fork("dates").fork(String(f));
    const birth = options.years * dates.next();
    const waits = Array.from({ length: members[f]! - 1 }, () => wait(dates.next(), options.years - birth));
    [0, ...waits.sort((x, y) => x - y)].forEach((waited, v) => {
      const name = `family-${f + 1}/variant-${letters(v)}`;
      models.push({ name, family: f, replicateOf: null, ...moment(birth + waited) });
    });
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

/** Behaviour of a model in a scenario: codes of `chance` in the truth. */
export const CHANCE = { none: 0, guesses: 1, constant: 2 } as const;

/** Abilities of M models in S scenarios and D−1 skills; row-major where two-dimensional. */
export type Abilities = ReturnType<typeof drawAbilities>;

/** Draws the abilities of models; a replicate has those of its original. */
export function drawAbilities(
  models: readonly SimulatedModel[],
  scenarios: readonly ScenarioPlan[],
  options: SimulateOptions,
  random: RandomSource,
) {
  const count = models.length;
  const skillCount = options.dims - 1;
  const shared = relatedNormals(models, options.kinship);
  const familyGeneral = perFamily(models, random.fork("family"));
  const variant = random.fork("variant");
  const general = Float64Array.from(
    models,
    ({ time, family }) =>
      options.progress * (time - options.years / 2) +
      options.familySd * familyGeneral[family]! +
      options.variantSd * variant.normal(),
  );
  const [common, unique] = [Math.sqrt(options.generalShare), Math.sqrt(1 - options.generalShare)];
  const unshared = scenarios.map((_, s) => shared(random.fork("scenario").fork(String(s))));
  const scenario = Float64Array.from(
    models.flatMap((_, m) => unshared.map((factor) => common * general[m]! + unique * factor[m]!)),
  );
  const factors = Array.from({ length: skillCount }, (_, k) => shared(random.fork("skill").fork(String(k))));
  const skills = Float64Array.from(models.flatMap((_, m) => factors.map((factor) => factor[m]!)));
  const mixture = random.fork("mixture");
  const classes = Uint32Array.from(models, () => (mixture.next() < options.mixtureShare ? 1 : 0));
  const { chance, constantOption } = drawChance(general, scenarios, options, random.fork("chance"));
  const abilities = {
    /** General ability g, M, logits: progress · (time − years/2) + family + variant. */
    general,
    /** θ = √share · g + √(1−share) · t, M × S, logits. */
    scenario,
    /** η, M × (D−1), standard normal. */
    skills,
    /** Class of the mixture, 0 or 1, M. */
    classes,
    /** Codes of {@link CHANCE}, M × S. */
    chance,
    /** The option that a constant answerer chooses, M × S; used where chance is `constant`. */
    constantOption,
  };
  models.forEach(({ replicateOf }, m) => {
    if (replicateOf === null) return;
    for (const rows of Object.values(abilities)) {
      const size = rows.length / count;
      rows.copyWithin(m * size, replicateOf * size, (replicateOf + 1) * size);
    }
  });
  return abilities;
}

/** Standard normals; members of a family share the part `kinship` of the variance. */
function relatedNormals(models: readonly SimulatedModel[], kinship: number): (random: RandomSource) => Float64Array {
  const [common, unique] = [Math.sqrt(kinship), Math.sqrt(1 - kinship)];
  return (random) => {
    const family = perFamily(models, random.fork("family"));
    const variant = random.fork("variant");
    return Float64Array.from(models, (model) => common * family[model.family]! + unique * variant.normal());
  };
}

function perFamily(models: readonly SimulatedModel[], random: RandomSource): Float64Array {
  const families = models.reduce((most, { family }) => Math.max(most, family + 1), 0);
  return Float64Array.from({ length: families }, () => random.normal());
}

/** Pairs at chance: models below the median of general ability, each scenario with twice the share. */
function drawChance(
  general: Float64Array,
  scenarios: readonly ScenarioPlan[],
  { chanceShare, constantShare }: SimulateOptions,
  random: RandomSource,
): { chance: Uint32Array; constantOption: Uint32Array } {
  const width = scenarios.length;
  const chance = new Uint32Array(general.length * width);
  const constantOption = new Uint32Array(general.length * width);
  const median = Float64Array.from(general).sort()[general.length >> 1]!;
  for (let m = 0; m < general.length; m++)
    for (let s = 0; s < width; s++) {
      const [struck, constant, option] = [random.next(), random.next(), random.next()];
      const { choices } = scenarios[s]!;
      if (general[m]! >= median || struck >= 2 * chanceShare) continue;
      chance[m * width + s] = choices > 0 && constant < constantShare ? CHANCE.constant : CHANCE.guesses;
      constantOption[m * width + s] = Math.floor(option * choices);
    }
  return { chance, constantOption };
}
