/** Whose answers an estimate rests on: its own bank's alone, or those to all banks together. */
export const EVIDENCE = ["alone", "together"] as const;
export type Evidence = (typeof EVIDENCE)[number];
