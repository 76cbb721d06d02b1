import { itemBank } from "anchoreval/internal/core/irt/item-bank";
import { createRandom } from "anchoreval/internal/core/numeric/random";
import {
  type AnchorInput,
  type AnchorMethod,
  type ChosenAnchors,
  prepareAnchors,
  type PreparedAnchors,
} from "../../offline-trainer/src/anchors/anchor-method.ts";

const MODELS = 9;

/** Searches of some methods read these beside their input: short ones, so that tests are quick. */
const SHORT_SEARCH = { generations: 5, candidates: 24 };

/** A method that searches, if it searches, for a short time. */
export function searchingShortly(method: AnchorMethod): AnchorMethod {
  return { ...method, prepare: (input) => method.prepare({ ...SHORT_SEARCH, ...input }) };
}

/** An input with what most methods don't look at: names of the scenario, its items and the models, each of a family. */
export function anchorInputOf(
  given: Omit<AnchorInput, "scenario" | "items" | "models" | "families" | "final"> & Partial<AnchorInput>,
): AnchorInput {
  const models = given.column(0).length;
  return {
    scenario: "quiz",
    items: Array.from(given.weights, (_, i) => ({ item_id: `quiz/${i}`, scenario: "quiz" })),
    models: Array.from({ length: models }, (_, m) => `org${m}/model`),
    families: Int32Array.from({ length: models }, (_, m) => m),
    final: false,
    ...given,
  };
}

/** A scenario of distinct items with unequal weights; one of them was answered by nobody. */
export function anchorInput({
  items = 40,
  sizes = [5, 10, 20],
  seed = 1,
}: { items?: number; sizes?: readonly number[]; seed?: number | string } = {}): AnchorInput {
  const random = createRandom(`selection input ${items}`);
  const raw = Float64Array.from({ length: items }, () => 0.2 + random.next());
  const total = raw.reduce((sum, value) => sum + value, 0);
  const a = Float64Array.from({ length: 2 * items }, () => random.normal());
  const b = Float64Array.from({ length: items }, () => random.normal());
  const columns = Array.from({ length: items }, () => Float64Array.from({ length: MODELS }, () => random.next()));
  return anchorInputOf({
    ...SHORT_SEARCH,
    weights: raw.map((value) => value / total),
    accuracy: Float64Array.from({ length: items }, (_, i) => (i === 3 ? NaN : random.next())),
    bank: itemBank(a, b),
    abilities: Float64Array.from({ length: 2 * MODELS }, () => random.normal()),
    column: (item) => columns[item]!,
    sizes,
    random: createRandom(seed),
  });
}

/** {@link prepareAnchors} with what the method knows of the items, as a fit has it, where nothing else is given. */
export function prepareWithKnowledge(method: AnchorMethod, input: AnchorInput): PreparedAnchors {
  const knowledge = method.know?.(input.items, input.scenario);
  return prepareAnchors(method, { ...(knowledge !== undefined && { knowledge }), ...input });
}

/** The anchors of one scenario, prepared and drawn once. */
export async function selectAnchors(method: AnchorMethod, input: AnchorInput): Promise<ChosenAnchors> {
  return prepareWithKnowledge(method, { ...input, random: input.random.fork("design") }).draw(input.random);
}
