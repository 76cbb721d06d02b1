import { sigmoid, type RandomSource } from "anchoreval/core";
import { CHANCE, type Abilities } from "./abilities.ts";
import type { SimulatedModel } from "./families.ts";
import type { FamilyEffects } from "./family-effects.ts";
import { ITEM_KINDS } from "./item-kinds.ts";
import type { ItemParameters } from "./item-parameters.ts";
import type { SimulateOptions } from "./options.ts";
import type { ScenarioPlan } from "./scenarios.ts";

/** All that decides what a model answers, but for the luck of the answer. */
export interface World {
  readonly options: SimulateOptions;
  /** Oldest first. */
  readonly models: readonly SimulatedModel[];
  readonly scenarios: readonly ScenarioPlan[];
  readonly abilities: Abilities;
  readonly items: ItemParameters;
  readonly effects: (family: number) => FamilyEffects;
}

/** What an item's response function needs beside z. */
export interface ResponseTraits {
  lower: number;
  upper: number;
  /** In [0,1); its use depends on the kind. */
  trait: number;
  /** The family's number for the item, in [0,1). */
  luck: number;
}

/**
 * Probability that a model answers an item of a kind right, at the logit z of the ordinary response function.
 *
 * - regular, redundant: c + (d−c)·σ(z)
 * - mislabelled: h·(1−σ(z)); h = ⅕ + ⅗·trait is the wrong key's pull on models that don't know better
 * - non-monotone: with g = σ(z)·(1 − 0.85·σ(z−δ)), middling models do best, c + (d−c)·g, where trait < ½, else worst,
 *   d − (d−c)·g; δ from 1 to 3 as trait goes through either half
 * - memorised: d where the family knows the item (luck < trait), else c
 *
 * @param kind - code of ITEM_KINDS
 * @param z - logits
 * @returns a probability in [0,1]
 */
export function responseProbability(kind: number, z: number, { lower, upper, trait, luck }: ResponseTraits): number {
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
 * Probabilities of one model on all items, before the luck of the answers. With θ the model's ability in the item's
 * scenario, η its skills and l their loadings, h the item's class shift and s = ½ for the second class, −½ for the
 * first, φ the effect of the family on the item and ω that of the model on the item's cluster:
 * z = a·(θ + l·η − b − s·h) + φ + ω.
 *
 * A model that guesses in a scenario has 1/choices everywhere (0 where answers are open); a constant one is right where
 * its option is the key.
 * @param model - position; for a replicate give its original's
 * @param random - the stream of local effects
 * @param into - N probabilities
 */
export function modelProbabilities(world: World, model: number, random: RandomSource, into: Float64Array): void {
  const { options, abilities, items, models, scenarios, effects } = world;
  const { effect, luck } = effects(models[model]!.family);
  const local = random.fork("model").fork(String(model));
  const skills = options.dims - 1;
  const side = abilities.classes[model] === 1 ? 0.5 : -0.5;
  let cluster = 0;
  let clusterEffect = 0;
  const traits: ResponseTraits = { lower: 0, upper: 1, trait: 0, luck: 0 };
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
      traits.lower = items.lower[i]!;
      traits.upper = items.upper[i]!;
      traits.trait = items.trait[i]!;
      traits.luck = luck[i]!;
      into[i] = responseProbability(items.kind[i]!, items.discrimination[i]! * ability + shared, traits);
    }
  });
}
