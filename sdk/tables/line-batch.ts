/** Lines that follow one another, without their line ends. */
export interface LineBatch {
  /** Number of the first one, counted from 1. */
  readonly first: number;
  readonly lines: readonly string[];
}
