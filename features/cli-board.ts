import type { BoardPart } from "../cli/src/options/board-part.ts";
import { fullScores } from "./full-scores/cli.ts";

/** The features' parts of the answers that fits and back-tests read. */
export const BOARD_PARTS: readonly BoardPart[] = [fullScores];
