import { sigmoid } from "anchoreval/internal/core/numeric/functions";
import type { RandomSource } from "anchoreval/internal/core/numeric/random";
import { ITEM_KINDS, type ItemParameters } from "./items.ts";
import { type Abilities, CHANCE, type SimulatedModel } from "./models.ts";
import type { ScenarioPlan } from "./scenarios.ts";
import type { SimulateOptions } from "./settings.ts";

/** Everything that determines a model's answers, except chance. */
export interface World {
  readonly options: SimulateOptions;
  readonly models: readonly SimulatedModel[];
  readonly scenarios: readonly ScenarioPlan[];
  readonly abilities: Abilities;
  readonly items: ItemParameters;
  readonly effects: (family: number) => FamilyEffects;
}

interface SimulatedItem {
  /** Code of {@link ITEM_KINDS}. */
  readonly kind: number;
  readonly lower: number;
  readonly upper: number;
  /** In [0,1). */
  readonly trait: number;
}

/**
 * Probability that a model answers an item of a kind right, at the logit z of the ordinary response function.
 *
 * - regular, redundant: c + (d−c)·σ(z)
 * - mislabelled: h·(1−σ(z)); h = ⅕ + ⅗·trait is the wrong key's attraction to weak models
 * - non-monotone: with g = σ(z)·(1 − 0.85·σ(z−δ)), middling models do best, c + (d−c)·g, where trait < ½, else worst,
 *   d − (d−c)·g; δ from 1 to 3 as trait goes through either half
 * - memorised: d where the family knows the item (luck < trait), else c
 *
 * @param z - logits
 * @param luck - the family's number for the item, in [0,1)
 * @returns a probability in [0,1]
 */
export function responseProbability(z: number, { kind, lower, upper, trait }: SimulatedItem, luck: number): number {
  switch (ITEM_KINDS[kind]!) {
    case "regular":
    case "redundant":
      return lower + (upper - lower) * sigmoid(z);
    case "mislabelled":
      return (0.2 + 0.6 * trait) * sigmoid(-z);
    case "non-monotone": {
      const best = trait < 0.5;
      const delay = 1 + 4 * (best ? trait : trait - 0.5);
      const hump = (upper - lower) * sigmoid(z) * (1 - 0.85 * sigmoid(z - delay));
      return best ? lower + hump : upper - hump;
    }
    case "memorised":
      return luck < trait ? upper : lower;
  }
}

/**
 * Probabilities of one model on all items. With θ the model's ability in the item's scenario, η its skills and l their
 * loadings, h the item's class shift and s = ½ for the second class, −½ for the first, φ the effect of the family on
 * the item and ω that of the model on the item's cluster, γ the item's drift and g the model's general ability:
 * z = a·(θ + l·η − b − s·h) − γ·max(0, g) + φ + ω.
 *
 * A model that guesses in a scenario has 1/choices everywhere (0 where answers are open); a constant one is right where
 * its option is the key.
 * @param model - position; of a replicate, its original's
 * @param random - the stream of local effects
 * @param into - N probabilities
 */
export function modelProbabilities(world: World, model: number, random: RandomSource, into: Float64Array): void {
  const { options, abilities, items, models, scenarios, effects } = world;
  const { effect, luck } = effects(models[model]!.family);
  const local = random.fork("model").fork(String(model));
  const skills = options.dims - 1;
  const side = abilities.classes[model] === 1 ? 0.5 : -0.5;
  const beyond = Math.max(0, abilities.general[model]!);
  let cluster = 0;
  let clusterEffect = 0;
  scenarios.forEach(({ begin, items: size, choices }, s) => {
    const theta = abilities.scenario[model * scenarios.length + s]!;
    const chance = abilities.chance[model * scenarios.length + s]!;
    const option = abilities.constantOption[model * scenarios.length + s]!;
    for (let i = begin; i < begin + size; i++) {
      if (items.cluster[i] !== 0 && items.cluster[i] !== cluster) {
        cluster = items.cluster[i]!;
        clusterEffect = options.localSd * local.normal();
      }
      if (chance !== CHANCE.none) {
        into[i] = choices === 0 ? 0 : chance === CHANCE.guesses ? 1 / choices : items.key[i] === option ? 1 : 0;
        continue;
      }
      let ability = theta - items.difficulty[i]! - side * items.classShift[i]!;
      for (let k = 0; k < skills; k++)
        ability += items.loadings[i * skills + k]! * abilities.skills[model * skills + k]!;
      const shared = effect[i]! + (items.cluster[i] === 0 ? 0 : clusterEffect);
      const z = items.discrimination[i]! * ability - items.drift[i]! * beyond + shared;
      const { kind, lower, upper, trait } = items;
      into[i] = responseProbability(
        z,
        { kind: kind[i]!, lower: lower[i]!, upper: upper[i]!, trait: trait[i]! },
        luck[i]!,
      );
    }
  });
}

