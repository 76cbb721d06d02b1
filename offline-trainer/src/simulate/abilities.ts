import type { RandomSource } from "anchoreval/core";
import type { SimulatedModel } from "./families.ts";
import type { SimulateOptions } from "./options.ts";
import type { ScenarioPlan } from "./scenarios.ts";

/** How a model goes about a scenario. Codes of `chance` in the truth. */
export const CHANCE = { none: 0, guesses: 1, constant: 2 } as const;

/** What the models can do. Row-major where two-dimensional; M models, S scenarios, D−1 skills. */
export interface Abilities {
  /** General ability g, M, logits: progress · (time − years/2) + family + variant. */
  readonly general: Float64Array;
  /** θ = √share · g + √(1−share) · t, M × S, logits. */
  readonly scenario: Float64Array;
  /** η, M × (D−1), standard normal. */
  readonly skills: Float64Array;
  /** Class of the mixture, 0 or 1, M. */
  readonly classes: Uint32Array;
  /** Codes of {@link CHANCE}, M × S. */
  readonly chance: Uint32Array;
  /** The option that a constant answerer chooses, M × S; counts where chance is `constant`. */
  readonly constantOption: Uint32Array;
}

/** Draws the abilities of models; a replicate has those of its original. */
export function drawAbilities(
  models: readonly SimulatedModel[],
  scenarios: readonly ScenarioPlan[],
  options: SimulateOptions,
  random: RandomSource,
): Abilities {
  const count = models.length;
  const width = scenarios.length;
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
  const scenario = new Float64Array(count * width);
  const [common, own] = [Math.sqrt(options.generalShare), Math.sqrt(1 - options.generalShare)];
  for (let s = 0; s < width; s++) {
    const factor = shared(random.fork("scenario").fork(String(s)));
    for (let m = 0; m < count; m++) scenario[m * width + s] = common * general[m]! + own * factor[m]!;
  }
  const skills = new Float64Array(count * skillCount);
  for (let k = 0; k < skillCount; k++) {
    const factor = shared(random.fork("skill").fork(String(k)));
    for (let m = 0; m < count; m++) skills[m * skillCount + k] = factor[m]!;
  }
  const mixture = random.fork("mixture");
  const classes = Uint32Array.from(models, () => (mixture.next() < options.mixtureShare ? 1 : 0));
  const { chance, constantOption } = drawChance(general, scenarios, options, random.fork("chance"));

  const abilities = { general, scenario, skills, classes, chance, constantOption };
  models.forEach(({ replicateOf }, m) => {
    if (replicateOf === null) return;
    for (const rows of Object.values(abilities)) copyRow(rows, rows.length / count, replicateOf, m);
  });
  return abilities;
}

/** Standard normals of which members of a family share the part `kinship` of the variance. */
function relatedNormals(models: readonly SimulatedModel[], kinship: number): (random: RandomSource) => Float64Array {
  const [common, own] = [Math.sqrt(kinship), Math.sqrt(1 - kinship)];
  return (random) => {
    const family = perFamily(models, random.fork("family"));
    const variant = random.fork("variant");
    return Float64Array.from(models, (model) => common * family[model.family]! + own * variant.normal());
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

function copyRow(rows: Float64Array | Uint32Array, width: number, from: number, to: number): void {
  rows.copyWithin(to * width, from * width, (from + 1) * width);
}
