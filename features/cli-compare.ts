import type { CommandPart } from "../cli/src/program/parts.ts";
import { race } from "./adaptive/cli/parts.ts";

/** The features' parts of `compare`. */
export const COMPARE_PARTS: readonly CommandPart[] = [race];
