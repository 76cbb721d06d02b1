import type { AnchorSet } from "anchoreval/internal/core/estimators/types";
import type { RandomSource } from "anchoreval/internal/core/numeric/random";
import {
  type AnchorInput,
  type AnchorMethod,
  type ChosenAnchors,
  prepareAnchors,
  type PreparedAnchors,
} from "../anchors/anchor-method.ts";
import { loadValue } from "../methods/method.ts";
import { anchorNumbers, anchorsIn, type FormPlan } from "./form-plans.ts";

/** One scenario's anchors of all forms, ready to be drawn again and again. */
export interface FormAnchors {
  /** @returns by form */
  readonly draw: (random: RandomSource) => Promise<ReadonlyMap<string, AnchorSet>>;
  /** {@link PreparedAnchors.notes} of all ways. */
  readonly notes: () => Promise<Readonly<Record<string, unknown>>>;
}

/**
 * Prepares a scenario's anchors: those of the method's own forms as it chooses them, those of each other way by a stream of
 * its own, so that forms of one way are the same whatever others there are.
 * @param input - the sizes are the method's
 */
export async function prepareForms(
  plans: readonly FormPlan[],
  method: AnchorMethod,
  input: AnchorInput,
): Promise<FormAnchors> {
  const id = input.scenario;
  const main = prepareAnchors(method, input);
  let secondSets: ReadonlyMap<number, AnchorSet> | undefined;
  const second = (size: number): AnchorSet => (secondSets ??= main.second!()).get(size)!; // planForms has refused methods without
  const ways = new Map(plans.flatMap(({ way }) => (way ? [[way.name, way] as const] : [])));
  const others = new Map<string, PreparedAnchors>();
  for (const [name, { source, knowledge }] of ways)
    others.set(
      name,
      prepareAnchors(await loadValue<AnchorMethod>(source), {
        ...input,
        sizes: anchorNumbers(plans, id, name),
        random: input.random.fork(name),
        knowledge: knowledge?.get(id),
      }),
    );
  return {
    draw: async (random) => {
      const drawn = new Map<string | undefined, ChosenAnchors["sets"]>([[undefined, (await main.draw(random)).sets]]);
      for (const [name, other] of others) drawn.set(name, (await other.draw(random.fork(name))).sets);
      const anchorsOf = (plan: FormPlan): AnchorSet => {
        const size = anchorsIn(plan, id);
        return plan.disjointFrom === undefined ? drawn.get(plan.way?.name)!.get(size)! : second(size);
      };
      return new Map(plans.map((plan) => [plan.id, anchorsOf(plan)]));
    },
    notes: async () => {
      let notes: Record<string, unknown> = {};
      for (const prepared of [main, ...others.values()]) notes = { ...notes, ...(await prepared.notes?.()) };
      return notes;
    },
  };
}
