import type { AbilityEstimate } from "anchoreval/internal/core/ability/map";
import type { ScenarioEstimate } from "anchoreval/internal/core/scoring/scenario-estimate";
import type { ValueSource } from "../anchors/anchor-method.ts";
import type { Scenario } from "../matrix/benchmark.ts";
import { loadValue } from "../methods/method.ts";
import type { LearnedScenario } from "./forms.ts";

/** A model that is held out, in one scenario and form: what was learned without it, its estimate, and all its answers. */
export interface HeldOutView {
  readonly learned: LearnedScenario;
  /** With the answers of every model, this one's among them. */
  readonly scenario: Scenario;
  /** Its row. */
  readonly model: number;
  readonly ability: AbilityEstimate;
  readonly estimate: ScenarioEstimate;
}

/** A look at every model that is held out, where that is computed: threads load the function by its source. */
export interface Observer {
  readonly source: ValueSource;
  /** @returns plain data, which stands in `observed` of the held-out estimate */
  readonly observe: (view: HeldOutView, data: never) => unknown;
  /** Plain data, which each thread gets once. */
  readonly data: unknown;
}

/** Observers by the stages of their parts. */
export type Observers = Readonly<Record<string, Observer>>;

/** The same as threads are sent them. */
export type SentObservers = Readonly<Record<string, Omit<Observer, "observe">>>;

export function sentObservers(observers: Observers): SentObservers {
  return Object.fromEntries(Object.entries(observers).map(([stage, { source, data }]) => [stage, { source, data }]));
}

/** The observers of what {@link sentObservers} made. */
export async function receivedObservers(sent: SentObservers): Promise<Observers> {
  const loaded = Object.entries(sent).map(async ([stage, { source, data }]): Promise<[string, Observer]> => [
    stage,
    { source, data, observe: await loadValue<Observer["observe"]>(source) },
  ]);
  return Object.fromEntries(await Promise.all(loaded));
}

/** The notes of all observers on a held-out model; absent where there are none. */
export function observed(
  observers: Observers,
  view: HeldOutView,
): { readonly observed?: Readonly<Record<string, unknown>> } {
  const noted = Object.entries(observers).map(
    ([stage, { observe, data }]) => [stage, observe(view, data as never)] as const,
  );
  return noted.length === 0 ? {} : { observed: Object.fromEntries(noted) };
}
