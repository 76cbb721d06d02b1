import type { RandomSource } from "anchoreval/core";

/** What the models of a family have in common about single items. N items. */
export interface FamilyEffects {
  /** φ, logits. */
  readonly effect: Float32Array;
  /** Uniform numbers: the family knows a memorised item where its number is below the item's rate. */
  readonly luck: Float32Array;
}

/** Draws each family's effects when they are first asked for; they don't depend on the order of asking. */
export function familyEffects(items: number, sd: number, random: RandomSource): (family: number) => FamilyEffects {
  const drawn = new Map<number, FamilyEffects>();
  return (family) => {
    let effects = drawn.get(family);
    if (!effects) {
      const normals = random.fork("effect").fork(String(family));
      const uniforms = random.fork("luck").fork(String(family));
      effects = {
        effect: Float32Array.from({ length: items }, () => sd * normals.normal()),
        luck: Float32Array.from({ length: items }, () => uniforms.next()),
      };
      drawn.set(family, effects);
    }
    return effects;
  };
}
