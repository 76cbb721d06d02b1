import { lookUp } from "anchoreval/internal/core/bundle/names";
import { itemResponses } from "anchoreval/internal/core/irt/response";
import { firstFew, quoted } from "anchoreval/internal/tables/data-issues";
import { invalidOption } from "anchoreval/internal/core/errors";
import type { ItemInfo } from "../../../offline-trainer/src/matrix/response-matrix.ts";
import type { LearnedScenario } from "../../../offline-trainer/src/fit/forms.ts";

/** A named group of a scenario's items. Groups may overlap. */
export interface ItemGroup {
  readonly name: string;
  /** Ids, in any order. */
  readonly items: Iterable<string>;
}

/** Thirds by difficulty, the easiest first. */
const THIRDS: readonly string[] = ["easiest third", "middle third", "hardest third"];

/** The groups that scores are wanted of. */
export interface AskedGroups {
  /** Each of one scenario; two of one scenario have two names. @default none */
  readonly groups?: readonly ItemGroup[];
  /** Thirds of every scenario by the difficulty that the fit learns. @default false */
  readonly difficulty?: boolean;
}

/** A group by the indices of its items in their scenario, ascending. */
export interface IndexedGroup {
  readonly name: string;
  readonly items: Uint32Array;
}

/** Groups that are the same in every fold, by scenario, and whether thirds by difficulty come beside. Plain data. */
export interface GroupPlan {
  readonly fixed: Readonly<Record<string, readonly IndexedGroup[]>>;
  readonly difficulty: boolean;
}

/**
 * Finds the items of groups.
 * @param items - of the board
 * @throws AnchorEvalError `invalid_option` for a group without items, of items that there aren't, or of several scenarios,
 *   and for two groups of a scenario with one name
 */
export function planGroups(items: readonly ItemInfo[], { groups = [], difficulty = false }: AskedGroups): GroupPlan {
  if (groups.length === 0 && !difficulty)
    throw invalidOption("subscores need groups of items, or thirds by difficulty");
  const places = new Map<string, { readonly scenario: string; readonly index: number }>();
  const counts = new Map<string, number>();
  for (const { item_id: id, scenario } of items) {
    const index = counts.get(scenario) ?? 0;
    places.set(id, { scenario, index });
    counts.set(scenario, index + 1);
  }
  const fixed = new Map<string, IndexedGroup[]>();
  for (const { name, items: members } of groups) {
    const ids = [...new Set(members)];
    const absent = ids.filter((id) => !places.has(id));
    if (absent.length > 0) throw invalidOption(`group ${quoted(name)}: there is no item ${firstFew(absent)}`);
    const scenarios = [...new Set(ids.map((id) => places.get(id)!.scenario))];
    const [scenario] = scenarios;
    if (scenario === undefined) throw invalidOption(`group ${quoted(name)} has no items`);
    if (scenarios.length > 1)
      throw invalidOption(
        `group ${quoted(name)} has items of ${scenarios.length} scenarios (${firstFew(scenarios)}): a group is of one; pool the scenarios into one, or name a group of each`,
      );
    const beside = fixed.get(scenario) ?? [];
    const others = [...beside.map((other) => other.name), ...(difficulty ? THIRDS : [])];
    if (others.includes(name)) throw invalidOption(`scenario ${scenario} has two groups called ${quoted(name)}`);
    const indices = Uint32Array.from(ids, (id) => places.get(id)!.index).sort();
    fixed.set(scenario, [...beside, { name, items: indices }]);
  }
  return { fixed: Object.fromEntries(fixed), difficulty };
}

/**
 * The groups of a scenario: those that were asked for, then its thirds by the chance of a right answer at the mean ability.
 * @param learned - by what the thirds go: in a fold by what is known there, so that no model has a part in its own
 */
export function groupsOf({ fixed, difficulty }: GroupPlan, { scenario, trained }: LearnedScenario): IndexedGroup[] {
  const asked = lookUp(fixed, scenario.id) ?? [];
  if (!difficulty || scenario.count < THIRDS.length) return [...asked];
  const chances = itemResponses(trained.abilities.mean, trained.bank);
  const order = Uint32Array.from(chances, (_, item) => item).sort((x, y) => chances[y]! - chances[x]! || x - y);
  const thirds = THIRDS.map((name, k) => {
    const [begin, end] = [k, k + 1].map((part) => Math.round((part * order.length) / THIRDS.length));
    return { name, items: order.slice(begin, end).sort() };
  });
  return [...asked, ...thirds];
}
