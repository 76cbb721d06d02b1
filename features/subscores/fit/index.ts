/** Scores of groups of items. */
export type { AskedGroups, ItemGroup } from "./groups.ts";
export { withSubscores } from "./with-subscores.ts";
