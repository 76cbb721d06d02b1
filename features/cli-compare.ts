import type { CommandPart } from "../cli/src/program/parts.ts";
import { race } from "./adaptive/cli/parts.ts";
import { checkReplays, nightlyGate } from "./gates/cli/parts.ts";

/** The features' parts of `compare`. */
export const COMPARE_PARTS: readonly CommandPart[] = [race];

/** The features' parts of `check`. */
export const CHECK_PARTS: readonly CommandPart[] = [nightlyGate, checkReplays];
