/** Scores of groups of items. */
export type { Subscore } from "./subscores.ts";
