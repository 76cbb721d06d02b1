import { submatrix, type ItemInfo, type ResponseMatrix } from "./response-matrix.ts";

/**
 * The order of items that puts each scenario's together and, within it, each subscenario's, as a bundle stores them:
 * both in the order of their first item, items otherwise as they stood. Items of a scenario without a subscenario are
 * a group of their own.
 * @returns indices into `items`
 */
export function groupedOrder(items: readonly Pick<ItemInfo, "scenario" | "subscenario">[]): Uint32Array {
  const scenarios = new Map<string, Map<string | undefined, number[]>>();
  items.forEach(({ scenario, subscenario }, index) => {
    let groups = scenarios.get(scenario);
    if (!groups) scenarios.set(scenario, (groups = new Map<string | undefined, number[]>()));
    const group = groups.get(subscenario);
    if (group) group.push(index);
    else groups.set(subscenario, [index]);
  });
  const order = new Uint32Array(items.length);
  let at = 0;
  for (const groups of scenarios.values())
    for (const group of groups.values()) {
      order.set(group, at);
      at += group.length;
    }
  return order;
}

/** The matrix with its items in `groupedOrder`; the matrix itself where they are already. */
export function groupItems(matrix: ResponseMatrix): ResponseMatrix {
  const order = groupedOrder(matrix.items);
  if (order.every((item, index) => item === index)) return matrix;
  return submatrix(
    matrix,
    Uint32Array.from(matrix.subjects, (_, m) => m),
    order,
  );
}
