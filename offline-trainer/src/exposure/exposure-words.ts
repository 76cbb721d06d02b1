import type { Manifest } from "anchoreval/bundle";

/** What a fit says of its exposure limits: whether they are kept, and where. */
export function exposureWords({ exposure }: Manifest): string[] {
  if (!exposure) return [];
  const { limit, reached, unlimited, simulated } = exposure;
  const percent = (share: number): string => `${(100 * share).toFixed(1)} %`;
  const kept =
    unlimited <= limit
      ? `No item is given in more than ${percent(unlimited)} of the adaptive evaluations, without any limit`
      : `No item is given in more than ${percent(reached)} of the adaptive evaluations (limit ${percent(limit)}, without it ${percent(unlimited)})`;
  return ["", `${kept}: ${simulated.budget} items of all scenarios, ${simulated.batch} at once.`];
}
