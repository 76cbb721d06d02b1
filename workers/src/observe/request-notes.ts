/** What handlers tell the log of a request: numbers and names, never contents. */
export interface RequestNotes {
  /** How many answers came. */
  answers?: number;
  /** The version that answered, where the path says `latest`. */
  version?: string;
}

/** How many answers a request has, be they right or not. */
export function countAnswers(responses: unknown): number {
  return typeof responses === "object" && responses !== null ? Object.keys(responses).length : 0;
}
