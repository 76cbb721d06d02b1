import type { ReadResponsesOptions, Responses } from "anchoreval-trainer/internal/matrix/read-responses";
import type { OptionReader, OptionSpecs } from "../program/command.ts";

/** A feature's part of the answers that are fitted: something that models are known by besides. */
export interface BoardPart {
  readonly options: OptionSpecs;
  /** @returns null where no option asks @throws AnchorEvalError `invalid_data` */
  read(options: OptionReader, board: Responses, reading: ReadResponsesOptions): Promise<Responses | null>;
}
