import type { All } from "../sdk/estimate/door.ts";
import { adaptiveCalls } from "./adaptive/sdk/client-calls.ts";
import { routeCalls } from "./routing/sdk/client-calls.ts";

/** The features' calls of a Worker. */
export const CALLS = [adaptiveCalls, routeCalls] as const;

export type FeatureCalls = All<ReturnType<(typeof CALLS)[number]>>;