/** Effects common to the models of a family on single items, N of them. */
interface FamilyEffects {
  /** φ, logits. */
  readonly effect: Float32Array;
  /** Uniform numbers: the family knows a memorised item where its number is below the item's rate. */
  readonly luck: Float32Array;
}

/** Draws each family's effects on first use; they don't depend on the order of use. */
export function familyEffects(items: number, sd: number, random: RandomSource): (family: number) => FamilyEffects {
  const drawn = new Map<number, FamilyEffects>();
  const draw = (family: number): FamilyEffects => {
    const normals = random.fork("effect").fork(String(family));
    const uniforms = random.fork("luck").fork(String(family));
    return {
      effect: Float32Array.from({ length: items }, () => sd * normals.normal()),
      luck: Float32Array.from({ length: items }, () => uniforms.next()),
    };
  };
  return (family) => {
    const effects = drawn.get(family) ?? draw(family);
    drawn.set(family, effects);
    return effects;
  };
}

/** Scores of a model, as a row of the matrix. */
type Row = Uint8Array | Float32Array;

/**
 * Draws one model's scores. Right or wrong with probability p; a pass rate is the share of right ones among k answers,
 * which with probability `sampleAgreement` are all equal. Both have the mean p. Each item uses the same number of draws
 * whatever its probability, so that changing an item doesn't affect the others' answers.
 */
export function drawAnswers(
  probabilities: Float64Array,
  scenarios: readonly ScenarioPlan[],
  { samples, sampleAgreement }: SimulateOptions,
  random: RandomSource,
  into: Row,
): void {
  for (const { begin, items, passRates } of scenarios)
    for (let i = begin; i < begin + items; i++) {
      const p = probabilities[i]!;
      const first = random.next() < p ? 1 : 0;
      if (!passRates) {
        into[i] = first;
        continue;
      }
      const alike = random.next() < sampleAgreement;
      let right = 0;
      for (let k = 0; k < samples; k++) right += random.next() < p ? 1 : 0;
      into[i] = alike ? first : right / samples;
    }
}

/** A rerun: the original's scores, of which a share is replaced by freshly drawn ones. */
export function redrawAnswers(original: Row, fresh: Row, share: number, random: RandomSource, into: Row): void {
  for (let i = 0; i < into.length; i++) into[i] = random.next() < share ? fresh[i]! : original[i]!;
}

/** Bounds of the share of a scenario that a prefix-only run covers. */
const SHORTEST_PREFIX = 0.05;
const LONGEST_PREFIX = 0.7;

/**
 * Deletes one model's answers: whole scenarios that weren't run (never all of them), scenarios of which only the first
 * items were run, items that came later than the model, and single answers at random. Of even times of items and models
 * (1 − w)²/2 of the answers are to items that are newer by w or more.
 * @param times - of the model and of every item, as shares of the years
 * @param observed - N, all 1; set to 0 where an answer is missing
 */
export function deleteAnswers(
  scenarios: readonly ScenarioPlan[],
  { missingBlocks, prefixRuns, missingCells, newerItems }: SimulateOptions,
  random: RandomSource,
  times: { readonly model: number; readonly items: Float64Array },
  observed: Uint8Array,
): void {
  if (newerItems > 0) {
    const latest = times.model + 1 - Math.sqrt(2 * newerItems);
    for (let i = 0; i < observed.length; i++) if (times.items[i]! > latest) observed[i] = 0;
  }
  const blocks = random.fork("blocks");
  const kept = Math.floor(random.fork("kept").next() * scenarios.length);
  const prefixes = random.fork("prefixes");
  scenarios.forEach(({ begin, items }, s) => {
    const lost = blocks.next() < missingBlocks && s !== kept;
    const partial = prefixes.next() < prefixRuns;
    const share = SHORTEST_PREFIX + (LONGEST_PREFIX - SHORTEST_PREFIX) * prefixes.next();
    if (lost) observed.fill(0, begin, begin + items);
    else if (partial) observed.fill(0, begin + Math.ceil(share * items), begin + items);
  });
  if (missingCells > 0) deleteAtRandom(missingCells, random.fork("cells"), observed);
  // No model without any answer.
  if (!observed.includes(1)) observed[scenarios[kept]!.begin] = 1;
}

/** Deletes each answer with the same probability: gaps between the deleted are geometric. */
function deleteAtRandom(share: number, random: RandomSource, observed: Uint8Array): void {
  const scale = Math.log1p(-share);
  const gap = (): number => Math.floor(Math.log1p(-random.next()) / scale);
  for (let i = gap(); i < observed.length; i += 1 + gap()) observed[i] = 0;
}
