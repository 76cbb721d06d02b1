import { type CommandPart, withParts } from "../cli/src/program/parts.ts";
import { race } from "./adaptive/cli/parts.ts";
import { checkReplays, nightlyGate } from "./gates/cli/parts.ts";

/** The features' parts of `compare`. */
export const COMPARE_PARTS: readonly CommandPart[] = [race];

export const compareCommand = async () =>
  withParts(COMPARE_PARTS, (await import("./compare/cli/compare.ts")).compareCommand);

/** The features' parts of `check`. */
export const CHECK_PARTS: readonly CommandPart[] = [nightlyGate, checkReplays];

export const checkCommand = async () => withParts(CHECK_PARTS, (await import("./compare/cli/check.ts")).checkCommand);
