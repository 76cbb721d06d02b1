/** Whose answers an estimate rests on: its own bank's alone, or those to all banks together. */
export const EVIDENCE = ["alone", "together"] as const;

/** What a scenario's score rests on. */
export type Evidence = (typeof EVIDENCE)[number];
